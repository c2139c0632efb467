"""Widths of intervals of slopes, foretold: those of sampling where there is no noise, and wider the more noise there is."""

from fractions import Fraction

import numpy as np
import pytest

from starling.audit.genome_mechanisms import small_plan
from starling.genome.plan import SnpEffects
from starling.genome.preview.expected import epsilon_for, meaning_of, unit_of
from starling.genome.preview.page import expected_errors
from starling.genome.preview.slopes import error, snp_slopes
from starling.genome.preview.typical import Assumed
from tests.genome.test_publish_moments import ONE, SNPS
from tests.genome.worlds import PEOPLE, a_trait_plan


def test_a_preview_has_the_widths_of_intervals() -> None:
    assumed = Assumed.of(a_trait_plan())
    widths = [error(assumed, SnpEffects(SNPS[:1], Fraction(each))) for each in (1, 10, 10**9)]
    assert widths[0] > widths[1] > widths[2]
    # By sampling alone: 2 * 1.96 * 40/6 / sqrt(n 2 f (1 - f)).
    assert widths[2] == pytest.approx(2 * 1.96 * 40 / 6 / np.sqrt(PEOPLE * 0.32), rel=0.02)
    assert error(assumed, SnpEffects(SNPS, Fraction(10))) > widths[1]
    page = expected_errors(assumed, {"snp-effects": SnpEffects(SNPS, ONE)}, (ONE, 2 * ONE))
    for text in (page.page(), str(page)):
        assert "Width of the 95 % interval of a slope" in text
        assert "by noisy moments" in text
        assert "cases" not in text
    assert snp_slopes(Assumed.of(small_plan(9, 2, trait=True)), SnpEffects(("snp0",), ONE / 4096)).widths[0].width == 2
    least = epsilon_for(assumed, SnpEffects(SNPS[:1], ONE), 6)
    assert error(assumed, SnpEffects(SNPS[:1], least)) <= 6 < error(assumed, SnpEffects(SNPS[:1], least * 9 / 10))
    assert "between the ends of the interval of a slope" in unit_of(a_trait_plan(), "snp_effects")
    assert "a sixth of the way" in meaning_of(a_trait_plan(), "snp_effects")

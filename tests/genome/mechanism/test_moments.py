"""Moments are drawn by the noise that their question states for whole persons, on all sums, and by no other."""

from fractions import Fraction

import numpy as np
import pytest

from starling.audit.genome_mechanisms import SmallStudy, small_plan
from starling.genome.mechanism import moments
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import SnpEffects
from starling.genome.plan.moments import sensitivity, snp_weights, trait_weights
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import REPLACE_PERSON


def test_the_noise_is_the_stated_one_on_every_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[Fraction] = []

    def none(scale: Fraction, shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        scales.append(scale)
        return np.arange(1, shape[0] + 1, dtype=np.int64)

    monkeypatch.setattr(moments, "discrete_laplace", none)
    generator = np.random.default_rng(1)
    study = SmallStudy(generator.binomial(2, 0.4, (20, 3)).astype(np.int8), generator.random(20) < 0.5, "additive")
    plan, question = small_plan(20, 3, trait=True), SnpEffects(("snp2", "snp0"), Fraction(3))
    mechanism = mechanism_of(plan, question)
    drawn = mechanism.draw(study)
    of_snps, of_all = study.moments(np.array([2, 0]))
    assert scales == [Fraction(sensitivity(2), 3)]
    assert (mechanism.guarantee.cost, mechanism.guarantee.relation) == (Epsilon(Fraction(3)), REPLACE_PERSON)
    weighted = (of_snps * snp_weights()).T + np.arange(1, 9).reshape(4, 2)
    assert [drawn.products, drawn.copies, drawn.squares, drawn.missing] == [tuple(row) for row in weighted.tolist()]  # type: ignore[union-attr]
    assert drawn.phenotype == tuple((of_all * trait_weights() + np.arange(9, 12)).tolist())  # type: ignore[union-attr]

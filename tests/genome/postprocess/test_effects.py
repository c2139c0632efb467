"""An effect in words: by odds ratio where there is one, else by a slope, of cases or of the phenotype."""

import pytest

from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.plan import Plan
from starling.genome.postprocess.effects import power_text, snp_effect_text
from tests.genome.worlds import a_trait_plan

RATIO = Interval(2.0, 1.5, 3.0)
TRAIT = a_trait_plan(unit="phenotype")
CASES = a_trait_plan(unit="phenotype", between=None, steps=None)


@pytest.mark.parametrize(
    ("plan", "ratio", "words"),
    [
        (CASES, RATIO, "rs1: odds ratio of each copy about 2 (1.5 to 3); p is about 0.001"),
        (CASES, None, "rs1: the share of cases grows by about 0.1 with one more copy (0 to 0.2); p is about 0.001"),
        (TRAIT, None, "rs1: the phenotype grows by about 0.1 with one more copy (0 to 0.2); p is about 0.001"),
    ],
)
def test_it_is_said_by_what_is_known(plan: Plan, ratio: Interval | None, words: str) -> None:
    assert snp_effect_text(plan, SnpEffect("rs1", Interval(0.1, 0.0, 0.2), ratio, 3.3, -3.0)) == words


def test_a_p_value_below_all_floats_is_written_from_its_logarithm() -> None:
    assert (power_text(-2.0, 0.01), power_text(-400.5, 0.0)) == ("0.01", "3.16e-401")

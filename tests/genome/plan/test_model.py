"""A plan holds public choices that fit each other, and its regions are ranges of the SNP list."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.errors import ParameterError, PlanError
from starling.genome.plan import Plan, Region, Snps
from starling.genome.plan.choices import TESTS
from starling.privacy.neighbours import REPLACE_PERSON


def snps_of(*places: tuple[str, int]) -> Snps:
    ids = tuple(f"rs{row}" for row in range(len(places)))
    return Snps(
        ids,
        tuple(chromosome for chromosome, _ in places),
        np.array([position for _, position in places], dtype=np.int64),
        ("A",) * len(places),
        ("C",) * len(places),
    )


SIX = snps_of(("1", 10), ("1", 20), ("1", 30), ("1", 40), ("2", 10), ("2", 20))


def plan_with(**changes: Any) -> Plan:
    return Plan(**{"title": "x", "people": 100, "snps": SIX, "model": "dominant", "tests": ("g",), **changes})


def test_the_threshold_is_alpha_over_m_exactly() -> None:
    assert plan_with().p_threshold == Fraction(5, 600)
    assert plan_with(alpha=Fraction(1, 10)).p_threshold == Fraction(1, 60)


@pytest.mark.parametrize("people", [100.0, True, "100"])
def test_people_are_counted_by_an_int(people: Any) -> None:
    with pytest.raises(PlanError, match=f"people is a {type(people).__name__}, not an int"):
        plan_with(people=people)


def test_an_alpha_is_exact() -> None:
    assert plan_with(alpha="0.05").alpha == Fraction(1, 20)
    for wrong, said in ((0.05, "alpha is a float"), (True, "alpha is a bool"), ("5e-2", "write 0.05")):
        with pytest.raises(PlanError, match=said):
            plan_with(alpha=wrong)


@pytest.mark.parametrize(("low", "high"), [(1.0, 30), (1, 30.0), (True, 30)])
def test_the_ends_of_a_region_are_ints(low: Any, high: Any) -> None:
    with pytest.raises(ParameterError, match=r"(low|high) is a (float|bool), not an int"):
        plan_with(regions=(Region("a", "1", low, high),))


def test_neighbours_replace_one_person() -> None:
    assert plan_with().relation == REPLACE_PERSON


def test_without_regions_each_chromosome_is_one() -> None:
    assert plan_with().ranges == {"1": (0, 4), "2": (4, 6)}


def test_regions_are_taken_together_only_where_they_overlap() -> None:
    regions = (Region("a", "1", 10, 20), Region("b", "1", 20, 30), Region("c", "1", 31, 40), Region("d", "2", 1, 99))
    plan = plan_with(regions=regions)
    assert plan.within() == ((0, 3), (3, 4), (4, 6))
    assert plan.within(("d", "c")) == ((3, 4), (4, 6))
    assert plan.within(("a",)) == ((0, 2),)
    assert plan.within(excluding=[(1, 2), (4, 5)]) == ((0, 1), (2, 3), (3, 4), (5, 6))
    with pytest.raises(ParameterError, match="leave no SNP"):
        plan.within(("a",), excluding=[(0, 4)])
    with pytest.raises(ParameterError, match="name regions of the plan"):
        plan.within(("zzz",))


def test_no_range_crosses_a_chromosome() -> None:
    for start, stop in plan_with(regions=(Region("a", "1", 30, 99), Region("b", "2", 1, 15))).within():
        assert len(set(SIX.chromosomes[start:stop])) == 1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"people": 1}, "people are not 2 to 16777216"),
        ({"people": 2**24 + 1}, "people are not 2 to 16777216"),
        ({"people": 2**23 + 1, "model": "allelic"}, "people are not 2 to 8388608"),
        ({"alpha": Fraction(9)}, "alpha is not such that alpha / m is from 1e-250 to 0.3"),
        ({"alpha": Fraction(0)}, "alpha is not such that"),
        ({"build": "hg19"}, "build is not NCBI36 or GRCh37 or GRCh38 or T2T-CHM13v2.0"),
        ({"model": "overdominant"}, "model is not dominant or recessive or genotypic or allelic"),
        ({"tests": ()}, "tests are none"),
        ({"tests": ("g", "g")}, "tests are none, or one is there twice"),
        ({"tests": ("fisher",), "model": "genotypic"}, "tests name one that the model has not"),
        ({"regions": (Region("a", "1", 11, 19),)}, "region a holds no SNP of the list"),
        ({"regions": (Region("a", "1", 1, 19), Region("a", "2", 1, 19))}, "regions have a name twice"),
        ({"case": "a case"}, "case is not a word"),
        ({"case": ""}, "case is not a word"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        plan_with(**changes)


@pytest.mark.parametrize("model", TESTS)
def test_each_model_has_its_tests(model: str) -> None:
    assert plan_with(model=model, tests=TESTS[model]).tests == TESTS[model]  # type: ignore[index] # keys of TESTS

"""Every question states its cost, and is refused before anything is charged when the plan has no such question."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Query, SnpCorr, SnpPval
from starling.ledger.rules import MOST
from starling.privacy.budget import Epsilon
from starling.privacy.events import DiscreteLaplaceNoise, LatticeNoise
from starling.privacy.neighbours import REPLACE_PERSON
from tests.genome.studies import a_study, plan_of

ONE = Fraction(1)
GOOD: list[Query] = [
    NumSig("g", 3, ONE),
    NumSig("g", 0, ONE),
    LocSig("g", 2, ONE, ("1",)),
    LocBlock("r2", Fraction(1, 5), ("rs2",), ONE, longest=3),
    LocBlock("dprime", Fraction(1, 2), ("rs2",), ONE, ("1",), excluding=(("rs3", "rs4"),)),
    SnpPval("rs1", "g", ONE),
    SnpPval("rs1", "wald", ONE, "laplace"),
    SnpCorr("rs1", "rs7", "r2", ONE),
    SnpCorr("rs1", "rs7", "dprime", ONE, "laplace"),
]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    made = plan_of(a_study(), tmp_path)
    return Plan(made.title, made.people, made.snps, made.model, ("g", "wald"))


@pytest.mark.parametrize("query", GOOD)
def test_each_question_costs_its_epsilon_for_a_replaced_person(plan: Plan, query: Query) -> None:
    query.check(plan)
    cheap = replace(query, epsilon=Fraction(1, 7))
    assert cheap.guarantee.cost == Epsilon(Fraction(1, 7))
    assert cheap.guarantee.relation == REPLACE_PERSON


def test_published_noise_is_laplace_of_scale_two_over_epsilon() -> None:
    event = SnpPval("rs1", "g", Fraction(1, 5), "laplace").event(REPLACE_PERSON)
    assert event == DiscreteLaplaceNoise(Fraction(10), Fraction(2))
    assert SnpPval("rs1", "g", Fraction(1, 5)).event(REPLACE_PERSON) == LatticeNoise(Fraction(1, 5))


def test_an_exploration_is_four_quarters() -> None:
    whole = Explore("g", "r2", Fraction(1, 5), Fraction(3, 10)).guarantee
    assert whole.cost == Epsilon(Fraction(3, 10))
    assert [part.cost for part in whole.parts] == [Epsilon(Fraction(3, 40))] * 4


BAD: list[tuple[Any, str]] = [
    (NumSig("g", 8, ONE), "k is not a whole number from 0 to 7, the number of SNPs"),
    (NumSig("g", -1, ONE), "k is not a whole number from 0 to 7"),
    (NumSig("g", 1, Fraction(0)), "epsilon is not above 0"),
    (NumSig("g", 1, Fraction(-1)), "epsilon is not above 0"),
    (NumSig("g", 1, Fraction(MOST + 1)), "epsilon is above 4000000000"),
    (NumSig("g", 1, ONE, "best"), "selection is not permute-and-flip or exponential"),  # type: ignore[arg-type] # refused at run time too
    (NumSig("chi2", 1, ONE), "test is not among the plan's tests"),
    (NumSig("wald", 1, ONE), "test wald has no distance to significance that is private"),
    (LocSig("g", 5, ONE, ("1",)), "k is not a whole number from 1 to 4, the number of SNPs of the regions"),
    (LocSig("g", 0, ONE), "k is not a whole number from 1"),
    (LocSig("g", 1, ONE, ("3",)), "regions 3 is not in the plan"),
    (LocBlock("r2", Fraction(1, 5), ("rs9",), ONE), "snps rs9 is not in the SNP list of the plan"),
    (LocBlock("r2", Fraction(1, 5), ("rs7",), ONE, ("1",)), "leave no block to choose"),
    (LocBlock("r2", Fraction(1, 20), ("rs1",), ONE), "delta_c is below 1/n"),
    (LocBlock("dprime", Fraction(2, 5), ("rs1",), ONE), "delta_c is below 1/2"),
    (LocBlock("r2", Fraction(1), ("rs1",), ONE), "delta_c is not a fraction"),
    (LocBlock("r2", Fraction(1, 5), ("rs1",), ONE, longest=0), "longest is below 1"),
    (SnpPval("rs9", "g", ONE), "snp rs9 is not in the SNP list of the plan"),
    (SnpPval("rs1", "g", Fraction(1, 5000)), "epsilon is below 1/4096"),
    (SnpPval("rs1", "fisher", ONE), "test is not among the plan's tests; take g or wald"),
    (SnpPval("rs1", "g", ONE, "gauss"), "noise is not laplace or lattice"),  # type: ignore[arg-type] # refused at run time too
    (SnpCorr("rs1", "rs1", "r2", ONE), "second is the first SNP again; name two SNPs"),
    (SnpCorr("rs1", "rs2", "r3", ONE), "correlation is no measure of correlation"),  # type: ignore[arg-type] # refused at run time too
]


@pytest.mark.parametrize("value", [2.0, float("nan"), True, "2", Fraction(2)])
def test_what_is_not_an_int_is_refused_at_construction_by_its_own_name(value: Any) -> None:
    kind = type(value).__name__
    makes: dict[str, list[Any]] = {
        "k": [lambda: NumSig("g", value, ONE), lambda: LocSig("g", value, ONE)],
        "longest": [
            lambda: LocBlock("r2", ONE / 5, ("rs1",), ONE, longest=value),
            lambda: Explore("g", "r2", ONE / 5, ONE, longest=value),
        ],
        "most": [lambda: Explore("g", "r2", ONE / 5, ONE, most=value)],
    }
    for field, each in makes.items():
        for make in each:
            with pytest.raises(ParameterError, match=f"^{field} is a {kind}, not an int; write it like 10$"):
                make()


def test_what_is_neither_true_nor_false_is_refused_at_construction() -> None:
    with pytest.raises(ParameterError, match="independent is a float, not True or False"):
        Explore("g", "r2", ONE / 5, ONE, independent=1.0)  # type: ignore[arg-type]


def test_an_epsilon_may_be_as_large_as_a_ledger_counts(plan: Plan) -> None:
    """A test against the truth asks at an epsilon that leaves no noise; no smaller bound stands in its way."""
    for query in GOOD:
        replace(query, epsilon=Fraction(MOST)).check(plan)


@pytest.mark.parametrize(("query", "problem"), BAD)
def test_what_the_plan_cannot_answer_is_refused(plan: Plan, query: Query, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        query.check(plan)

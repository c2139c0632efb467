"""Every question is foreseen, by its parts, and the cost of a wanted error is the least."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling import genome
from starling.errors import ParameterError
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Question, SnpCorr, SnpPval
from starling.genome.preview import selections, tables
from starling.genome.preview.expected import (
    STEP,
    UNITS,
    ExpectedExplore,
    epsilon_for,
    error_of,
    meaning_of,
    preview,
    unit_of,
)
from starling.genome.preview.page import expected_errors
from starling.genome.preview.typical import Assumed
from starling.release.codec import encode
from tests.genome.plan.test_model_phenotypes import PHENOTYPES
from tests.genome.preview.conftest import a_plan

ONE = Fraction(1)
FIFTH = Fraction(1, 5)
QUESTIONS: list[tuple[Question, float]] = [
    (NumSig("g", 2, ONE), 7),
    (LocSig("g", 2, ONE), 20),
    (LocBlock("r2", FIFTH, (), ONE), 10),
    (SnpPval("s1", "g", ONE), 3),
    (SnpPval("s1", "g", ONE, "laplace"), 3),
    (SnpCorr("s1", "s2", "dprime", ONE), 0.05),
    (Explore("g", "r2", FIFTH, ONE), 20),
]


def test_an_exploration_is_foreseen_by_its_parts(assumed: Assumed) -> None:
    whole = Explore("g", "r2", FIFTH, Fraction(4), noise="laplace", selection="exponential")
    expected = preview(assumed, whole, followed=2)
    assert isinstance(expected, ExpectedExplore)
    assert expected.k == 2
    assert expected.number == selections.num_sig(assumed, NumSig("g", 10, ONE, "exponential"), 2)
    assert expected.located == selections.loc_sig(assumed, LocSig("g", 2, ONE))
    assert expected.block == selections.loc_block(assumed, LocBlock("r2", FIFTH, (), ONE / 2))
    assert expected.table == tables.noisy_tables(assumed, SnpPval("s1", "g", ONE / 2, "laplace"))
    most = preview(assumed, whole)
    assert isinstance(most, ExpectedExplore)
    assert most.k == 10


@pytest.mark.parametrize(("question", "error"), QUESTIONS)
def test_the_cost_of_an_error_is_the_least(assumed: Assumed, question: Question, error: float) -> None:
    cost = epsilon_for(assumed, question, error, followed=2)
    assert cost % STEP == 0
    assert error_of(assumed, replace(question, epsilon=cost), followed=2) <= error
    assert error_of(assumed, replace(question, epsilon=cost - STEP), followed=2) > error
    # The epsilon of the question itself does not matter.
    assert epsilon_for(assumed, replace(question, epsilon=Fraction(7)), error, followed=2) == cost


def test_any_error_is_cheap_and_none_is_dear(assumed: Assumed) -> None:
    assert epsilon_for(assumed, NumSig("g", 2, ONE), 1e6) == STEP
    # An exploration gives each of its tables what a table needs at least.
    cheap = epsilon_for(assumed, Explore("g", "r2", FIFTH, ONE), 1e6)
    replace(Explore("g", "r2", FIFTH, ONE), epsilon=cheap).check(assumed.plan)
    exact = epsilon_for(assumed, LocSig("g", 2, ONE), 0)
    assert error_of(assumed, LocSig("g", 2, exact)) == 0
    for error in (-1, float("nan")):
        with pytest.raises(ParameterError, match="error is below 0"):
            epsilon_for(assumed, NumSig("g", 2, ONE), error)
    # The interval of Wald's p-value is never narrower than rounding leaves it.
    wald = Assumed.of(a_plan(2000, 400, tests=("wald",)))
    with pytest.raises(ParameterError, match="error is kept at no epsilon"):
        epsilon_for(wald, SnpPval("s1", "wald", ONE), 0)


@pytest.mark.series(2)
@pytest.mark.parametrize(("question", "unit"), [(each, UNITS[each.kind]) for each, _ in QUESTIONS])
@given(margin=st.fractions(0, 400, max_denominator=1000))
@settings(max_examples=3)
def test_a_margin_gives_a_cost_that_gives_no_wider_margin(question: Question, unit: str, margin: Fraction) -> None:
    """And what is shown of it, rounded up, costs no more."""
    plan = QuestionPlan(a_plan())
    if isinstance(question, LocBlock):
        question = replace(question, snps=("s1",))
    asked = encode(Question, question)
    del asked["epsilon"]
    try:
        priced: Any = plan.at_margin(asked, margin)
    except ParameterError:
        assert margin < 1, "only exact answers may be beyond any cost"
        return
    kept = plan.margin(priced)
    assert (Fraction(kept.within) <= margin + Fraction(1, 10**6), kept.unit) == (True, unit)
    again: Any = plan.at_margin(asked, kept.within)
    assert Fraction(again["epsilon"]) <= Fraction(priced["epsilon"])
    assert plan.at_margin(asked, margin) == priced


def test_how_many_are_followed_up_is_an_int(assumed: Assumed) -> None:
    question = Explore("g", "r2", FIFTH, ONE)
    for wrong in (2.0, True, "2"):
        with pytest.raises(ParameterError, match=f"followed is a {type(wrong).__name__}, not an int"):
            preview(assumed, question, followed=wrong)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="followed is a"):
            epsilon_for(assumed, question, 20, followed=wrong)  # type: ignore[arg-type]


def test_questions_that_the_plan_has_not_are_refused(assumed: Assumed) -> None:
    for question, says in (
        (NumSig("g", 401, ONE), "k is not"),
        (LocSig("chi2", 1, ONE), "test is not"),
        (LocBlock("r2", Fraction(1, 10**4), (), ONE), "delta_c is below"),
        (LocBlock("r2", FIFTH, ("s0",), ONE), "snps s0 is not in the SNP list"),
        (Explore("g", "r2", FIFTH, Fraction(0)), "epsilon is not above 0"),
    ):
        for ask in (lambda one: preview(assumed, one), lambda one: epsilon_for(assumed, one, 5)):
            with pytest.raises(ParameterError, match=says):
                ask(question)


def test_several_costs_at_once(assumed: Assumed) -> None:
    found = expected_errors(assumed, {"loc-sig": LocSig("g", 2, ONE)}, (ONE, Fraction(2)))
    assert list(found.expected) == ["loc-sig"]
    assert [one.query.epsilon for one in found.expected["loc-sig"]] == [1, 2]
    assert found.expected["loc-sig"][1] == preview(Assumed.of(a_plan()), LocSig("g", 2, Fraction(2)))


def test_a_plan_alone_is_supposed_as_it_is_unless_said_otherwise(assumed: Assumed) -> None:
    question = LocSig("g", 2, ONE)
    assert genome.preview(assumed.plan, question) == preview(assumed, question)
    assert epsilon_for(assumed.plan, question, 20) == epsilon_for(assumed, question, 20)


def test_the_error_of_a_scan_of_a_quantitative_phenotype_speaks_of_no_cases() -> None:
    of_trait = replace(PHENOTYPES, between=(Fraction(0), Fraction(1)))
    assert "cases" in meaning_of(PHENOTYPES, "scan")
    assert "cases" not in meaning_of(of_trait, "scan") + unit_of(of_trait, "scan")

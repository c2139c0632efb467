"""A session with a budget: everything is taken from it, and nothing beyond it is read."""

import gc
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import starling
from starling import genome, places, tables
from starling.errors import BudgetRefused, ParameterError, PolicyRefused
from starling.ledger.opening import create_ledger
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.neighbours import ADD_REMOVE_PERSON

PEOPLE = pa.table({"sex": ["F", "M", "F"], "x": [0.5, 0.5, 0.1], "y": [0.5, 0.1, 0.1]})
SEX: dict[str, Any] = {"by": ["sex"], "domains": {"sex": ["F", "M"]}}

CELLS = places.plan((0, 0, 1, 1), (2, 2), epsilon=1, method="singular", expected=9)


def test_counts_are_taken_from_the_budget_until_it_is_spent() -> None:
    with starling.session(PEOPLE, epsilon=2) as s:
        assert s.left == Epsilon(Fraction(2))
        first = s.count(**SEX, epsilon="0.5")
        assert s.left == Epsilon(Fraction(3, 2))
        assert s.count(**SEX, epsilon="0.5") is first, "the same question is answered once"
        assert s.left == Epsilon(Fraction(3, 2))
        with pytest.raises(BudgetRefused, match=r"session has .* or begin a session with a larger budget"):
            s.count(**SEX, epsilon=2)
        assert s.left == Epsilon(Fraction(3, 2)), "what is refused costs nothing"
        s.count(**SEX, epsilon="1.5")
        assert s.left == Epsilon(Fraction(0))
        assert "epsilon 0" in repr(s)
        assert "2 releases" in s._repr_html_()
    assert first.number(sex="F").standard_deviation > 0, "what was released outlives the session"


def test_a_preview_says_what_a_release_takes_and_spends_nothing() -> None:
    plan = tables.plan(**SEX, epsilon="1.5")
    with starling.session(PEOPLE, epsilon=2) as s:
        shown = s.preview(plan)
        assert (shown.cost, shown.left, shown.after) == tuple(Epsilon(Fraction(each, 2)) for each in (3, 4, 1))
        assert "left after  epsilon 0.5" in str(shown)
        assert s.preview(CELLS).cost == Epsilon(Fraction(1))
        s.release(plan)
        assert s.left == shown.after, "the preview of another unit binds nothing"
        assert s.preview(plan).cost == Epsilon(Fraction(0)), "the same again is free"
        dear = s.preview(tables.plan(**SEX, epsilon=1))
        assert dear.after is None
        assert "it would be refused" in dear._repr_html_()
        with pytest.raises(PolicyRefused):
            s.preview(CELLS)
        assert s.left == shown.after
        for ask in (s.preview, s.release):
            with pytest.raises(ParameterError, match="plan is of type list"):
                ask(["sex"])  # type: ignore[arg-type]


def test_a_preview_in_another_measure_costs_what_is_charged() -> None:
    plan = tables.plan(**SEX, epsilon="0.5")
    with starling.session(PEOPLE, rho=1) as s:
        shown = s.preview(plan)
        s.release(plan)
        assert s.left == shown.after


@pytest.mark.parametrize("asked", ["question", "none"])
def test_a_preview_of_a_study_takes_its_question(asked: str) -> None:
    plan = genome.plan([("rs1", "1", 1000, "A", "C"), ("rs2", "1", 2000, "G", "T")], people=4)
    with starling.session({}, epsilon=2) as s:
        if asked == "none":
            with pytest.raises(TypeError, match="question"):
                s.preview(plan)
        else:
            assert s.preview(plan, question=genome.NumSig("chi2", 1, Fraction(1, 2))).after == Epsilon(Fraction(3, 2))


@pytest.mark.slow
def test_what_a_session_made_goes_with_it() -> None:
    s = starling.session(PEOPLE, epsilon=1)
    folder = s.count(**SEX, epsilon=1).folder
    s.close()
    del s
    gc.collect()
    assert not folder.exists()


def test_plans_of_other_units_do_not_share_a_budget() -> None:
    with starling.session(PEOPLE, epsilon=2) as s:
        s.release(CELLS)
        with pytest.raises(PolicyRefused):
            s.count(**SEX, epsilon="0.5")


def test_rho_pays_for_rho() -> None:
    with starling.session(PEOPLE, rho=1) as s:
        s.release(tables.plan(**SEX, rho="0.25"))
        assert s.left == Rho(Fraction(3, 4))


def test_a_ledger_remembers_what_sessions_spent(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'budget.sqlite'}"
    ledger = create_ledger(url)
    ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, Fraction(1))
    ledger.custody.add_dataset("visits", "people", {})
    ledger.custody.grant("people", "custodian", Fraction(1))
    ledger.close()
    for left in ("0.6", "0.2"):
        with starling.session(PEOPLE, ledger=url, dataset="visits", folder=tmp_path / "answers") as s:
            s.count(**SEX, epsilon="0.4" if left == "0.6" else "0.39")
            assert float(s.left.amount) == pytest.approx(float(left), abs=0.02)
    assert sorted(path.name for path in (tmp_path / "answers").glob("release-*")) == ["release-1", "release-2"]


def test_a_budget_beside_a_ledger_limits_the_session_and_both_hold(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'budget.sqlite'}"
    with closing(create_ledger(url)) as ledger:
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, Fraction(1))
        ledger.custody.add_dataset("visits", "people", {})
        ledger.custody.grant("people", "custodian", Fraction(1))
    of: dict[str, Any] = {"ledger": url, "dataset": "visits", "folder": tmp_path / "answers"}
    with starling.session(PEOPLE, epsilon="0.5", **of) as s:
        assert s.left == Epsilon(Fraction(1, 2))
        s.count(**SEX, epsilon="0.25")
        assert s.left == Epsilon(Fraction(1, 4))
        assert s.preview(tables.plan(**SEX, epsilon="0.375")).after is None
        with pytest.raises(BudgetRefused, match=r"session has 0\.25 left of 0\.5, the charge is 0\.375"):
            s.count(**SEX, epsilon="0.375")
        with pytest.raises(ParameterError):
            s.release(tables.plan(**SEX, epsilon="0.125"), engine="abacus")
        assert s.left == Epsilon(Fraction(1, 4)), "what is refused costs nothing"
    with starling.session(PEOPLE, epsilon=2, **of) as s:
        assert s.left == Epsilon(Fraction(3, 4)), "of the ledger"
        with pytest.raises(BudgetRefused, match="analyst custodian"):
            s.count(**SEX, epsilon=1)
        s.count(**SEX, epsilon="0.75")
        assert s.left == Epsilon(Fraction(0))
    with pytest.raises(ParameterError, match="rho is not the measure of the ledger, which counts epsilon for visits"):
        starling.session(PEOPLE, rho=1, **of)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "budget"),
        ({"epsilon": 1, "rho": 1}, "budget"),
        ({"epsilon": 1, "rho": 1, "ledger": "sqlite:///x"}, "budget"),
        ({"ledger": "sqlite:///x"}, "dataset"),
        ({"ledger": "sqlite:///x", "dataset": "visits"}, "folder"),
        ({"epsilon": 0.5}, "epsilon"),
    ],
)
def test_what_is_no_budget_is_refused_at_its_argument(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        starling.session(PEOPLE, **arguments)

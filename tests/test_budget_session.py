"""A session with a budget: everything is taken from it, and nothing beyond it is read."""

import gc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import starling
from starling import places, tables
from starling.errors import BudgetRefused, ParameterError, PolicyRefused
from starling.ledger.opening import create_ledger
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.neighbours import ADD_REMOVE_PERSON

PEOPLE = pa.table({"sex": ["F", "M", "F"], "x": [0.5, 0.5, 0.1], "y": [0.5, 0.1, 0.1]})
SEX: dict[str, Any] = {"by": ["sex"], "domains": {"sex": ["F", "M"]}}


def test_counts_are_taken_from_the_budget_until_it_is_spent() -> None:
    with starling.session(PEOPLE, epsilon=2) as s:
        assert s.left == Epsilon(Fraction(2))
        first = s.count(**SEX, epsilon="0.5")
        assert s.left == Epsilon(Fraction(3, 2))
        assert s.count(**SEX, epsilon="0.5") is first, "the same question is answered once"
        assert s.left == Epsilon(Fraction(3, 2))
        with pytest.raises(BudgetRefused):
            s.count(**SEX, epsilon=2)
        assert s.left == Epsilon(Fraction(3, 2)), "what is refused costs nothing"
        s.count(**SEX, epsilon="1.5")
        assert s.left == Epsilon(Fraction(0))
        assert "epsilon 0" in repr(s)
        assert "2 releases" in s._repr_html_()
    assert first.number(sex="F").standard_deviation > 0, "what was released outlives the session"


def test_what_a_session_made_goes_with_it() -> None:
    s = starling.session(PEOPLE, epsilon=1)
    folder = s.count(**SEX, epsilon=1).folder
    s.close()
    del s
    gc.collect()
    assert not folder.exists()


def test_plans_of_other_units_do_not_share_a_budget() -> None:
    with starling.session(PEOPLE, epsilon=2) as s:
        s.release(places.plan((0, 0, 1, 1), (2, 2), epsilon=1, method="singular"))
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


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "budget"),
        ({"epsilon": 1, "rho": 1}, "budget"),
        ({"epsilon": 1, "ledger": "sqlite:///x"}, "budget"),
        ({"ledger": "sqlite:///x"}, "dataset"),
        ({"ledger": "sqlite:///x", "dataset": "visits"}, "folder"),
        ({"epsilon": 0.5}, "epsilon"),
    ],
)
def test_what_is_no_budget_is_refused_at_its_argument(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        starling.session(PEOPLE, **arguments)

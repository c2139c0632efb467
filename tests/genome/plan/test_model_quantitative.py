"""Quantitative phenotypes, divided by a public number: who is a case, and what a plan may state."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError, PlanError
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import Plan
from starling.genome.session import plan as stated
from starling.genome.source.people import People
from tests.genome.plan.test_model import plan_with

SNPS = [("rs1", "1", 10, "A", "C")]


def divided(above: Any, **choices: Any) -> Plan:
    return stated(SNPS, 100, above=above, **choices)


def test_a_plan_says_who_is_a_case_and_is_saved_as_it_is(tmp_path: Path) -> None:
    plan = divided("25.5")
    assert "a case is a number above 25.5, everybody else a control" in str(plan)
    assert plan.as_json()["above"] == "51/2"
    assert "case" not in plan.as_json()
    plan.save(tmp_path / "plan.toml")
    write_plan(tmp_path, plan)
    for again in (Plan.load(tmp_path / "plan.toml"), read_plan(tmp_path)):
        assert (again.digest, again.above, again.case) == (plan.digest, Fraction("25.5"), "2")
    assert len({plan.digest, divided("25").digest, replace(plan, above=None).digest}) == 3
    assert "above" not in plan_with().as_json()


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ({"above": 10**16}, "study.above is beyond 1000000000000000"),
        ({"above": "high"}, "above is not a decimal number"),
        ({"above": 0.5}, "above is a float"),
        ({"above": 3, "case": "1"}, "study.case stands beside above"),
    ],
)
def test_what_divides_nothing_is_refused(choices: dict[str, Any], problem: str) -> None:
    with pytest.raises((PlanError, ParameterError), match=problem):
        divided(**choices)
    if "case" in choices:
        with pytest.raises(PlanError, match=problem):
            replace(divided(3), case="1")


WORDS = [
    ("25.6", True),
    ("25.5", False),
    ("+2.6e1", True),
    ("1e999999999", True),
    ("-1e999999999", False),
    (".5", False),
    ("26.", True),
    ("-9", False),
    ("NA", False),
    ("", False),
    ("nan", False),
    ("inf", False),
    ("0x1p9", False),
    ("1_000", False),
    ("\uff12\uff16", False),
    ("26,0", False),
]


@pytest.mark.parametrize(("word", "is_case"), WORDS)
def test_a_decimal_number_above_it_is_a_case_and_nothing_else(word: str, is_case: bool) -> None:
    assert People(None, (), None, "2", 25.5).is_case(word.encode()) is is_case


@given(st.binary(max_size=30))
def test_no_phenotype_makes_a_run_fail(word: bytes) -> None:
    assert People(None, (), None, "2", 25.5).is_case(word) in (True, False)


@given(st.decimals(-(10**6), 10**6, places=3), st.decimals(-(10**6), 10**6, places=3))
def test_numbers_are_compared_as_numbers(value: Any, above: Any) -> None:
    assert People(None, (), None, "2", float(above)).is_case(str(value).encode()) is (value > above)

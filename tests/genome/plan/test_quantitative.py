"""Quantitative phenotypes between two public ends: what a plan may state, and which step a phenotype is."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError, PlanError
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import Plan, Scan
from starling.genome.plan.intervals import divided_in_words
from starling.genome.plan.quantitative import step_of
from starling.genome.postprocess.estimates import ScanAnswer
from starling.genome.postprocess.wording import answer_text
from starling.genome.preview.expected import preview
from starling.genome.preview.page import note
from starling.genome.preview.typical import Assumed
from starling.genome.session import plan as stated
from starling.genome.source.people import People
from tests.genome.plan.test_model_quantitative import SNPS, divided


def ranged(between: Any = ("15", "45"), **choices: Any) -> Plan:
    return stated(SNPS, 100, between=between, unit="phenotype", **choices)


def test_a_plan_says_what_a_phenotype_is_and_is_saved_as_it_is(tmp_path: Path) -> None:
    plan = ranged(steps=60)
    assert "a phenotype is from 15 to 45 in 60 steps, a missing one in the middle" in str(plan)
    assert plan.as_json()["between"] == ["15", "45"]
    assert {"case", "above"}.isdisjoint(plan.as_json())
    plan.save(tmp_path / "plan.toml")
    write_plan(tmp_path, plan)
    for again in (Plan.load(tmp_path / "plan.toml"), read_plan(tmp_path)):
        assert (again.digest, again.between, again.steps) == (plan.digest, (Fraction(15), Fraction(45)), 60)
    assert (ranged().steps, ranged().largest, divided("25").largest) == (100, 100, 1)
    assert len({plan.digest, ranged().digest, ranged(("15", "46")).digest}) == 3
    words, toml = (tmp_path / "plan.toml").read_text(), tmp_path / "plan.toml"
    toml.write_text("\n".join(line for line in words.splitlines() if "between" not in line))
    with pytest.raises(PlanError, match=r"study\.steps stand without between"):
        Plan.load(toml)


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ({"between": (45, 15)}, "study.between are not two ends apart"),
        ({"between": (0, 10**16)}, "study.between are not two ends apart"),
        ({"between": (1, 2, 3)}, "study.between are not two"),
        ({"between": ("low", "high")}, "between is not a decimal number"),
        ({"steps": 0}, "study.steps is not an integer from 1 to 16384"),
        ({"steps": 1 << 15}, "study.steps is not an integer from 1 to 16384"),
        ({"above": 20}, "study.above stands beside between"),
        ({"case": "1"}, "study.case stands beside between"),
    ],
)
def test_what_is_no_range_is_refused(choices: dict[str, Any], problem: str) -> None:
    with pytest.raises((PlanError, ParameterError), match=problem):
        ranged(**choices)


def test_what_has_no_proof_is_refused_with_the_reason() -> None:
    for wrong in ({"steps": 0}, {"between": (Fraction(45), Fraction(15))}):
        with pytest.raises(PlanError, match=r"study\.(steps|between) are not"):
            replace(ranged(), **wrong)


def test_a_scan_says_how_it_divides_it() -> None:
    question = Scan(Fraction(1))
    question.check(ranged())
    assert "divided into 2 intervals, at 30; BETA is of the interval's score" in divided_in_words(ranged(), 2)
    assert divided_in_words(divided(30), 2) == ""
    assert divided_in_words(ranged(), 2) in note(Assumed.of(ranged()), [preview(ranged(), question)])
    told = answer_text(ranged(), question, ScanAnswer(1, 0, 1.0, None, 0, ()))
    assert told[2] == divided_in_words(ranged(), 2)


LEVELS = [("15", 0), ("44.7", 30), ("30.4", 15), ("1e999999999", 30), ("-1e9", 0), ("+2.6e1", 11)]
NO_LEVELS = ["-9", "NA", "", "nan", "inf", "case", "26,0", "1_000"]


@pytest.mark.parametrize(("word", "level"), LEVELS + [(word, 15) for word in NO_LEVELS])
def test_a_decimal_number_is_its_step_and_everything_else_the_middle(word: str, level: int) -> None:
    people = People(None, (), None, "2", None, (Fraction(15), Fraction(45)), 30)
    assert people.level(word.encode()) == level
    assert people.is_case(word.encode()) is (level > 15)


@given(st.floats(allow_nan=False), st.integers(1, 1 << 14), st.tuples(*[st.integers(-(10**15), 10**15)] * 2))
def test_a_step_is_within_the_range(value: float, steps: int, ends: tuple[int, int]) -> None:
    low, high = Fraction(min(ends)), Fraction(max(ends) + 1)
    step = step_of(value, (low, high), steps)
    assert 0 <= step <= steps
    if low <= Fraction(min(max(value, -1e16), 1e16)) <= high:
        exact = (Fraction(value) - low) / (high - low) * steps
        assert abs(step - exact) <= Fraction(1, 2) + Fraction(1, 10**9)

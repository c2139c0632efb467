"""Margins of error in a plan file: what is read, and what a typical mistake is told."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.tables.plan import AccuracyTarget
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.tables.plan.test_readable import HEAD, ONE, level, plan_of, problems_of


def test_margins_of_every_kind_are_read(tmp_path: Path) -> None:
    wish = """margins = [
  { number = "cell", ages = 23, within = 11 },  # a { in a comment
  { number = "bare total", within = 50 },
  { number = "sex total", within = 80, confidence = "0.9" },
  { number = "total", persons = 10_000, within = "1 %" },
  { number = "total only", within = 20 }, { number = "deciding total", within = 90 },
]"""
    plan = plan_of(tmp_path, HEAD + level("STATE", "detailed", wish))
    (state,) = plan.levels
    assert state.targets == (
        AccuracyTarget("cell", 11, ages=23),
        AccuracyTarget("bare total", 50),
        AccuracyTarget("sex total", 80, confidence=Fraction(9, 10)),
        AccuracyTarget("total", Fraction(1, 100), persons=10_000),
        AccuracyTarget("total only", 20),
        AccuracyTarget("deciding total", 90),
    )
    assert all(target.is_met(plan.stage_noise(state), SEX_BY_AGE, state.thresholds) for target in state.targets)


WRONG_MARGINS = [
    ("11", "plan.toml:24: levels[1].margins is not a list of inline tables; write it like margins = [{"),
    ("[]", "levels[1].margins is not a list of inline tables"),
    ("[11]", "levels[1].margins is not a list of inline tables"),
    ("[{ within = 11 }]", "levels[1].margins[1].number is missing; write one of cell, sex total,"),
    ('[{ number = "cells", within = 11 }]', "margins[1].number is no number of the tables; did you mean cell?"),
    ('[{ number = "median", within = 11 }]', "margins[1].number is no number of the tables; write one of cell,"),
    ('[{ number = "cell" }]', "margins[1].within is missing; write persons, such as within = 11"),
    ('[{ number = "cell", within = 0 }]', "margins[1].within is below 1: a number without error has no privacy"),
    ('[{ number = "cell", within = -3 }]', "margins[1].within is below 1"),
    ('[{ number = "cell", within = 1.5 }]', "margins[1].within is not a whole number of persons"),
    ('[{ number = "cell", within = true }]', "margins[1].within is not a whole number of persons"),
    ('[{ number = "cell", within = "11" }]', "margins[1].within is a text that is no percentage"),
    ('[{ number = "cell", within = 10000000 }]', "margins[1].within is above 1000000 persons"),
    ('[{ number = "total", within = "1 %" }]', "within is a percentage of a size that is not stated; add persons"),
    (
        '[{ number = "total", persons = 50, within = "1 %" }]',
        'less than one person of 50, and no noise is that small; write within = "2',
    ),
    ('[{ number = "total", persons = 5000, within = "0 %" }]', "margins[1].within is not above 0 % and at most 100 %"),
    ('[{ number = "total", persons = 5000, within = "120%" }]', "margins[1].within is not above 0 % and at most"),
    ('[{ number = "total", persons = 0, within = 5 }]', "margins[1].persons is not an integer from 1 to"),
    ('[{ number = "total", persons = "x", within = "1 %" }]', "margins[1].persons is not an integer from 1 to"),
    ('[{ number = "cell", ages = 5, within = 5 }]', "margins[1].ages is no number of age bands; write 4, 9 or 23"),
    ('[{ number = "cell", ages = 4, persons = 5, within = 5 }]', "margins[1].persons stands beside ages"),
    ('[{ number = "bare total", ages = 4, within = 5 }]', "margins[1].ages is no class of a bare total"),
    ('[{ number = "cell", persons = 4, within = 5 }]', "persons is below the first threshold: such groups have a bare"),
    ('[{ number = "cell", withn = 5 }]', "margins[1].withn is an unknown key; did you mean within?"),
    (
        '[{ number = "cell", within = 5, confidence = "95 %" }]',
        'is a percentage; write the chance: confidence = "0.95"',
    ),
    ('[{ number = "cell", within = 5, confidence = 0.95 }]', "margins[1].confidence is a float"),
    ('[{ number = "cell", within = 5, confidence = "1" }]', "margins[1].confidence is not from 0.5"),
    (
        '[{ number = "cell", within = 5 },\n{ number = "cell", within = 0 }]',
        "plan.toml:25: levels[1].margins[2].within is below",
    ),
]


@pytest.mark.parametrize(("margins", "message"), WRONG_MARGINS, ids=[message[:50] for _, message in WRONG_MARGINS])
def test_a_wrong_margin_gets_one_error_with_its_line_and_fix(tmp_path: Path, margins: str, message: str) -> None:
    problems = problems_of(tmp_path, ONE.replace('budget = "0.25"', f"margins = {margins}"))
    assert message in "\n".join(map(str, problems))
    # A missing margin beside an unknown key, and a size that is none beside its percentage, are two.
    assert len(problems) == 1 + ("withn" in margins)


def test_a_number_that_no_group_of_the_level_has_is_refused(tmp_path: Path) -> None:
    wish = 'margins = [{ number = "total only", within = 11 }]'
    (problem,) = problems_of(tmp_path, HEAD + level("COUNTY", "detailed", wish))
    assert str(problem).startswith("plan.toml:24: levels[1].margins[1].number is of groups that are totals by plan")


def test_a_promise_that_no_budget_keeps_is_refused(tmp_path: Path) -> None:
    wish = 'margins = [{ number = "deciding total", within = 1, confidence = "0.999999999999" }]'
    text = (HEAD + level("STATE", "detailed", wish)).replace('"0.1"', '"0.000000000001"').replace('"rho"', '"epsilon"')
    (problem,) = problems_of(tmp_path, text)
    assert "levels[1].margins[1].within cannot be kept: it would need a budget above 1000000000000" in str(problem)


def test_margins_of_levels_written_inline_are_read(tmp_path: Path) -> None:
    wish = 'margins = [{ number = "cell", within = 7 }]'
    levels = f'levels = [{{ geography = "STATE", groups = "detailed", thresholds = [5, 10, 20], {wish} }}]'
    plan = plan_of(tmp_path, f"{levels}\n{HEAD}")
    assert plan.levels[0].targets == (AccuracyTarget("cell", 7),)

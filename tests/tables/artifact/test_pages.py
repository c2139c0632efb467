"""The report's sections, from released values alone."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.tables.artifact.pages import CLASSES, Summary, charged, sections
from starling.tables.measurements import Measured, Measurements
from starling.tables.plan import Geography, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.postprocess import tabulate
from tests.tables.small import small_geography, small_plan, whole_levels


def measured(plan: Plan, geography: Geography) -> Measurements:
    """One group of every branch at the state, bare totals below."""
    state = Measured(np.array([3, 12, 0]), np.array([0, 2, TOTAL_ONLY], dtype=np.int8), np.arange(20))
    groups = 2 * len(geography.regions[plan.levels[1].geography])
    county = Measured(np.arange(groups), np.zeros(groups, dtype=np.int8), np.arange(groups) * 50)
    return whole_levels(plan, geography, (state, county))


def summary(plan: Plan, geography: Geography, values: Measurements) -> Summary:
    """Of the tables of these measurements."""
    output = Summary(plan, geography, Path())
    for part in tabulate(plan, geography, values):
        output.add(part)
    return output


def test_every_level_is_charged_and_shown() -> None:
    plan = small_plan()
    section = charged(plan)
    (table,) = section.tables
    assert [row[0] for row in table.rows] == ["State, detailed", "County, detailed"]
    assert all(len(row) == len(table.header) for row in table.rows)
    assert "epsilon 4 in all" in table.caption
    assert "discrete Laplace" in section.text
    assert "discrete Gaussian" in charged(small_plan("rho")).text


def test_sections_speak_of_every_group() -> None:
    plan = small_plan()
    geography = small_geography(plan)
    values = measured(plan, geography)
    answer, accuracy, detail, exact, files = sections(plan, geography, summary(plan, geography, values))
    assert answer.headline is not None
    assert "95 % interval" in answer.headline.interval
    assert len(answer.pictures) == len(accuracy.pictures) == len(accuracy.tables) == 1
    assert [answer.folded, accuracy.folded, detail.folded, exact.folded, files.folded] == [
        False,
        False,
        True,
        True,
        True,
    ]
    (table,) = detail.tables
    assert [row[1:8] for row in table.rows] == [
        ("1", "3", "1", "1", "0", "1", "0"),
        ("2", "2", "0", "4", "0", "0", "0"),
    ]
    assert "left out" not in detail.text
    assert "published as they are" in exact.text
    assert "7 totals" in files.tables[0].rows[0][1]


def test_suppression_and_clamping_are_told() -> None:
    plan = small_plan(suppression=Fraction("0.99"), allow_negative=False)
    geography = small_geography(plan)
    values = measured(plan, geography)
    *_, detail, exact, _ = sections(plan, geography, summary(plan, geography, values))
    assert "exceed it with a chance of 1 %" in " ".join(detail.text.split())
    assert "published as 0" in exact.text


def test_tables_without_a_row_give_a_report_without_those_pictures() -> None:
    plan = small_plan()
    geography = small_geography(plan)
    accuracy = sections(plan, geography, Summary(plan, geography, Path()))[0]
    assert (accuracy.headline, accuracy.pictures, accuracy.tables) == (None, (), ())


@pytest.mark.parametrize("low", [-50, 0])
def test_empty_groups_have_tiles_but_no_ladder(low: int) -> None:
    plan = small_plan()
    geography = small_geography(plan)
    values = tuple(
        (piece, Measured(level.stage1, np.minimum(level.branch, 0), np.full(len(level.branch), low)))
        for piece, level in measured(plan, geography)
    )
    accuracy = sections(plan, geography, summary(plan, geography, values))[1]
    assert (len(accuracy.tables), accuracy.pictures) == (1, ())
    assert CLASSES[0] == "under 10"

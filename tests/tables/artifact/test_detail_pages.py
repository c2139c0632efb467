"""Where each group is measured once, nothing is said of stages that there are not, and the margin is that of the numbers."""

from pathlib import Path

import numpy as np
import pytest

from starling.planfile.values import section_of
from starling.tables.artifact.detail_pages import section
from starling.tables.artifact.pages import Summary, charged, sections
from starling.tables.artifact.public_plan import product
from starling.tables.plan import Plan, describe, read_regions
from starling.tables.plan.readable import read_section
from starling.tables.preview import preview
from starling.tables.preview.described import PlanCosts
from tests.tables.plan.test_custom_grammar import LEAST
from tests.tables.test_publish_custom import VALUES


@pytest.fixture(scope="module")
def plain() -> Plan:
    """A plan without detail."""
    return Plan.of(LEAST)


def test_a_plan_without_detail_is_charged_for_one_measurement(plain: Plan) -> None:
    report = charged(plain)
    (table,) = report.tables
    (row,) = table.rows
    seen = preview(plain).levels[0].total
    assert seen is not None
    assert row[-1] == f"± {seen.margin:,}"
    assert len(row) == len(table.header) == 6
    assert "measured once" in report.text
    assert "second" not in report.text
    assert "stage" not in report.text


def test_its_report_names_its_groups_and_no_thresholds(plain: Plan) -> None:
    regions = read_regions(plain)
    _, groups, exact, files = sections(plain, regions, Summary(plain, regions, Path()))
    assert not groups.pictures
    assert groups.tables[0].rows == (("All, by sex", "1", "2", "2"),)
    assert "area" not in exact.text
    assert "region" not in exact.text
    assert "no rows" in files.tables[0].rows[1][1]
    assert "chooses" not in product(plain).mechanisms


def test_its_preview_shows_one_kind_of_number(plain: Plan) -> None:
    page = preview(plain).page()
    assert "How far each kind of number will be off" in page
    for none in ("Thresholds", "bare total", "Likeliest detail", "How much detail"):
        assert none not in page
    assert "bare total" not in str(preview(plain))
    assert "stage 1" not in str(PlanCosts(describe(plain)))


def test_of_a_level_that_is_measured_once_beside_others_no_stage_is_told() -> None:
    plan = Plan.of(VALUES)
    (table,) = charged(plan).tables
    once = [row for row, level in zip(table.rows, plan.levels, strict=True) if level.single_stage]
    assert [row[5:7] for row in once] == [("", "")]
    errors = [level.total for level in preview(plan).levels if level.total is not None]
    assert [row[-1] for row in once] == [f"± {error.margin:,}" for error in errors]


def test_small_totals_are_left_out_of_groups_in_stages_alone() -> None:
    branches = np.zeros((3, 4), dtype=np.int64)
    staged = Plan.of(VALUES)
    assert "left out" in section(staged, read_regions(staged), branches).text
    single = VALUES | {"levels": [{"regions": "ward", "groups": "by sex and age", "budget": "2"}]}
    # As of a release that was made before the readers refused such a plan.
    once = Plan(**vars(read_section(section_of(single), Path())))
    assert "left out" not in section(once, read_regions(once), branches[:1]).text

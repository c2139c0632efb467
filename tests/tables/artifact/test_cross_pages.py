"""What the report and the registry say of cross tables."""

from dataclasses import replace

from starling.tables.artifact.cross_pages import charged, product, sections
from tests.tables.cross_plans import LEVELS, cross_plan


def test_every_level_stands_with_its_budget_and_its_margins() -> None:
    plan = cross_plan(levels=LEVELS, rho="3/4", records=2)
    section = charged(plan)
    assert [row[:3] for row in section.tables[0].rows] == [("County", "2", "7"), ("District", "3", "7")]
    assert sum(float(row[3]) for row in section.tables[0].rows) >= 0.75
    assert "rho 0.75 in all" in section.tables[0].caption
    accuracy, exact, files = sections(plan, {})
    assert [row[:3] for row in accuracy.tables[0].rows] == [
        (level.capitalize(), str(columns), str(tables))
        for level in LEVELS
        for columns, tables in ((0, 1), (1, 3), (2, 3))
    ]
    assert "agree" in exact.text
    assert any("data/measurements" in row[0] for row in files.tables[0].rows)
    first = sections(plan, {"west": "5.0: 1.0 to 9.0"})[0]
    assert first.tables[0].rows == (("west", "5.0: 1.0 to 9.0"),)


def test_the_registry_says_how_many_records_of_a_person_count() -> None:
    assert "at most 3 records" in product(cross_plan(records=3)).bounds
    one = product(cross_plan())
    assert "one record is counted" in one.bounds
    assert "7 tables of sex, age, colour" in one.description
    assert replace(one) == one

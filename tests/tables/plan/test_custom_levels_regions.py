"""The table of areas of a plan file, in a file or in the plan itself; test_custom_grammar_refused.py has a row for each refusal."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.planfile.toml import parse
from starling.tables.plan import Plan
from starling.tables.plan.custom_levels import REGIONS
from tests.tables.plan.test_custom_grammar import file

__all__ = ["file"]

ROWS = """column = "district"
levels = ["county", "district"]
small = ["county"]
rows = [["d2", "west"], ["d1", "west"]]
"""


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("", "nothing but a header"),
        ("west,d1\nwest\n", "row 3 another number"),
        ("west,d1\neast,d1\n", "one twice"),
        (",d1\n", "without regions"),
    ],
)
def test_tables_of_areas_that_are_none_are_refused(file: Path, rows: str, problem: str) -> None:
    (file.parent / "districts.csv").write_text("county,district\n" + rows)
    with pytest.raises(PlanError, match=problem):
        Plan.load(file)


def test_rows_in_the_plan_are_the_table() -> None:
    section = parse(ROWS, "plan.toml")
    fields = REGIONS.parse(section, {"format": None, "folder": Path()})
    assert not section.problems
    assert fields["areas"].codes == ("d1", "d2")
    assert fields["areas"].regions == (("west", "west"), ("d1", "d2"))
    assert [(level.name, level.small) for level in fields["regions"].levels] == [("county", True), ("district", False)]

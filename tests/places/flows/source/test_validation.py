"""What a custodian is told of records that a release drops."""

from pathlib import Path

from starling.places.flows.source.validation import validate
from starling.places.source.trips import open_records
from tests.places.flows.worlds import RECORDS, plan


def test_the_custodian_is_told_of_what_is_dropped(tmp_path: Path) -> None:
    of = plan(tmp_path)
    (tmp_path / "records.csv").write_text(RECORDS)
    problems = validate(of, open_records(tmp_path / "records.csv", of)).value.problems
    assert problems.total == 3
    assert {(each.field, each.line) for each in problems.listed} == {("a", 7), ("a", 8), ("b", 9)}

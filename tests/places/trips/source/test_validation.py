"""What a custodian is told of records that a release drops."""

from pathlib import Path

from starling.places.source.trips import open_records
from starling.places.trips.source.validation import validate
from tests.places.trips.worlds import PERSON, RECORDS, plan


def test_the_custodian_is_told_of_what_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text(RECORDS)
    for changes, nobody in ({}, set[tuple[str, int]]()), (PERSON, {("who", 11)}):
        of = plan(tmp_path, **changes)
        found = validate(of, open_records(tmp_path / "records.csv", of)).value
        where = {(each.field, each.line) for each in found.problems.listed}
        assert where == {("ax, ay", 7), ("ax, ay", 8), ("bx, by", 9), ("bx, by", 10)} | nobody
        assert ("trips_per_person" in str(found.notes.listed)) == bool(nobody)

"""What releases of tables add: the text of codes."""

from starling.release.reading import Release
from starling.screens.release import pages_of


def test_where_nothing_was_left_out_nothing_is_said_to_be(releases: dict[str, Release]) -> None:
    release = releases["tables"]
    row = release.table("t1").to_pylist()[0]
    where = {column: row[column] for column in ("region_type", "region_id")}
    assert pages_of(release).left_out("t1", where) == []
    assert pages_of(release).left_out("t1", {}) == ()

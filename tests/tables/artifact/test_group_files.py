"""Files of groups are made once, and hold the groups of their level; test_measured.py and test_aggregates.py tamper with them."""

from pathlib import Path

import pyarrow as pa
import pytest

from starling.release.checks import InvalidRelease
from starling.tables.artifact.group_files import GROUP, GroupFile, labels, writing
from starling.tables.plan import Geography, Piece
from tests.release.plain import plain
from tests.tables.plan.test_aggregates import LEVEL

SCHEMA = pa.schema([*GROUP])
GEOGRAPHY = Geography(2, pa.table({}), {"all": ("a", "b")}, {}, {"all": ("a", "b")})


def test_a_file_of_all_groups_is_read_by_pieces(tmp_path: Path) -> None:
    pieces = [Piece(0, 0, 1, 1), Piece(0, 1, 2, 1)]
    with writing(plain(tmp_path), "x.parquet", SCHEMA) as writer:
        for piece in pieces:
            writer.write_table(pa.table(labels(GEOGRAPHY, LEVEL, piece), schema=SCHEMA))
    file = GroupFile(tmp_path, "x.parquet", SCHEMA, GEOGRAPHY, LEVEL, 0)
    assert list(file.pieces) == pieces
    assert file.table(1, pieces[1])["region_id"].to_pylist() == ["b"]
    with pytest.raises(InvalidRelease, match="another order"):
        file.table(1, pieces[0])
    with pytest.raises(OSError, match="exists"), writing(plain(tmp_path), "x.parquet", SCHEMA):
        pass

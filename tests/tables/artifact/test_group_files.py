"""Files of groups are made once, and hold the groups of their level; test_measured.py and test_aggregates.py tamper with them."""

from pathlib import Path

import pyarrow as pa
import pytest

from starling.release.checks import InvalidRelease
from starling.tables.artifact.group_files import GROUP, GroupFile, labels, read_pieces, write_pieces
from starling.tables.plan import Geography, Piece
from tests.release.plain import plain
from tests.tables.plan.test_aggregates import LEVEL

SCHEMA = pa.schema([*GROUP])
GEOGRAPHY = Geography(2, pa.table({}), {"all": ("a", "b")}, {}, {"all": ("a", "b")})


class Labelled(GroupFile[None]):
    """A file of groups with nothing else."""

    def read(self, index: int, piece: Piece) -> None:
        self.table(index, piece)


def test_a_file_of_all_groups_is_read_by_pieces(tmp_path: Path) -> None:
    pieces = [Piece(0, 0, 1, 1), Piece(0, 1, 2, 1)]

    def write() -> None:
        drawn = [(piece, None) for piece in pieces]
        files = [("x.parquet", SCHEMA)]
        write_pieces(
            plain(tmp_path), files, drawn, lambda each: (0, pa.table(labels(GEOGRAPHY, LEVEL, each[0]), SCHEMA))
        )

    write()
    file = Labelled(tmp_path, "x.parquet", SCHEMA, GEOGRAPHY, LEVEL, 0)
    assert list(file.pieces) == pieces
    again = read_pieces(lambda: [file])
    assert list(again) == list(again) == [(piece, None) for piece in pieces]
    assert file.table(1, pieces[1])["region_id"].to_pylist() == ["b"]
    with pytest.raises(InvalidRelease, match="another order"):
        file.table(1, pieces[0])
    with pytest.raises(OSError, match="exists"):
        write()

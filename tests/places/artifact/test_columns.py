"""The tables of a release: every cell of every slice in order, every box with its edges in units of the grid."""

import numpy as np
import pyarrow as pa
import pytest

from starling.places.artifact import columns
from starling.places.artifact.columns import BOXES, CELLS, pieces, tables
from starling.places.postprocess import Estimate
from tests.places.plans import SLICED, plan

LEAVES = np.array([[0, 2, 0, 1], [0, 2, 1, 4]], dtype=np.int32)


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
def test_tables_have_every_cell_and_box(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "PIECE", piece)
    chosen = plan(SLICED)
    estimates = [Estimate((2, 4), LEAVES, np.array([2.0, 6.0]) * times) for times in (1, 10)]
    parts = list(pieces(chosen, estimates))
    cells = pa.concat_tables(part[CELLS] for part in parts if CELLS in part)
    boxes = pa.concat_tables(part[BOXES] for part in parts if BOXES in part)
    declared = {table.name: table.schema for table in tables(chosen)}
    assert (cells.schema, boxes.schema) == (declared[CELLS], declared[BOXES])
    assert cells["slice"].to_pylist() == ["January"] * 8 + ["February"] * 8
    assert cells["row"].to_pylist() == [0, 0, 0, 0, 1, 1, 1, 1] * 2
    assert cells["column"].to_pylist() == [0, 1, 2, 3] * 4
    assert cells["points"].to_pylist() == [1.0] * 8 + [10.0] * 8
    assert boxes.slice(1, 2).to_pylist() == [
        {
            "slice": "January",
            "south": 0,
            "north": 2,
            "west": 1,
            "east": 4,
            "x0": 0,
            "y0": 0,
            "x1": 3,
            "y1": 2,
            "points": 6,
        },
        {
            "slice": "February",
            "south": 0,
            "north": 2,
            "west": 0,
            "east": 1,
            "x0": -1,
            "y0": 0,
            "x1": 0,
            "y1": 2,
            "points": 20,
        },
    ]

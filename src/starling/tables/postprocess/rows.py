"""Columns of the published tables."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from starling.tables.measurements import Int64
from starling.tables.plan import Geography, Level, Piece

GROUP: Final = ("region_id", "region_type", "iteration_code")
GROUP_NAMES: Final = ("region_name", "iteration_name")
"""The columns of texts that say which group a number is of."""


def coded(index: Int64, names: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """The name of each row, as its place among `names`."""
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))


def group_columns(geography: Geography, level: Level, piece: Piece, group: Int64) -> dict[str, pa.Array]:
    """The columns that say of which group of a piece each row is."""
    region, iteration = np.divmod(group, max(piece.iterations, 1))
    here = slice(piece.first, piece.stop)
    return {
        "region_id": coded(region, geography.regions[level.geography][here]),
        "region_type": coded(np.zeros_like(region), (str(level.geography),)),
        "iteration_code": coded(iteration, [each.code for each in level.iterations]),
        "region_name": coded(region, geography.names[level.geography][here]),
        "iteration_name": coded(iteration, [each.name for each in level.iterations]),
    }

"""Columns of the published tables."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from starling.tables.measurements import Int64


def coded(index: Int64, names: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """The name of each row, as its place among `names`."""
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))

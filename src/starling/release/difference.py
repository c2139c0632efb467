"""Where a published column differs from what it should be, in any bit."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Places: TypeAlias = npt.NDArray[np.int32]


def first_difference(computed: pa.ChunkedArray, published: pa.Array) -> int | None:
    """The first row that differs in any bit, of as many rows as both have."""
    expected = computed.chunk(0) if computed.num_chunks == 1 else computed.combine_chunks()
    if pa.types.is_dictionary(published.type):
        names = expected.dictionary
        # Both as places among the expected names, each name by its first place; -1 for what is none of them.
        same = _places(expected, _among(names, names)) == _places(published, _among(published.dictionary, names))
    elif published.type != expected.type:
        same = np.array([one == other for one, other in zip(expected.to_pylist(), published.to_pylist(), strict=True)])
    elif published.null_count or expected.null_count:
        valid, stated = (column.is_valid().to_numpy(zero_copy_only=False) for column in (expected, published))
        same, both = valid == stated, valid & stated
        same[both] = _bits(expected.filter(pa.array(both))) == _bits(published.filter(pa.array(both)))
    else:
        same = _bits(expected) == _bits(published)
    return None if same.all() else int(np.argmin(same))


def _among(names: pa.Array, expected: pa.Array) -> Places:
    """Where each name stands among the expected ones; -1 where it does not, and at the end, for a row without one, another number."""
    places: Places = pc.index_in(names, expected).fill_null(-1).to_numpy(zero_copy_only=False)
    return np.append(places, np.int32(-2))


def _places(column: pa.DictionaryArray, places: Places) -> Places:
    index: Places = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if np.array_equal(places[:-1], np.arange(len(places) - 1)) and not column.null_count:
        return index
    return places[index]


def _bits(column: pa.Array) -> npt.NDArray[np.generic]:
    """As numbers, 0 and -0 would be equal, and NaN unequal to itself."""
    values: npt.NDArray[np.generic] = column.to_numpy(zero_copy_only=False)
    return values.view(np.int64) if values.dtype == np.float64 else values

"""The first row that differs in any bit."""

from typing import Any

import pyarrow as pa
import pytest

from starling.release.table_comparison import first_difference


@pytest.mark.parametrize(
    ("ours", "found", "row"),
    [
        (pa.array([1, 2, 3]), pa.array([1, 2, 3]), None),
        (pa.array([1, 2, 3]), pa.array([1, 2, 4]), 2),
        (pa.array([0.0, 1.0]), pa.array([0.0, 1.0]), None),
        (pa.array([0.0, 1.0]), pa.array([-0.0, 1.0]), 0),
        (pa.array([float("nan")]), pa.array([float("nan")]), None),
        (pa.array(["a", "b"]), pa.array(["a", "c"]), 1),
        (pa.array(["a", "b"]), pa.array(["a", "c"]).dictionary_encode(), 1),
        (pa.array([1, None]), pa.array([1, 2]), 1),
        (pa.array([1, 2]), pa.array([None, 2]), 0),
        (pa.array([0, None]), pa.array([None, 0]), 0),
        (pa.array([None, 0.0]), pa.array([None, -0.0]), 1),
        (pa.array([None, "a"]), pa.array([None, "a"]), None),
        (pa.array([None, "a"]), pa.array(["", "a"]), 0),
        (pa.array([True, None]), pa.array([True, False]), 1),
        (pa.array([True, None]), pa.array([True, None]), None),
        (pa.array([True, False]), pa.array([True, True]), 1),
        (pa.array([1, 2]), pa.array([1, 2], pa.int32()), None),
        (pa.array([1, 2]), pa.array([1.5, 2.0]), 0),
    ],
)
def test_a_difference_is_told_by_its_row(ours: Any, found: Any, row: int | None) -> None:
    if pa.types.is_string(ours.type):
        ours = ours.dictionary_encode() if pa.types.is_dictionary(found.type) else ours
    assert first_difference(pa.chunked_array([ours]), found) == row


@pytest.mark.parametrize(
    "kind", [pa.bool_(), *(pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.float64()), pa.string(), pa.date32()]
)
def test_columns_of_every_type_are_compared_with_and_without_values(kind: pa.DataType) -> None:
    values = pa.array(["0", "1"]).cast(pa.int32()).cast(kind) if kind != pa.string() else pa.array(["0", "1"])
    missing = pa.array([values[0].as_py(), None], kind)
    for one in (values, missing):
        for other in (values, missing):
            assert first_difference(pa.chunked_array([one]), other) == (None if one is other else 1)

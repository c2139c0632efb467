"""Booleans are the names that a plan has for true and false; each row is read by itself."""

import pyarrow as pa
import pytest

from starling.engine.booleans import names_truth, spelled
from starling.engine.held_records import Held
from starling.errors import SourceError
from starling.places.source import open_records
from starling.places.source.cells import categories_of, periods_of
from starling.tables.plan.columns import codes_of
from starling.tables.source.declared_values import MISSING, reader
from tests.places.plans import plan


@pytest.mark.parametrize(
    ("names", "true", "false"),
    [
        (("F", "M"), "true", "false"),
        (("False", "True"), "True", "False"),
        (("0", "1"), "1", "0"),
        (("TRUE", "FALSE"), "TRUE", "FALSE"),
    ],
)
def test_booleans_take_the_spelling_of_the_names(names: tuple[str, ...], true: str, false: str) -> None:
    assert spelled(pa.array([True, False, None]), names).to_pylist() == [true, false, None]
    assert spelled(pa.array(["x"]), names).to_pylist() == ["x"]
    assert names_truth(names) == (names != ("F", "M"))


def test_codes_of_tables_and_slices_of_places_are_booleans() -> None:
    held = [True, None, False]
    assert reader(codes_of(("False", "True")))(pa.array(held)).tolist() == [1, MISSING, 0]
    coded = pa.array(held).dictionary_encode()
    assert reader(codes_of(("1", "0")))(coded).tolist() == [0, MISSING, 1]
    sliced = plan(
        {"input": {"time": "a", "category": "b"}, "slices": {"names": ["false", "true"], "categories": ["1", "x", "0"]}}
    )
    frame = {"lon": [0.5] * 3, "lat": [0.5] * 3, "a": held, "b": held}
    records = open_records(frame, sliced)
    assert isinstance(records, Held)
    (table,) = records.tables()
    assert periods_of(sliced, table).tolist() == [1, -1, 0]
    assert categories_of(sliced, table).tolist() == [0, -1, 2]
    with pytest.raises(SourceError, match="a is of type bool, not text or an integer"):
        open_records(frame, plan({"input": {"time": "a"}, "slices": {"names": ["x", "y"]}}))

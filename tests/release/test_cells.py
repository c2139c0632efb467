"""No text in a CSV is a formula to a spreadsheet, no number is changed, and what was written can be read back."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.release.cells import as_text, original

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("https://example.org")', "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1", "'=1"]
)
@pytest.mark.parametrize("encoded", [False, True])
def test_a_formula_is_written_as_text(text: str, encoded: bool) -> None:
    column = pa.array([text, "plain", None])
    table = pa.table({"name": column.dictionary_encode() if encoded else column, "number": [-1, 1, None]})
    written = as_text(table)
    assert written.schema == table.schema
    assert written.to_pydict() == {"name": [f"'{text}", "plain", None], "number": [-1, 1, None]}


@given(st.text(alphabet="'=+-@\tab\uff1d", max_size=5))
def test_what_is_written_is_no_formula_and_comes_back(text: str) -> None:
    (cell,) = as_text(pa.table({"a": [text]}))["a"].to_pylist()
    assert not cell.startswith(DANGEROUS)
    assert original(cell) == text


def test_a_table_without_rows_stays(tmp_path: object) -> None:
    empty = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.string()).dictionary_encode()})
    assert as_text(empty).equals(empty)

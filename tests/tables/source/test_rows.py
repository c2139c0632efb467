"""A row of Parquet is read as the line of its fields: the same record, and the same faults for the custodian."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.source.fields import LONG, TEXT
from starling.tables.source.lines import MOST_BYTES, scan
from starling.tables.source.lookup import Lookup
from starling.tables.source.reading import columns_of
from starling.tables.source.rows import scan_batch
from tests.tables.source.records import GOOD, PLAN, book
from tests.tables.worlds import COLUMNS, codes

FIELDS = GOOD.decode().split("|")


@pytest.fixture(scope="module")
def words() -> Lookup:
    return book()


STRINGS = pa.string()


def batch(rows: list[list[str]], kind: pa.DataType = STRINGS) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
    return pa.record_batch([pa.array(column, pa.string()).cast(kind) for column in columns], names=list(COLUMNS))


FIELD = st.one_of(
    codes(odd=True), st.sampled_from(FIELDS), st.text(max_size=5).filter(lambda text: not set(text) & set("|\n\r\0"))
)


@pytest.mark.examples(30)
@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(
            st.lists(FIELD, min_size=len(FIELDS), max_size=len(FIELDS)),
            st.tuples(st.integers(0, len(FIELDS) - 1), FIELD).map(
                lambda change: [*FIELDS[: change[0]], change[1], *FIELDS[change[0] + 1 :]]
            ),
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_records_sets_and_faults_are_those_of_the_lines(rows: list[list[str]], explain: bool) -> None:
    words, columns = book(), columns_of(COLUMNS, PLAN)
    text = np.frombuffer("".join("|".join(row) + "\n" for row in rows).encode(), dtype=np.uint8)
    actual = scan_batch(batch(rows, pa.dictionary(pa.int32(), pa.string())), columns, words, explain)
    expected = scan(text, 0, len(text), columns, words, explain)
    assert [array.dtype for array in actual[0]] == [array.dtype for array in expected[0]]
    assert [array.tolist() for array in actual[0]] == [array.tolist() for array in expected[0]]
    assert [array.tolist() for array in actual[1:]] == [array.tolist() for array in expected[1:]]


@pytest.mark.parametrize(
    ("bad", "fault"), [("a|b", TEXT), ("a\n", TEXT), ("\r", TEXT), ("\0", TEXT), ("x" * MOST_BYTES, LONG)]
)
def test_what_no_line_can_hold_is_said_of_its_row_alone(words: Lookup, bad: str, fault: int) -> None:
    rows = [FIELDS, [*FIELDS[:2], bad, *FIELDS[3:]], FIELDS]
    remaining, _, faults = scan_batch(batch(rows), columns_of(COLUMNS, PLAN), words, True)
    assert len(remaining.unit) == 2
    assert faults[1] == fault
    assert faults[0] == faults[2]

"""At most k records of a person: what the readable twin keeps, of whole numbers and of bytes."""

import hashlib
from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, Persons, bounded_sql, bounds_of, persons_of

CONTENT = pa.schema([("cell", pa.int64()), ("said", pa.binary())])
ANSWER = (
    "SELECT ranked.cell AS cell, ranked.said AS said FROM ranked CROSS JOIN bounds WHERE ranked.place <= bounds.most"
)
Row = tuple[bytes, int, bytes]
ROWS = st.lists(
    st.tuples(st.sampled_from([b"a", b"b", b"\xff"]), st.integers(-1, 1), st.sampled_from([b"", b"x"])), max_size=15
)


def kept(rows: list[Row], key: bytes, most: int) -> Counter[tuple[int, bytes]]:
    """The readable twin: of each person the records of smallest hash."""
    by_person = defaultdict(list)
    met: Counter[Row] = Counter()
    for row in rows:
        met[row] += 1
        person, cell, said = row
        text = f"{key.hex()} {cell} {said.hex().upper()} {met[row]} {person.hex().upper()}"
        by_person[person].append((hashlib.sha1(text.encode()).hexdigest(), cell, said))
    return Counter((cell, said) for each in by_person.values() for _, cell, said in sorted(each)[:most])


@pytest.mark.slow
@pytest.mark.examples(15)
@settings(max_examples=40)
@given(ROWS, st.binary(min_size=KEY, max_size=KEY), st.integers(1, 3))
def test_kept_is_what_the_twin_keeps(rows: list[Row], key: bytes, most: int) -> None:
    columns = zip(*rows, strict=True) if rows else [[], [], []]
    table = pa.table(
        [pa.array(list(each), field.type) for each, field in zip(columns, [PERSON, *CONTENT], strict=True)],
        pa.schema([PERSON, *CONTENT]),
    )
    answer = duck.run(bounded_sql(CONTENT, ANSWER), {"records": table, "bounds": bounds_of(key, most)})
    assert Counter((row["cell"], row["said"]) for batch in answer for row in batch.to_pylist()) == kept(rows, key, most)


def test_persons_are_counted_with_those_that_have_more() -> None:
    batches = [pa.array([b"a", None, b"b"]), pa.array([b"a", b"a"], pa.binary())]
    assert persons_of(batches, 2) == Persons(persons=2, records=4, more=1)
    assert persons_of([], 2) == Persons(0, 0, 0)

"""Of a person at most k records: all of those with fewer, and one person more or less changes at most k, whatever the others have."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine.kept_records import KEY
from starling.tables.plan.columns import Column, Integers, RecordColumns, Unit, codes_of
from starling.tables.source.declared_records import open_declared
from starling.tables.source.kept_reading import read_kept
from starling.tables.source.value_sets import ValueSets
from tests.tables.source.declared_twin import Counted, counted, expanded

AREA = Column("area", codes_of(("a", "b")))
TAGS = Column("tags", codes_of(("p", "q", "r")), separator=";", most=2)
ORIGIN = Column("origin", codes_of(("x", "y")))
AGE = Column("age", Integers(0, 9))


def columns(most: int) -> RecordColumns:
    return RecordColumns(AREA, (TAGS, ORIGIN), (AGE,), Unit("who", most))


Row = dict[str, str | None]
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "who": st.sampled_from(["1", "2", "3", None, ""]),
            "area": st.sampled_from(["a", "b", "b", "none"]),
            "tags": st.sampled_from(["", "p", "p;q", "q;p", "r;q;p", "odd"]),
            "origin": st.sampled_from(["x", "odd"]),
            "age": st.sampled_from(["1", "1", "7", "11"]),
        }
    ),
    max_size=14,
)


def read(rows: list[Row], most: int, key: bytes = bytes(KEY)) -> Counter[Counted]:
    names = ("who", "area", "tags", "origin", "age")
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in names})
    numbers = [ValueSets(TAGS)]
    batches = list(read_kept(open_declared(table, columns(most)), numbers, key))
    return Counter(expanded(columns(most), batches, numbers))


@settings(max_examples=30)
@given(ROWS)
def test_a_large_k_keeps_every_record_that_has_a_person(rows: list[Row]) -> None:
    assert read(rows, 99) == Counter(counted(columns(99), [row for row in rows if row["who"]]))


@settings(max_examples=40)
@given(ROWS, st.integers(1, 3), st.binary(min_size=KEY, max_size=KEY), st.randoms(use_true_random=False))
def test_a_person_changes_at_most_k_records(rows: list[Row], most: int, key: bytes, chance: Any) -> None:
    everybody = read(rows, most, key)
    others = read([row for row in rows if row["who"] != "1"], most, key)
    assert others <= everybody
    own = len(counted(columns(most), [row for row in rows if row["who"] == "1"]))
    assert (everybody - others).total() == min(own, most)
    chance.shuffle(rows)
    assert read(rows, most, key) == everybody


def test_the_key_decides_which_are_kept() -> None:
    rows: list[Row] = [{"who": "1", "area": "a", "tags": "p", "origin": "x", "age": str(age)} for age in range(10)]
    found = {next(iter(read(rows, 1, bytes([at] * KEY)))).detail for at in range(40)}
    assert len(found) > 4


@pytest.mark.parametrize("person", [["1", "1", None], [1, 1, None]], ids=["text", "integers"])
def test_a_person_is_text_or_an_integer(person: list[Any]) -> None:
    data = {"who": person, "area": ["a"] * 3, "tags": ["p"] * 3, "origin": ["x"] * 3, "age": [1, 1, 1]}
    (batch,) = read_kept(open_declared(data, columns(1)), [ValueSets(TAGS)], bytes(KEY))
    assert len(batch.area) == 1

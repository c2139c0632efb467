"""A line of bytes is a record or nothing, and says nothing about any other line."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.source.lines import MOST_BYTES, scan
from starling.tables.source.lookup import Lookup
from starling.tables.source.reading import columns_of
from tests.tables.flat_twin import read_line
from tests.tables.source.records import BLOCKS, GOOD, PLAN, book, row
from tests.tables.worlds import COLUMNS, codes


@pytest.fixture(scope="module")
def words() -> Lookup:
    return book()


def records(raw: bytes, words: Lookup, names: tuple[str, ...] = COLUMNS) -> list[tuple[Any, ...]]:
    """All records of some text without header, with their sets of race codes."""
    data = np.frombuffer(raw, dtype=np.uint8)
    remaining, several, _ = scan(data, 0, len(data), columns_of(names, PLAN), words, False)
    sets = [
        () if race == 0 else (race - 1,) if race > 0 else tuple(several[-1 - race]) for race in remaining.races.tolist()
    ]
    sets = [tuple(int(code) for code in one if code >= 0) for one in sets]
    return list(
        zip(
            remaining.unit.tolist(),
            sets,
            remaining.qspan.tolist(),
            remaining.sex.tolist(),
            remaining.age.tolist(),
            strict=True,
        )
    )


def test_a_good_line(words: Lookup) -> None:
    unknown = len(PLAN.codes)
    assert records(GOOD + b"\n", words) == [(0, (0,), unknown, 1, 30)]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"", b"\r"])
def test_line_endings(words: Lookup, ending: bytes) -> None:
    assert len(records(GOOD + b"\n" + GOOD + ending, words)) == 2


BAD = {
    "empty": b"",
    "blank": b"\r",
    "a field less": GOOD.rpartition(b"|")[0],
    "a field more": GOOD + b"|",
    "stray return": GOOD.replace(b"True", b"Tr\rue"),
    "two returns": GOOD + b"\r\r",
    "NUL": GOOD.replace(b"True", b"Tr\0ue"),
    "NUL at the end": GOOD + b"\0",
    "not UTF-8": GOOD.replace(b"True", b"Tr\xffue"),
    "cut UTF-8": GOOD + b"\xc3",
    "overlong UTF-8": GOOD.replace(b"True", b"\xc0\xafe"),
    "surrogate": GOOD.replace(b"True", b"\xed\xa0\x80"),
    "quoted": b'"' + GOOD + b'"',
    "a quote that opens": b'"' + GOOD,
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "other separator": GOOD.replace(b"|", b","),
    "age 116": row(QAGE="116"),
    "age of four digits": row(QAGE="0030"),
    "no age": row(QAGE=""),
    "age with a sign": row(QAGE="+3"),
    "other digits": row(QAGE="\u0663"),
    "age as a number": row(QAGE="3.0"),
    "sex 3": row(QSEX="3"),
    "sex 01": row(QSEX="01"),
    "no such block": row(TABBLK="9999"),
    "short state": row(TABBLKST="1"),
    "state of another plan": row(TABBLKST="05"),
    "spaced block": row(TABBLK=" 001"),
}


@pytest.mark.parametrize("name", BAD)
def test_dropped(words: Lookup, name: str) -> None:
    assert records(BAD[name] + b"\n", words) == []
    between = records(GOOD + b"\n" + BAD[name] + b"\n" + GOOD, words)
    assert between == records(GOOD + b"\n" + GOOD, words)


@pytest.mark.parametrize("length", [MOST_BYTES - 1, MOST_BYTES, MOST_BYTES + 1, 10 * MOST_BYTES])
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_length_is_counted_without_the_line_end(words: Lookup, length: int, ending: bytes) -> None:
    line = GOOD + b"|" + b"x" * (length - len(GOOD) - 1) + ending
    # An optional return before the newline is part of the line end.
    assert len(records(line, words, (*COLUMNS, "NOTE"))) == (length <= MOST_BYTES)


RACES: dict[str, tuple[list[str], set[str | None]]] = {
    "duplicates once": (["1000", "1000", "1000"], {"1000"}),
    "up to Null": (["1000", "Null", "1001"], {"1000"}),
    "up to empty": (["1000", "", "1001"], {"1000"}),
    "none": (["Null", "1001"], set()),
    "unknown": (["1000", "4321"], {"1000", None}),
    "two in one field are no code": (["1000,1001"], {None}),
    "with a space": (["1000 "], {None}),
    "quoted": (['"1000"'], {None}),
    "unknown ones are one": (["a", "b", "c", "9999"], {None}),
    "other digits": (["\u0661\u0660\u0660\u0660"], {None}),
    "null is text": (["null", "1000"], {None, "1000"}),
    "ascending": (["2000", "1000", "1001", "1000"], {"1000", "1001", "2000"}),
    "all eight": (
        ["1000", "1001", "1002", "2000", "2001", "3000", "8888", "1000"],
        {"1000", "1001", "1002", "2000", "2001", "3000", None},
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_race_codes(words: Lookup, name: str) -> None:
    fields, expected = RACES[name]
    named = {f"QRACE{column}": code for column, code in enumerate(fields, start=1)}
    ((_, result, *_),) = records(row(**named), words)
    unknown = len(PLAN.codes)
    assert result == tuple(sorted(unknown if code is None else PLAN.codes.index(code) for code in expected))


@given(
    st.lists(
        st.one_of(
            st.builds(lambda *races: row(**{f"QRACE{n}": r for n, r in enumerate(races, 1)}), *[codes(odd=True)] * 8),
            st.binary(max_size=60).filter(lambda line: b"\n" not in line),
            st.sampled_from(sorted(BAD.values())),
            st.tuples(st.just(GOOD), st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=1)).map(
                lambda cut: cut[0][: cut[1]] + cut[2].replace(b"\n", b"x") + cut[0][cut[1] + 1 :]
            ),
        ),
        max_size=6,
    )
)
def test_lines_equal_the_twin_one_by_one(lines: list[bytes]) -> None:
    """What a text gives is what each of its lines gives alone, and that is what the twin reads."""
    words, unknown = book(), len(PLAN.codes)
    result = records(b"\n".join(lines), words)
    assert result == [one for line in lines for one in records(line, words)]
    people = [read_line(line, list(COLUMNS), PLAN, BLOCKS) for line in lines]
    index = {code: number for number, code in enumerate(PLAN.codes)}
    assert [(codes_, span) for _, codes_, span, _, _ in result] == [
        (tuple(sorted({index.get(code, unknown) for code in one.races})), index.get(one.span, unknown))
        for one in people
        if one
    ]
    assert all(1 <= sex <= 2 and 0 <= age <= 115 for *_, sex, age in result)


def test_any_order_of_columns(words: Lookup) -> None:
    backwards = tuple(reversed(COLUMNS))
    line = b"|".join(reversed(GOOD.split(b"|")))
    assert records(line, words, backwards) == records(GOOD, words)

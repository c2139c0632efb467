"""Text by byte ranges: every line once, whatever the ranges; lines with another number of fields are left out and named."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine import delimited
from starling.engine.delimited import Part, fitting, header_of, lines, parsed, parts_of


@given(st.text("ab\n", min_size=1, max_size=60), st.integers(1, 20))
def test_every_line_is_in_one_part(text: str, step: int) -> None:
    data = b"h\n" + text.encode()
    parts = [lines(io.BytesIO(data), at, min(at + step, len(data))) for at in range(2, len(data), step)]
    assert b"".join(parts) == data[2:]


def test_a_line_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_LINE", 4)
    data = b"h\nabc\n" + b"x" * 40 + b"\nend\n"
    parts = [lines(io.BytesIO(data), at, min(at + 6, len(data))) for at in range(2, len(data), 6)]
    assert b"".join(parts).startswith(b"abc\n")
    assert b"x" * 40 not in b"".join(parts)


def test_a_header_is_read_without_mark_and_quotes() -> None:
    assert header_of(b'\xef\xbb\xbf"lon", lat\r\n') == ("lon", "lat")
    assert header_of(b'"a,b",,"c ""d""",') == ("a,b", "", 'c "d"', "")
    assert header_of(b',"a') == ("", '"a')


def test_lines_that_fit_are_parsed_and_the_others_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n1,2\n\n3\n4,5,6\n"7",8\r\n')
    (part,) = parts_of(path, 4, path.stat().st_size)
    assert part == Part(path, 4, path.stat().st_size)
    data, kept, dropped = fitting(part, 2)
    assert (kept.tolist(), dropped.tolist()) == ([1, 5], [3, 4])
    assert parsed(data, ("a", "b"), ("a",)).to_pydict() == {"a": [b"1", b"7"]}


def test_a_quote_that_is_not_closed_leaves_out_its_own_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n"1,2\n3,4\n5","6\n"7"x,8\n"9"",",10\n1"1,"1,2"')
    data, kept, dropped = fitting(Part(path, 4, path.stat().st_size), 2)
    assert (kept.tolist(), dropped.tolist()) == ([2, 5, 6], [1, 3, 4])
    assert parsed(data, ("a", "b"), ("a", "b")).to_pydict() == {"a": [b"3", b'9",', b'1"1'], "b": [b"4", b"10", b"1,2"]}


def fields_of(line: bytes) -> list[bytes] | None:
    """The fields of a line, letter by letter; None for faulty quotes."""
    fields: list[bytes] = []
    rest = line + b","
    while rest:
        if not rest.startswith(b'"'):
            field, _, rest = rest.partition(b",")
        else:
            field, rest = b"", rest[1:]
            while rest.startswith(b'""') or (rest and not rest.startswith(b'"')):
                field, rest = field + rest[:1], rest[2 if rest.startswith(b'"') else 1 :]
            if not rest.startswith(b'",'):
                return None
            rest = rest[2:]
        fields.append(field)
    return fields


@given(st.text('a,"\n', max_size=40))
def test_every_line_is_read_by_itself(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(b"h,h\n" + text.encode())
        parts = parts_of(path, 4, path.stat().st_size)
        data, kept, dropped = fitting(parts[0], 2) if parts else (b"", np.empty(0, int), np.empty(0, int))
    found = {number: fields_of(line) for number, line in enumerate(text.encode().split(b"\n"), 1) if line}
    fits = {number: fields for number, fields in found.items() if fields is not None and len(fields) == 2}
    assert kept.tolist() == list(fits)
    assert dropped.tolist() == [number for number in found if number not in fits]
    rows = parsed(data, ("a", "b"), ("a", "b")).to_pylist() if data else []
    assert [[row["a"], row["b"]] for row in rows] == list(fits.values())

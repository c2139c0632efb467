"""Text by byte ranges: every line once, whatever the ranges; lines with another number of fields are left out and named."""

import io
from pathlib import Path

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


def test_lines_that_fit_are_parsed_and_the_others_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n1,2\n\n3\n4,5,6\n"7",8\r\n')
    (part,) = parts_of(path, 4, path.stat().st_size)
    assert part == Part(path, 4, path.stat().st_size)
    data, kept, dropped = fitting(part, 2)
    assert (kept.tolist(), dropped.tolist()) == ([1, 5], [3, 4])
    assert parsed(data, ("a", "b"), ("a",)).to_pydict() == {"a": [b"1", b'"7"']}

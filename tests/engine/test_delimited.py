"""Text by byte ranges: every record once, whatever the ranges; what has another number of fields is left out and named."""

import csv
import io
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine import delimited
from starling.engine.delimited import Fitting, Part, first_record, fitting, header_of, parsed, parts_of
from starling.text_format import PLAIN, WIDE, TextFormat

HEADER = b"h,h\n"
LETTERS = 'a,"\n\r'


def read(text: bytes, fields: int, step: int = 1 << 20, form: TextFormat = PLAIN) -> list[Fitting]:
    """What the parts of so many bytes hold of a text below a header."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(HEADER + text)
        begin, size = len(HEADER), path.stat().st_size
        parts = [Part(path, at, min(at + step, size), begin) for at in range(begin, size, step)]
        return [fitting(part, fields, form) for part in parts]


def rows(found: list[Fitting], fields: int, form: TextFormat = PLAIN) -> list[list[bytes]]:
    """The fields of all records."""
    names = tuple(map(str, range(fields)))
    tables = [parsed(each.data, names, names, form) for each in found if each.data]
    return [list(row.values()) for table in tables for row in table.to_pylist()]


class Twin:
    """The rule letter by letter.

    Args:
        text: The text below the header.
        fields: Of a record.
        longest: Bytes of a record.
    """

    def __init__(self, text: bytes, fields: int, longest: int = 1 << 20) -> None:
        self.rows: list[list[bytes]] = []
        self.kept: list[int] = []
        self.dropped: list[int] = []
        lines, at = text.splitlines(keepends=True), 0
        assert b"".join(lines) == text
        while at < len(lines):
            after, values = self._record(lines, at)
            size = sum(map(len, lines[at:after]))
            if values and len(values) == fields and size <= longest:
                self.rows.append(values)
                self.kept.append(at + 1)
                at = after
                continue
            if lines[at].strip(b"\r\n"):
                self.dropped.append(at + 1)
            at += 1

    def _record(self, lines: list[bytes], at: int) -> tuple[int, list[bytes]]:
        """Where the next record begins and the fields of this one; none for a blank line and for faulty quotes."""
        if not lines[at].strip(b"\r\n"):
            return at + 1, []
        for stop in range(at + 1, len(lines) + 1):
            text = b"".join(lines[at:stop]).removesuffix(b"\n").removesuffix(b"\r")
            values = self._fields(text)
            if values is not None:
                return stop, values
        return at + 1, []

    def _fields(self, text: bytes) -> list[bytes] | None:
        """The fields; None while a quote is open, an empty list for faulty quotes."""
        values: list[bytes] = []
        rest = text + b","
        while rest:
            if not rest.startswith(b'"'):
                value, _, rest = rest.partition(b",")
            else:
                value, rest = b"", text[len(text) + 1 - len(rest) + 1 :]
                while rest.startswith(b'""') or (rest and not rest.startswith(b'"')):
                    value, rest = value + rest[:1], rest[2 if rest.startswith(b'"') else 1 :]
                if not rest:
                    return None
                rest = rest[1:] + b","
                if not rest.startswith(b","):
                    return []
                rest = rest[1:]
            values.append(value)
        return values


@pytest.mark.slow
@pytest.mark.examples(30)
@given(st.text(LETTERS, max_size=40), st.integers(1, 3), st.integers(1, 12), st.integers(4, 40))
def test_every_record_is_read_once_by_the_rule_whatever_the_parts(
    text: str, fields: int, step: int, longest: int
) -> None:
    data = text.encode()
    twin = Twin(data, fields, longest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "LONGEST_RECORD", longest)
        patch.setattr(delimited, "CHUNK", 5)
        found = read(data, fields, step)
    before, kept, dropped = 0, [], []
    for each in found:
        kept += [before + line for line in each.begins.tolist()]
        dropped += [before + line for line in each.dropped.tolist()]
        before += each.lines
    assert (kept, dropped, before) == (twin.kept, twin.dropped, len(data.splitlines()))
    assert rows(found, fields) == twin.rows


@pytest.mark.slow
@pytest.mark.examples(30)
@given(
    st.lists(st.lists(st.text('a,";\t \n\r\u00e9', max_size=6), min_size=2, max_size=2), max_size=6),
    st.sampled_from([",", ";", "tab", "|", "space"]),
    st.sampled_from(["utf-8", "cp1252", "iso8859-15", "utf-16-le", "utf-16-be"]),
    st.integers(1, 9),
)
def test_what_a_writer_of_csv_wrote_is_read_as_it_was_meant(
    wanted: list[list[str]], separator: str, encoding: str, step: int
) -> None:
    form = TextFormat(separator=separator, encoding=encoding)
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=form.mark).writerows(wanted)
    found = rows(read(file.getvalue().encode(encoding), 2, 2 * step if form.wide else step, form), 2, form)
    assert found == [[field.encode() for field in row] for row in wanted]


@pytest.mark.examples(30)
@given(
    st.binary(max_size=20).filter(lambda line: not {*b"\n\r"} & {*line}),
    st.lists(st.lists(st.text('a,"\n', max_size=4), min_size=2, max_size=2), min_size=1, max_size=5),
    st.integers(0, 5),
)
def test_a_line_of_any_bytes_takes_no_other_record_with_it(line: bytes, wanted: list[list[str]], at: int) -> None:
    # But where a quoted field begins with a mark at which a field could end: no rule can tell such a quote from a closing one.
    wanted = [[re.sub('^(?=[,\n"])', "a", field) for field in row] for row in wanted]
    texts = []
    for row in wanted:
        file = io.StringIO(newline="")
        csv.writer(file, lineterminator="\n").writerow(row)
        texts.append(file.getvalue().encode())
    found = rows(read(b"".join((*texts[:at], line, b"\n", *texts[at:])), 2), 2)
    others = [[field.encode() for field in row] for row in wanted]
    assert found == others or others in [[*found[:place], *found[place + 1 :]] for place in range(len(found))]


@pytest.mark.slow
@pytest.mark.examples(20)
@given(
    st.text('a,"\n\r\u010a\u2c22\u0d0a\u2028\U0001f600', max_size=40),
    st.integers(1, 3),
    st.integers(1, 12),
    st.integers(4, 40),
    st.sampled_from(["utf-16-le", "utf-16-be"]),
)
def test_utf_16_is_read_as_the_same_text_of_one_byte_for_each_unit(
    text: str, fields: int, step: int, longest: int, encoding: str
) -> None:
    """Letters with the bytes of marks in them are no marks, half a unit at the end is passed over, and half a pair is U+FFFD."""
    form = TextFormat(encoding=encoding)
    units = "".join(chr(min(unit, 0x80)) for unit in np.frombuffer(text.encode(encoding), WIDE[encoding]).tolist())
    twin = Twin(units.encode("latin-1"), fields, longest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "LONGEST_RECORD", 2 * longest)
        patch.setattr(delimited, "CHUNK", 6)
        results = read(text.encode(encoding) + b"a", fields, 2 * step, form)
    narrow = [re.sub("[^\x00-\x7f]", "?", field.decode()) for row in rows(results, fields, form) for field in row]
    wide = [re.sub("\x80{1,2}", lambda pair: pair[0], field.decode("latin-1")) for row in twin.rows for field in row]
    assert [field.replace("?", "") for field in narrow] == [field.replace("\x80", "") for field in wide]
    assert sum(len(each.begins) for each in results) == len(twin.rows)
    assert sum(each.lines for each in results) >= len(units.encode("latin-1").splitlines())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_half_a_pair_of_utf_16_becomes_a_mark(encoding: str) -> None:
    form = TextFormat(encoding=encoding)
    data = "\ud83d,\U0001f600\n".encode(encoding, "surrogatepass")
    assert rows(read(data, 2, form=form), 2, form) == [["\ufffd".encode(), "\U0001f600".encode()]]


def test_where_the_ways_never_meet_the_file_is_followed_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 12)
    monkeypatch.setattr(delimited, "CHUNK", 7)
    text = b'"\n"\n' * 40 + b"x\n"
    assert rows(read(text, 1, 10), 1) == [[b"\n"]] * 40 + [[b"x"]]


def test_a_record_that_is_too_long_is_left_out_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 6)
    text = b"1,2\n" + b"x" * 30 + b',y\n"1\n",234\n"12\n",4\n5,6\n'
    for step in range(1, 50):
        assert rows(read(text, 2, step), 2) == [[b"1", b"2"], [b"5", b"6"]]


def test_a_header_is_read_without_mark_and_quotes() -> None:
    assert header_of(b'\xef\xbb\xbf"lon", lat\r\n') == ("lon", "lat")
    assert header_of(b'"a,b",,"c ""d""",') == ("a,b", "", 'c "d"', "")
    assert header_of(b',"a') == ("", '"a')
    assert header_of("Größe;\u00a0Straße \n".encode("cp1252"), TextFormat(separator=";", encoding="cp1252")) == (
        "Größe",
        "Straße",
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_the_header_ends_where_its_quotes_are_closed(end: bytes) -> None:
    for header in (b'a,"b' + end + b'c"', b'a,5" b', b'\xef\xbb\xbf"a",b'):
        assert first_record(header + end + b"1,2" + end) == header + end
    assert first_record(b'a,"b' + end + b"1,2" + end) == b'a,"b' + end
    assert first_record(b"a,b") == b"a,b"
    assert first_record(b"") == b""


def test_parts_know_where_the_first_record_begins() -> None:
    assert parts_of(Path("a"), 4, 9) == (Part(Path("a"), 4, 9),)
    assert parts_of(Path("a"), 4, 9)[0].origin == 4


def test_a_byte_that_is_no_letter_of_the_encoding_becomes_a_mark() -> None:
    form = TextFormat(encoding="cp1252")
    found = rows(read(b"M\xe1laga,\x81\n", 2, form=form), 2, form)
    assert found == [["Málaga".encode(), "\ufffd".encode()]]


@pytest.mark.examples(30)
@given(
    records=st.lists(st.text("a\ufeff\u00e9", min_size=1, max_size=4), min_size=1, max_size=6),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
)
def test_a_record_is_read_the_same_wherever_a_part_begins(records: list[str], encoding: str) -> None:
    # Arrow leaves out a byte order mark at the start of what it is given, which is that of some record.
    form = TextFormat(encoding=encoding)
    texts = [f"{record}\n".encode(encoding) for record in records]
    whole = parsed(b"".join(texts), ("a",), ("a",), form)["a"].to_pylist()
    assert whole == [each.encode() for each in records]
    assert [parsed(text, ("a",), ("a",), form)["a"].to_pylist() for text in texts] == [[each] for each in whole]

"""Why a file is not what a plan reads: the true cause, of every habit of the programs that write such files."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.headers import check_columns, resolved, text_header
from starling.engine.record_parts import text_records
from starling.errors import SourceError
from starling.text_format import PLAIN, TextFormat

COLUMNS = ("sex", "age")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("sex,age\n".encode("utf-16"), "is UTF-16"),
        ("sex\tage\n".encode("utf-16-be"), "is no text, or is UTF-16"),
        (b"\xd0\xcf\x11\xe0....", "is a workbook of Excel 97 to 2003"),
        (gzip.compress(b"sex,age\n", mtime=0), "is compressed"),
        (b"$FL2@(#) SPSS", "is a file of SPSS"),
        (b"sep=;\nsex;age\n", "begins with a line sep="),
        (b"\xef\xbb\xbfsep=;\nsex;age\n", "begins with a line sep="),
        (b"", "has no header"),
        (b"\n\nsex,age\n", "has no header"),
        (b'[{"sex": "F", "age": 3}]', "is JSON"),
        (b'\xef\xbb\xbf{\n  "sex": ["F"]}', "is JSON"),
        (b'{"sex": "F", "age": 3}\n', "is JSON"),
        (b"sex;age\n", 'state separator = ";"'),
        (b'"sex"\t"age"\n', 'state separator = "tab"'),
        (b"id|sex|age\n", 'state separator = "|"'),
        ("größe,sex,age\n".encode("cp1252"), 'state encoding = "cp1252"'),
    ],
)
def test_a_file_that_is_no_such_text_is_named_by_its_cause(text: bytes, cause: str) -> None:
    with pytest.raises(SourceError, match=cause):
        text_header(Path("a.csv"), text, COLUMNS, PLAIN)


def test_brackets_in_a_name_are_no_json() -> None:
    assert text_header(Path("a.csv"), b"[sex],{age}\n", COLUMNS, PLAIN) == ("[sex]", "{age}")


@pytest.mark.parametrize(
    ("encoding", "stated", "order"),
    [
        ("utf-16-le", "utf-16-le", ""),
        ("utf-16-be", "utf-16-be", ""),
        *((order, stated, "\ufeff") for order in ("utf-16-le", "utf-16-be") for stated in ("utf-16", order)),
    ],
)
def test_utf_16_is_read_where_it_is_stated(encoding: str, stated: str, order: str) -> None:
    text = (order + 'sex\t"grö\tße"\tage\r\n\tx\t1\r\n').encode(encoding)
    form = resolved(Path("a.csv"), text, TextFormat("tab", encoding=stated))
    assert form.encoding == encoding
    assert text_header(Path("a.csv"), text, COLUMNS, form) == ("sex", "grö\tße", "age")


@pytest.mark.parametrize(
    ("text", "encoding", "cause"),
    [
        (b"sex,age\n", "utf-16", "does not begin with the mark of UTF-16"),
        ("sex,age\n".encode("utf-16-le"), "utf-16", 'state encoding = "utf-16-le" or "utf-16-be"'),
        ("\ufeffsex,age\n".encode("utf-16-be"), "utf-16-le", "sex is a missing column"),
        (b"sex,age\n", "utf-16-le", "is a missing column|has no header"),
        ("sep=;\nsex;age\n".encode("utf-16"), "utf-16", "begins with a line sep="),
        ("\n".encode("utf-16"), "utf-16", "has no header"),
        ("sex;age\n".encode("utf-16"), "utf-16", 'state separator = ";"'),
        ("sex\x00,age\n".encode("utf-16"), "utf-16", "is no text"),
    ],
)
def test_what_is_not_the_utf_16_that_is_stated_is_named(text: bytes, encoding: str, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    with pytest.raises(SourceError, match=cause):
        text_records(path, COLUMNS, "", TextFormat(encoding=encoding))


@pytest.mark.parametrize("name", ["Sex", " sex", "se x", "sex:", "SEX", "\uff53ex", "\u200bsex"])
def test_a_column_under_a_similar_name_is_meant(name: str) -> None:
    for named in (False, True):
        with pytest.raises(SourceError, match=r"did you mean .*\?$") as refused:
            check_columns(Path("a.csv"), COLUMNS, (name, "age"), "the plan reads them", named=named)
        assert [each.field for each in refused.value.problems] == ["sex"]


def test_the_names_of_a_schema_are_listed() -> None:
    with pytest.raises(SourceError, match=r"there are a0, a1, .* and 8 more: name one of them sex$"):
        check_columns(Path("a"), ("sex",), [f"a{at}" for at in range(20)], "", named=True)
    with pytest.raises(SourceError, match=r"did you mean sexe\?$"):
        check_columns(Path("a"), ("sex",), ["sexe"], "", named=True)
    with pytest.raises(SourceError, match="did you mean gro\u0308ße, in another Unicode form"):
        check_columns(Path("a"), ("größe",), ["gro\u0308ße"], "")


@given(st.lists(st.text("aegnsx 19", min_size=2), max_size=6))
def test_a_first_line_that_is_a_record_is_not_told(record: list[str]) -> None:
    """All that a refusal depends on is which columns are there, perhaps written otherwise: never what else a first line says."""
    blind = [each if each.replace(" ", "") in COLUMNS else "?" for each in record]
    told = []
    for line in (record, blind):
        with pytest.raises(SourceError) as refused:
            check_columns(Path("a.csv"), (*COLUMNS, "name"), line, "")
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_a_file_without_a_header_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Agnes,F,61\nBo,M,30\n")
    with pytest.raises(SourceError, match="the first line has no column that is read") as refused:
        text_records(tmp_path / "a.csv", COLUMNS, "")
    assert not any(word in str(refused.value) for word in ("Agnes", "F,", "61"))


def test_a_stated_separator_and_encoding_are_read() -> None:
    form = TextFormat(separator=";", encoding="cp1252")
    assert text_header(Path("a.csv"), "größe;sex;age\n".encode("cp1252"), COLUMNS, form) == ("größe", "sex", "age")

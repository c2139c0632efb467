"""Why a file is not what a plan reads: the true cause, of every habit of the programs that write such files."""

import gzip
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("name", ["Sex", " sex", "se x", "sex:", "SEX", "séx".replace("é", "e\u0301"), "\u200bsex"])
def test_a_column_under_a_similar_name_is_meant(name: str) -> None:
    with pytest.raises(SourceError, match=r"the file has .*: did you mean") as refused:
        check_columns(Path("a.csv"), COLUMNS, (name, "age"), "the plan reads them")
    assert [each.field for each in refused.value.problems] == ["sex"]


def test_the_columns_of_the_file_are_listed() -> None:
    with pytest.raises(SourceError, match=r"the file has a0, a1, .* and 8 more$"):
        check_columns(Path("a.csv"), ("sex",), [f"a{at}" for at in range(20)], "")
    with pytest.raises(SourceError, match="did you mean gro\u0308ße, in another Unicode form"):
        check_columns(Path("a.csv"), ("größe",), ["gro\u0308ße"], "")


def test_a_stated_separator_and_encoding_are_read() -> None:
    form = TextFormat(separator=";", encoding="cp1252")
    assert text_header(Path("a.csv"), "größe;sex;age\n".encode("cp1252"), COLUMNS, form) == ("größe", "sex", "age")

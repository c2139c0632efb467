"""The format of text that a plan states: every mark and encoding is one that can be read exactly, or refused."""

import codecs
import encodings.aliases

import pytest

from starling.errors import PlanError
from starling.text_format import WIDE, TextFormat, encoding_of


@pytest.mark.series(8)
@pytest.mark.parametrize("name", sorted({*encodings.aliases.aliases.values()} - {"mbcs", "oem"}))
def test_an_encoding_keeps_every_mark_a_mark_or_is_refused(name: str) -> None:
    marks = {mark for mark in (",", ";", "\t", "|") if (known := encoding_of(name, mark)) and known not in WIDE}
    for mark in marks:
        alone = f'a{mark}"b"\r\n'
        assert alone.encode("ascii").decode(name) == alone
    special = {*marks, '"', "\r", "\n"}
    for lead in range(256) if marks else ():
        for tail in range(128, 256):
            text = bytes((lead, tail)).decode(name, "replace")
            assert not special & set(text) - {chr(lead)}
    assert encoding_of(name, ",") in ("", codecs.lookup(name).name)


@pytest.mark.parametrize(
    "name", ["utf-32", "utf-7", "cp037", "iso2022_jp", "unicode_escape", "rot13", "no such", "a\0", ""]
)
def test_what_is_no_superset_of_ascii_is_refused(name: str) -> None:
    with pytest.raises(PlanError, match="encoding is no encoding that keeps"):
        TextFormat(encoding=name)


@pytest.mark.parametrize("encoding", WIDE)
def test_what_is_written_in_pieces_of_utf_16_is_one_text(encoding: str) -> None:
    form = TextFormat(encoding=encoding)
    assert (form.beginning + form.encode("größe") + form.encode("\U0001f600")).decode(encoding) == "größe\U0001f600"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("separator", ";;"),
        ("separator", '"'),
        ("separator", "a"),
        ("separator", "."),
        ("decimal", ";"),
        ("thousands", "."),
        ("thousands", "_"),
        ("dates", "%d.%m"),
        ("dates", "%d.%m.%Y %M"),
        ("dates", "%d.%m.%Y %I"),
        ("dates", "%d.%d.%m.%Y"),
        ("dates", "%A"),
    ],
)
def test_a_mark_or_a_form_that_says_nothing_is_refused(key: str, value: str) -> None:
    with pytest.raises(PlanError, match=f"^{key} "):
        TextFormat(**{key: value})

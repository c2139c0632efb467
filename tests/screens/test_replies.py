"""The values of an address: each once where one is wanted, and nothing that cannot be read."""

import re
from io import BytesIO
from tempfile import TemporaryFile
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.screens.replies import MOST_FIELDS, Query, Reply, attached


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        query = Query(text)
        query.others("first")
        query.whole("first")
    except ParameterError:
        return
    assert all(value for _, value in query.pairs)


def test_an_address_keeps_its_values_but_those_that_change() -> None:
    query = Query("a=1&b=%20%26&a=2&empty=&first=3")
    assert query.several("a") == ("1", "2")
    assert (query.one("b"), query.one("none", "x"), query.whole("first")) == (" &", "x", 3)
    assert query.address(first=None, b="c") == "?a=1&a=2&b=c"
    with pytest.raises(ParameterError, match="a is there twice"):
        query.one("a")


@pytest.mark.parametrize("value", ["-1", "1e3", "", "\u0663", "9" * 13, "1.0"])
def test_a_number_is_digits_alone(value: str) -> None:
    query = Query(f"n={value}")
    if not value:
        assert query.whole("n", 4) == 4
        return
    with pytest.raises(ParameterError, match="whole number"):
        query.whole("n")


@pytest.mark.parametrize("text", ["a=%ff", "&".join(["a=1"] * (MOST_FIELDS + 1))])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="values that cannot be read"):
        Query(text)


@given(st.text(st.characters(), max_size=300))
def test_a_file_keeps_its_name_in_a_header_that_every_server_sends(name: str) -> None:
    header = attached(b"", name, "text/csv").headers["Content-Disposition"]
    read = re.fullmatch(r"attachment; filename=\"([\w .-]*)\"(?:; filename\*=UTF-8''([\w.~%-]+))?", header, re.ASCII)
    assert read is not None
    assert unquote(read[2] or read[1]) == "".join(
        each if each.isprintable() and each not in "/\\" else "_" for each in name
    )


@pytest.mark.parametrize("value", ["a\r\nb: c", "\xe4", "a\0"])
def test_no_reply_has_a_header_that_cannot_be_sent(value: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        Reply(b"", headers={"X": value})


def test_a_body_has_its_size_be_it_bytes_or_a_file() -> None:
    with TemporaryFile() as file:
        file.write(b"abc")
        file.seek(0)
        for reply in (Reply(b"abc"), Reply(file)):
            assert reply.size == 3
            with reply.opened() as body:
                assert body.read() == b"abc"
    assert isinstance(Reply(b"").opened(), BytesIO)

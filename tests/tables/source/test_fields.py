"""What a field of bytes says."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from starling.tables.source.fields import is_utf8, number


@pytest.mark.slow
@given(st.binary(max_size=12))
@example(b"\xf4\x8f\xbf\xbf")
@example(b"\xf4\x90\x80\x80")
@example(b"\xe0\x9f\xbf")
@example(b"\xe0\xa0\x80")
@example(b"\xed\x9f\xbf")
@example(b"\xf0\x8f\xbf\xbf")
@example(b"\xf0\x90\x80\x80")
@example(b"\xc1\xbf")
def test_utf8_is_what_python_says(raw: bytes) -> None:
    try:
        raw.decode("utf-8")
        expected = True
    except UnicodeDecodeError:
        expected = False
    assert is_utf8(np.frombuffer(raw, dtype=np.uint8), 0, len(raw)) == expected


@given(st.text("0123456789-+ .x", max_size=6), st.integers(1, 4))
def test_numbers_are_exactly_their_digits(text: str, width: int) -> None:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    expected = int(text) if text.isdigit() and len(text) == width else -1
    assert number(data, 0, len(data), width) == expected

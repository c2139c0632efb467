"""What data may be used for is public text within bounds, and codes of the ontology's pattern."""

import re

import pytest

from starling.errors import ParameterError
from starling.server.purposes import KNOWN, LONGEST, MOST, Purpose


def test_codes_are_kept_whether_they_are_known_or_not() -> None:
    assert Purpose("Asthma research", ("DUO:0000042", "DUO:9999999")).codes[1] not in KNOWN
    assert all(re.fullmatch(r"DUO:\d{7}", code) and name for code, name in KNOWN.items())


@pytest.mark.parametrize(
    ("text", "codes", "field"),
    [
        ("x" * (LONGEST + 1), (), "purpose"),
        ("\x1b[2J", (), "purpose"),
        ("two\nlines", (), "purpose"),
        ("", ("DUO:42",), "duo"),
        ("", ("duo:0000042",), "duo"),
        ("", ("DUO:0000042\n",), "duo"),
        ("", ("DUO:0000042", "DUO:0000042"), "duo"),
        ("", tuple(f"DUO:{number:07}" for number in range(MOST + 1)), "duo"),
    ],
)
def test_anything_else_is_refused(text: str, codes: tuple[str, ...], field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Purpose(text, codes)
    assert caught.value.problems[0].field == field

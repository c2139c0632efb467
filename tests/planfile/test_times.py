"""Times of public files: exact, and of UTC where they name no zone."""

import pytest

from starling.planfile.times import microseconds


def test_times_are_exact_microseconds() -> None:
    assert microseconds("1970-01-01T00:00:00.000001") == 1
    assert microseconds("1969-12-31") == -86_400_000_000
    assert microseconds("9999-12-31T23:59:59.999999") == 253_402_300_799_999_999


def test_a_time_without_a_zone_is_of_utc() -> None:
    assert (
        microseconds("2020-01-01T12:00") == microseconds("2020-01-01T13:00+01:00") == microseconds("2020-01-01T12:00Z")
    )


@pytest.mark.parametrize("text", ["", "soon", "2020-02-30", "2020-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"isoformat|month|day"):
        microseconds(text)

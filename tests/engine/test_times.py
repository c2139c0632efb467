"""Times of records: in the same period whatever their type, and no text is an error."""

from datetime import UTC, date, datetime

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.times import no_times, periods_of_times
from starling.planfile.times import microseconds

BOUNDS = tuple(microseconds(each) for each in ("2020-01-01", "2020-02-01", "2020-03-01"))
TIMES = {
    "2020-01-01": 0,
    "2020-01-31T23:59:59.999999": 0,
    "2020-01-31T23:59:59.999999999": 0,
    "2020-02-01 00:00": 1,
    "2020-02-01T00:30+01:00": 0,
    "2020-01-31T23:30:00-0100": 1,
    "2020-02-29T12:00:00Z": 1,
    "2020-01-31 23:30:00 UTC": 0,
    "2020-01-31 23:30:00+00": 0,
    "2020-01-31 23:30:00+0000": 0,
    "2020-01-31 23:30:00 +00:00": 0,
    "2020-01-31 23:30:00Z": 0,
    "2020-01-31t23:30:00z": 0,
    "2020-01-31 23:30:00-01": 1,
    "2020-01-31 23:30:00,5": 0,
    "2020-01-31 23:30:00.123456789012": 0,
    "2020-03-01": -1,
    "2019-12-31T23:59:59": -1,
    "2020-02-30": -1,
    "2020-13-01": -1,
    "2020-01-01T24:00": -1,
    "2020-01-31 23:30:00 CET": -1,
    "soon": -1,
    "": -1,
}


def test_times_as_text() -> None:
    assert periods_of_times(pa.array([each.encode() for each in TIMES]), BOUNDS).tolist() == list(TIMES.values())


@given(st.datetimes(datetime(2019, 12, 1), datetime(2020, 4, 1)), st.sampled_from(["s", "ms", "us", "ns"]))  # noqa: DTZ001
def test_a_time_is_in_the_same_slice_whatever_its_type(time: datetime, unit: str) -> None:
    cast = pa.array([time]).cast(pa.timestamp(unit), safe=False)
    kept = cast.cast(pa.timestamp("us"))[0].as_py()
    (wanted,) = periods_of_times(pa.array([kept.isoformat().encode()]), BOUNDS).tolist()
    exact = microseconds(kept.isoformat())
    assert wanted == (-1 if not BOUNDS[0] <= exact < BOUNDS[2] else int(exact >= BOUNDS[1]))
    for column in (cast, pa.array([kept.replace(tzinfo=UTC)]).cast(pa.timestamp(unit, "America/New_York"))):
        assert periods_of_times(column, BOUNDS).tolist() == [wanted]


def test_dates_and_extreme_times() -> None:
    assert periods_of_times(pa.array([date(2020, 2, 1), None, date(9999, 1, 1)]), BOUNDS).tolist() == [1, -1, -1]
    extreme = pa.array([-(2**63), 2**63 - 1, None])
    early, late = microseconds("0001-01-01"), microseconds("9999-12-31")
    for unit in ("s", "ms", "us", "ns"):
        column = extreme.cast(pa.timestamp(unit))
        assert periods_of_times(column, BOUNDS).tolist() == [-1, -1, -1]
        # Bounds that nanoseconds of 64 bits do not reach.
        assert periods_of_times(pa.array([0, None]).cast(pa.timestamp(unit)), (early, 0, late)).tolist() == [1, -1]


def test_what_is_no_time_is_told_from_a_time_in_no_period() -> None:
    assert no_times(pa.array([b"2019-01-01", b"2020-02-30", b"", None])).tolist() == [False, True, True, True]
    assert no_times(pa.array([datetime(2019, 1, 1), None])).tolist() == [False, True]  # noqa: DTZ001


@given(st.lists(st.binary(max_size=40)))
def test_no_text_is_an_error(texts: list[bytes]) -> None:
    assert (periods_of_times(pa.array(texts, pa.binary()), (0, 1)) >= -1).all()

"""Times in columns of records, by public bounds: every value follows a stated rule; none can stop a run."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import Int64, plain

_TIME: Final = (
    r'^[ \t]*"?(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})'
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?)?"
    r'(?: ?(?P<zone>[Zz]|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?))?"?[ \t]*$'
)
_PARTS: Final = ("year", "month", "day", "hour", "minute", "second")
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY: Final = 86400 * 10**6
_FIRST: Final = -(1 << 63)
"""Stands for no time: no period begins so early."""
_LAST: Final = (1 << 63) - 1


def periods_of_times(column: pa.ChunkedArray | pa.Array, bounds: tuple[int, ...]) -> Int64:
    """int64: the period of each time, -1 for none.

    Args:
        column: Timestamps, dates or text; a time without a zone is taken for UTC.
        bounds: Microseconds since 1970 at which the periods begin, and the end of the last.
    """
    times, per_second = _times(column)
    # The first whole number of the column's units at or after each bound, or the end of what 64 bits hold.
    ends = [min(max(-(-bound * per_second // 10**6), _FIRST + 1), _LAST) for bound in bounds]
    at = np.searchsorted(np.array(ends, dtype=np.int64), times, side="right").astype(np.int64) - 1
    at[at == len(bounds) - 1] = -1
    return at


def no_times(column: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.bool_]:
    """bool: which values say no time at all; arguments as those of `periods_of_times`."""
    return np.asarray(_times(column)[0] == _FIRST)


def _times(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, int]:
    """int64: each time in units since 1970, _FIRST for none; then how many of the units are a second."""
    array = plain(column)
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("ms"))
    if not pa.types.is_timestamp(array.type):
        return _microseconds(array), 10**6
    times = array.cast(pa.int64()).fill_null(_FIRST).to_numpy(zero_copy_only=False)
    return np.asarray(times), _PER_SECOND[array.type.unit]


def _microseconds(column: pa.Array) -> Int64:
    """int64: texts like 2020-01-31T23:59:59.5+01:00 as microseconds since 1970, rounded down; _FIRST for another text."""
    fields = pc.extract_regex(column.cast(pa.binary()), _TIME)
    valid = fields.is_valid().to_numpy(zero_copy_only=False)

    year, month, day, hour, minute, second = (_whole(fields, name) for name in _PARTS)
    months = (year - 1970) * 12 + month - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]") + (day - 1)
    valid &= (month >= 1) & (month <= 12) & (day >= 1)
    valid &= days.astype("datetime64[M]").astype(np.int64) == months
    valid &= (hour < 24) & (minute < 60) & (second < 60)
    fraction = pc.struct_field(fields, "fraction").fill_null(b"").cast(pa.string())
    small = pc.utf8_slice_codeunits(pc.utf8_rpad(fraction, 6, "0"), 0, 6).cast(pa.int64())
    zone = pc.struct_field(fields, "zone").fill_null(b"").cast(pa.string())
    seconds = (hour * 60 + minute) * 60 + second - 60 * _offsets(zone)
    times = days.astype(np.int64) * _DAY + seconds * 10**6 + small.to_numpy(zero_copy_only=False)
    return np.asarray(np.where(valid, times, _FIRST))


def _whole(fields: pa.Array, name: str) -> Int64:
    """int64: a few digits as a number; 0 where there are none."""
    digits = pc.struct_field(fields, name).cast(pa.string()).fill_null("0")
    digits = pc.if_else(pc.equal(digits, ""), "0", digits)
    return np.asarray(digits.cast(pa.int64()).to_numpy(zero_copy_only=False))


def _offsets(zone: pa.Array) -> Int64:
    """int64: the minutes by which the clocks of zones like +01:00 are ahead."""
    away = pc.extract_regex(zone, r"^(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})?$")
    hours, minutes = (_whole(away, name) for name in ("hours", "minutes"))
    behind = pc.equal(pc.struct_field(away, "sign"), "-").fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(np.where(behind, -1, 1) * (60 * hours + minutes))

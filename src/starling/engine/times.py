"""Times in columns of records, by public bounds: every value follows a stated rule; none can stop a run."""

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import plain

Int64 = npt.NDArray[np.int64]

_TIME: Final = (
    r'^[ \t]*"?(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})'
    r"(?:[T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?)?"
    r'(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?"?[ \t]*$'
)
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY: Final = 86400 * 10**6
_FIRST: Final = -(1 << 63)
"""Stands for no time: no period begins so early."""


def periods_of_times(column: pa.ChunkedArray | pa.Array, bounds: tuple[int, ...]) -> Int64:
    """int64: the period of each time, -1 for none.

    Args:
        column: Timestamps, dates or text; a time without a zone is taken for UTC.
        bounds: Microseconds since 1970 at which the periods begin, and the end of the last.
    """
    found = plain(column)
    if pa.types.is_date(found.type):
        found = found.cast(pa.timestamp("ms"))
    per_second = 10**6
    if pa.types.is_timestamp(found.type):
        per_second, found = _PER_SECOND[found.type.unit], found.cast(pa.int64()).fill_null(_FIRST)
        times: Int64 = found.to_numpy(zero_copy_only=False)
    else:
        times = _microseconds(found)
    # The first whole number of the column's units at or after each bound.
    ends = np.array([min(-(-bound * per_second // 10**6), (1 << 63) - 1) for bound in bounds], dtype=np.int64)
    at = np.searchsorted(ends, times, side="right").astype(np.int64) - 1
    at[at == len(bounds) - 1] = -1
    return at


def _microseconds(column: pa.Array) -> Int64:
    """int64: texts like 2020-01-31T23:59:59.5+01:00 as microseconds since 1970, rounded down; _FIRST for another text."""
    fields = pc.extract_regex(column.cast(pa.binary()), _TIME)
    valid = fields.is_valid().to_numpy(zero_copy_only=False)

    def whole(name: str) -> Int64:
        digits = pc.struct_field(fields, name).fill_null(b"0").cast(pa.string())
        digits = pc.if_else(pc.equal(digits, ""), "0", digits)
        return np.asarray(digits.cast(pa.int64()).to_numpy(zero_copy_only=False))

    month = (whole("year") - 1970) * 12 + whole("month") - 1
    days = month.astype("datetime64[M]").astype("datetime64[D]") + (whole("day") - 1)
    valid &= (whole("month") >= 1) & (whole("month") <= 12) & (whole("day") >= 1)
    valid &= days.astype("datetime64[M]").astype(np.int64) == month
    hour, minute, second = whole("hour"), whole("minute"), whole("second")
    valid &= (hour < 24) & (minute < 60) & (second < 60)
    fraction = pc.struct_field(fields, "fraction").fill_null(b"").cast(pa.string())
    small = pc.utf8_slice_codeunits(pc.utf8_rpad(fraction, 6, "0"), 0, 6).cast(pa.int64())
    zone = pc.struct_field(fields, "zone").fill_null(b"").cast(pa.string())
    seconds = (hour * 60 + minute) * 60 + second - 60 * _offsets(zone)
    times = days.astype(np.int64) * _DAY + seconds * 10**6 + small.to_numpy(zero_copy_only=False)
    return np.asarray(np.where(valid, times, _FIRST))


def _offsets(zone: pa.Array) -> Int64:
    """int64: the minutes by which the clocks of zones like +01:00 are ahead."""
    away = pc.extract_regex(zone, r"^(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})$")
    hours, minutes = (
        pc.struct_field(away, name).fill_null("00").cast(pa.int64()).to_numpy(zero_copy_only=False)
        for name in ("hours", "minutes")
    )
    behind = pc.equal(pc.struct_field(away, "sign"), "-").fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(np.where(behind, -1, 1) * (60 * hours + minutes))

"""The values that are tried: odd texts, mutations of right ones, every type of Arrow with its extremes, files with wrong bytes."""

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Final

import numpy as np
import pyarrow as pa

ODD: Final[tuple[bytes, ...]] = (
    *(b"", b" ", b"\t", b'"', b'""', b'"a', b'a"b', b'"a"b"', b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"),
    *("é".encode(), "e\u0301".encode(), "\u0663".encode(), "\u00a01".encode(), "\U0001f600".encode()),
    *(b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1e400", b"-1e400", b"1e-400", b"-0", b"+5", b"--1", b"1e", b"."),
    *(b"0x10", b"1_000", b"1,5", b"1.000,5", b"1 000", b"1.5.5", b"5.", b".5", b"007", b"9" * 10, b"9" * 18, b"9" * 19),
    *(b"9" * 40, b"9" * 400, b"0" * 400 + b"1", b"-1", b"-9223372036854775808", b"9223372036854775808", b"1e18"),
    *(
        b"18446744073709551615",
        b"18446744073709551616",
        b"617700169958293503",
        b"f" * 16,
        b"f" * 17,
        b"0x",
        b"8928308280fffff",
    ),
    *(b"0000-00-00", b"0001-01-01", b"9999-12-31T23:59:59.999999999+23:59", b"2020-02-30", b"2020-01-01T24:00"),
    *(b"2020-01-01T00:00:60", b"2020-01-01 00:00 UTC", b"2020-01-01T00:00-99:99", b"31.12.2020", b"12/31/2020"),
    *(
        b";",
        b"|",
        b",",
        b",,",
        b"\r",
        b"\\N",
        b"Null",
        b"NULL",
        b"NA",
        b"true",
        b"True",
        b"{}",
        b"[1]",
        b"=1+1",
        b"a" * 5000,
    ),
)
"""Texts that some reader of numbers, times, codes or fields took wrongly."""


def mutate(random: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A text with one to three changes: bytes changed, put in, taken out, doubled, or a piece of another text."""
    data = bytearray(text)
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(data) + 1)
        match random.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << random.randrange(8)
            case 1:
                data[at:at] = random.randbytes(1)
            case 2:
                del data[at : at + random.choice((1, 1, 4))]
            case 3:
                data[at:at] = data[: random.randrange(len(data) + 1)]
            case 4:
                other = random.choice(others)
                data[at:] = other[random.randrange(len(other) + 1) :]
            case _:
                data[at:at] = random.choice(b"0123456789.,-+eE:TZ;|\"' ").to_bytes(1, "big")
    return bytes(data)


def texts(random: Random, right: Sequence[bytes], many: int) -> list[bytes]:
    """So many texts: right ones, odd ones, and mutations of both."""

    def one() -> bytes:
        chance = random.random()
        if chance < 0.4:
            return random.choice(right)
        if chance < 0.6:
            return random.choice(ODD)
        return mutate(random, random.choice(right if chance < 0.9 else ODD), right)

    return [one() for _ in range(many)]


UNITS: Final = ("s", "ms", "us", "ns")
_PLAIN: Final[tuple[pa.DataType, ...]] = (
    *(pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()),
    *(pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns")),
    *(pa.timestamp(unit, zone) for unit in UNITS for zone in (None, "UTC", "America/New_York", "+05:30")),
    *(pa.duration(unit) for unit in UNITS),
    *(pa.decimal32(9, 2), pa.decimal64(18, 0), pa.decimal128(38, 0), pa.decimal128(38, 37), pa.decimal256(76, 10)),
    *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(4)),
)
_POINTS: Final = tuple(
    pa.struct([(axis, number) for axis in axes]) for number in (pa.float64(), pa.float32()) for axes in ("xy", "xyz")
)
KINDS: Final[tuple[pa.DataType, ...]] = (
    *_PLAIN,
    *_POINTS,
    pa.struct([("x", pa.string()), ("y", pa.float64())]),
    pa.list_(pa.float64(), 2),
    pa.list_(pa.string()),
    pa.string_view(),
    pa.binary_view(),
    *(pa.dictionary(index, value) for index in (pa.int8(), pa.int32()) for value in _PLAIN[2:]),
)
"""Types of columns."""
_POOL: Final = 100
"""Different values of a column of a type, unless it is text."""


def column(random: Random, kind: pa.DataType, right: Sequence[bytes], many: int) -> pa.Array:
    """So many values of a type, some of them missing."""
    if pa.types.is_null(kind):
        return pa.nulls(many)
    if pa.types.is_dictionary(kind):
        pool = column(random, kind.value_type, right, _POOL)
        # Parquet holds no dictionary with a missing value in it.
        pool = pool.drop_null() if random.random() < 0.7 and pool.null_count < len(pool) else pool
        places = np.array([random.randrange(len(pool)) for _ in range(many)])
        return pa.DictionaryArray.from_arrays(pa.array(places, kind.index_type, mask=_holes(random, many)), pool)
    if pa.types.is_struct(kind):
        parts = [column(random, field.type, right, many) for field in kind]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=pa.array(_holes(random, many)))
    if (text := _text(kind)) is not None:
        # Text that is not UTF-8 too: files hold it.
        values = pa.array(texts(random, right, many), text, mask=_holes(random, many))
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return pa.Array.from_buffers(kind, many, values.buffers())
        return values.cast(kind) if kind == text else pa.array([_decoded(each) for each in values.to_pylist()], kind)
    pool = _pool(random, kind)
    return pool.take(pa.array([random.randrange(len(pool)) for _ in range(many)]))


def _text(kind: pa.DataType) -> pa.DataType | None:
    """The type of bytes that a type of text is laid out as; None for what is no text."""
    if kind in (pa.string(), pa.binary(), pa.string_view(), pa.binary_view()):
        return pa.binary()
    return pa.large_binary() if kind in (pa.large_string(), pa.large_binary()) else None


def _decoded(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "replace")


def _holes(random: Random, many: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    share = random.choice((0.0, 0.1, 0.9))
    return np.array([random.random() < share for _ in range(many)])


def _pool(random: Random, kind: pa.DataType) -> pa.Array:
    """Values of a type: its extremes, and any bits."""
    if pa.types.is_boolean(kind):
        return pa.array([True, False, None])
    if pa.types.is_decimal(kind):
        whole = [0, 1, -1, 10**kind.precision - 1, *(random.randrange(10**kind.precision) for _ in range(_POOL))]
        # By text: the context of decimals rounds to 28 digits.
        numbers = [Decimal((int(each < 0), tuple(map(int, str(abs(each)))), -kind.scale)) for each in whole]
        return pa.array([*numbers, None], kind)
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        values: list[object] = ["a", "1"] if kind.value_type == pa.string() else [1.0, float("nan")]
        return pa.array([values, None], kind)
    if pa.types.is_fixed_size_binary(kind):
        return pa.array([random.randbytes(kind.byte_width) for _ in range(_POOL)] + [None], kind)
    width = kind.bit_width // 8
    ends = [0, 1, 2, 10, 100, (1 << 8 * width) - 1, 1 << (8 * width - 1), (1 << (8 * width - 1)) - 1]
    data = b"".join(each.to_bytes(width, "little") for each in ends) + random.randbytes(_POOL * width)
    if getattr(kind, "unit", "") == "s" or random.random() < 0.2:
        # Parquet holds seconds as milliseconds.
        data = np.right_shift(np.frombuffer(data, f"i{width}"), min(10, 8 * width - 1)).tobytes()
    valid = b"\xff" * ((_POOL + len(ends)) // 8) + b"\x55"
    if pa.types.is_floating(kind):
        odd = np.array([0.5, -0.0, np.nan, np.inf, -np.inf, 6e4, -73.9, 40.7], kind.to_pandas_dtype())
        return pa.concat_arrays([pa.array(odd), _laid_out(kind, _POOL + len(ends), valid, data)])
    return _laid_out(kind, _POOL + len(ends), valid, data)


def _laid_out(kind: pa.DataType, many: int, valid: bytes, data: bytes) -> pa.Array:
    return pa.Array.from_buffers(kind, many, [pa.py_buffer(valid), pa.py_buffer(data)])


def corrupt(random: Random, data: bytes) -> bytes:
    """A file with some bytes changed, taken out, put in, repeated or cut off."""
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        at, length = random.randrange(len(found) + 1), random.choice((1, 1, 2, 4, 8, 64))
        # Cutting off hides what comes after, so it is tried less.
        match random.choices(range(6), (6, 6, 4, 2, 2, 1))[0]:
            case 0 if at < len(found):
                found[at] ^= 1 << random.randrange(8)
            case 1 if at < len(found):
                found[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 2:
                found[at : at + length] = random.randbytes(length)
            case 3:
                del found[at : at + length]
            case 4:
                found[at:at] = found[at : at + length] * random.randrange(4)
            case _:
                del found[at:]
    return bytes(found)

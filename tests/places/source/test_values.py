"""Numbers, labels and points of records: each by its rule, none an error."""

import struct
from typing import Any

import h3
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.delimited import labels
from starling.places.source.geojson import POINT
from starling.places.source.values import centres, coordinates, geometry_types, numbers


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_text_is_the_nearest_double(value: float) -> None:
    assert numbers(pa.array([repr(value).encode()]))[0] == value


@pytest.mark.examples(20)
@given(st.lists(st.binary(max_size=40)))
def test_no_text_is_an_error(texts: list[bytes]) -> None:
    assert len(numbers(pa.array(texts, pa.binary()))) == len(texts)
    assert len(labels(pa.array(texts, pa.binary()))) == len(texts)
    assert len(coordinates(pa.array(texts, pa.binary()))[0]) == len(texts)


def test_texts_that_are_no_numbers_have_none() -> None:
    texts = [b"", b"x", b"nan", b"1,5", b"0x10", b"1_0", b"--1", b"1e", None]
    assert np.isnan(numbers(pa.array(texts, pa.binary()))).all()
    result = numbers(pa.array([b" +1.5 ", b'"-2"', b".5", b"3.", b"1e400", b"9" * 400], pa.binary()))
    assert result.tolist() == [1.5, -2, 0.5, 3, np.inf, np.inf]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64(), pa.int8(), pa.uint64(), pa.decimal128(30, 2)], ids=str)
def test_numbers_of_every_type(kind: pa.DataType) -> None:
    assert numbers(pa.array([1, None, 3]).cast(kind))[[0, 2]].tolist() == [1, 3]
    assert np.isnan(numbers(pa.array([1, None, 3]).cast(kind))[1])


def test_labels_are_the_same_from_every_form() -> None:
    wanted = [b"7", b"a b", None, None]
    for column in (
        pa.array([b' "7" ', b"a b", b" ", None], pa.binary()),
        pa.array(["7", "a b", "", None]),
        pa.array(["7", "a b", "", None]).dictionary_encode(),
    ):
        assert labels(column).to_pylist() == wanted
    assert labels(pa.array([7, None], pa.int16())).to_pylist() == [b"7", None]


def wkb(kind: int, *numbers: float, order: str = "<", srid: int | None = None) -> bytes:
    identifier = b"" if srid is None else struct.pack(f"{order}I", srid)
    head = struct.pack(f"{order}BI", order == "<", kind)
    return head + identifier + struct.pack(f"{order}{len(numbers)}d", *numbers)


POINTS = [
    wkb(1, 1, 2),
    wkb(1, 1, 2, order=">"),
    wkb(1001, 1, 2, 3),
    wkb(3001, 1, 2, 3, 4),
    wkb(0x80000001, 1, 2, 3),
    wkb(0x20000001, 1, 2, srid=4326),
    wkb(0xE0000001, 1, 2, 3, 4, srid=4326, order=">"),
]
NONE: list[bytes | None] = [
    b"",
    None,
    wkb(1, 1),
    wkb(2, 1, 2),
    wkb(1, 1, 2) + b"x",
    b"\x02" + wkb(1, 1, 2)[1:],
    wkb(5001, 1, 2),
]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()], ids=str)
def test_points_as_well_known_binary(kind: pa.DataType) -> None:
    x, y = coordinates(pa.array([*POINTS, *NONE], kind)[1:])
    assert (x[:6].tolist(), y[:6].tolist()) == ([1] * 6, [2] * 6)
    assert np.isnan(x[6:]).all()
    assert np.isnan(y[6:]).all()


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.examples(20)
@given(
    x=NUMBERS,
    y=NUMBERS,
    more=st.lists(NUMBERS, max_size=2),
    form=st.sampled_from(["POINT({})", " point  ( {} ) ", "SRID=4326;POINT ({})", '"Point({})"', "POINT\t(\n{})"]),
)
def test_points_as_well_known_text(x: float, y: float, more: list[float], form: str) -> None:
    """Text, and the binary form of it by Shapely, are the same point."""
    text = form.format(" ".join(map(repr, (x, y, *more))))
    assert [each.tolist() for each in coordinates(pa.array([text]))] == [[x], [y]]
    both = coordinates(pa.array([text.encode(), wkb(1, 3, 4)], pa.binary()))
    assert [each.tolist() for each in both] == [[x, 3], [y, 4]], "a column may hold both"
    assert geometry_types(pa.array([text])).tolist() == [1]
    shapely = pytest.importorskip("shapely", reason="the extra `test` installs it")
    point = shapely.from_wkt(text.strip().strip('"').removeprefix("SRID=4326;"))
    assert (point.x, point.y) == (x, y)


def test_texts_that_are_no_point_have_none() -> None:
    texts = [
        "POINT EMPTY",
        "POINT (1)",
        "POINT (1 2",
        "POINT (1, 2)",
        "POINT (a b)",
        "POINT (1 2 3 4 5)",
        "POINT (nan 2) x",
    ]
    texts += [
        "0101000020E6100000",
        "POINTS (1 2)",
        "(1 2)",
        "point",
        "SRID=;POINT (1 2)",
        "\u0661",
        "POINT (1 2) POINT (1 2)",
    ]
    x, _ = coordinates(pa.array([*texts, None]))
    assert np.isnan(x).all()
    shapes = [
        "LINESTRING (0 0, 1 1)",
        "MultiPolygon EMPTY",
        "POINT EMPTY",
        "SRID=1;POLYGON ((1 1))",
        "CURVE (1 1)",
        "",
        None,
    ]
    assert geometry_types(pa.array(shapes)).tolist() == [3, 6, 1, 5, 0, 0, 0]
    hostile = pa.array([b"POINT " + b"(" * 10**6, b"POINT (" + b"9" * 10**6 + b" 1)", b"POINT (1 2)\xff"], pa.binary())
    x, _ = coordinates(hostile)
    assert np.isnan(x[[0, 2]]).all()
    assert x[1] == np.inf


_PIECES = st.sampled_from(
    [b"POINT", b"(", b")", b" ", b"1", b"e9", b"Z", b"SRID=1;", b'"', b"\xff", b"\x00", b",", b"."]
)


@pytest.mark.examples(20)
@given(st.lists(st.lists(_PIECES, max_size=9).map(b"".join)))
def test_no_text_of_a_geometry_is_an_error(texts: list[bytes]) -> None:
    column = pa.array(texts, pa.binary())
    assert len(coordinates(column)[0]) == len(geometry_types(column)) == len(texts)


def test_native_points() -> None:
    x, y = coordinates(pa.array([{"x": 1, "y": 2}, None, {"x": None, "y": 2}], POINT))
    assert (x[0], y[0], y[2]) == (1, 2, 2)
    assert np.isnan(x[1:]).all()


ODD_CELLS = [
    "617700169958293503",
    "-1",
    "f" * 17,
    "9" * 400,
    "0x",
    "8928_308280fffff",
    "8928308280fffff0",
    "\u0661",
    "+1",
]


@pytest.mark.examples(20)
@given(st.lists(st.one_of(st.sampled_from(ODD_CELLS), st.text(), st.integers(-(2**70), 2**70).map(str))))
def test_no_text_and_no_integer_is_an_error_as_a_cell_of_h3(texts: list[str]) -> None:
    assert len(centres(pa.array(texts, pa.string()))[0]) == len(texts)
    assert np.isnan(centres(pa.array(ODD_CELLS))).all()
    signed = [int(each) for each in texts if each.lstrip("-").isdecimal() and -(2**63) <= int(each) < 2**63]
    assert len(centres(pa.array(signed, pa.int64()))[0]) == len(signed)


def test_a_cell_of_h3_is_hexadecimal_in_either_case_with_or_without_a_prefix() -> None:
    x, _ = centres(pa.array(["8928308280fffff", "8928308280FFFFF", "0x8928308280fffff", "08928308280fffff"]))
    assert len(set(x.tolist())) == 1
    assert not np.isnan(x).any()


def test_cells_of_h3_count_at_their_centres() -> None:
    cell = h3.latlng_to_cell(40.7, -74.0, 9)
    wanted = h3.cell_to_latlng(cell)[::-1]
    columns: list[Any] = [
        pa.array([cell, "x", None, f'"{cell}"']),
        pa.array([h3.str_to_int(cell), 0, None, h3.str_to_int(cell)], pa.uint64()),
        pa.array([h3.str_to_int(cell), -1, None, h3.str_to_int(cell)], pa.int64()),
    ]
    for column in columns:
        x, y = centres(column)
        assert [(x[at], y[at]) for at in (0, 3)] == [wanted, wanted]
        assert np.isnan([*x[1:3], *y[1:3]]).all()

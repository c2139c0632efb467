import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.tables.generate.custom import array, nothing
from starling.tables.generate.custom_fields import DAY, SECOND, FieldDomain, Numbers, Texts, Times
from starling.tables.generate.custom_people import One, Several
from starling.tables.generate.files import ParquetWriter, TextWriter

FILLED = np.array([True, False, True])


def values(*numbers: int) -> One:
    return One(np.array(numbers, dtype=np.int64), FILLED)


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        (Texts(("a", "b")), (1, 0, 0), ["b", None, "a"]),
        (Numbers(-5, 5, 0), (-5, 0, 5), [-5, None, 5]),
        (Numbers(-(10**9), 10**9, 2), (-(10**9), 0, 7), [Decimal("-10000000.00"), None, Decimal("0.07")]),
        (Numbers(0, 1, 9), (1, 0, 0), [Decimal("0.000000001"), None, Decimal("0E-9")]),
        (Times(0, 9 * DAY, DAY), (DAY, 0, -DAY), [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31)]),
        (Times(0, DAY, SECOND), (SECOND, 0, 0), ["1970-01-01 00:00:01", None, "1970-01-01 00:00:00"]),
        (Times(0, 9, 1), (1, 0, 8), ["1970-01-01 00:00:00.000001", None, "1970-01-01 00:00:00.000008"]),
    ],
)
def test_a_field_has_the_type_of_what_it_says(text: FieldDomain, numbers: tuple[int, ...], expected: list[Any]) -> None:
    assert [
        each if each is None or not isinstance(each, dt.datetime) else str(each)
        for each in array(text, values(*numbers)).to_pylist()
    ] == expected


def test_several_codes_are_joined_by_their_mark() -> None:
    several = Several(np.array([0, 2, 1]), np.array([2, 0, 1]))
    assert array(Texts(("a", "b", "c"), ";", 2), several).to_pylist() == ["a;c", None, "b"]


COLUMNS: dict[str, FieldDomain] = {"x": Texts(("a", "b,c")), "n": Numbers(0, 9, 0)}


def schema_of(domains: dict[str, FieldDomain]) -> pa.Schema:
    return pa.schema([(name, array(each, nothing(each)).type) for name, each in domains.items()])


def test_text_is_quoted_only_where_a_code_needs_it(tmp_path: Path) -> None:
    table = pa.table({"x": array(COLUMNS["x"], values(1, 0, 0)), "n": array(COLUMNS["n"], values(1, 2, 3))})
    for place, domain in enumerate((Texts(("a", "b,c")), Texts(("a", "b")))):
        writer = TextWriter(tmp_path / str(place), table.schema, domain.codes)
        if place:
            table = pa.table({"x": array(domain, values(1, 0, 0)), "n": table["n"]})
        writer.write(writer.encode(table))
        writer.close()
    assert (tmp_path / "0").read_text() == 'x,n\n"b,c",1\n"",\n"a",3\n'
    assert (tmp_path / "1").read_text() == "x,n\nb,1\n,\na,3\n"


def test_a_header_is_quoted_where_it_must_be_and_a_line_is_never_blank(tmp_path: Path) -> None:
    table = pa.table({' a "b", c': array(Texts(("a",)), values(0, 0, 0))})
    writer = TextWriter(tmp_path / "a.csv", table.schema, ["a"])
    writer.write(writer.encode(table))
    writer.close()
    assert (tmp_path / "a.csv").read_text() == '" a ""b"", c"\n"a"\n""\n"a"\n'


def test_parquet_keeps_types_and_an_empty_file_is_whole(tmp_path: Path) -> None:
    domains: dict[str, FieldDomain] = {**COLUMNS, "many": Texts(("a",), ";", 1), "cost": Numbers(0, 9, 1)}
    ParquetWriter(tmp_path / "a.parquet", pa.schema([*schema_of(domains), ("id", pa.int64())])).close()
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.schema.types == [pa.string(), pa.int64(), pa.string(), pa.decimal128(19, 1), pa.int64()]
    assert table.num_rows == 0

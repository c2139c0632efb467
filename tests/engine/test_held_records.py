"""Records in memory: every kind gives its columns, and objects of pandas are text whatever they are."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from starling.engine import held_records
from starling.engine.held_records import Held, check_session, hold
from starling.engine.spark import DUCKDB
from starling.errors import OutputError, SourceError

TABLE = pa.table({"x": [1, 2, None], "y": ["a", None, "b"], "more": [1, 2, 3]})
WANTED = [{"y": "a", "x": 1}, {"y": None, "x": 2}, {"y": "b", "x": None}]


def rows(held: Held) -> list[dict[str, Any]]:
    tables = list(held.tables())
    assert all(table.schema.names == held.schema.names for table in tables)
    return [row for table in tables for row in table.to_pylist()]


@pytest.mark.parametrize(
    "form",
    [
        lambda table: table,
        lambda table: table.to_pydict(),
        pl.from_arrow,
        lambda table: pl.DataFrame(table).with_columns(pl.col("y").cast(pl.Categorical)),
        lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    ],
    ids=["arrow", "arrays", "polars", "categories", "pandas"],
)
def test_every_kind_gives_its_columns(form: Callable[[pa.Table], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (2, 1 << 18):
        monkeypatch.setattr(held_records, "ROWS", size)
        held = hold(form(TABLE), ("y", "x"))
        assert rows(held) == WANTED


def test_a_relation_gives_its_columns_more_than_once() -> None:
    with duckdb.connect() as connection:
        held = hold(connection.from_arrow(TABLE), ("y", "x"))
        assert rows(held) == rows(held) == WANTED
        for other in ("none", "Y"):
            with pytest.raises(SourceError, match=f"{other} is a missing column; there are x, y, more"):
                hold(connection.from_arrow(TABLE), ("x", other))


def test_objects_of_pandas_are_text_or_nothing() -> None:
    said = [
        1,
        "a",
        None,
        2.5,
        float("nan"),
        True,
        date(2020, 1, 2),
        pd.NaT,
        pd.NA,
        10**5000,
        Decimal("sNaN"),
        np.int8(3),
    ]
    wanted = ["1", "a", None, "2.5", None, "True", "2020-01-02", None, None, None, "sNaN", "3"]
    held = hold(pd.DataFrame({"a": pd.Series([*said, object(), b"x", "\ud800"], dtype=object)}), ("a",))
    assert held.schema.field("a").type == pa.large_string()
    assert [row["a"] for row in rows(held)] == [*wanted, None, None, "?"]


def test_numbers_of_pandas_keep_their_type() -> None:
    held = hold(pd.DataFrame({"a": [1.0, np.nan], "b": pd.Categorical(["x", None])}), ("a", "b"))
    assert held.schema.field("a").type == pa.float64()
    assert rows(held) == [{"a": 1.0, "b": "x"}, {"a": None, "b": None}]


@pytest.mark.parametrize(
    "data",
    [TABLE, TABLE.to_pydict(), TABLE.to_pandas(), pl.from_arrow(TABLE)],
    ids=lambda each: type(each).__name__,
)
def test_what_lacks_a_column_is_refused_with_those_it_has(data: Any) -> None:
    with pytest.raises(
        SourceError, match=r"^words: none is a missing column; there are x, y, more: name one of them none$"
    ):
        hold(data, ("x", "none"), "words")


@pytest.mark.parametrize(
    "data",
    [5, None, [1], TABLE.to_pylist(), TABLE.to_pandas()["x"], TABLE["x"], pl.LazyFrame()],
    ids=lambda each: type(each).__name__,
)
def test_what_names_no_columns_is_refused(data: Any) -> None:
    with pytest.raises(SourceError, match=r"^words (of type \w+ names no|cannot be taken as) columns.*; give"):
        hold(data, ("x",), "words")


def test_a_column_that_is_there_twice_is_refused() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    for data in (twice, pa.Table.from_arrays([[1], [2]], ["x", "x"])):
        with pytest.raises(SourceError, match="x is there more than once"):
            hold(data, ("x",))


def test_a_folder_that_exists_is_not_taken_for_records_in_memory(tmp_path: Path) -> None:
    check_session((), DUCKDB, tmp_path / "new")
    check_session((tmp_path / "a file",), DUCKDB, tmp_path)
    with pytest.raises(OutputError, match=r"exists; name another folder, or remove it: .* costs again"):
        check_session((), DUCKDB, tmp_path)

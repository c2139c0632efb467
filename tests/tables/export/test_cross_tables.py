"""Cross tables by columns of their own: every number once, in every form, and sums that an office tries agree."""

from itertools import combinations
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError
from starling.tables.analysis import TablesRelease, open_release
from starling.tables.export.described import DescribedTable
from starling.tables.export.release_tables import tables_of
from starling.tables.publish import release
from tests.tables.export.test_sdmx import checked
from tests.tables.test_cross_publication import PLAN, UNVALIDATED, records

NUMBERS = ["count", "standard_deviation", "lower", "upper"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> TablesRelease:
    folder = release(PLAN, records(), out=tmp_path_factory.mktemp("made") / "release", payment=UNVALIDATED).folder
    return open_release(folder)


@pytest.fixture(scope="module")
def tables(opened: TablesRelease) -> dict[str, DescribedTable]:
    return {each.name: each for each in tables_of(opened.folder, opened.plan, opened.geography)}


def frame(table: DescribedTable) -> pd.DataFrame:
    return pa.concat_tables(table.labelled()).to_pandas()


@pytest.mark.slow
def test_each_number_of_the_release_is_there_once(opened: TablesRelease, tables: dict[str, DescribedTable]) -> None:
    assert set(tables) == set(opened.names) - {name for name in opened.names if "/" in name}
    for name, table in tables.items():
        stored = pq.read_table(opened.folder / "data" / f"{name}.parquet").to_pandas()
        rows = frame(table)
        assert len(rows) == table.rows == len(stored)
        assert not rows.duplicated([each.name for each in table.dimensions]).any()
        own = [column for column in stored if column in {"sex", "age", "colour"}]
        assert rows[[*own, *NUMBERS]].astype(str).equals(stored[[*own, *NUMBERS]].astype(str))
        # The region of a row is the finest that it says.
        finest = rows["district"].astype(str).where(rows["district"].astype(str) != "_T", rows["county"].astype(str))
        assert finest.tolist() == stored["region_id"].tolist()


def test_sums_over_districts_and_over_columns_agree(tables: dict[str, DescribedTable]) -> None:
    frames = {name: frame(table) for name, table in tables.items()}
    for name, rows in frames.items():
        own = [each.name for each in tables[name].dimensions if each.name not in ("county", "district")]
        whole = rows[rows["district"] == "_T"].set_index(["county", *own])["count"].sort_index()
        parts = rows[rows["district"] != "_T"].groupby(["county", *own], observed=True)["count"].sum().sort_index()
        assert whole.tolist() == parts.tolist()
        for column in own:
            left = [each for each in own if each != column]
            coarser = frames["_by_".join(left) or "everybody"].set_index(["county", "district", *left])["count"]
            sums = rows.groupby(["county", "district", *left], observed=True)["count"].sum()
            assert sums.tolist() == coarser.loc[sums.index].tolist()
    assert len(frames) == sum(len([*combinations(range(3), size)]) for size in range(4))


def test_sums_agree_in_a_workbook(opened: TablesRelease, tables: dict[str, DescribedTable], tmp_path: Path) -> None:
    """In each bit, and its first sheet says so."""
    path = opened.export(tmp_path / "r.xlsx", "excel")
    sheets = pd.read_excel(path, sheet_name=None)
    for name, table in tables.items():
        assert sheets[name]["count"].tolist() == frame(table)["count"].tolist()
    text = " ".join(map(str, sheets["Read me"].to_numpy().ravel()))
    assert "Tables agree" in text
    assert "are not made to add up" not in text


@pytest.mark.slow
def test_every_form_takes_them(opened: TablesRelease, tables: dict[str, DescribedTable], tmp_path: Path) -> None:
    data, _ = checked(opened.export(tmp_path / "sdmx", "sdmx", structure="OFFICE:SURVEY(1.0)"))
    assert len(data) == sum(table.rows for table in tables.values())
    path = opened.export(tmp_path / "r.duckdb", "duckdb", tables=["sex_by_age"], across="age", round_to=1)
    with duckdb.connect(str(path), read_only=True) as database:
        rows = database.execute("SELECT * FROM sex_by_age").fetchdf()
    assert len(rows) == tables["sex_by_age"].rows / 4
    assert (rows["0 to 2"] % 1 == 0).all()
    assert opened.export(tmp_path / "r.xlsx", "excel", hide_below=6).exists()
    assert len([*opened.export(tmp_path / "csv", "csv").glob("*.csv")]) == len(tables)
    with pytest.raises(ParameterError, match="wide is of groups"):
        opened.export(tmp_path / "wide.csv", "wide")

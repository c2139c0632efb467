"""Wide rows hold exactly the released numbers, once each."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.release.cells import original, text_cell
from starling.tables import Plan, release
from starling.tables.analysis import TablesRelease, open_release
from starling.tables.export.files import write_table
from starling.tables.export.wide import _classes, wide_table
from tests.tables.plan.test_custom_grammar import LEAST
from tests.tables.test_publish_aggregates import VALUES
from tests.tables.test_publish_custom import UNVALIDATED


@pytest.fixture(scope="module")
def opened(detailed_release: Path) -> TablesRelease:
    return open_release(detailed_release)


def test_a_row_of_a_group_has_all_of_its_numbers(opened: TablesRelease, tmp_path: Path) -> None:
    wide = pd.read_csv(opened.export(tmp_path / "wide.csv", "wide"))
    t1, t2, t3 = (opened.table(name).to_pandas() for name in ("t1", "t2", "t3"))
    keys = ["region_type", "region_id", "iteration_code"]
    # Text that a spreadsheet would take for a formula is written as in the CSV files of the release.
    texts = pd.read_csv(opened.folder / "data" / "t1.csv", dtype=str)
    assert set(texts["region_id"]) <= set(wide["region_id"].astype(str))
    assert any(text.startswith("'-") for text in texts["region_id"])
    wide[keys] = wide[keys].astype(str).map(original)
    assert not wide.duplicated(keys).any()
    groups = pd.concat([t1[keys], t3[keys]]).drop_duplicates()
    assert len(wide) == len(groups)
    # In the order of the tables.
    assert list(map(tuple, wide[keys].to_numpy())) == list(map(tuple, groups.astype(str).to_numpy()))
    by_key = wide.set_index(keys)
    for row in t1.itertuples():
        result = by_key.loc[(row.region_type, row.region_id, row.iteration_code)]
        assert (result["count"], result["count_lower"], result["count_upper"]) == (row.count, row.lower, row.upper)
    sexes = {"F": "F", "M": "M"}
    cells = 0
    for row in t2[(t2["age_start"] == "*") & (t2["sex"] != "*")].itertuples():
        result = by_key.loc[(row.region_type, row.region_id, row.iteration_code)]
        name = next(each for each in wide.columns if each.startswith(sexes[row.sex] + ", ") and "to" not in each)
        assert (result[name], result[f"{name}_lower"], result[f"{name}_upper"]) == (row.count, row.lower, row.upper)
        cells += 1
    assert cells
    for row in t3[t3["statistic"] == "mean"].itertuples():
        result = by_key.loc[(row.region_type, row.region_id, row.iteration_code)]
        assert result[f"{row.column} mean"] == pytest.approx(row.value)
        assert result[f"{row.column} mean_upper"] == pytest.approx(row.upper)
    numbers = len(t1) + len(t2.drop_duplicates([*keys, "age_start", "age_end", "sex"])) + len(t3)
    values = [name for name in wide.columns if not name.endswith(("_lower", "_upper"))][5:]
    assert wide[values].notna().sum().sum() == numbers - t3["value"].isna().sum()


def test_rows_stand_in_the_order_of_totals_where_statistics_have_another(tmp_path: Path) -> None:
    """Those of the second level come first in T3, which has its own numbers of rows."""
    levels = [
        {"regions": "town", "groups": "by sex", "budget": "1"},
        {"regions": "ward", "groups": "all", "budget": "1"},
    ]
    sums = [{"of": "age", "regions": "ward", "groups": "all", "budget": "1"}]
    plan = Plan.of({**{key: VALUES[key] for key in VALUES.keys() - {"quantiles"}}, "levels": levels, "sums": sums})
    frame = pd.DataFrame({"age": [1] * 9, "spent": [1] * 9, "sex": ["F"] * 9, "ward": ["w1"] * 9})
    folder = release(plan, frame, out=tmp_path / "release", payment=UNVALIDATED).folder
    write_table(wide_table(folder, plan), tmp_path / "wide.parquet")
    keys = ["region_type", "region_id", "iteration_code"]
    t1 = pq.read_table(folder / "data" / "t1.parquet").to_pandas()[keys].astype(str)
    assert list(map(tuple, pd.read_parquet(tmp_path / "wide.parquet")[keys].to_numpy())) == list(
        map(tuple, t1.to_numpy())
    )


def test_parquet_is_as_csv(opened: TablesRelease, tmp_path: Path) -> None:
    one = pd.read_csv(opened.export(tmp_path / "wide.csv", "wide"))
    other = pd.read_parquet(opened.export(tmp_path / "wide.parquet", "wide"))
    assert list(one.columns) == list(other.columns)
    pd.testing.assert_series_equal(one["count"], other["count"], check_dtype=False)


@pytest.mark.series(2)
@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "\uff1d1"])
def test_no_text_of_a_wide_csv_is_a_formula_and_parquet_keeps_it(
    opened: TablesRelease, tmp_path: Path, name: str
) -> None:
    for table in ("t1", "t2", "t3"):
        rows = opened.table(table)
        place = rows.schema.get_field_index("iteration_name")
        (tmp_path / "data").mkdir(exist_ok=True)
        pq.write_table(
            rows.set_column(place, "iteration_name", pa.array([name] * len(rows))),
            tmp_path / "data" / f"{table}.parquet",
        )
    wide = wide_table(tmp_path, opened.plan)
    write_table(wide, tmp_path / "wide.csv")
    write_table(wide, tmp_path / "wide.parquet")
    assert set(pd.read_csv(tmp_path / "wide.csv", dtype=str)["iteration_name"]) == {"'" + name}
    assert set(pd.read_parquet(tmp_path / "wide.parquet")["iteration_name"]) == {name}


def test_no_two_classes_of_wide_rows_are_one_column() -> None:
    codes = (["a", "a, a", "A", "-1", "'-1"], ["a", "a, a", "'-1", "-1"])
    columns = [{"name": name, "values": each} for name, each in zip(("one", "two"), codes, strict=True)]
    detail = {"columns": ["one", "two"], "steps": [{"one": True, "two": True}]}
    level = {"groups": "all", "budget": "1", "thresholds": [50]}
    groups = [{"name": "all", "columns": []}]
    privacy = LEAST["privacy"] | {"stage-1-share": "0.1"}
    plan = Plan.of(
        LEAST | {"privacy": privacy, "columns": columns, "detail": detail, "groups": groups, "levels": [level]}
    )
    kinds = _classes(plan)
    assert len(kinds) == len({*map(text_cell, kinds)}) == len({*kinds.values()}) == 25
    assert {'"a", "a, a"', '"a, a", "a"', "a, a, a"} & kinds.keys() == {'"a", "a, a"', '"a, a", "a"'}

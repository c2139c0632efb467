"""The tables of an export hold each number of the release once, under the values that its group has."""

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from starling.tables.analysis import TablesRelease, open_release
from starling.tables.artifact.public_plan import read_plan
from starling.tables.export.described import DescribedTable
from starling.tables.export.release_tables import tables_of
from tests.tables.plan.test_custom_grammar import LEAST


@pytest.fixture(scope="module")
def opened(detailed_release: Path) -> TablesRelease:
    return open_release(detailed_release)


@pytest.fixture(scope="module")
def tables(detailed_release: Path) -> dict[str, DescribedTable]:
    return {each.name: each for each in tables_of(detailed_release, *read_plan(detailed_release))}


def frame(table: DescribedTable) -> pd.DataFrame:
    rows = pa.concat_tables(table.labelled()).to_pandas()
    assert len(rows) == table.rows
    assert list(rows.columns) == list(table.columns)
    keys = [each.name for each in table.dimensions]
    assert not keys or not rows.duplicated(keys).any()
    for each in table.dimensions:
        assert set(rows[each.name]) <= each.codes.keys()
        assert (rows[each.label] == rows[each.name].astype(str).map(each.codes)).all()
    return rows


def test_each_level_is_a_table_with_columns_of_its_own(tables: dict[str, DescribedTable]) -> None:
    assert {name: [each.name for each in table.dimensions] for name, table in tables.items()} == {
        "ward_by_sex": ["ward", "sex", "sex (detail)", "age"],
        "town_by_sex_statistics": ["town", "sex", "variable", "statistic"],
        "town_all_statistics": ["town", "variable", "statistic"],
        "ward_by_sex_statistics": ["ward", "sex", "variable", "statistic"],
    }


def test_counts_are_those_of_the_release_once_each(opened: TablesRelease, tables: dict[str, DescribedTable]) -> None:
    rows = frame(tables["ward_by_sex"])
    whole = rows[(rows["sex (detail)"] == "_T") & (rows["age"] == "_T")]
    t1, t2 = (opened.table(name).to_pandas() for name in ("t1", "t2"))
    keys = ["ward", "sex", "count", "lower", "upper", "standard_deviation", "post_processed"]
    t1["sex"] = t1["iteration_code"].str.removeprefix("by sex: ")
    assert [*whole[keys].itertuples(index=False, name=None)] == [
        *t1.rename(columns={"region_id": "ward"})[keys].itertuples(index=False, name=None)
    ]
    detail = rows.drop(whole.index)
    t2 = t2[~(t2[["sex", "age_start"]] == "*").all(axis=1)]
    ages = (t2["age_start"] + " to " + t2["age_end"]).replace("* to *", "_T")
    wanted = Counter(
        zip(t2["region_id"], t2["iteration_code"].str[-1], t2["sex"], ages, t2["count"], t2["upper"], strict=True)
    )
    assert (
        Counter(detail[["ward", "sex", "sex (detail)", "age", "count", "upper"]].itertuples(index=False, name=None))
        == wanted
    )


def test_statistics_are_those_of_the_release_once_each(
    opened: TablesRelease, tables: dict[str, DescribedTable]
) -> None:
    t3 = opened.table("t3").to_pandas()
    columns = ["variable", "statistic", "value", "lower", "upper", "rank_margin"]
    parts = [frame(table) for name, table in tables.items() if name.endswith("statistics")]
    made = pd.concat([part.rename(columns={"ward": "region", "town": "region"}) for part in parts])
    wanted = t3.rename(columns={"region_id": "region", "column": "variable"})
    both = [each[["region", *columns]].astype(str).sort_values(["region", *columns]) for each in (made, wanted)]
    assert both[0].to_numpy().tolist() == both[1].to_numpy().tolist()


def test_hostile_columns_and_families_have_names_and_codes_of_their_own(tmp_path: Path) -> None:
    """Columns that are called as numbers are, codes that mean totals, families without a letter, sets, and values of several."""
    values = LEAST | {
        "columns": [
            {"name": "count", "values": ["_T", "=b"]},
            {"name": "Count", "values": ["c", "d"], "separator": ";", "most": 2},
        ],
        "groups": [
            {"name": "по", "columns": ["count", "Count"]},
            {"name": "sets", "columns": ["Count"], "sets": {"z": ["c", "d"], "b": ["d"]}},
            {"name": "all", "columns": []},
        ],
        "levels": [{"groups": name, "budget": "20"} for name in ("по", "sets", "all")],
    }
    people = pd.DataFrame({"count": ["_T"] * 30 + ["=b"] * 9, "Count": ["c;d"] * 10 + ["d"] * 29})
    done = release(Plan.of(values), people, out=tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    made = {each.name: each for each in tables_of(done.folder, *read_plan(done.folder))}
    assert list(made) == ["table", "sets", "all"]
    both = frame(made["table"])
    assert both.columns[:4].tolist() == [
        "count (column)",
        "count (column)_label",
        "Count (column) (column)",
        "Count (column) (column)_label",
    ]
    # Each person is in two groups at most: noise of epsilon 10 is above 3 with a chance of 10^-13.
    cells = {(one, other): count for one, other, count in both[[*both.columns[:3:2], "count"]].itertuples(index=False)}
    truth = {("_T_", "c"): 10, ("_T_", "d"): 30, ("=b", "c"): 0, ("=b", "d"): 9}
    assert all(abs(cells[key] - count) <= 3 for key, count in truth.items())
    assert "do not add up" in made["table"].dimensions[1].description
    assert dict(made["sets"].dimensions[0].codes) == {"z": "z", "b": "b"}
    sets = frame(made["sets"]).set_index("Count (column)")["count"]
    assert abs(sets["z"] - 39) <= 3
    assert abs(sets["b"] - 39) <= 3
    assert frame(made["all"]).columns.tolist()[0] == "count"
    assert all(re.fullmatch("[a-z0-9_]+", name) for name in made)

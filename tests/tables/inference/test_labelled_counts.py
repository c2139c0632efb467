"""T1 by the plan's own columns: each row says of whom it is, so that records counted by these words give the same number."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from starling.errors import ParameterError
from starling.release.session import to_pandas, to_polars
from starling.tables import Plan, plan
from starling.tables.analysis import TablesRelease
from starling.tables.inference.labelled_counts import labelled_counts
from tests.tables.small import small_geography, small_plan

RECORDS: dict[str, list[Any]] = {
    "sex": ["F", "M", "F", "F", "M"] * 40,
    "count": [3, 20, 70, 12, 66] * 40,
    "town": ["t1", "t2", "t2", "t3", "t1"] * 40,
}
CLASSES = {"0 to 17": range(18), "18 to 64": range(18, 65), "65 to 99": range(65, 100)}
VALUES: dict[str, Any] = {
    "title": "Towns",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
    "records": {"of-a-person": 1},
    "publication": {"negative-counts": True},
    "columns": [{"name": "sex", "values": ["F", "M"]}, {"name": "count", "from": 0, "to": 99}],
    "groups": [
        {"name": "everybody", "columns": []},
        {"name": "sex", "columns": ["sex"]},
        {"name": "both", "columns": ["sex", "count"], "cuts": {"count": [0, 18, 65]}},
    ],
}
BUDGET = "100"
"""So large that a number is the exact one within 1, but for a chance of 1e-40."""


def release(towns: dict[str, Any] | None = None) -> TablesRelease:
    place = {"regions": "town"} if towns else {}
    levels = [{"groups": group["name"], "budget": BUDGET, **place} for group in VALUES["groups"]]
    return Plan.of({**VALUES, "regions": towns, "levels": levels}).release(RECORDS)


def test_every_row_says_of_whom_it_is() -> None:
    """A column whose name is taken, as `count` here, says so."""
    rows = (
        release({"column": "town", "levels": ["town"], "rows": [["t1"], ["t2"], ["t3"]]}).to_pandas().to_dict("records")
    )
    people = list(zip(*RECORDS.values(), strict=True))
    assert len(rows) == 3 * (1 + 2 + 6)
    for row in rows:
        ages = CLASSES.get(row["count (column)"] or "", range(100))
        wanted = sum(
            town == row["region_id"] and row["sex"] in (None, sex) and age in ages for sex, age, town in people
        )
        assert abs(row["count"] - wanted) <= 1
        assert row["lower"] <= row["count"] <= row["upper"]


def test_a_plan_of_one_region_has_no_columns_of_regions() -> None:
    result = release()
    assert result.to_pandas().columns.tolist()[:3] == ["sex", "count (column)", "count"]
    assert len(result.to_pandas(sex="F")) == 1 + 3
    with pytest.raises(ParameterError, match="is no column to choose by"):
        result.to_pandas(colour="red")


def test_named_sets_are_labelled_by_their_names() -> None:
    """Of a column with sets of values in place of values."""
    plan = Plan.of(
        {
            **VALUES,
            "columns": [{"name": "letter", "values": ["a", "b", "c"]}],
            "groups": [{"name": "sets", "columns": ["letter"], "sets": {"a or b": ["a", "b"], "c": ["c"]}}],
            "levels": [{"groups": "sets", "budget": BUDGET}],
        }
    )
    frame = plan.release({"letter": ["a", "b", "b", "c"]}).to_pandas()
    assert frame["letter"].tolist() == ["a or b", "c"]


def test_a_plan_without_columns_names_its_tables() -> None:
    with pytest.raises(ParameterError, match="name t1 or t2"):
        labelled_counts(small_plan(), small_geography(small_plan()), pa.table({}))


@pytest.mark.slow
def test_frames_have_numbers_and_classes_in_order() -> None:
    """Ages of one group and of all as numbers, classes as categories in the order of the plan; rows too; a choice by text holds."""
    people = {"sex": ["F", "M"] * 50, "age": [each % 12 for each in range(100)]}
    values: dict[str, Any] = {"sex": ["F", "M"], "age": range(12)}
    result = plan(["sex", "age"], values, epsilon=9).release(people)
    frame = result.to_pandas()
    assert frame.age.dtype == "int64"
    assert frame.age.tolist() == [*range(12)] * 2
    assert result.to_pandas(age="10").age.tolist() == [10, 10]
    assert result.to_polars()["age"].dtype == pl.Int64
    assert frame["count"].tolist() == result.to_polars()["count"].to_list()
    assert frame.head(2)["count"].astype(str).tolist() == [line.split()[2] for line in repr(result).splitlines()[-5:-3]]
    assert "<td>F</td><td>1</td>" in result._repr_html_()
    mixed = release().to_pandas()
    ages = mixed["count (column)"]
    assert ages.dropna().unique().tolist() == [*CLASSES] == ages.cat.categories.tolist()
    assert ages.min() == "0 to 17"
    enum = release().to_polars()["count (column)"]
    assert enum.dtype == pl.Enum([*CLASSES])
    crossed = plan(["sex", "age"], values, epsilon=9, cross=2).release(people)
    assert crossed.to_pandas().age.max() == 11
    assert crossed.to_pandas("age").age_label.tolist() == [*range(12)]


@pytest.mark.parametrize(
    ("texts", "kind", "wanted"),
    [
        (["10", "9"], "int64", [10, 9]),
        (["10", None], "Int64", [10, None]),
        (["9", "other"], "object", ["9", "other"]),
        ([1.5, 2.0], "float64", [1.5, 2.0]),
    ],
)
def test_columns_of_another_meaning_stay_as_they_are(texts: list[Any], kind: str, wanted: list[Any]) -> None:
    table, ordered = pa.table({"a": texts}), {"a": ["9", "10"], "b": ["x"]}
    column = to_pandas(table, ordered)["a"]
    assert column.dtype == kind
    assert [None if each is pd.NA else each for each in column] == wanted
    assert to_polars(table, ordered)["a"].to_list() == wanted

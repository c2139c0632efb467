"""Plan files of points: what they say, and everything that public facts alone refuse, with its line."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.plan import Columns, Plan
from starling.planfile.values import toml_of
from tests.places.plans import KINDS, PERSON, SLICED, VALUED, plan, values


def test_a_file_says_what_a_mapping_says(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(toml_of(values(PERSON, SLICED, {"expected": 1000})))
    result = Plan.load(tmp_path / "plan.toml")
    assert result.digest == plan(PERSON, SLICED).digest
    assert (result.expected, result.points, result.epsilon) == (1000, 2, Fraction(1))
    assert [str(side) for side in result.grid.box] == ["-1", "0", "3", "2"]
    assert result.slices is not None
    assert result.slices.bounds == (1577836800000000, 1580515200000000, 1583020800000000)


def test_slices_are_named_by_their_beginnings_or_are_the_values_themselves() -> None:
    bounds = plan({"input": {"time": "t"}, "slices": {"bounds": ["2020-01-01", "2020-01-02T12:00"]}})
    assert bounds.slice_names == ("2020-01-01",)
    named = plan({"input": {"time": "weekday"}, "slices": {"names": ["Monday", "Tuesday"]}})
    assert named.slices is not None
    assert (named.slice_names, named.slices.bounds) == (("Monday", "Tuesday"), None)


def test_slices_by_two_columns_are_all_pairs(tmp_path: Path) -> None:
    both = plan(SLICED, KINDS)
    assert both.slice_names == ("January, theft", "January, arson", "February, theft", "February, arson")
    (tmp_path / "plan.toml").write_text(toml_of(values(SLICED, KINDS)))
    assert Plan.load(tmp_path / "plan.toml").digest == both.digest != plan(SLICED).digest


def test_a_value_has_two_layers_in_each_slice(tmp_path: Path) -> None:
    assert plan(VALUED).slice_names == ("fare above -2", "fare below 3")
    sliced = plan(VALUED, SLICED, PERSON)
    assert sliced.slice_names[2:] == ("February, fare above -2", "February, fare below 3")
    assert (sliced.own_slices, sliced.units, plan(VALUED).units) == (("January", "February"), 10, 5)
    (tmp_path / "plan.toml").write_text(toml_of(values(VALUED)))
    assert Plan.load(tmp_path / "plan.toml").digest == plan(VALUED).digest != plan().digest


@pytest.mark.parametrize(
    "columns", [Columns(geometry="place"), Columns(h3="cell"), Columns(x="east", y="north")], ids=str
)
def test_points_are_where_one_kind_of_column_says(columns: Columns) -> None:
    named = {"x": None, "y": None} | {
        key: name for key in ("x", "y", "geometry", "h3") if (name := getattr(columns, key))
    }
    assert plan({"input": named}).columns == columns


def two(names: list[str], categories: list[str]) -> dict[str, Any]:
    """Slices by two columns."""
    return {"input": {"time": "t", "category": "k"}, "slices": {"names": names, "categories": categories}}


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"grid": {"box": None}}, "grid.box is missing"),
        ({"grid": {"box": "data"}}, "grid.box is not four numbers; .* a box taken from the data tells of them"),
        ({"grid": {"box": ["0", "0", "0", "1"]}}, "grid.box is empty"),
        ({"grid": {"box": ["0", "2", "1", "1"]}}, "grid.box is reversed"),
        (
            {"grid": {"box": ["170", "0", "-170", "1"], "crs": "plain", "crs_name": "EPSG:2263"}},
            "grid.box is reversed",
        ),
        ({"grid": {"box": ["0", "0", "1", "95"]}}, "grid.box lies beyond latitude 90"),
        ({"grid": {"box": [0, 0, 1.5, 1]}}, "grid.box is a float"),
        ({"grid": {"rows": 1, "columns": 1}}, "are one cell"),
        ({"grid": {"rows": 1 << 20, "columns": (1 << 20) + 1}}, "grid.columns is not an integer from 1"),
        ({"grid": {"rows": 1 << 14, "columns": 1 << 14}}, "method.name looks at every cell"),
        ({"grid": {"crs": "EPSG:2263"}}, "grid.crs is not degrees or equal-area or plain"),
        ({"grid": {"crs": "plain"}}, "grid.crs_name is missing"),
        ({"privacy": {"epsilon": "0"}}, "privacy.epsilon is not above 0"),
        ({"privacy": {"epsilon": "-1"}}, "privacy.epsilon is not above 0"),
        ({"privacy": {"epsilon": None}}, "privacy.epsilon is missing"),
        ({"privacy": {"epsilon": 0.5}}, "privacy.epsilon is a float"),
        ({"privacy": {"unit": "person"}, "input": {"person": "who"}}, "privacy.points_per_person is missing"),
        ({"privacy": {"unit": "trip"}}, "privacy.unit is not point or person"),
        ({"input": {"weight": "w"}}, "input.weight is not for points"),
        ({"input": {"y": None}}, "input does not say where points are"),
        ({"input": {"geometry": "g"}}, "input does not say where points are"),
        ({"input": {"y": "lon"}}, "input names a column twice"),
        ({"method": {"name": "adaptiv"}}, "method.name is not"),
        ({"method": {"name": "singular", "for": "streets"}}, "method.for is a choice of adaptive alone"),
        ({"method": {"name": "adaptive", "for": "maps"}}, "method.for is not all or streets or earlier"),
        ({"method": {"depth": 0.5}}, "method.depth is no exact value"),
        ({"slices": {"bounds": ["2020-01-01", "soon"]}}, "slices.bounds are not all dates"),
        ({"slices": {"bounds": ["2020-01-02", "2020-01-01"]}}, "slices.bounds do not ascend"),
        ({"slices": {"bounds": ["2020-01-01"]}}, "slices.names are not 1 to"),
        ({"slices": {"bounds": ["2020-01-01", "2020-01-02"], "names": ["a", "b"]}}, "are not one more than the slices"),
        ({"slices": {"names": ["a", "a"]}}, "slices.names are not 1 to 4,096 different"),
        (SLICED | {"input": {"time": "time", "category": "kind"}}, "input.category is there without slices.categories"),
        ({"input": {"time": "t"}, "slices": {"names": ["a"], "categories": ["b"]}}, "input.category is there without"),
        (two(["a"], ["b", "b"]), "slices.categories give two slices one name"),
        (two(["a, b", "a"], ["c", "b, c"]), "slices.categories give two slices one name"),
        (two([str(each) for each in range(65)], [str(each) for each in range(64)]), "make more than 4,096 slices"),
        ({"input": {"value": "fare"}}, r"input.value is there without \[value\]"),
        ({"value": {"lower": 0, "upper": 9}}, r"input.value is there without \[value\]"),
        ({**VALUED, "value": {"lower": 3, "upper": 3}}, "value.lower and value.upper are not two whole numbers"),
        ({**VALUED, "value": {"lower": 0, "upper": 1 << 21}}, "at most 1,048,576 apart"),
        ({**VALUED, "value": {"lower": 0.5, "upper": 1}}, "value.lower is not an integer from"),
        ({**VALUED, "value": {"lower": 0, "upper": 1 << 40}}, "value.upper is not an integer from"),
        ({**VALUED, "value": {"lower": 0, "upper": 1 << 20}, "privacy": {"epsilon": "0.0001"}}, "spend at least"),
        ({"colour": 1}, "colour is an unknown key"),
    ],
)
def test_a_wrong_plan_is_refused_with_its_cause(changed: dict[str, Any], cause: str) -> None:
    with pytest.raises(PlanError, match=cause):
        plan(changed)


def test_points_of_one_cell_that_count_once_have_no_value() -> None:
    with pytest.raises(PlanError, match=r"privacy\.distinct_cells counts points of one cell once"):
        plan(VALUED, PERSON, {"privacy": {"distinct_cells": True}})


def test_all_problems_are_found_at_once_with_their_lines(tmp_path: Path) -> None:
    text = toml_of(values({"privacy": {"epsilon": "0"}, "grid": {"rows": 0}}))
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError) as refused:
        Plan.load(tmp_path / "plan.toml")
    lines = text.splitlines()
    assert [(each.field, lines[(each.line or 0) - 1]) for each in refused.value.problems] == [
        ("grid.rows", "rows = 0"),
        ("privacy.epsilon", 'epsilon = "0"'),
    ]

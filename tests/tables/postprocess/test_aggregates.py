"""T3 is a function of the plan and the noisy numbers: every group, every statistic, in the unit of its column."""

from copy import deepcopy

import numpy as np
import pytest

from starling.tables.plan import Plan, aggregate_pieces, read_regions
from starling.tables.plan.aggregates import tree
from starling.tables.postprocess.aggregates import T3_SCHEMA, tabulate_aggregates
from tests.tables.test_publish_aggregates import VALUES


def written(plan: Plan, numbers: dict[int, list[int]]) -> list[dict[str, object]]:
    """The rows of T3 where every group of an aggregate has the same noisy numbers."""
    regions = read_regions(plan)
    drawn = [(piece, np.tile(numbers[piece.level], (piece.groups, 1))) for piece in aggregate_pieces(plan, regions)]
    rows: list[dict[str, object]] = []
    for part in tabulate_aggregates(plan, regions, drawn):
        assert part.schema.names == T3_SCHEMA.names
        rows += part.to_pylist()
    return rows


def numbers_of(plan: Plan, *pairs: list[int]) -> dict[int, list[int]]:
    """A class, a pair, nodes, a pair."""
    shape = tree(100, plan.measure)
    return {0: [2], 1: pairs[0], 2: [1] * shape.nodes, 3: pairs[1]}


def test_statistics_are_in_the_unit_of_their_column() -> None:
    plan = Plan.of(VALUES)
    # Ages of 40 and 60; spending of 10.00 and 20.00, whose bounds are -10 and 500.
    rows = written(plan, numbers_of(plan, [98, 100], [97_000, 5_000]))
    ages = {row["statistic"]: row for row in rows if row["column"] == "age" and row["region_type"] == "town"}
    assert [ages[name]["value"] for name in ("size", "sum")] == [2, 100]
    assert ages["mean"]["value"] == pytest.approx(50, rel=0.01)
    spent = {row["statistic"]: row for row in rows if row["column"] == "spent"}
    assert [spent[name]["value"] for name in ("size", "sum", "mean")] == [2, 30, 15]
    assert spent["quantile 0.25"]["value"] == 12.5
    assert spent["sum"]["standard_deviation"] == pytest.approx(510 / 2**0.5 * (500**2 + 10**2) ** 0.5 / 510)
    assert spent["mean"]["standard_deviation"] is None
    assert spent["sum"]["lower"] < 30 < spent["sum"]["upper"]  # type: ignore[operator]


def test_impossible_signs_are_0_and_said_so() -> None:
    plan = Plan.of(VALUES)
    rows = written(plan, numbers_of(plan, [-99, -99], [-51_000, -51_000]))
    ages = {row["statistic"]: row for row in rows if row["column"] == "age" and row["region_type"] == "town"}
    assert (ages["size"]["value"], ages["size"]["post_processed"]) == (0, True)
    assert (ages["sum"]["value"], ages["sum"]["lower"]) == (0, 0)
    # A mean of nobody is not there, and may be any number.
    assert (ages["mean"]["value"], ages["mean"]["lower"], ages["mean"]["upper"]) == (None, 0, 99)
    # Spending may be below 0, and so may its sum.
    spent = {row["statistic"]: row for row in rows if row["column"] == "spent"}
    assert spent["sum"]["value"] == pytest.approx(-490 - 490 + 490, abs=1)
    values = deepcopy(VALUES)
    values["publication"] = {"negative-counts": True}
    rows = written(Plan.of(values), numbers_of(plan, [-99, -99], [-51_000, -51_000]))
    (size,) = {row["value"] for row in rows if row["statistic"] == "size" and row["column"] == "age"}
    assert size == -2
    assert not any(row["post_processed"] for row in rows)


def test_groups_stand_in_plan_order_with_their_statistics_together() -> None:
    plan = Plan.of(VALUES)
    rows = written(plan, numbers_of(plan, [98, 100], [97_000, 5_000]))
    keys = [tuple(row[name] for name in ("region_type", "region_id", "iteration_code", "column")) for row in rows]
    group = list(dict.fromkeys(keys))
    assert sorted(keys, key=group.index) == keys
    assert len(set(zip(keys, (row["statistic"] for row in rows), strict=True))) == len(rows)

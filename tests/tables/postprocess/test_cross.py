"""The rows of published cross tables: names, labels, order, deviations, and intervals that hold."""

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from starling.tables.mechanism.residuals import Residuals
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.cross import Cross
from starling.tables.plan.residuals import Shape, noise, variances
from starling.tables.postprocess.cross import column_names, margin, schema_of, table_names, tabulate_cross
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.dense_tables import up_to
from tests.tables.mechanism.test_residuals import Counts


def cross(columns: tuple[str, ...]) -> Cross:
    return Cross(columns, ((),) * len(columns), up_to(len(columns), 2), ("all",), ())


@pytest.mark.parametrize(
    "columns",
    [
        ("sex", "age"),
        ("Sex!", "sex", "sex_"),
        ("count", "region_id", "lower"),
        ("a", "a_label", "a by"),
        ('"><script>', "\u202eüßé", "x" * 300, "X" * 300),
        ("measurements", "everybody", "column_1", "!"),
        ("a_by_b", "a", "b"),
    ],
)
def test_every_column_and_every_table_has_a_name_of_its_own_that_a_file_can_have(columns: tuple[str, ...]) -> None:
    tables = cross(columns)
    names = table_names(tables)
    assert len(set(names)) == len(names) == len(tables.tables)
    assert all(
        name.isascii() and name == name.lower() and 0 < len(name) < 120 and name.isidentifier() for name in names
    )
    assert "measurements" not in names
    for table in tables.tables:
        called = schema_of(tables, table).names
        assert len(set(called)) == len(called)
    assert len(column_names(tables)) == len(columns)


def test_plain_names_stay_as_they_are() -> None:
    assert table_names(cross(("sex", "age"))) == ("everybody", "sex", "age", "sex_by_age")
    assert schema_of(cross(("sex", "age")), (0, 1)).names[:4] == ["sex", "sex_label", "age", "age_label"]


def test_rows_say_region_values_and_names_in_the_order_of_the_plan() -> None:
    plan = cross_plan(levels=LEVELS, rho="1000000")
    assert plan.cross is not None
    counts, regions = Counts(plan.cross_shape), read_regions(plan)
    seen: dict[tuple[int, tuple[int, ...]], list[dict[str, Any]]] = {}
    for level, table, rows in tabulate_cross(plan, regions, tuple(Residuals(plan).draw(counts))):
        assert rows.cast(schema_of(plan.cross, table)).schema == schema_of(plan.cross, table)
        seen.setdefault((level, table), []).extend(rows.to_pylist())
    assert [*seen] == [(level, table) for table in plan.cross.tables for level in range(2)]
    for (level, table), rows in seen.items():
        exact = counts.part(level, table)
        assert np.rint([row["count"] for row in rows]).astype(int).tolist() == exact.ravel().tolist()
    row = seen[1, (0, 1)][5]
    assert [row[name] for name in ("region_type", "region_id", "sex", "sex_label", "age")] == [
        "district",
        "a1",
        "m",
        "men",
        "3 to 5",
    ]


def test_tables_with_many_regions_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = cross_plan(levels=LEVELS)
    measured = tuple(Residuals(plan).draw(Counts(plan.cross_shape)))
    whole = [rows for *_, each in tabulate_cross(plan, read_regions(plan), measured) for rows in each.to_pylist()]
    monkeypatch.setattr("starling.tables.postprocess.cross.MOST_ROWS", 1)
    parts = list(tabulate_cross(plan, read_regions(plan), measured))
    assert [row for *_, each in parts for row in each.to_pylist()] == whole
    assert all(len(each) == plan.cross_shape.cells(table) for _, table, each in parts)


def chances(parameter: Fraction) -> npt.NDArray[np.float64]:
    """The discrete Gaussian of a parameter from -reach to reach."""
    reach = int(12 * sqrt(parameter)) + 3
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * float(parameter)))
    return np.asarray(weights / weights.sum())


def spread(values: npt.NDArray[np.float64], times: int) -> npt.NDArray[np.float64]:
    """Of so many times a number."""
    apart = np.zeros((len(values) - 1) * times + 1)
    apart[::times] = values
    return apart


@pytest.mark.parametrize("rho", ["50", "5", "2", "1", "1/2", "3/10", "1/5", "1/10", "1/100"])
def test_intervals_hold_where_few_draws_add_up(rho: str) -> None:
    """Exactly, by convolution: everybody alone, and a column of two values, whose cell errs by Z/2 + (Y - Y')/4."""
    plan = cross_plan(((), (0,)), rho)
    assert plan.cross is not None
    shape: Shape = plan.cross_shape
    (whole, half), (shares,) = shape.parts, plan.cross.shares
    everybody, sex = (
        chances(noise(shape, part, share).sigma_squared) for part, share in zip(shape.parts, shares, strict=True)
    )
    cell = np.convolve(spread(everybody, 2), np.convolve(sex, sex[::-1]))
    for table, law, unit in ((whole, everybody, 1.0), (half, cell, 0.25)):
        values = (np.arange(len(law)) - len(law) // 2) * unit
        deviation = sqrt(dict(zip(plan.cross.tables, variances(shape, plan.cross.shares)[0], strict=True))[table])
        covered = law[np.abs(values) <= margin(plan.cross, plan.cross_shape, table, deviation)].sum()
        assert covered >= 0.95
        assert (law * values**2).sum() <= deviation**2 * 1.000001


def plan_of(rho: str) -> Plan:
    return cross_plan(up_to(3, 2), rho)


@pytest.mark.slow
@pytest.mark.statistical
def test_estimates_are_unbiased_and_their_intervals_cover() -> None:
    """150 releases of 36 numbers, of 18 independent parts: means, deviations and coverage within six standard errors or more.

    False alarm 1e-7 in all. A deviation that is a tenth off, or an interval of one deviation less, fails.
    """
    plan = plan_of("1/50")
    counts, regions = Counts(plan.cross_shape), read_regions(plan)
    errors, inside = [], []
    for _ in range(150):
        rows = [
            row
            for *_, each in tabulate_cross(plan, regions, tuple(Residuals(plan).draw(counts)))
            for row in each.to_pylist()
        ]
        exact = np.concatenate([counts.part(0, table).ravel() for table in plan.cross_shape.tables])
        values = np.array([[row["count"], row["lower"], row["upper"], row["standard_deviation"]] for row in rows])
        errors.append((values[:, 0] - exact) / values[:, 3])
        inside.append((values[:, 1] <= exact) & (exact <= values[:, 2]))
    means = np.array(errors).mean(axis=0) * sqrt(150)
    assert np.abs(means).max() < 6
    assert np.array(errors).std() == pytest.approx(1, abs=0.1)
    assert 0.92 < np.array(inside).mean() < 0.98

"""Totals with the first total weighted in, given what is published, and made to add up: through post-processing, as published."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from starling.errors import PlanError
from starling.privacy.budget import Measure
from starling.tables.inference.totals import deviation_of, stage1_share
from starling.tables.measurements import Measured, Measurements
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Geography, GeographyLevel, Piece, Plan
from starling.tables.postprocess import tabulate
from tests.tables.small import Tables, joined, small_geography, small_plan, written

STATE, COUNTY = GeographyLevel.STATE, GeographyLevel.COUNTY
THRESHOLDS = (40, 10**6, 10**7)
"""A threshold that groups of 40 are on both sides of."""


def tables_of(plan: Plan, geography: Geography, measurements: Measurements) -> Tables:
    return joined(tabulate(plan, geography, measurements))


def column(table: pa.Table, name: str) -> np.ndarray:
    return np.asarray(table[name].to_numpy())


def simulated(plan: Plan, persons: int, counties: int = 20_000) -> tuple[Tables, np.ndarray]:
    """Two iterations in each county, `persons` in every group; and the branch of each group."""
    geography = small_geography(plan, counties=counties)
    drawn = SafeTab(plan, geography).draw(written(plan, geography, persons))
    remaining = tuple(drawn)
    return tables_of(plan, geography, remaining), np.concatenate([measured.branch for _, measured in remaining])


def one_piece(stage1: list[int], branch: list[int], values: list[int]) -> Measurements:
    measured = Measured(*(np.array(each, dtype) for each, dtype in ((stage1, int), (branch, np.int8), (values, int))))
    return ((Piece(0, 0, 2, 2), measured),)


def test_a_total_is_the_weighted_mean_and_stays_the_sum_of_its_cells() -> None:
    plan = small_plan("rho", budget=Fraction(1, 5), geographies=(COUNTY,), both_stages=True)
    geography = small_geography(plan)
    assert stage1_share(plan, plan.levels[0], 1) == Fraction(8, 17)
    values = [10, *[2] * 8, *range(18), 7]
    tables = tables_of(plan, geography, one_piece([20, 16 + 34, 153 - 9, 7], [0, 1, 2, 0], values))
    # a (S - Y): 1/10 of 10; 8/17 of 34; 2/3 of -9; nothing.
    assert tables.t1["count"].to_pylist() == [11, 32, 147, 7]
    assert not any(tables.t1["post_processed"].to_pylist())
    for code, total in (("0002", 32), ("0001", 147)):
        rows = [row for row in tables.t2.to_pylist() if row["iteration_code"] == code]
        assert sum(row["count"] for row in rows if row["age_start"] != "*") == total
        assert sum(row["count"] for row in rows if row["age_start"] == "*") == total
    cells_of_first = [row["count"] for row in tables.t2.to_pylist()[:10] if row["age_start"] != "*"]
    assert cells_of_first == [4] * 8, "16 persons more over 8 cells"


def test_what_is_published_and_its_detail_do_not_change() -> None:
    plain = small_plan("rho", geographies=(COUNTY,), suppression=Fraction(9, 10))
    better = small_plan(
        "rho", geographies=(COUNTY,), suppression=Fraction(9, 10), both_stages=True, given_published=True
    )
    geography = small_geography(plain, counties=300)
    drawn = tuple(SafeTab(plain, geography).draw(written(plain, geography, 4)))
    before, after = tables_of(plain, geography, drawn), tables_of(better, geography, drawn)
    for name in ("region_id", "iteration_code"):
        assert before.t1[name] == after.t1[name]
    for name in ("region_id", "iteration_code", "age_start", "sex"):
        assert before.t2[name] == after.t2[name]


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["rho", "epsilon"])
def test_published_totals_are_as_accurate_as_stated(measure: Measure) -> None:
    """40,000 groups far from thresholds; 6.5 standard errors, as in test_estimates.py."""
    plan = small_plan(measure, budget=Fraction(1, 5), thresholds=(1, 2, 3), geographies=(COUNTY,), both_stages=True)
    tables, _ = simulated(plan, 5000)
    count, deviation = column(tables.t1, "count"), column(tables.t1, "standard_deviation")[0]
    n = len(count)
    assert deviation == deviation_of(plan, plan.levels[0], 3)
    assert abs(count.mean() - 5000) < 6.5 * deviation / n**0.5
    # Rounding adds up to a twelfth.
    assert -6.5 * (4 / n) ** 0.5 < (count.var() - 1 / 12) / deviation**2 - 1 < 6.5 * (4 / n) ** 0.5
    inside = (column(tables.t1, "lower") <= 5000) & (column(tables.t1, "upper") >= 5000)
    assert inside.mean() > 0.95 - 6.5 * (0.95 * 0.05 / n) ** 0.5
    plain = small_plan(measure, budget=Fraction(1, 5), thresholds=(1, 2, 3), geographies=(COUNTY,))
    gain = (deviation_of(plain, plan.levels[0], 3) / deviation) ** 2
    assert gain == pytest.approx(6.1 if measure == "rho" else 1.57, rel=0.02)
    # Cells and sexes: unbiased, of the stated deviation.
    by_place = column(tables.t2, "count").reshape(n, 48)
    stated = column(tables.t2, "standard_deviation")[:48]
    truth = np.zeros(48)
    truth[[0, 1]] = 5000
    assert (np.abs(by_place.mean(axis=0) - truth) < 6.5 * (stated + 1) / n**0.5).all()
    assert (by_place.var(axis=0) < (stated**2 + 1 / 2) * (1 + 6.5 * (10 / n) ** 0.5)).all()
    assert (by_place.var(axis=0) > stated**2 * (1 - 6.5 * (10 / n) ** 0.5)).all()


@pytest.mark.series(2)
@pytest.mark.parametrize("measure", ["rho", "epsilon"])
@pytest.mark.parametrize("persons", [34, 40, 46])
def test_intervals_given_what_is_published_cover_on_both_sides_of_a_threshold(measure: Measure, persons: int) -> None:
    """40,000 groups; in each branch of 1,000 or more at least 95 % within 6.5 standard errors."""
    plan = small_plan(measure, thresholds=THRESHOLDS, geographies=(COUNTY,), both_stages=True, given_published=True)
    tables, branch = simulated(plan, persons)
    held = (column(tables.t1, "lower") <= persons) & (column(tables.t1, "upper") >= persons)
    seen = 0
    for kind in (0, 1):
        here = branch == kind
        if here.sum() >= 1000:
            seen += 1
            assert held[here].mean() > 0.95 - 6.5 * (0.95 * 0.05 / here.sum()) ** 0.5, kind
    assert seen
    # Cells are those of the second measurement: valid in each branch.
    rows = column(tables.t2, "count").reshape(-1, 10)
    lower, upper = column(tables.t2, "lower").reshape(rows.shape), column(tables.t2, "upper").reshape(rows.shape)
    if len(rows) >= 1000:
        assert ((lower[:, 1] <= persons) & (persons <= upper[:, 1])).mean() > 0.95 - 6.5 * (0.05 / len(rows)) ** 0.5
    assert (lower <= rows).all()
    assert (rows <= upper).all()


def test_intervals_of_very_small_published_groups_hold() -> None:
    """Bare totals that passed the bar: the intervals over all groups fail there, those given publication do not."""
    options: dict[str, Any] = {
        "suppression": Fraction(99, 100),
        "thresholds": (10**5, 10**6, 10**7),
        "geographies": (COUNTY,),
    }
    result = {}
    for inputs in (False, True):
        tables, _ = simulated(small_plan("rho", **options, given_published=inputs), 1)
        assert len(tables.t1) > 400
        result[inputs] = ((column(tables.t1, "lower") <= 1) & (column(tables.t1, "upper") >= 1)).mean()
    assert result[False] < 0.5
    assert result[True] > 0.95 - 6.5 * (0.95 * 0.05 / 400) ** 0.5


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["rho", "epsilon"])
@pytest.mark.parametrize("both_stages", [False, True])
def test_totals_add_up_and_err_as_stated(measure: Measure, both_stages: bool) -> None:
    """150 states of 5 counties, each a geography of its own."""
    plan = small_plan(measure, thresholds=(1, 5000, 10**6), add_up=True, both_stages=both_stages)
    geography = small_geography(plan, counties=5)
    states, counties = [], []
    for _ in range(150):
        exact = written(plan, geography, 2000)
        exact.detail[1][:, 0] = 400
        tables = tables_of(plan, geography, SafeTab(plan, geography).draw(exact))
        t1 = tables.t1.to_pylist()
        by = {(row["region_id"], row["iteration_code"]): row for row in t1}
        for code in ("0001", "0002"):
            below = [row for (region, iteration), row in by.items() if len(region) == 5 and iteration == code]
            assert by["01", code]["count"] == sum(row["count"] for row in below)
            states.append(by["01", code])
            counties += below
        t2: dict[tuple[str, str], int] = {}
        for row in tables.t2.to_pylist():
            key = row["region_id"], row["iteration_code"]
            t2[key] = t2.get(key, 0) + (row["count"] if row["age_start"] == "*" else 0)
        assert all(by[key]["count"] == count for key, count in t2.items())
        assert ("01", "0003") in by, "an iteration of the state alone stays"
    for rows, truth, level in ((states, 2000, 0), (counties, 400, 1)):
        count = np.array([row["count"] for row in rows])
        stated = np.array([row["standard_deviation"] for row in rows])
        n = len(rows) / (5 if level else 1)  # counties of a state share their noise
        assert abs(count.mean() - truth) < 6.5 * stated.max() / n**0.5
        ratio = ((count - truth) ** 2).mean() / (stated**2).mean()
        assert 1 - 6.5 * (6 / n) ** 0.5 < ratio < 1 + 6.5 * (6 / n) ** 0.5 + 1 / (stated**2).mean()
        held = [row["lower"] <= truth <= row["upper"] for row in rows]
        assert np.mean(held) > 0.95 - 6.5 * (0.95 * 0.05 / n) ** 0.5
        assert (stated < deviation_of(plan, plan.levels[level], 1)).all(), "better than measured"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"add_up": True, "allow_negative": False}, "cannot be kept where negative counts"),
        ({"add_up": True, "given_published": True}, "are not known of totals that add up"),
        ({"both_stages": True, "budget": Fraction(1, 10**8)}, "a standard deviation beyond"),
        ({"given_published": True, "budget": Fraction(1, 10**8)}, "a standard deviation beyond"),
    ],
)
def test_a_plan_that_asks_for_what_cannot_be_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        small_plan("rho", **options)

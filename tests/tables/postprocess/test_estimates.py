"""The numbers of T1 and T2: sums, suppression, clamp, intervals; and the statistics of a whole release."""

from fractions import Fraction

import numpy as np
import pytest

from starling.privacy.distributions.accuracy import margin, quantile, standard_deviation
from starling.tables.measurements import Measured, Measurements
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Geography, GeographyLevel, Piece, Plan
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import tabulate as in_pieces
from starling.tables.postprocess.estimates import estimate
from tests.tables.small import Tables, joined, small_geography, small_plan, written

STATE, COUNTY = GeographyLevel.STATE, GeographyLevel.COUNTY


def measured(branch: list[int], values: list[int]) -> Measurements:
    """One level, written down: one or two regions."""
    zeros = np.zeros(len(branch), dtype=np.int64)
    piece = Piece(0, 0, 1, 3) if len(branch) == 3 else Piece(0, 0, 2, 2)
    return ((piece, Measured(zeros, np.array(branch, np.int8), np.array(values, np.int64))),)


def tabulate(plan: Plan, geography: Geography, measurements: Measurements) -> Tables:
    """The whole tables."""
    return joined(in_pieces(plan, geography, measurements))


def test_t1_is_the_sum_of_the_cells_and_marginals_are_sums_of_their_sex() -> None:
    plan = small_plan(geographies=(COUNTY,))
    geography = small_geography(plan, counties=100)
    tables = tabulate(plan, geography, SafeTab(plan, geography).draw(written(plan, geography, 15)))
    sums: dict[tuple[str, str, str], int] = {}
    marginals: dict[tuple[str, str, str], int] = {}
    for row in tables.t2.to_pylist():
        key = row["region_id"], row["iteration_code"], row["sex"]
        into = marginals if row["age_start"] == "*" else sums
        into[key] = into.get(key, 0) + row["count"]
    assert sums == marginals
    totals = {(row["region_id"], row["iteration_code"]): row["count"] for row in tables.t1.to_pylist()}
    detailed = {key[:2] for key in sums}
    assert detailed
    assert all(totals[key] == sums[*key, "1"] + sums[*key, "2"] for key in detailed)


def test_suppression_keeps_what_is_strictly_above_the_quantile_below_the_state_alone() -> None:
    plan = small_plan(suppression=Fraction(9, 10), geographies=(COUNTY,))
    bar = quantile(plan.stage_noise(plan.levels[0]).stage2, Fraction(9, 10))
    geography = small_geography(plan)
    remaining = tabulate(plan, geography, measured([0, 0, 0, 0], [bar - 1, bar, bar + 1, bar + 2]))
    assert remaining.t1["count"].to_pylist() == [bar + 1, bar + 2]
    detailed = tabulate(plan, geography, measured([1, 0, 0, 0], [-9] * 8 + [bar] * 3))
    assert detailed.t1["count"].to_pylist() == [-72]
    state = small_plan(suppression=Fraction(9, 10), geographies=(STATE,))
    all_of_it = tabulate(state, small_geography(state), measured([0, 0, -1], [-5, bar, -5]))
    assert all_of_it.t1["count"].to_pylist() == [-5, bar, -5]


def test_clamping_follows_suppression_and_reaches_cells_sums_and_marginals() -> None:
    plan = small_plan(allow_negative=False, geographies=(COUNTY,))
    tables = tabulate(plan, small_geography(plan), measured([1, 0, 0, 0], [-5, 2, 3, -1, 4, 0, 0, -9, -7, 0, 6]))
    assert tables.t1["count"].to_pylist() == [9, 0, 0, 6]
    assert tables.t1["post_processed"].to_pylist() == [True, True, False, False]
    changed = [row["count"] for row in tables.t2.to_pylist() if row["post_processed"]]
    assert changed == [5, 0, 0, 4, 0], "two clamped cells with each sex's sum, and what was 0 already is not changed"
    by_sex = [row["count"] for row in tables.t2.to_pylist() if row["age_start"] == "*"]
    assert by_sex == [5, 4]
    assert min(tables.t1["lower"].to_pylist()) == 0
    suppressed = small_plan(allow_negative=False, suppression=Fraction(1, 4), geographies=(COUNTY,))
    bar = quantile(suppressed.stage_noise(suppressed.levels[0]).stage2, Fraction(1, 4))
    assert bar < 0
    remaining = tabulate(suppressed, small_geography(suppressed), measured([0] * 4, [bar, bar + 1, 0, 1]))
    # The row of bar + 1 < 0 is decided on before it is clamped.
    assert remaining.t1["count"].to_pylist() == [0, 0, 1]


def test_interval_and_deviation_are_those_of_as_many_draws_as_the_row_sums() -> None:
    plan = small_plan("rho", geographies=(COUNTY,))
    distribution = plan.stage_noise(plan.levels[0]).stage2
    tables = tabulate(plan, small_geography(plan), measured([0, 1, 2, 3], [0] * (1 + 8 + 18 + 46)))
    for row, terms in zip(tables.t1.to_pylist(), SEX_BY_AGE.sizes, strict=True):
        assert row["standard_deviation"] == pytest.approx(standard_deviation(distribution) * terms**0.5)
        assert (row["lower"], row["upper"]) == (
            -margin(distribution, Fraction(1, 20), terms),
            margin(distribution, Fraction(1, 20), terms),
        )
    for row, terms in zip(tables.t2.slice(0, 2).to_pylist(), (4, 1), strict=True):
        assert row["upper"] == margin(distribution, Fraction(1, 20), terms)


def test_estimates_are_of_the_published_groups_with_each_sex_led_by_its_sum() -> None:
    plan = small_plan(suppression=Fraction(9, 10), allow_negative=False, geographies=(COUNTY,))
    ((_, values),) = measured([0, 1, 0, 2], [-1, *([-1] * 4), *([5] * 4), 10**6, *range(18)])
    result = estimate(plan, plan.levels[0], values)
    assert result.groups.tolist() == [1, 2, 3]
    assert result.branch.tolist() == [1, 0, 2]
    assert result.totals.estimate.tolist() == [16, 10**6, 153]
    assert result.totals.count.tolist() == [20, 10**6, 153]
    assert result.cells.estimate.tolist() == [-4, -1, -1, -1, -1, 20, 5, 5, 5, 5, 36, *range(9), 117, *range(9, 18)]
    assert result.cells.count.tolist()[:6] == [0, 0, 0, 0, 0, 20]


def test_post_processing_repeats_bit_for_bit() -> None:
    plan = small_plan()
    geography = small_geography(plan, counties=50)
    drawn = SafeTab(plan, geography).draw(written(plan, geography, 12))
    assert tabulate(plan, geography, drawn) == tabulate(plan, geography, drawn)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("total", [0, 3, 400])
def test_bare_totals_are_unbiased_of_stated_variance_and_coverage(measure: str, total: int) -> None:
    """40,000 groups each; every check is at 6.5 standard errors, so that a false alarm is rarer than 1 in 10^9."""
    plan = small_plan(
        "epsilon" if measure == "epsilon" else "rho", thresholds=(10**6, 10**7, 10**8), geographies=(COUNTY,)
    )
    geography = small_geography(plan, counties=20_000)
    t1 = tabulate(plan, geography, SafeTab(plan, geography).draw(written(plan, geography, total))).t1
    count = t1["count"].to_numpy()
    deviation = t1["standard_deviation"].to_numpy()[0]
    n = len(count)
    assert abs(count.mean() - total) < 6.5 * deviation / n**0.5
    # Kurtosis of the discrete Laplace is at most about 6 + 1/variance: the variance of the variance is below 10 sigma^4 / n.
    assert abs(count.var() / deviation**2 - 1) < 6.5 * (10 / n) ** 0.5
    inside = np.count_nonzero((t1["lower"].to_numpy() <= total) & (total <= t1["upper"].to_numpy()))
    assert inside / n > 0.95 - 6.5 * (0.95 * 0.05 / n) ** 0.5
    distribution = plan.stage_noise(plan.levels[0]).stage2
    half = margin(distribution, Fraction(1, 20)) - 1
    # One less would not do: the margin is the smallest.
    assert np.count_nonzero(np.abs(count - total) <= half) / n < 0.95 + 6.5 * (0.95 * 0.05 / n) ** 0.5

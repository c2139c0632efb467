"""SafeTab: what is drawn for which group, and the privacy of the whole by exact enumeration."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.tables import mechanism
from starling.tables.measurements import Measurements, branches
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Geography, GeographyLevel, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import BANDS23, SEX_BY_AGE
from tests.tables.small import Written, level_of, small_geography, small_plan, written

STATE, COUNTY = GeographyLevel.STATE, GeographyLevel.COUNTY


def silent(distribution: Distribution, count: int) -> npt.NDArray[np.int64]:
    """Noise that is 0, so that the exact values show."""
    return np.zeros(count, dtype=np.int64)


def test_the_branch_is_the_number_of_thresholds_at_or_below_the_noisy_total() -> None:
    totals = np.array([-3, 4, 5, 9, 10, 19, 20, 21])
    assert branches(totals, (5, 10, 20)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("branch", [1, 2, 3])
def test_merged_cells_are_sums_over_the_published_bands(branch: int) -> None:
    detail = np.arange(2 * SEX_BY_AGE.finest, dtype=np.int64).reshape(2, SEX_BY_AGE.finest) ** 2
    expected = np.zeros((2, SEX_BY_AGE.sizes[branch]), dtype=np.int64)
    age = SEX_BY_AGE.attributes[1]
    ranges = age.classes(SEX_BY_AGE.partitions[branch][1])
    for sex, (band, (low, high)) in itertools.product(range(2), enumerate(age.classes(BANDS23))):
        coarse = next(i for i, (first, last) in enumerate(ranges) if first <= low and high <= last)
        expected[:, sex * len(ranges) + coarse] += detail[:, sex * 23 + band]
    assert (SEX_BY_AGE.merged(detail, 3, branch) == expected).all()


def test_every_branch_is_reached_and_holds_the_exact_cells_under_silent_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, geography = small_plan(geographies=(COUNTY,)), small_geography(small_plan(geographies=(COUNTY,)))
    exact = Written((np.zeros((4, SEX_BY_AGE.finest), dtype=np.int64),))
    for group, total in enumerate((4, 5, 10, 20)):
        exact.detail[0][group, :total] = 1
    monkeypatch.setattr(mechanism, "draw", silent)
    measured = level_of(SafeTab(plan, geography).draw(exact), 0)
    assert measured.branch.tolist() == [0, 1, 2, 3]
    assert measured.stage1.tolist() == [4, 5, 10, 20]
    starts = measured.offsets(SEX_BY_AGE)
    assert np.diff(starts).tolist() == [1, 8, 18, 46]
    for group, branch in enumerate(measured.branch):
        result = measured.values[starts[group] : starts[group + 1]]
        expected = exact.detail[0][group : group + 1]
        assert (result == (SEX_BY_AGE.merged(expected, 3, branch)[0] if branch else expected.sum())).all()


def test_total_only_groups_are_measured_once_with_all_of_the_groups_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[Distribution, int]] = []

    def recording(distribution: Distribution, count: int) -> npt.NDArray[np.int64]:
        drawn.append((distribution, count))
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(mechanism, "draw", recording)
    plan = small_plan("rho", geographies=(STATE,))
    geography = small_geography(plan)
    measured = level_of(SafeTab(plan, geography).draw(written(plan, geography, 7)), 0)
    assert measured.branch.tolist() == [1, 1, TOTAL_ONLY]
    share = plan.levels[0].budget / plan.levels[0].stability
    distribution = {
        name: DiscreteGaussian(1 / (2 * part * share))
        for name, part in (("once", 1), ("one", Fraction(1, 10)), ("two", Fraction(9, 10)))
    }
    assert drawn == [(distribution["one"], 2), (distribution["once"], 1), (distribution["two"], 16)]


@pytest.mark.parametrize("totals", [0, 3, 1000])
def test_what_is_answered_is_a_function_of_plan_and_geography_alone(totals: int) -> None:
    plan = small_plan()
    geography = small_geography(plan)
    measured = SafeTab(plan, geography).draw(written(plan, geography, totals))
    assert [len(level.stage1) for _, level in measured] == [3, 4]
    assert [len(level.branch) for _, level in measured] == [3, 4]
    assert (level_of(measured, 0).branch == TOTAL_ONLY).tolist() == [False, False, True]


def test_stage_2_noise_is_fresh() -> None:
    """The noise of the two stages is uncorrelated: |r| of 40,000 independent pairs is below 0.03 but for 1 in 500 million."""
    plan = small_plan("rho", thresholds=(10**6, 10**7, 10**8), geographies=(COUNTY,))
    geography = small_geography(plan, counties=20_000)
    measured = level_of(SafeTab(plan, geography).draw(written(plan, geography, 100)), 0)
    assert abs(np.corrcoef(measured.stage1, measured.values)[0, 1]) < 0.03


@pytest.mark.parametrize(("measure", "kind"), [("epsilon", Epsilon), ("rho", Rho)])
def test_the_guarantee_is_the_sum_of_the_levels(measure: str, kind: type[Epsilon] | type[Rho]) -> None:
    plan = small_plan("epsilon" if measure == "epsilon" else "rho")
    guarantee = SafeTab(plan, small_geography(plan)).guarantee
    assert guarantee.cost == kind(Fraction(4))


# Privacy, by enumeration. Each draw is replaced by every noise of a window in turn, with its exact weight q^|x| (the common
# normaliser cancels in the ratio), and the law of the whole outcome is added up for a world and its neighbour.

Outcome = tuple[tuple[int, ...], ...]


def _outcome(measurements: Measurements) -> Outcome:
    return tuple(
        tuple(np.concatenate((level.stage1, level.branch, level.values)).tolist()) for _, level in measurements
    )


def _law_of_outcomes(
    plan: Plan, geography: Geography, exact: Written, free: int, window: int, monkeypatch: pytest.MonkeyPatch
) -> dict[Outcome, float]:
    """Unnormalised law of the outcome when the first `free` draws range over -window..window and the others are 0."""
    distribution: dict[Outcome, float] = defaultdict(float)
    for noise in itertools.product(range(-window, window + 1), repeat=free):
        left = iter(noise)
        weight = 1.0

        def scripted(of: Distribution, count: int, left: Iterator[int] = left) -> npt.NDArray[np.int64]:
            nonlocal weight
            values = np.array([next(left, 0) for _ in range(count)], dtype=np.int64)
            assert isinstance(of, DiscreteLaplace)
            weight *= float(np.exp(-np.abs(values).sum() / float(of.scale)))
            return values

        monkeypatch.setattr(mechanism, "draw", scripted)
        distribution[_outcome(SafeTab(plan, geography).draw(exact))] += weight
    return distribution


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("thresholds", "free", "window", "moved"),
    [((50, 60, 70), 4, 3, (0, 1)), ((1, 60, 70), 3, 3, (0,)), ((1, 2, 3), 3, 3, (0,))],
)
def test_sensitivity_release_ratio_of_neighbours_is_bounded_exactly(
    thresholds: tuple[int, int, int], free: int, window: int, moved: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P[outcome | D] <= e^epsilon P[outcome | D'] for every outcome, both ways; and it is reached: half the noise would fail.

    One person more in `moved` groups costs that share of the level's budget: two is as many as the stability allows. The free
    draws are the two stage-1 totals and the first stage-2 values, which are those that the person changes.
    """
    plan = small_plan(thresholds=thresholds, geographies=(COUNTY,))
    geography = small_geography(plan, counties=1)
    world = written(plan, geography, 1)
    more = world.plus_one([(0, group, 0) for group in moved])
    assert plan.levels[0].stability == 2
    stage_noise = [_law_of_outcomes(plan, geography, each, free, window, monkeypatch) for each in (world, more)]
    common = stage_noise[0].keys() & stage_noise[1].keys()
    assert len(common) > 50
    worst = max(np.log(stage_noise[a][o] / stage_noise[1 - a][o]) for o in common for a in (0, 1))
    assert worst == pytest.approx(float(plan.cost.amount) * len(moved) / 2, rel=1e-9)

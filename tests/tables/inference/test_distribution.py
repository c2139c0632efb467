"""The law of a published total against enumeration of all outcomes, and intervals that cover given what was published."""

from fractions import Fraction

import numpy as np
import pytest

from bench.thresholds import conditional
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.tables.inference.combined import corrections
from starling.tables.inference.distribution import Chosen, TotalDistribution, ends
from starling.tables.measurements import Int64
from starling.tables.plan import StageNoise
from starling.tables.plan.combined_stages import stage1_weight

ALPHA = Fraction(1, 20)
GAUSSIAN = (DiscreteGaussian(Fraction(9)), DiscreteGaussian(Fraction(1)))
GEOMETRIC = (DiscreteLaplace(Fraction(3)), DiscreteLaplace(Fraction(1)))
NOTHING = Chosen()


def total_distribution(pair: tuple[Distribution, Distribution], cells: int, *, reused: bool) -> TotalDistribution:
    stage_noise = StageNoise(pair[1], *pair)
    return TotalDistribution(*pair, cells, stage1_weight(stage_noise, cells) if reused else Fraction(0))


def outcomes(distribution: TotalDistribution, persons: int) -> tuple[Int64, Int64, Int64, np.ndarray]:
    """Every outcome: first total, sum of the second measurement, published total, probability."""
    z, e = probability_mass(distribution.stage1), probability_mass(distribution.stage2, distribution.cells)
    z_reach, e_reach = min(z.last, 110), min(e.last, 60)
    first = persons + np.repeat(np.arange(-z_reach, z_reach + 1), 2 * e_reach + 1)
    second = persons + np.tile(np.arange(-e_reach, e_reach + 1), 2 * z_reach + 1)
    chance = np.outer(
        z.mass[z.last - z_reach : z.last + z_reach + 1], e.mass[e.last - e_reach : e.last + e_reach + 1]
    ).ravel()
    return first, second, second + corrections(first, second, distribution.weight), chance


def happened(chosen: Chosen, first: Int64, second: Int64) -> np.ndarray:
    low, high, bar = chosen.bounds()
    return (first >= low) & (first < high) & (second > bar)


CHOICES = (NOTHING, Chosen(low=20), Chosen(low=20, high=31), Chosen(high=20), Chosen(high=20, bar=6))


@pytest.mark.series(6)
@pytest.mark.parametrize("pair", [GAUSSIAN, GEOMETRIC], ids=["gaussian", "geometric"])
@pytest.mark.parametrize("reused", [False, True])
@pytest.mark.parametrize("chosen", CHOICES, ids=repr)
def test_the_law_given_what_was_chosen_is_that_of_enumeration(
    pair: tuple[Distribution, Distribution], reused: bool, chosen: Chosen
) -> None:
    for cells in (1, 8):
        distribution = total_distribution(pair, cells, reused=reused)
        half = distribution.margin(ALPHA)
        for persons in (0, 4, 14, 19, 20, 25, 31, 60):
            first, second, total, chance = outcomes(distribution, persons)
            here = happened(chosen, first, second)
            all_of_it = chance[here].sum()
            if all_of_it < 1e-6:
                continue
            result = conditional(distribution, persons, chosen, ALPHA)
            error = total[here] - persons
            part = chance[here] / all_of_it
            assert result.chance == pytest.approx(all_of_it, rel=1e-6)
            assert result.bias == pytest.approx(float(part @ error), abs=2e-5)
            assert result.deviation == pytest.approx(float(np.sqrt(part @ (error - part @ error) ** 2)), rel=1e-4)
            assert result.covered == pytest.approx(float(part[np.abs(error) <= half].sum()), abs=1e-6)


@pytest.mark.series(4)
@pytest.mark.parametrize("pair", [GAUSSIAN, GEOMETRIC], ids=["gaussian", "geometric"])
@pytest.mark.parametrize("reused", [False, True])
@pytest.mark.parametrize("chosen", CHOICES, ids=repr)
def test_intervals_cover_given_what_was_chosen_at_every_true_size(
    pair: tuple[Distribution, Distribution], reused: bool, chosen: Chosen
) -> None:
    """Exact: no sample. At sizes where the choice has a chance above 10^-6, which enumeration can still tell."""
    for cells in (1, 8):
        distribution = total_distribution(pair, cells, reused=reused)
        intervals = ends(distribution, chosen, ALPHA)
        for persons in range(70):
            first, second, total, chance = outcomes(distribution, persons)
            here = happened(chosen, first, second)
            if chance[here].sum() < 1e-6:
                continue
            lower, upper = intervals.of(total[here])
            holds = (lower <= persons) & (persons <= upper)
            held = chance[here][holds].sum() / chance[here].sum()
            assert held >= 0.95 - 1e-6, persons
            assert distribution.covered(persons, chosen, intervals) == pytest.approx(held, abs=1e-4)
            assert (lower <= upper).all()


def test_plain_intervals_do_not_cover_given_the_branch_or_the_bar() -> None:
    """What the intervals above are for: the same check rejects the plain ones."""
    reused = total_distribution(GAUSSIAN, 8, reused=True)
    assert conditional(reused, 12, Chosen(low=20), ALPHA).covered < 0.8
    bare = total_distribution(GAUSSIAN, 1, reused=False)
    assert conditional(bare, 2, Chosen(high=20, bar=4), ALPHA).covered < 0.1


def test_without_reuse_the_branch_says_nothing_of_the_second_measurement() -> None:
    distribution = total_distribution(GAUSSIAN, 8, reused=False)
    for persons in (10, 20, 30):
        result = conditional(distribution, persons, Chosen(low=20, high=30), ALPHA)
        free = conditional(distribution, persons, NOTHING, ALPHA)
        assert result.bias == pytest.approx(0, abs=1e-9)
        assert result.covered == pytest.approx(free.covered, rel=1e-9)


def test_a_margin_is_the_smallest() -> None:
    for pair in (GAUSSIAN, GEOMETRIC):
        distribution = total_distribution(pair, 8, reused=True)
        half = distribution.margin(ALPHA)
        _, _, total, chance = outcomes(distribution, 0)
        assert chance[np.abs(total) > half].sum() <= 0.05
        assert chance[np.abs(total) > half - 1].sum() > 0.05


@pytest.mark.slow
def test_far_from_thresholds_the_interval_is_the_plain_one() -> None:
    distribution = total_distribution(GAUSSIAN, 8, reused=True)
    result = ends(distribution, Chosen.of(1, (100, 500, 900), None), ALPHA)
    lower, upper = result.of(np.array([300]))
    assert (lower[0], upper[0]) == (300 - result.margin, 300 + result.margin)
    near = result.of(np.array([102]))
    assert near[0][0] < 102 - result.margin, "just above a threshold the truth may well be lower"


def test_intervals_grow_with_the_total() -> None:
    distribution = total_distribution(GEOMETRIC, 1, reused=True)
    lower, upper = ends(distribution, Chosen(high=40, bar=9), ALPHA).of(np.arange(0, 120))
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()


def test_what_a_branch_says() -> None:
    assert Chosen.of(0, (5, 10, 20), 3) == Chosen(None, 5, 3)
    assert Chosen.of(2, (5, 10, 20), 3) == Chosen(10, 20, None)
    assert Chosen.of(3, (5, 10, 20), None) == Chosen(20, None, None)

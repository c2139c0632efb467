"""Every neighbour of small worlds costs exactly the budget and no more; draws have the stated distribution; a wrong scale is rejected."""

from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from starling.places.areas.answers.unions import LEVEL, difference, number
from starling.places.areas.measurements import noises
from starling.places.areas.mechanism import AreaCounts, sums
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.postprocess import estimates
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.distributions.probability_mass import probability_mass
from tests.places.areas.worlds import plan

SHARES = ["1", "1/3", "2"]
SLICES: dict[str, Any] = {"input": {"area": "zone", "time": "when"}, "slices": {"names": ["am", "pm"]}}


def planned(folder: Path, measure: str, k: int, amount: str = "2", **changes: Any) -> AreasPlan:
    named = {"input": {"area": "zone", **({"person": "who"} if k > 1 else {}), **changes.pop("input", {})}}
    privacy: dict[str, Any] = {"unit": "person" if k > 1 else "point", measure: amount, "shares": SHARES}
    privacy |= {"points_per_person": k} if k > 1 else {}
    return plan(folder, privacy=privacy, **named, **changes)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_of_all_neighbours_the_worst_costs_the_budget_exactly(tmp_path: Path, k: int) -> None:
    """One unit more: every multiset of 1 to k cells, over areas and slices. Cost in exact fractions, level by level."""
    chosen = planned(tmp_path, "epsilon", k, **SLICES)
    gaussian = planned(tmp_path, "rho", k, **SLICES)
    pure, concentrated = [], []
    for size in range(1, k + 1):
        for cells in combinations_with_replacement(range(chosen.cells), size):
            unit = np.bincount(cells, minlength=chosen.cells)
            moved = sums(chosen, unit)
            one = [Fraction(int(np.abs(each).sum())) for each in moved]
            two = [Fraction(int((each * each).sum())) for each in moved]
            scales = [each.scale for each in noises(chosen) if isinstance(each, DiscreteLaplace)]
            spreads = [each.sigma_squared for each in noises(gaussian) if isinstance(each, DiscreteGaussian)]
            pure.append(sum(a / b for a, b in zip(one, scales, strict=True)))
            concentrated.append(sum(a / (2 * b) for a, b in zip(two, spreads, strict=True)))
    assert max(pure) == chosen.amount == 2
    assert max(concentrated) == gaussian.amount == 2
    assert AreaCounts(chosen).guarantee.cost == Epsilon(Fraction(2))
    assert AreaCounts(gaussian).guarantee.cost == Rho(Fraction(2))


def many(folder: Path, measure: str, amount: str) -> tuple[AreasPlan, np.ndarray]:
    """A plan of 4,000 slices, each a release of its own kind, and their points."""
    names = [str(each) for each in range(4000)]
    chosen = planned(folder, measure, 1, amount, input={"time": "when"}, slices={"names": names})
    return chosen, np.tile(np.array([7, 0, 3, 0, 12]), 4000)


def finest(chosen: AreasPlan, exact: np.ndarray) -> np.ndarray:
    """Estimates of N releases: areas by releases."""
    return np.concatenate(
        [estimates(chosen, AreaCounts(chosen).draw(exact))[-1].count for _ in range(N // 4000)], axis=1
    )


N = 16_000
"""Releases whose errors are compared with their stated deviation."""
OFF = 0.06
"""How far the deviation of N errors may be from the stated one, as a share.

A sum of noises has at most the kurtosis of the Laplace distribution, 6. The variance of N of them has then the standard error
sqrt((6 - 1) / N) = .0177, as a share, and a skewness of at most 6.6 / sqrt(N) = .05. Six standard errors, with the third moment of
Cornish and Fisher, are a deviation 5.4 % too large: beyond that is one in 10^9."""
MEAN, COVERAGE = 6 / np.sqrt(N), 0.95 - 6 * np.sqrt(0.0475 / N)
"""Six standard errors too."""


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_draws_have_the_distribution_that_is_stated(tmp_path: Path, measure: str) -> None:
    """Chi-square over all levels; a false alarm once in a million; half the scale is rejected by far."""
    chosen, exact = many(tmp_path, measure, "1")
    drawn = AreaCounts(chosen).draw(exact)
    other = noises(planned(tmp_path, measure, 1, "4"))
    for noisy, true, noise, wrong in zip(drawn, sums(chosen, exact), noises(chosen), other, strict=True):
        values = (noisy - true).reshape(-1)
        assert chance(values, noise) > 1e-6 / 6
        assert chance(values, wrong) < 1e-12


def chance(values: np.ndarray, noise: Any) -> float:
    """The p-value of draws under a distribution, tails joined."""
    mass = probability_mass(noise)
    expected = len(values) * mass.mass
    middle = len(mass.mass) // 2
    kept = np.flatnonzero(expected >= 10)
    low, high = kept[0], kept[-1]
    seen = np.bincount(np.clip(values + middle, low, high) - low, minlength=high - low + 1)
    merged = expected[low : high + 1].copy()
    merged[0], merged[-1] = expected[: low + 1].sum(), expected[high:].sum()
    return float(stats.chisquare(seen, merged * len(values) / merged.sum()).pvalue)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_unions_are_unbiased_and_their_intervals_and_deviations_hold(tmp_path: Path, measure: str) -> None:
    """A bias of .05 deviations, a deviation 6 % off, or coverage below 94 % would be seen; 12 bounds, each a false alarm in 10^9."""
    chosen, exact = many(tmp_path, measure, "1/10")
    estimated = finest(chosen, exact)
    true = np.array([7, 0, 3, 0, 12])
    for weights in np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 1]], dtype=float):
        counts = weights @ estimated
        stated = number(chosen, [estimated[:, :1]], weights, "")
        error = (counts - weights @ true) / stated.deviation
        assert abs(error.mean()) < MEAN
        assert abs(error.std() - 1) < OFF
        half = number(chosen, [np.zeros((5, 1))], weights, "", LEVEL).upper
        assert (np.abs(error) * stated.deviation <= half).mean() > COVERAGE
        assert error.std() * 1.25 > 1 + OFF, "a deviation that is a fifth too small is seen"


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_differences_of_releases_have_the_noise_of_both(tmp_path: Path, measure: str) -> None:
    """Pairs of releases of unlike budgets, with the bounds of unions: the deviation of the less noisy one, 2.2 times too small, is seen."""
    one, exact = many(tmp_path, measure, "1/10")
    other, _ = many(tmp_path, measure, "1/5")
    first, second = finest(one, exact), finest(other, exact)
    for weights in np.array([[1, 0, 0, 0, 0], [0, 1, 1, 0, 1]], dtype=float):
        stated = difference((one, other), (first[:, :1], second[:, :1]), weights, "")
        error = weights @ (first - second)
        assert abs(error.mean()) < MEAN * stated.deviation
        assert abs(error.std() / stated.deviation - 1) < OFF
        half = difference((one, other), (np.zeros((5, 1)), np.zeros((5, 1))), weights, "").upper
        assert (np.abs(error) <= half).mean() > COVERAGE
        alone = number(other, [second[:, :1]], weights, "").deviation
        assert error.std() / alone > 1 + OFF, "the noise of the other release is seen"


def test_all_levels_add_up_to_those_above(tmp_path: Path) -> None:
    chosen, exact = many(tmp_path, "epsilon", "1")
    estimated = estimates(chosen, AreaCounts(chosen).draw(exact))
    for level, parent in enumerate(chosen.areas.parents):
        below = np.zeros_like(estimated[level].count)
        np.add.at(below, parent, estimated[level + 1].count)
        np.testing.assert_allclose(below, estimated[level].count, atol=1e-8)

"""Chances of the largest flows: the exact covariances of their noise, and stated chances against what happens."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.places.flows.answers import ranking
from starling.places.flows.answers.deviation import Noise
from starling.places.flows.answers.ranking import LEAST, chances, covariances
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.mechanism import PairsOfLevels
from starling.places.flows.postprocess import estimate
from starling.places.plan.records import RELATIONS
from starling.privacy.budget import Cost, Epsilon, Rho
from tests.places.flows.worlds import levels, plan

COSTS: tuple[Cost, ...] = (Epsilon(Fraction(1)), Rho(Fraction(1, 2)))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("shares", [(1, 1, 2), (0, 0, 1)])
def test_covariances_are_those_of_least_squares(cost: Cost, shares: tuple[int, ...]) -> None:
    """By brute force: the estimate of each single measured number of 1 is its coefficient in every pair of areas, but for rounding."""
    tree = levels(*shares)
    noise = Noise(tree, cost, 1)
    many, size = 16, 1 << 20
    brute = np.zeros((many, many))
    for at, pair in enumerate(tree.pairs):
        spread = noise.variances.reshape(-1)[at]
        for place in range(tree.sizes[pair[0]] * tree.sizes[pair[1]]):
            drawn = [np.zeros((tree.sizes[one], tree.sizes[other]), dtype=np.int64) for one, other in tree.pairs]
            drawn[at].flat[place] = size
            weights = estimate(tree, cost, tuple(drawn)).reshape(-1) / size
            brute += spread * np.outer(weights, weights)
    origins, destinations = np.divmod(np.arange(many), 4)
    assert covariances(noise, origins, destinations) == pytest.approx(brute, abs=1e-6)
    deviation = noise.deviation(noise.end(np.eye(4)), noise.end(np.eye(4))).reshape(-1)
    assert np.sqrt(np.diag(brute)) == pytest.approx(deviation, rel=1e-6)


def test_two_flows_ahead_of_each_other_have_the_chance_of_a_normal_difference() -> None:
    """The first leads by one deviation of the difference: .84; five standard errors, and ties of whole trips."""
    noise = Noise(levels(0, 0, 1), Rho(Fraction(1, 800)), 1)
    trips = np.full((4, 4), 0.0)
    deviation = float(np.sqrt(noise.variances[0, 0]))
    trips[0, 1], trips[2, 3] = 1000, 1000 - deviation * np.sqrt(2)
    result = chances(noise, trips, 1)
    assert result[0] == pytest.approx(0.841, abs=5 * np.sqrt(0.84 * 0.16 / 1000) + 0.02)
    assert chances(noise, trips, 1).tolist() == result.tolist()
    trips[2, 3] = 999
    assert np.isnan(chances(noise, trips, 1)).all()


def test_of_flows_that_may_be_noise_no_chance_is_stated(tmp_path: Path) -> None:
    """Two flows stand out of the noise; a third does not, though no other is near it."""
    trips = np.zeros((4, 4))
    trips[0, 1], trips[2, 3], trips[3, 3] = 500, 400, 2.0
    released = ReleasedFlows(plan(tmp_path, privacy={"unit": "trip", "rho": "1"}), trips)
    assert np.asarray(released.largest(2).chance).tolist() == [1.0, 1.0]
    three = np.asarray(released.largest(3).chance)
    assert three[:2].tolist() == [1.0, 1.0]
    assert np.isnan(three[2])
    assert released.largest(3).rows()[2][-1] == "not stated"
    assert released.largest(3).as_json()["chance"] == [1.0, 1.0, None]


def right(scale: float, releases: int) -> tuple[int, float]:
    """Over releases of some trips, whose noise has so many times the stated scale: how many chances are stated, and by how much they are
    too large on average.
    """
    tree, cost = levels(1, 1, 2), COSTS[0]
    exact = np.round(np.random.default_rng(5).gamma(0.7, 25, (4, 4))).astype(np.int64)
    noise, mechanism = Noise(tree, cost, 1), PairsOfLevels(tree, RELATIONS["trip"], cost)
    first = exact >= np.partition(exact.reshape(-1), -5)[-5]
    stated, off = 0, 0.0
    for _ in range(releases):
        trips = exact + scale * (estimate(tree, cost, mechanism.draw(exact)) - exact)
        likely = chances(noise, trips, 5)
        order = np.argsort(-trips.reshape(-1), kind="stable")[:5]
        known = ~np.isnan(likely)
        stated += int(known.sum())
        off += float((likely[known] - first.reshape(-1)[order][known]).sum())
    return stated, off / stated


@pytest.mark.slow
def test_stated_chances_are_as_often_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of some 800 stated chances the mean is within .05 of the part that is right, 4 standard errors of such a mean at worst (some .012
    each); noise of four times the scale is found by it.
    """
    monkeypatch.setattr(ranking, "DRAWS", 100)
    stated, off = right(1.0, 200)
    assert stated > 600
    assert abs(off) < 0.05
    assert right(4.0, 80)[1] > 0.08
    assert LEAST == 0.6

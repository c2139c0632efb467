"""Sure intervals of trips: sums by walking over all pairs of boxes, and how often they hold the truth."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.answers.sure import divided_margins
from starling.places.trips import mechanism
from starling.places.trips.answers import sure
from starling.places.trips.answers.sure import Surety
from starling.places.trips.measurements import Trips
from starling.places.trips.mechanism import TripTree
from starling.privacy.neighbours import ADD_REMOVE_POINT

SHAPE = (5, 3)
LEVEL = Fraction(8, 10)
RUNS = 200


def world(seed: int, most: int = 60) -> Trips:
    """Trips between some cells."""
    random = np.random.default_rng(seed)
    every = np.stack(np.unravel_index(random.choice(225, 30, replace=False), (*SHAPE, *SHAPE)), axis=1)
    return Trips(SHAPE, every.astype(np.int32), random.integers(1, most, len(every)))


def queries(random: np.random.Generator, many: int, *, whole: bool) -> np.ndarray:
    """Pairs of boxes, with fractions of cells or without."""
    ends = np.sort(random.uniform(0, 1, (many, 4, 2)), axis=2) * np.array([5, 3, 5, 3])[:, None]
    return np.asarray((np.round(ends) if whole else ends).reshape(many, 8))


def truth(exact: Trips, asked: np.ndarray) -> int:
    """The trips of a query of whole cells."""
    inside = (exact.ends >= asked[::2]) & (exact.ends < asked[1::2])
    return int(exact.points[inside.all(axis=1)].sum())


def test_sums_are_those_of_boxes_within_and_of_boxes_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = TripTree(SHAPE, ADD_REMOVE_POINT, Fraction(1)).draw(world(0)).pairs
    asked = queries(np.random.default_rng(1), 40, whole=False)
    monkeypatch.setattr(sure, "divided_margins", lambda _, low, high, __: (low.sum(axis=1), -high.sum(axis=1)))
    lower, upper = Surety(measured).of(asked, LEVEL)
    leaves = np.setdiff1d(np.arange(len(measured.parents)), measured.parents)
    fresh = np.flatnonzero(~measured.steered)
    # Every pair of boxes that is not cut has one number that steers nothing.
    assert np.array_equal(np.sort(measured.node[fresh]), leaves)
    for at, query in enumerate(asked):
        boxes = measured.boxes[measured.node[fresh]]
        begin, end = boxes[:, ::2], boxes[:, 1::2]
        touched = (np.maximum(begin, query[::2]) < np.minimum(end, query[1::2])).all(axis=1)
        within = ((query[::2] <= begin) & (end <= query[1::2])).all(axis=1)
        low = max(measured.value[fresh][within].sum() - within.sum(), 0)
        assert (lower[at], upper[at]) == (low, max(measured.value[fresh][touched].sum() - touched.sum(), low))


def test_without_noise_the_sums_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism, "noisy", lambda exact, _: exact)
    monkeypatch.setattr(sure, "divided_margins", lambda _, low, high, __: (0 * low[:, 0], 0 * high[:, 0]))
    for seed in range(5):
        exact = world(seed, 4000)
        surety = Surety(TripTree(SHAPE, ADD_REMOVE_POINT, Fraction(1)).draw(exact).pairs)
        asked = queries(np.random.default_rng(seed), 50, whole=True)
        lower, upper = surety.of(asked, LEVEL)
        true = [truth(exact, each) for each in asked]
        assert (lower <= true).all()
        assert (true <= upper).all()


def _missed() -> int:
    """Of releases of one world, in how many the interval of a query that cuts no boxes misses the truth."""
    exact = world(3)
    asked = np.array([[0.0, 5, 0, 3, 0, 5, 0, 3]])
    true, missed = truth(exact, asked[0]), 0
    for _ in range(RUNS):
        lower, upper = Surety(TripTree(SHAPE, ADD_REMOVE_POINT, Fraction(1)).draw(exact).pairs).of(asked, LEVEL)
        missed += not lower[0] <= true <= upper[0]
    return missed


@pytest.mark.slow
def test_an_interval_misses_as_seldom_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    # At most 200 x .2 misses are expected. More than 72: a chance below 1e-7 (binomial). Margins of a third make it some 120 at least
    # (normal: P(|N| > 1.28/3) = .67), of which 72 or fewer have a chance below 1e-10.
    assert _missed() <= 72
    honest = divided_margins
    monkeypatch.setattr(sure, "divided_margins", lambda *each: tuple(margin // 3 for margin in honest(*each)))
    assert _missed() > 72

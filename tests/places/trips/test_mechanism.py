"""The tree over pairs of boxes: exact counts, and what every path spends, by walking over all pairs of cells of small worlds."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.mechanism.growing import noisy
from starling.places.trips import mechanism as trip_tree
from starling.places.trips.measurements import MeasuredPairs, Trips
from starling.places.trips.mechanism import MARGIN, TripTree
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT

SHAPES = ((1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (1, 5), (3, 5))
"""Most have a side that is no power of two."""


def world(shape: tuple[int, int], seed: int, scale: int = 40) -> Trips:
    """Trips of a few pairs of cells, some of them with many."""
    random = np.random.default_rng(seed)
    every = np.array(list(product(range(shape[0]), range(shape[1]), range(shape[0]), range(shape[1]))), dtype=np.int32)
    chosen = every[np.sort(random.choice(len(every), min(len(every), 4), replace=False))]
    return Trips(shape, chosen, random.integers(1, scale, len(chosen)))


def holding(boxes: np.ndarray, cell: tuple[int, ...]) -> np.ndarray:
    """bool (boxes,): whether each pair of boxes holds a pair of cells."""
    return np.asarray(
        np.all([(boxes[:, 2 * side] <= at) & (at < boxes[:, 2 * side + 1]) for side, at in enumerate(cell)], axis=0)
    )


def spent(pairs: MeasuredPairs, cell: tuple[int, ...]) -> Fraction:
    """The amounts of all measurements whose pair of boxes holds a pair of cells: what one trip there pays."""
    inside = holding(pairs.boxes, cell)[pairs.node]
    return sum((1 / pairs.noises[kind].scale for kind in pairs.noise[inside].tolist()), Fraction(0))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_pair_of_cells_pays_exactly_its_share(shape: tuple[int, int]) -> None:
    for seed, (epsilon, k) in product(range(3), ((Fraction(1, 10), 1), (Fraction(3), 2))):
        mechanism = TripTree(shape, ADD_REMOVE_PERSON, epsilon, k)
        pairs = mechanism.draw(world(shape, seed)).pairs
        for cell in product(range(shape[0]), range(shape[1]), repeat=2):
            assert spent(pairs, cell) == (1 - 2 * MARGIN) * epsilon / k
        assert mechanism.guarantee.cost.amount == epsilon


def test_one_trip_more_changes_the_probability_of_a_release_by_at_most_its_share() -> None:
    # Each value's probability under the one and the other world, with counts made anew for all boxes, as the density of the noise has them.
    shape, epsilon = (3, 2), Fraction(2)
    share, largest = (1 - 2 * MARGIN) * epsilon, Fraction(0)
    for seed in range(20):
        exact = world(shape, seed)
        pairs = TripTree(shape, ADD_REMOVE_POINT, epsilon).draw(exact).pairs
        counts = brute(pairs.boxes, exact)[pairs.node]
        for cell in product(range(3), range(2), repeat=2):
            more = counts + holding(pairs.boxes, cell)[pairs.node]
            moved = np.abs(pairs.value - more) - np.abs(pairs.value - counts)
            loss = sum(
                (int(by) / pairs.noises[kind].scale for by, kind in zip(moved, pairs.noise.tolist(), strict=True)),
                Fraction(0),
            )
            largest = max(largest, abs(loss))
    assert largest == share


def brute(boxes: np.ndarray, exact: Trips) -> np.ndarray:
    """int64 (boxes,): the trips of each pair of boxes, one pair of cells after the other."""
    counts = np.zeros(len(boxes), dtype=np.int64)
    for cell, many in zip(exact.ends.tolist(), exact.points.tolist(), strict=True):
        counts += many * holding(boxes, tuple(cell))
    return counts


@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_exact_and_leaves_tile_all_pairs(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trip_tree, "noisy", lambda exact, _: exact)
    for seed in range(4):
        exact = world(shape, seed, 4000)
        pairs = TripTree(shape, ADD_REMOVE_POINT, Fraction(1)).draw(exact).pairs
        assert np.array_equal(pairs.value, brute(pairs.boxes, exact)[pairs.node])
        leaves = np.setdiff1d(np.arange(len(pairs.parents)), pairs.parents)
        for cell in product(range(shape[0]), range(shape[1]), repeat=2):
            assert holding(pairs.boxes[leaves], cell).sum() == 1
        # The larger box is cut, that of the origin on ties.
        for node, parent in enumerate(pairs.parents.tolist()):
            if parent >= 0:
                before, sides = (pairs.boxes[at, 1::2] - pairs.boxes[at, ::2] for at in (parent, node))
                origin = before[:2].max() >= before[2:].max()
                assert np.array_equal(sides[2:], before[2:]) == origin
                assert np.array_equal(sides[:2], before[:2]) != origin


def test_pairs_without_trips_are_measured_too() -> None:
    none = Trips((4, 4), np.empty((0, 4), dtype=np.int32), np.empty(0, dtype=np.int64))
    pairs = TripTree((4, 4), ADD_REMOVE_POINT, Fraction(1, 2)).draw(none).pairs
    assert np.array_equal(np.unique(pairs.node)[0], 0)
    assert all(spent(pairs, cell) == Fraction(3, 10) for cell in product(range(4), repeat=4))


@pytest.mark.slow
def test_a_number_has_the_distribution_of_its_noise() -> None:
    # The root of 1,000 releases: discrete Laplace of e = 3/5 of 1/50 of 50. False alarm: each frequency within 6 deviations, 1e-8 each.
    exact = Trips((1, 2), np.array([[0, 0, 0, 1]], dtype=np.int32), np.array([7], dtype=np.int64))
    rule = TripTree((1, 2), ADD_REMOVE_POINT, Fraction(50)).part(1 - 2 * MARGIN)
    roots = np.array([trip_tree._pairs(rule, exact, noisy).value[0] for _ in range(1000)])
    q = exp(-0.6)
    for value in (6, 7, 8):
        chance = (1 - q) / (1 + q) * q ** abs(value - 7)
        assert abs((roots == value).mean() - chance) < 6 * (chance * (1 - chance) / 1000) ** 0.5
    # A noise of twice the scale has a chance of 7 of .149 in place of .291: it is refused with a probability above 1 - 1e-6.


@pytest.mark.parametrize("shape", SHAPES)
def test_all_follows_from_the_values(shape: tuple[int, int]) -> None:
    mechanism = TripTree(shape, ADD_REMOVE_POINT, Fraction(2))
    drawn = mechanism.draw(world(shape, 1, 4000))
    values = [each.value for each in (drawn.origins, drawn.destinations, drawn.pairs)]
    again = mechanism.replay(values)
    for tree, like in ((drawn.origins, again.origins), (drawn.destinations, again.destinations)):
        assert np.array_equal(tree.tree.boxes, like.tree.boxes)
        assert np.array_equal(tree.noise, like.noise)
        assert np.array_equal(tree.node, like.node)
        assert tree.noises == like.noises
    for name in ("boxes", "parents", "begins", "node", "value", "noise", "steered"):
        assert np.array_equal(getattr(drawn.pairs, name), getattr(again.pairs, name))
    assert drawn.pairs.noises == again.pairs.noises
    for part in range(3):
        for other, word in ((values[part][:-1], "fewer"), (np.append(values[part], 0), "more")):
            with pytest.raises(ParameterError, match=word):
                mechanism.replay([other if at == part else each for at, each in enumerate(values)])


@pytest.mark.parametrize("most", [100, 150, 400])
def test_a_tree_never_has_more_pairs_than_allowed_and_paths_pay_the_same(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    # Trips everywhere, and so much epsilon that every pair of cells would be reached.
    shape, epsilon = (6, 5), Fraction(50)
    every = np.array(list(product(range(6), range(5), repeat=2)), dtype=np.int32)
    exact = Trips(shape, every, np.random.default_rng(most).integers(1, 99, len(every)))
    mechanism = TripTree(shape, ADD_REMOVE_POINT, epsilon)
    assert len(mechanism.draw(exact).pairs.parents) > 900
    monkeypatch.setattr(trip_tree, "MOST_PAIRS", most)
    drawn = mechanism.draw(exact)
    pairs = drawn.pairs
    assert most / 2 < len(pairs.parents) <= most
    for cell in every[::37].tolist():
        assert spent(pairs, tuple(cell)) == (1 - 2 * MARGIN) * epsilon
    # Of the pairs that a depth measures to steer, those that are cut have the largest numbers.
    cut = np.isin(pairs.node[pairs.steered], pairs.parents)
    depth = np.searchsorted(pairs.begins, pairs.node[pairs.steered], side="right")
    values = pairs.value[pairs.steered]
    for each in np.unique(depth):
        here = depth == each
        if cut[here].any() and not cut[here].all():
            assert values[here & cut].min() >= values[here & ~cut].max()
    # And whoever verifies comes to the same tree.
    again = mechanism.replay([each.value for each in (drawn.origins, drawn.destinations, pairs)])
    assert np.array_equal(again.pairs.boxes, pairs.boxes)

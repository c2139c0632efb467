"""The estimate of trips: consistent, never negative, and answers are sums over pairs of cells."""

from fractions import Fraction
from itertools import product

import numpy as np

from starling.places.trips.measurements import MeasuredPairs, Trips
from starling.places.trips.mechanism import TripTree
from starling.places.trips.postprocess import emptiness, filled, margins, parts
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT

SHAPE = (5, 3)
ENDS = np.array([[0, 0, 4, 2], [1, 2, 1, 2], [3, 1, 0, 0], [4, 2, 4, 2]], dtype=np.int32)
WHOLE = [0, 5, 0, 3, 0, 5, 0, 3]


def estimated(epsilon: int, points: tuple[int, ...] = (900, 300, 40, 2000)):  # type: ignore[no-untyped-def]
    exact = Trips(SHAPE, ENDS, np.array(points, dtype=np.int64))
    measured = TripTree(SHAPE, ADD_REMOVE_POINT, Fraction(epsilon)).draw(exact)
    return filled(measured.pairs, margins(measured))


def test_much_epsilon_gives_the_trips_of_every_pair() -> None:
    cells = list(product(range(5), range(3), range(5), range(3)))
    answers = estimated(200).count([[each for at in cell for each in (at, at + 1)] for cell in cells])
    true = {tuple(end): many for end, many in zip(ENDS.tolist(), (900, 300, 40, 2000), strict=True)}
    assert np.allclose(answers, [true.get(cell, 0) for cell in cells], atol=1.5)


def test_answers_add_up_and_are_never_negative() -> None:
    for _ in range(10):
        released = estimated(1)
        assert (released.trips >= 0).all()
        halves = [[*WHOLE[:1], 2, *WHOLE[2:]], [2, *WHOLE[1:]]]
        whole, *parts = released.count([WHOLE, *halves])
        assert np.isclose(whole, sum(parts))
        assert np.isclose(whole, released.trips.sum())
        # Leaves tile all pairs of cells.
        sides = released.boxes[:, 1::2] - released.boxes[:, ::2]
        assert sides.prod(axis=1).sum() == 15 * 15
        # Origins alone, and destinations alone, are sums as well.
        rows = [[row, row + 1, 0, 3, *WHOLE[4:]] for row in range(5)]
        assert np.isclose(released.count(rows).sum(), whole)


def test_a_pair_is_shared_as_its_origins_and_destinations_are() -> None:
    released = estimated(200)
    one = type(released)(np.array([WHOLE], dtype=np.int32), np.array([100.0]), released.origins, released.destinations)
    corner = one.count([[4, 5, 2, 3, 4, 5, 2, 3]])[0]
    assert abs(corner - 100 * (2000 / 3240) * (2900 / 3240)) < 0.5


GRID = np.array([[6.0, 2.0], [1.0, 1.0]])
"""Origins and destinations of a grid of 2 x 2 cells."""


def quarters(values: list[int]) -> MeasuredPairs:
    """The whole and, of one box of origins each, its four parts, with noise of scale 1."""
    boxes = [[0, 2, 0, 2, 0, 2, 0, 2], *([y, y + 1, x, x + 1, 0, 2, 0, 2] for y, x in product(range(2), repeat=2))]
    return MeasuredPairs(
        np.array(boxes, dtype=np.int32),
        np.array([-1, 0, 0, 0, 0]),
        np.array([0, 1]),
        np.arange(5),
        np.array(values),
        np.zeros(5, dtype=np.int16),
        (DiscreteLaplace(Fraction(1)),),
        np.array([True, *[False] * 4]),
    )


def test_a_pair_whose_trips_lie_as_its_ends_do_stays_whole() -> None:
    whole = filled(quarters([100, 60, 20, 10, 10]), (GRID, GRID))
    assert len(whole.trips) == 1
    assert np.isclose(whole.trips[0], 100, atol=2)
    # Where they lie evenly, origins are wrong about it, and so it is cut.
    assert len(filled(quarters([100, 25, 25, 25, 25]), (GRID, GRID)).trips) == 4
    assert len(filled(quarters([100, 25, 25, 25, 25]), (np.ones((2, 2)), GRID)).trips) == 1


def test_a_pair_of_which_one_part_has_all_is_given_by_its_parts() -> None:
    corner, even = np.array([[97.0, 1], [1, 1]]), np.ones((2, 2))
    given = filled(quarters([100, 97, 1, 1, 1]), (corner, even))
    assert np.allclose(given.trips, given.trips.sum() * np.array([0.97, 0.01, 0.01, 0.01]))
    # No answer is another: the whole would be spread so as well.
    whole = type(given)(quarters([0] * 5).boxes[:1], np.array([given.trips.sum()]), given.origins, given.destinations)
    asked = np.array([[0.5, 2, 0, 1, 0, 1.5, 1, 2], [0, 1, 0, 2, 1, 2, 0, 2], [1, 2, 1, 2, 0, 2, 0, 2]])
    assert np.allclose(given.count(asked), whole.count(asked))


def cumulative(grid: np.ndarray) -> np.ndarray:
    """The points in the first rows and columns."""
    return np.asarray(np.pad(grid.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))))


def test_parts_of_boxes_that_tile_a_box_add_up_and_none_is_0() -> None:
    boxes = quarters([0] * 5).boxes
    for grid in (GRID, np.array([[5.0, 0], [0, 0]]), np.zeros((2, 2))):
        each = parts(boxes, [cumulative(grid)] * 2)
        assert np.isclose(each[0], 1)
        assert np.isclose(each[1:].sum(), each[0])
        assert (each > 0).all()
    assert np.allclose(parts(boxes, [cumulative(GRID)] * 2)[1:], (0.98 * GRID / GRID.sum() + 0.02 / 4).reshape(-1))


def test_few_large_numbers_among_many_of_noise_say_that_most_pairs_are_empty() -> None:
    ones = np.ones(1000)
    noise = np.resize([-1, 1], 1000)
    sparse = np.where(np.arange(1000) < 10, 5000, noise)
    dense = np.resize([4, 6, 9], 1000)
    assert emptiness(sparse, ones) > 20
    assert emptiness(dense, ones) == 0
    assert emptiness(np.zeros(1, dtype=np.int64), ones[:1]) == 0
    assert emptiness(np.full(3, -(1 << 62)), ones[:3]) >= 0

"""The estimate of trips: consistent, never negative, and answers are sums over pairs of cells."""

from fractions import Fraction
from itertools import product

import numpy as np

from starling.places.trips.measurements import Trips
from starling.places.trips.mechanism import TripTree
from starling.places.trips.postprocess import estimate_trips
from starling.privacy.neighbours import ADD_REMOVE_POINT

SHAPE = (5, 3)
ENDS = np.array([[0, 0, 4, 2], [1, 2, 1, 2], [3, 1, 0, 0], [4, 2, 4, 2]], dtype=np.int32)
WHOLE = [0, 5, 0, 3, 0, 5, 0, 3]


def estimated(epsilon: int, points: tuple[int, ...] = (900, 300, 40, 2000)):  # type: ignore[no-untyped-def]
    exact = Trips(SHAPE, ENDS, np.array(points, dtype=np.int64))
    return estimate_trips(TripTree(SHAPE, ADD_REMOVE_POINT, Fraction(epsilon)).draw(exact))


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

"""Haar coefficients: how many one point is in, the exact loss of whole releases over all neighbours, their order."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.arrays import Int64
from starling.places.mechanism import privlet
from starling.places.mechanism.privlet import Privlet, coefficients_of_a_point, haar
from starling.privacy.events import DiscreteLaplaceNoise
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import check_cost, largest_loss, tiny_grids


@pytest.mark.parametrize(("shape", "sensitivity"), [((1, 1), 1), ((2, 2), 4), ((1, 8), 4), ((3, 5), 12), ((8, 8), 16)])
def test_every_point_is_in_as_many_coefficients(shape: tuple[int, int], sensitivity: int) -> None:
    method = Privlet(shape, ADD_REMOVE_PERSON, Fraction(1, 3), 5)
    check_cost(method, Fraction(1, 3))
    assert method.guarantee.event == DiscreteLaplaceNoise(Fraction(15 * sensitivity), Fraction(5 * sensitivity))
    rows, columns = (1 << (side - 1).bit_length() for side in shape)
    for cell in range(rows * columns):
        point = np.zeros((rows, columns), dtype=np.int64)
        point.reshape(-1)[cell] = 1
        assert np.abs(haar(haar(point).T)).sum() == sensitivity


@pytest.mark.series(2)
@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("shape", [(2, 2), (1, 4), (1, 3)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = Privlet(shape, ADD_REMOVE_PERSON, Fraction(1, 2), points)
    assert largest_loss(method, tiny_grids(shape), points, (-90, 90), monkeypatch) == Fraction(1, 2)
    # Noise for half the sensitivity is found.
    half = Fraction(coefficients_of_a_point(shape), 2)
    monkeypatch.setattr(privlet, "coefficients_of_a_point", lambda _: half)
    assert largest_loss(method, tiny_grids(shape)[:1], points, (-90, 90), monkeypatch) == 1


def cells_of(coefficients: Int64) -> Int64:
    """The inverse of `haar`, in whole numbers."""
    cells, level = coefficients[:1], 1
    while level < len(coefficients):
        apart = coefficients[level : 2 * level]
        cells = np.stack([cells + apart, cells - apart], axis=1).reshape(-1, *cells.shape[1:]) // 2
        level *= 2
    return cells


def test_coefficients_stand_in_the_stated_order() -> None:
    exact = np.random.default_rng(5).integers(0, 1000, (5, 13))
    # At this budget the chance of any noise is below e^-100.
    measured = Privlet((5, 13), ADD_REMOVE_POINT, Fraction(10_000)).draw(exact)
    assert measured.value.shape == (8, 16)
    cells = cells_of(cells_of(measured.value).T).T
    assert np.array_equal(cells[:5, :13], exact)
    assert not cells[5:].any()
    assert not cells[:, 13:].any()

"""Which estimate belongs to which method."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.places import postprocess
from starling.places.measurements import MeasuredCoefficients, MeasuredTree, Tree
from starling.places.mechanism.table import MECHANISMS
from starling.places.plan import METHODS
from starling.places.postprocess import ADDED_UP, Estimate, estimate
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT

BOXES = np.array([[0, 2, 0, 4], [0, 2, 0, 1], [0, 2, 1, 4]], dtype=np.int32)


def measured() -> MeasuredTree:
    """A box of two: the whole once, one part once and the other twice."""
    noises = (DiscreteLaplace(Fraction(100)), DiscreteLaplace(Fraction(100)))
    node, value, noise = np.array([0, 1, 2, 2]), np.array([99, 4, 6, 12]), np.array([0, 0, 0, 1], dtype=np.int16)
    tree = Tree((2, 4), BOXES, np.array([-1, 0, 0]))
    return MeasuredTree(tree, node, value, noise, noises, np.zeros(4, dtype=np.bool_))


def test_a_method_as_it_was_published_gives_each_leaf_the_mean_of_its_own_counts() -> None:
    created = estimate("htf", measured())
    assert created.leaves.tolist() == BOXES[1:].tolist()
    assert created.counts == pytest.approx([4, 9])
    assert created.grid() == pytest.approx(np.array([[2, 1.5, 1.5, 1.5]] * 2))


def test_a_method_that_measures_many_levels_takes_what_was_measured_above_into_account() -> None:
    # Variances 1, 1 and 1/2: the rest of 86 goes 1 : 1 : 1/2 to the whole and the two parts.
    assert estimate("quadtree", measured()).counts == pytest.approx([4 + 86 / 2.5, 9 + 43 / 2.5])


def test_coefficients_are_transformed_back() -> None:
    created = estimate("privlet", MeasuredCoefficients((1, 2), np.array([[8, 2]]), DiscreteLaplace(Fraction(1))))
    assert created.grid().tolist() == [[5.0, 3.0]]


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (1, 40), (32, 32)])
def test_every_method_of_a_plan_gives_a_finite_count_to_every_cell(method: str, shape: tuple[int, int]) -> None:
    exact = np.zeros(shape, dtype=np.int64)
    exact[0, 0] = 1_000
    drawn = MECHANISMS[method](shape, ADD_REMOVE_POINT, Fraction(1)).draw(exact)
    created = estimate(method, drawn)
    assert created.grid().shape == shape
    assert np.isfinite(created.grid()).all()
    assert created.grid().sum() == pytest.approx(created.counts.sum())
    assert created.grid().tobytes() == estimate(method, drawn).grid().tobytes()
    if method == "adaptive":
        assert (created.grid() >= 0).all()


@pytest.mark.series(2)
@pytest.mark.parametrize(
    ("columns", "blends", "spreads"), [(2049, False, True), (1 << 27, False, False), (2048, True, True)]
)
def test_models_are_weighed_on_grids_that_are_not_large(columns: int, blends: bool, spreads: bool) -> None:
    noise = DiscreteLaplace(Fraction(1))
    boxes = np.array([[0, 1, 0, columns], [0, 1, 0, columns // 2], [0, 1, columns // 2, columns]], dtype=np.int32)
    tree = Tree((1, columns), boxes, np.array([-1, 0, 0]))
    steered = np.zeros(2, dtype=np.bool_)
    drawn = MeasuredTree(tree, np.array([1, 2]), np.array([500, 4]), np.zeros(2, dtype=np.int16), (noise,), steered)
    called: list[str] = []

    def noted(name: str) -> Callable[..., Estimate]:
        original = getattr(postprocess, name)

        def model(given: Any, **others: bool) -> Estimate:
            called.append(name)
            created: Estimate = original(given, **others)
            return created

        return model

    with pytest.MonkeyPatch.context() as patch:
        for name in ("blended", "smoothed"):
            patch.setattr(postprocess, name, noted(name))
        created = estimate("adaptive", drawn)
    assert called == (["blended"] if blends else ["smoothed"] if spreads else [])
    assert created.counts.sum() == pytest.approx(504, rel=0.2)


def test_methods_with_an_estimate_of_their_own_are_methods() -> None:
    assert set(METHODS) >= ADDED_UP

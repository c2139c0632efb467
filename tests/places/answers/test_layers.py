"""Sums of many rectangles from tables: the same to the bit as of the walk, on every tree that has tables, and without them elsewhere."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.answers import layers
from starling.places.answers.cover import FreshCover
from starling.places.answers.layers import LayeredCover
from starling.places.arrays import Float64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.method import Method
from starling.places.mechanism.table import MECHANISMS
from starling.privacy.neighbours import ADD_REMOVE_POINT
from tests.places.answers.trees import measured_trees


@pytest.fixture(autouse=True, scope="module")
def any_number() -> Iterator[None]:
    """Tables for any number of rectangles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "MANY", 1)
        yield


def compared(measured: MeasuredTree, asked: Float64) -> bool:
    """Whether a tree has tables; their sums and those of the walk are found to be the same."""
    cover = LayeredCover(measured)
    fast, slow = cover.sums(asked), FreshCover(measured).sums(asked)
    for name in ("inside", "touched", "inside_terms", "touched_terms"):
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name
    return cover._layers is not None


def rectangles(seed: int, side: int) -> Float64:
    """Rectangles with whole and fractional ends, some without area, some beyond the grid."""
    random = np.random.default_rng(seed)
    ends = np.sort(random.uniform(-1, side + 1, (2, 40, 2)), axis=0)
    ends[:, ::2] = np.rint(ends[:, ::2])
    return ends.transpose(1, 0, 2).reshape(-1, 4)


@pytest.mark.slow
@pytest.mark.examples(8)
@given(measured_trees(fresh_leaves=True, middles=True), st.integers(0, 2**32 - 1))
def test_a_quadtree_has_tables_and_they_say_what_the_walk_says(drawn: tuple[object, MeasuredTree], seed: int) -> None:
    assert compared(drawn[1], rectangles(seed, 9))


@pytest.mark.slow
@given(measured_trees(), st.integers(0, 2**32 - 1))
def test_any_other_tree_is_walked_or_has_tables_that_say_the_same(
    drawn: tuple[object, MeasuredTree], seed: int
) -> None:
    compared(drawn[1], rectangles(seed, 9))


@pytest.mark.parametrize("name", sorted({*MECHANISMS} - {"privlet"}))
@pytest.mark.parametrize("shape", [(32, 32), (24, 50)])
def test_every_method_of_boxes_is_answered_alike(name: str, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    cells = random.poisson(random.exponential(400, shape) ** 1.2).astype(np.int64)
    method: Method = MECHANISMS[name](shape, ADD_REMOVE_POINT, Fraction(4))
    measured = method.draw(cells)
    assert isinstance(measured, MeasuredTree)
    has = compared(measured, rectangles(5, max(shape)))
    assert has or name in {"adaptive_grid", "dawa", "htf", "kd_tree"}


def test_tables_that_would_be_large_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "FEW", -(1 << 40))
    measured = MECHANISMS["singular"]((16, 16), ADD_REMOVE_POINT, Fraction(1)).draw(np.ones((16, 16), np.int64))
    assert not compared(measured, rectangles(1, 16))

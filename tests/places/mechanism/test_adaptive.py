"""The adaptive quadtree: what every path spends in every world, the exact loss over all neighbours, its depths and cuts."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import floor, log
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.arrays import Bool, Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism import growing
from starling.places.mechanism.adaptive import LOAD, STREETS_LOAD, Adaptive, Streets, finest
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.table import Sliced
from starling.places.occupied import Exact, occupied
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import (
    amounts,
    check_cost,
    largest_loss,
    losses,
    releases,
    scripted,
    tiny_grids,
    total_probability,
)

KINDS = (Adaptive, Streets)
Shape: TypeAlias = tuple[int, int]
SHAPES: tuple[Shape, ...] = (
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 3),
    (1, 5),
    (3, 5),
    (6, 2),
    (7, 7),
    (1, 9),
    (11, 3),
    (13, 6),
    (1, 33),
    (17, 19),
)
"""Sides that are no power of two, below 8, and of which one is much longer."""
TOTALS = (-9, 40, 10**3, 10**6)
"""Noisy numbers of points, by which the finest depth is anything from 3 on."""


def choices(amount: Fraction) -> Sequence[int]:
    """Numbers of points for trees of several heights; counts below all, above all but below thresholds, above thresholds."""
    return (-5, 60, 10**5) if amount == Fraction(1, 50) else (-5, 2, 2000)


def few(amount: Fraction) -> Sequence[int]:
    return (-5, 10**5) if amount == Fraction(1, 100) else (-5, 2000)


def drawn_by(
    values: Callable[[Fraction, int], Int64], method: Adaptive, exact: Exact, patch: pytest.MonkeyPatch
) -> MeasuredTree:
    """The release in which noisy counts of each measurement are what `values` says, of its amount and number."""
    with patch.context() as patched:
        patched.setattr(growing, "noisy", lambda exact, amount: values(amount, len(exact)))
        return method.draw(exact)


def worlds(kind: type[Adaptive]) -> int:
    """How many of the small worlds there are; in each of them every path spends the whole budget, and each leaf has a fresh count."""
    patch, number = pytest.MonkeyPatch(), 0
    for shape, total, seed in product(SHAPES, TOTALS, range(3)):
        method, rng = kind(shape, ADD_REMOVE_PERSON, Fraction(1), 2), np.random.default_rng(seed)

        def values(amount: Fraction, boxes: int, total: int = total, rng: np.random.Generator = rng) -> Int64:
            some = rng.integers(-1, 2, boxes) * 10**6
            return np.full(boxes, total) if amount == Fraction(1, 100) else some

        for exact in (np.zeros(shape, dtype=np.int64), occupied(shape, np.arange(0), np.arange(0))):
            measured = drawn_by(values, method, exact, patch)
            measured.tree.check()
            assert {each for row in amounts(measured) for each in row} == {Fraction(1, 2)}, (shape, total, seed)
            assert set(measured.node[~measured.steered]) == set(np.flatnonzero(measured.tree.leaves))
            number += 1
    return number


@pytest.mark.parametrize("kind", KINDS)
def test_every_path_spends_the_budget_in_every_small_world(kind: type[Adaptive]) -> None:
    assert worlds(kind) == len(SHAPES) * len(TOTALS) * 3 * 2


def test_without_the_rule_of_single_cells_some_paths_spend_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that measures cells where their depth is measured, as other boxes, and nowhere else."""
    measure = GrowingTree.measure

    def without_cells(tree: GrowingTree, amount: Fraction, where: Bool | None = None, *, steered: Bool | bool) -> Int64:
        if where is not None and steered is False:
            where = where & (tree.areas > 1)
        return measure(tree, amount, where, steered=steered)

    monkeypatch.setattr(GrowingTree, "measure", without_cells)
    for kind in KINDS:
        with pytest.raises(AssertionError):
            worlds(kind)


@pytest.mark.series(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "points"), [((1, 5), 1), ((2, 2), 2), ((1, 9), 1), ((1, 3), 2), ((1, 1), 1), ((3, 3), 1)]
)
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    kind: type[Adaptive], shape: Shape, points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = kind(shape, ADD_REMOVE_PERSON, Fraction(1), points)
    check_cost(method, Fraction(1))
    outcomes = few if points > 1 else choices
    assert largest_loss(method, tiny_grids(shape)[points - 1 :][:1], points, outcomes, monkeypatch) == 1


@pytest.mark.series(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_person_in_two_slices_costs_no_more(kind: type[Adaptive], monkeypatch: pytest.MonkeyPatch) -> None:
    method = Sliced(kind((1, 9), ADD_REMOVE_PERSON, Fraction(1), 2), 2)
    none = np.zeros((2, 1, 9), dtype=np.int64)
    for points in ({(0, 0): 1, (1, 0): 1}, {(0, 0): 1, (1, 8): 1}, {(1, 0): 2}):
        some = none.copy()
        for (place, column), number in points.items():
            some[place, 0, column] = number
        assert max(abs(each) for each in releases(method, none, some, few, monkeypatch)) == 1


def test_the_enumerated_releases_are_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Adaptive((1, 2), ADD_REMOVE_POINT, Fraction(400))
    assert total_probability(method, np.array([[2, 1]]), range(-1, 8), monkeypatch) == pytest.approx(1, abs=1e-6)


def test_half_the_noise_and_cells_measured_twice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in KINDS:
        method = kind((1, 5), ADD_REMOVE_PERSON, Fraction(1))
        assert largest_loss(method, tiny_grids((1, 5))[:1], 2, few, monkeypatch) == 2
    split = GrowingTree.split

    def twice(tree: GrowingTree, where: Bool) -> Int64:
        if (tree.areas == 1).any():
            tree.measure(Fraction(1, 2), tree.areas == 1, steered=False)
        return split(tree, where)

    monkeypatch.setattr(GrowingTree, "split", twice)
    assert any(
        each > 1
        for each in losses(Adaptive((1, 5), ADD_REMOVE_POINT, Fraction(1)), tiny_grids((1, 5))[:1], 1, few, monkeypatch)
    )


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.sampled_from(KINDS),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
    st.sampled_from([10, 1000, 10**6]),
)
def test_every_path_of_a_release_spends_the_budget(
    shape: Shape, kind: type[Adaptive], seed: int, epsilon: Fraction, most: int
) -> None:
    exact = np.random.default_rng(seed).pareto(0.5, shape).clip(0, most).astype(np.int64)
    measured = kind(shape, ADD_REMOVE_PERSON, epsilon, 3).draw(exact)
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 3}


@pytest.mark.parametrize(
    ("kind", "last", "depths"),
    [
        (Adaptive, 8, {3: (0.04 + 1 / 60, 2), 4: None, 5: None, 6: None, 8: None}),
        (Adaptive, 5, {3: None, 5: None}),
        (Adaptive, 4, {4: None}),
        (Adaptive, 2, {2: None}),
        (Streets, 8, {4: None, 6: None, 8: None}),
        (Streets, 3, {0: None, 1: None, 3: None}),
        (Streets, 2, {0: None, 2: None}),
        (Streets, 0, {0: None}),
    ],
)
def test_depths_and_amounts_are_those_of_the_spec(kind: type[Adaptive], last: int, depths: dict[int, None]) -> None:
    found = kind((256, 256), ADD_REMOVE_POINT, Fraction(1)).amounts(last)
    assert list(found) == list(depths)
    *coarse, fine = found.values()
    rest = Fraction(49, 50)
    assert fine == rest * (kind.fine if coarse else 1)
    assert set(coarse) <= {rest * (1 - kind.fine) / max(len(coarse), 1)}


def test_a_box_is_cut_if_its_count_is_above_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    method, total = Adaptive((64, 64), ADD_REMOVE_POINT, Fraction(1, 10)), 10**4
    assert finest((64, 64), total, method.epsilon, LOAD) == 6
    coarse, fine = Fraction(98, 1000) * Fraction(1, 6), Fraction(98, 1000) * Fraction(2, 3)
    assert method.amounts(6) == {3: coarse, 4: coarse, 6: fine}
    # The first box of each coarse depth is above its threshold by one, and all others are at theirs.
    first, last = floor(2 / coarse), floor(3 / coarse)
    script = [total, first + 1, *[first] * 63]
    with scripted((0,), monkeypatch) as values:
        _, drawn = values.replay(
            method, np.zeros((64, 64), dtype=np.int64), [*script, *[0] * 63, last + 1, *[last] * 3]
        )
    left = Fraction(98, 1000) - coarse
    assert [each.amount for each in drawn[1:65]] == [coarse] * 64
    assert [each.amount for each in drawn[65:128]] == [left] * 63
    # Then its four quarters, of which three are measured afresh, and the 16 boxes of the first.
    assert [each.amount for each in drawn[128:132]] == [coarse] * 4
    assert [each.amount for each in drawn[132:]] == [left - coarse] * 3 + [fine] * 16


@given(
    st.integers(-(10**9), 10**12),
    st.fractions(Fraction(1, 1000), 10),
    st.integers(1, 5000),
    st.integers(1, 5000),
    st.sampled_from([LOAD, STREETS_LOAD]),
)
def test_the_finest_depth_is_that_of_the_formula(
    total: int, epsilon: Fraction, rows: int, columns: int, load: int
) -> None:
    levels = (max(rows, columns) - 1).bit_length()
    boxes = max(float(load * total * epsilon), 1.0)
    found = finest((rows, columns), total, epsilon, load)
    assert min(3, levels) <= found <= levels
    if min(3, levels) < found < levels:
        assert abs(log(boxes, 4) - found) <= 0.5 + 1e-9

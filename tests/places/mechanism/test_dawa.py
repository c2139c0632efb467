"""Buckets along a Hilbert curve: the curve, the cheapest partition against a slow twin, the exact loss of whole releases."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.arrays import Int64
from starling.places.mechanism import dawa
from starling.places.mechanism.boxes import SENSITIVITY
from starling.places.mechanism.dawa import Dawa, halve, hilbert
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, losses, tiny_grids


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 5])
def test_the_curve_passes_every_cell_by_steps_to_the_next(bits: int) -> None:
    rows, columns = (each.reshape(-1) for each in np.indices((1 << bits, 1 << bits)))
    along = hilbert(rows, columns, bits)
    assert sorted(along) == list(range(4**bits))
    order = np.argsort(along)
    assert (np.abs(np.diff(rows[order])) + np.abs(np.diff(columns[order])) == 1).all()


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (1, 7)])
def test_intervals_are_boxes_of_the_cells_that_they_hold(shape: tuple[int, int]) -> None:
    halvings, cells = halve(shape)
    held = [{(row, column)} for row, _, column, _ in cells.tolist()]
    for halving in halvings:
        ends = [*halving.parts.tolist()[1:], len(held)]
        held = [set().union(*held[first:last]) for first, last in zip(halving.parts.tolist(), ends, strict=True)]
        assert held == [
            {(row, column) for row in range(t, b) for column in range(s, e)} for t, b, s, e in halving.boxes.tolist()
        ]
    assert len(held) == 1


def cheapest(exact: Int64, bucket: int) -> int:
    """The cost of the cheapest partition by recursion over intervals of the curve, without noise."""
    rows, columns = exact.shape
    bits = (max(exact.shape) - 1).bit_length()
    where = {
        int(hilbert(np.array([row]), np.array([column]), bits)[0]): int(exact[row, column])
        for row in range(rows)
        for column in range(columns)
    }

    def cost(first: int, length: int) -> int:
        held = [where[place] for place in range(first, first + length) if place in where]
        if len(held) < 2:
            return bucket * len(held)
        q, n = len(held), sum(held)
        whole = bucket + 1024 * sum(abs(q * c - n) for c in held) // q
        return min(whole, cost(first, length // 2) + cost(first + length // 2, length // 2))

    return cost(0, 4**bits)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32), st.sampled_from([1, 5, 40]))
def test_without_noise_the_partition_is_the_cheapest(rows: int, columns: int, seed: int, most: int) -> None:
    exact = np.random.default_rng(seed).integers(0, most + 1, (rows, columns))
    method = Dawa((rows, columns), ADD_REMOVE_POINT, Fraction(1, 7))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dawa, "noisy", lambda counts, _: counts)
        measured = method.draw(exact)
    measured.tree.check()
    bucket = floor(1024 / method.amounts[1])
    boxes = measured.tree.boxes[measured.tree.leaves].tolist()
    parts = [exact[t:b, s:e].reshape(-1).tolist() for t, b, s, e in boxes]
    result = sum(bucket + 1024 * sum(abs(len(p) * c - sum(p)) for c in p) // len(p) for p in parts)
    assert result == cheapest(exact, bucket)
    assert {each for row in amounts(measured) for each in row} == {Fraction(3, 28)}


def choices(amount: Fraction) -> Sequence[int]:
    """Deviations below and above all, counts below and above all."""
    return (-(10**6), 10**6) if amount < Fraction(1, 1000) else (-5, 90)


@pytest.mark.series(1)
@pytest.mark.parametrize(("shape", "points"), [((2, 2), 1), ((1, 4), 1), ((2, 2), 2)])
def test_the_exact_loss_over_all_neighbours_is_within_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noisy deviations are not kept; the loss with them is above that of the release."""
    method = Dawa(shape, ADD_REMOVE_PERSON, Fraction(1), points)
    check_cost(method, Fraction(1))
    assert Fraction(3, 4) < largest_loss(method, tiny_grids(shape), points, choices, monkeypatch) <= 1


@pytest.mark.slow
def test_half_the_sensitivity_of_deviations_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    method, grids = Dawa((4, 4), ADD_REMOVE_POINT, Fraction(1)), tiny_grids((4, 4))[:1]
    assert largest_loss(method, grids, 1, choices, monkeypatch) <= 1
    monkeypatch.setattr(dawa, "SENSITIVITY", SENSITIVITY // 2)
    assert any(each > 1 for each in losses(method, grids, 1, choices, monkeypatch))

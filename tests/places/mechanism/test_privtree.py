"""PrivTree in whole numbers: the worst loss of its shape recomputed, the exact loss of whole releases over all neighbours."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.mechanism import privtree
from starling.places.mechanism.privtree import PrivTree, shape_noise
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import (
    Draw,
    Drawn,
    amounts,
    check_cost,
    largest_loss,
    losses,
    scripted,
    tiny_grids,
)

FAR = 10**9
"""Which of two outcomes of a comparison with 0 came out."""


def log_chance(x: int, scale: float, *, cut: bool) -> float:
    """Of x + Z > 0, Z discrete Laplace, or of the contrary."""
    if not cut:
        return log_chance(1 - x, scale, cut=True)
    q = exp(-1 / scale)
    return log1p(-(q**x) / (1 + q)) if x >= 1 else (x - 1) * -log(q) - log1p(q)


def test_chances_are_sums_of_probabilities() -> None:
    q = exp(-1 / 3)
    for x in range(-9, 10):
        total = sum((1 - q) / (1 + q) * q ** abs(z) for z in range(1 - x, 200))
        assert log_chance(x, 3, cut=True) == pytest.approx(log(total))
        assert log_chance(x, 3, cut=False) == pytest.approx(log(1 - total))


def gain(x: int, scale: float) -> float:
    """By how much cutting becomes likelier with one point more."""
    return log_chance(x + 1, scale, cut=True) - log_chance(x, scale, cut=True)


@pytest.mark.parametrize(
    "amount", [Fraction(1, 2000), Fraction(1, 200), Fraction(1, 20), Fraction(1, 4), Fraction(1), Fraction(3)]
)
def test_the_worst_loss_of_a_shape_is_below_its_cost(amount: Fraction) -> None:
    exact, bias = shape_noise(amount)
    scale = float(exact)
    assert bias - 1 < scale * log(4) <= bias
    worst = 2 / scale + sum(gain(j * bias, scale) for j in range(1, 40))
    assert 0.85 < worst / amount < 0.9475
    if amount <= Fraction(1, 20):
        assert worst / amount > 0.91


@pytest.mark.parametrize("amount", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_the_worst_loss_is_that_of_the_worst_path_of_counts(amount: Fraction) -> None:
    exact, bias = shape_noise(amount)
    scale = float(exact)

    @cache
    def worst(depth: int, most: int) -> float:
        """Over all counts from here on, which do not grow, of boxes that are all cut."""
        if depth > 8:
            return 0.0
        return max(
            (gain(c - depth * bias, scale) if c - depth * bias >= -bias else 0.0) + worst(depth + 1, c)
            for c in range(most + 1)
        )

    result = worst(0, 7 * bias)
    assert result == pytest.approx(2 / scale + sum(gain(j * bias, scale) for j in range(1, 8)), abs=1e-6)
    assert result < amount


def spent_on_cuts(method: PrivTree) -> Fraction:
    """By one point."""
    return (1 - method.total) * method.cuts * method.epsilon / method.points


def of_release(method: PrivTree) -> Callable[[Draw, Draw], Fraction]:
    """The loss of one value: of a cut, whether it was made; of a leaf, its noisy count."""
    scale = shape_noise(spent_on_cuts(method))[0]

    def loss(one: Draw, other: Draw) -> Fraction:
        if one.amount != 1 / scale:
            return one.loss(other)
        assert isinstance(one, Drawn)
        assert isinstance(other, Drawn)
        cut = one.value > 0
        return Fraction(log_chance(one.exact, float(scale), cut=cut) - log_chance(other.exact, float(scale), cut=cut))

    return loss


def choices_of(method: PrivTree) -> Callable[[Fraction], Sequence[int]]:
    """Both outcomes of cuts; counts below all and above all."""
    scale = shape_noise(spent_on_cuts(method))[0]

    def choices(amount: Fraction) -> Sequence[int]:
        return (-FAR, FAR) if amount == 1 / scale else (-5, 90)

    return choices


@pytest.mark.series(2)
@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("shape", [(2, 2), (1, 5), (1, 16)])
def test_the_exact_loss_over_all_neighbours_is_below_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = PrivTree(shape, ADD_REMOVE_PERSON, Fraction(3), points)
    check_cost(method, Fraction(3))
    grids = tiny_grids(shape)[:1] if max(shape) > 5 else tiny_grids(shape)
    result = largest_loss(method, grids, points, choices_of(method), monkeypatch, of_release(method))
    assert Fraction(3, 2) < result < 3
    if shape == (1, 16) and points == 1:
        # Without a bias by depth every box of a path costs as much as the first.
        monkeypatch.setattr(privtree, "shape_noise", lambda amount: (shape_noise(amount)[0], 0))
        every = losses(method, grids, points, choices_of(method), monkeypatch, of_release(method))
        assert any(each > 3 for each in every)


@pytest.mark.slow
def test_a_total_and_another_division_stay_within_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    method = PrivTree((1, 5), ADD_REMOVE_PERSON, Fraction(3), 2, total=Fraction(3, 100), cuts=Fraction(3, 10))
    check_cost(method, Fraction(3))
    assert [each.epsilon for each in method.budget] == [Fraction(9, 100), Fraction(873, 1000), Fraction(2037, 1000)]
    result = largest_loss(method, tiny_grids((1, 5)), 2, choices_of(method), monkeypatch, of_release(method))
    assert Fraction(2037 + 90, 1000) < result < 3
    measured = method.draw(np.zeros((1, 5), dtype=np.int64))
    assert (measured.node[0], measured.noises[0]) == (0, DiscreteLaplace(Fraction(200, 9)))


@pytest.mark.parametrize(("total", "cuts"), [(-1, 0.5), (1, 0.5), (0, 0), (0, 1)])
def test_parts_that_leave_nothing_are_refused(total: float, cuts: float) -> None:
    with pytest.raises(PlanError, match="part"):
        PrivTree((4, 4), ADD_REMOVE_POINT, Fraction(1), total=Fraction(total), cuts=Fraction(cuts))


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
)
def test_every_leaf_is_measured_with_half_the_budget(shape: tuple[int, int], seed: int, epsilon: Fraction) -> None:
    exact = np.random.default_rng(seed).pareto(0.5, shape).clip(0, 10**6).astype(np.int64)
    measured = PrivTree(shape, ADD_REMOVE_PERSON, epsilon, 3).draw(exact)
    measured.tree.check()
    assert sorted(measured.node.tolist()) == np.flatnonzero(measured.tree.leaves).tolist()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 6}
    assert not measured.steered.any()


def test_counts_are_biased_by_depth_and_bounded_below(monkeypatch: pytest.MonkeyPatch) -> None:
    method = PrivTree((4, 4), ADD_REMOVE_POINT, Fraction(3))
    bias = shape_noise(Fraction(3, 2))[1]
    exact = np.zeros((4, 4), dtype=np.int64)
    exact[0, 0], exact[3, 3] = 10 * bias, 1
    with scripted((FAR,), monkeypatch) as script:
        measured, drawn = script.tree(method, exact, ())
    assert [each.exact for each in drawn[:5]] == [10 * bias + 1, 9 * bias, -bias, -bias, 1 - bias]
    assert len(measured.tree.parents) == 1 + 4 + 16

"""The adaptive quadtree of before 0.3: exact spending along paths, the exact loss over all neighbours, its thresholds."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism import two_regimes
from starling.places.mechanism.two_regimes import TwoRegimes, height
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import (
    amounts,
    check_cost,
    largest_loss,
    losses,
    scripted,
    tiny_grids,
    total_probability,
)

CHOICES = (-5, 2, 90)
"""Below all counts; above all counts and below every threshold; above every threshold."""
ALWAYS = -(1 << 62)
"""From this number of points on, amounts go by depth."""


@pytest.mark.series(2)
@pytest.mark.parametrize(
    ("shape", "points"),
    [((2, 2), 1), ((2, 2), 2), ((1, 4), 2), ((1, 5), 1), ((1, 5), 2), ((1, 8), 1), ((1, 1), 1)],
)
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = TwoRegimes(shape, ADD_REMOVE_PERSON, Fraction(1), points, ALWAYS)
    check_cost(method, Fraction(1))
    assert largest_loss(method, tiny_grids(shape)[points - 1 :], points, CHOICES, monkeypatch) == 1


@pytest.mark.slow
def test_the_enumerated_releases_are_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    method = TwoRegimes((1, 2), ADD_REMOVE_POINT, Fraction(100), many=ALWAYS)
    assert total_probability(method, np.array([[2, 1]]), range(-5, 12), monkeypatch) == pytest.approx(1, abs=1e-6)


def too_much_is_left(amounts: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Leaves are given what the path has spent already."""
    return tuple(sum(amounts[place:], Fraction(0)) for place in range(len(amounts)))


@pytest.mark.slow
def test_a_wrong_remainder_or_half_the_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    method = TwoRegimes((1, 6), ADD_REMOVE_PERSON, Fraction(1), many=ALWAYS)
    grids = tiny_grids((1, 6))[:1]
    with monkeypatch.context() as patched:
        patched.setattr(two_regimes, "remainders", too_much_is_left)
        assert any(each > 1 for each in losses(method, grids, 1, CHOICES, monkeypatch))
    method = TwoRegimes((1, 5), ADD_REMOVE_PERSON, Fraction(1), many=ALWAYS)
    assert largest_loss(method, tiny_grids((1, 5))[:1], 2, CHOICES, monkeypatch) == 2


@pytest.mark.examples(8)
@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 17), st.integers(1, 17)),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
)
def test_every_path_spends_the_budget(shape: tuple[int, int], seed: int, epsilon: Fraction) -> None:
    exact = np.random.default_rng(seed).pareto(0.5, shape).clip(0, 10**6).astype(np.int64)
    measured = TwoRegimes(shape, ADD_REMOVE_PERSON, epsilon, 3, ALWAYS).draw(exact)
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 3}


def test_a_box_is_cut_if_its_count_is_above_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    method = TwoRegimes((64, 64), ADD_REMOVE_POINT, Fraction(1, 10), many=ALWAYS)
    zeros = np.zeros((64, 64), dtype=np.int64)
    total = 10**6
    levels = height((64, 64), total, method.epsilon)
    assert levels == 6
    shares = [1.2**depth for depth in range(2, 7)]
    own = [0.098 * share / sum(shares) for share in shares]
    threshold = [int(t / e) for t, e in zip((1, 1.5, 2, 2.5, 2.5), own, strict=True)]
    # The first box of each depth is above its threshold by one, and all others are at theirs.
    script = [total, threshold[0] + 1, *[threshold[0]] * 15]
    with scripted((0,), monkeypatch) as values:
        _, drawn = values.replay(method, zeros, script)
    assert [each.value for each in drawn[:17]] == script
    # 15 leaves are measured afresh, then the four children of the first box.
    assert [float(each.amount) for each in drawn[17:32]] == pytest.approx([0.098 - own[0]] * 15, rel=1e-9)
    assert [float(each.amount) for each in drawn[32:36]] == pytest.approx([own[1]] * 4, rel=1e-9)
    assert len(drawn) == 1 + 16 + 15 + 4 + 4


def test_only_values_on_which_the_shape_depends_are_marked() -> None:
    rng = np.random.default_rng(3)
    measured = TwoRegimes((32, 32), ADD_REMOVE_POINT, Fraction(1), many=ALWAYS).draw(rng.integers(0, 40, (32, 32)))
    leaves, areas = measured.tree.leaves, measured.tree.areas
    # Every leaf has a value on which no shape depends, and so has every cell that was not cut because it could not be.
    assert set(np.flatnonzero(leaves)) == set(measured.node[~measured.steered])
    assert not measured.steered[areas[measured.node] == 1].any()
    assert measured.steered[(~leaves)[measured.node]].all()


@pytest.mark.examples(20)
@given(st.integers(-(10**9), 10**12), st.fractions(Fraction(1, 1000), 10), st.integers(1, 5000), st.integers(1, 5000))
def test_the_height_is_that_of_the_formula(total: int, epsilon: Fraction, rows: int, columns: int) -> None:
    load = max(float(total * epsilon), 4.0)
    steps = ceil(round(log(load, 4), 9))
    assert height((rows, columns), total, epsilon) == min(ceil(log2(max(rows, columns))), max(3, steps + 2))

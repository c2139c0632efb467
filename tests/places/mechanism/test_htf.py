"""HTF: its search, exact spending along every path, the exact loss of whole releases.

Rows 72 to 77.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.arrays import Bool, Int64
from starling.places.mechanism import htf
from starling.places.mechanism.boxes import SENSITIVITY
from starling.places.mechanism.htf import TOTAL, Cuts, Htf, best_of_all, search
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import Drawn, amounts, check_cost, largest_loss, losses, scripted, tiny_grids


@given(st.integers(2, 200), st.integers(0, 4), st.randoms(use_true_random=False))
def test_a_search_asks_for_places_within_the_box_at_most_2t_plus_1_times(
    length: int, rounds: int, chance: object
) -> None:
    query: list[int] = []

    def objectives(places: Int64, where: Bool) -> Int64:
        out = np.full(1, np.iinfo(np.int64).max)
        if where[0]:
            query.append(int(places[0]))
            out[0] = chance.randint(-50, 50)  # type: ignore[attr-defined]
        return out

    result = int(search(np.array([length]), rounds, objectives)[0])
    assert query[0] == length // 2
    assert len(query) <= 2 * rounds + 1
    assert all(1 <= place <= length - 1 for place in [*query, result])
    assert result in query


def test_a_search_follows_the_smallest_objective_and_keeps_its_place_in_ties() -> None:
    def away_from(target: int) -> int:
        return int(search(np.array([64]), 5, lambda places, where: np.abs(places - target) + ~where * 10**6)[0])

    assert [away_from(target) for target in (1, 20, 32, 50, 63)] == [1, 20, 32, 50, 63]
    level = search(np.array([64]), 3, lambda *_: np.zeros(1, dtype=np.int64))
    assert level.tolist() == [32]


def small(shape: tuple[int, int], cuts: Cuts = "search", points: int = 1) -> Htf:
    """With limits that a tiny grid can reach."""
    return Htf(
        shape,
        ADD_REMOVE_PERSON,
        Fraction(1),
        points,
        cuts=cuts,
        search=Fraction(1, 20),
        rounds=1,
        least_points=4,
        least_cells=2,
    )


def choices(amount: Fraction) -> Sequence[int]:
    """Numbers of points for heights 1 and 2; objectives; counts below all, above all in leaves, above all in boxes that are cut."""
    if amount == TOTAL or amount == TOTAL / 2:
        return (-1, 90)
    return (-(10**7), 10**7) if amount < TOTAL / 2 else (-5, 4, 200)


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("shape", "cuts", "points"),
    [
        ((1, 4), "search", 1),
        ((2, 2), "search", 1),
        ((1, 3), "search", 2),
        ((1, 4), "all", 1),
        ((1, 3), "all", 2),
        ((1, 4), "exponential", 1),
        ((1, 3), "exponential", 2),
        ((2, 2), "middle", 2),
    ],
)
def test_the_exact_loss_over_all_neighbours_is_within_the_cost(
    shape: tuple[int, int], cuts: Cuts, points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = small(shape, cuts, points)
    check_cost(method, Fraction(1))
    result = largest_loss(method, tiny_grids(shape)[-1:], points, choices, monkeypatch)
    # The objectives of small parts move by less than their sensitivity.
    assert result == 1 if cuts == "middle" else Fraction(4, 5) < result <= 1


@pytest.mark.parametrize("cuts", ["all", "exponential"])
def test_candidates_are_all_places_and_the_most_even_one_wins(cuts: Cuts) -> None:
    """At this budget the chance of any other cut is below e^-1000: points lie evenly left of column 5, and nowhere else."""
    exact = np.zeros((4, 9), dtype=np.int64)
    exact[:, :5] = 10**6
    method = Htf((4, 9), ADD_REMOVE_POINT, Fraction(100), cuts=cuts, search=Fraction(1))
    measured = method.draw(exact)
    measured.tree.check()
    assert [0, 4, 0, 5] in measured.tree.boxes.tolist()
    # At the first height rows are cut or columns; a box of s rows or columns has s - 1 candidates, and one candidate is no question.
    assert (len(measured.searched) > 0) == (cuts == "all")


def test_every_candidate_is_asked_for_once_with_an_equal_part() -> None:
    query: list[tuple[int, int]] = []

    def objectives(places: Int64, where: Bool, values: int) -> Int64:
        result = np.full(len(places), np.iinfo(np.int64).max)
        result[where] = -places[where]
        query.extend((box, int(places[box])) for box in np.flatnonzero(where).tolist())
        assert {values} == set((np.array([2, 5, 3, 5])[where] - 1).tolist())
        return result

    assert best_of_all(np.array([2, 5, 3, 5]), objectives).tolist() == [1, 4, 2, 4]
    assert sorted(query) == [(box, place) for box, length in ((1, 5), (2, 3), (3, 5)) for place in range(1, length)]


@pytest.mark.slow
def test_half_the_sensitivity_of_the_objective_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_low(amount: Fraction) -> Sequence[int]:
        return choices(amount)[:1] if amount == TOTAL else choices(amount)

    assert largest_loss(small((1, 16)), tiny_grids((1, 16))[:1], 1, only_low, monkeypatch) <= 1
    monkeypatch.setattr(htf, "SENSITIVITY", SENSITIVITY // 2)
    assert any(each > 1 for each in losses(small((1, 16)), tiny_grids((1, 16))[:1], 1, only_low, monkeypatch))


def test_random_cuts_are_drawn_without_the_data_and_cost_nothing() -> None:
    method = Htf((16, 16), ADD_REMOVE_POINT, Fraction(5), cuts="random")
    measured = method.draw(np.full((16, 16), 1000))
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {5}
    # Noise is some units, so that a tree in the middle would always be the same.
    assert any(
        not np.array_equal(measured.tree.boxes, method.draw(np.full((16, 16), 1000)).tree.boxes) for _ in range(9)
    )


@pytest.mark.slow
@pytest.mark.examples(5)
@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.integers(2, 40), st.integers(1, 40)),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
    st.sampled_from(["search", "all", "exponential", "middle"]),
)
def test_counts_of_every_path_spend_what_the_searches_leave(
    shape: tuple[int, int], seed: int, epsilon: Fraction, cuts: Cuts
) -> None:
    exact = np.random.default_rng(seed).pareto(0.5, shape).clip(0, 10**5).astype(np.int64)
    method = Htf(shape, ADD_REMOVE_PERSON, epsilon, 3, cuts=cuts)
    measured = method.draw(exact)
    measured.tree.check()
    height = method.height(int(measured.value[0]))
    counts = epsilon - TOTAL - height * method.level_search
    assert {each for row in amounts(measured) for each in row} == {(TOTAL + counts) / 3}
    assert sum(method.amounts(height)) == counts / 3
    cuts_made = np.count_nonzero(~measured.tree.leaves)
    most = {"search": 7, "all": max(shape) - 1}.get(cuts, 0)
    assert len(measured.searched) <= most * cuts_made


def test_cells_are_leaves_early_and_boxes_at_height_0_keep_their_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper divides by the rest of the budget, which is 0 at height 0, and goes on into children that are not there."""
    method = Htf((1, 8), ADD_REMOVE_POINT, Fraction(1), cuts="random", least_cells=2)
    monkeypatch.setattr(htf, "below", lambda *_: 0)
    # The number of points gives height 3, and counts are all large: cells and height 0 alone stop. Every cut is after the first cell.
    with scripted(lambda amount: (80,) if amount == TOTAL else (500,), monkeypatch) as script:
        measured, _ = script.tree(method, np.zeros((1, 8), dtype=np.int64), ())
    assert method.height(80) == 3
    boxes = [tuple(box[2:]) for box in measured.tree.boxes.tolist()]
    leaves = {boxes[node] for node in np.flatnonzero(measured.tree.leaves)}
    assert leaves == {(0, 1), (1, 2), (2, 3), (3, 8)}
    times = dict(zip(boxes, np.bincount(measured.node, minlength=len(boxes)).tolist(), strict=True))
    # The root's two are the number of points and its own count; cells at heights 2 and 1 are counted afresh, leaves at height 0 are not.
    assert times == {(0, 8): 2, (0, 1): 2, (1, 8): 1, (1, 2): 2, (2, 8): 1, (2, 3): 1, (3, 8): 1}
    assert {each for row in amounts(measured) for each in row} == {1}


@given(st.integers(1, 20))
def test_no_other_division_of_the_budget_has_a_smaller_error(height: int) -> None:
    """2^step boxes at each step below the root have variances of 2/eps^2: 2^step/eps^3 is the same for all where none is better."""
    amounts = Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1)).amounts(height)
    assert [2**step / float(each) ** 3 for step, each in enumerate(amounts)] == pytest.approx(
        [float(amounts[0]) ** -3] * (height + 1), rel=1e-8
    )


def test_noise_of_the_search_has_its_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    query: list[Fraction] = []

    def noisy(exact: Int64, amount: Fraction) -> Int64:
        query.append(1 / amount)
        return exact

    monkeypatch.setattr(htf, "noisy", noisy)
    Htf((64, 64), ADD_REMOVE_PERSON, Fraction(1), 3).draw(np.full((64, 64), 1000))
    assert set(query) == {DiscreteLaplace(Fraction(2048 * 3 * 7 * 2000)).scale}


def test_the_height_is_that_of_the_paper_and_leaves_a_budget_for_counts() -> None:
    for epsilon, height in ((1, 15), (3, 16), (5, 17)):
        method = Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(epsilon, 10))
        assert method.height(3_500_000) == height
        assert min(method.amounts(height)) > 0
    method = Htf((1024, 1024), ADD_REMOVE_PERSON, Fraction(1, 10), 5)
    assert [method.height(total) for total in (5 * 3_500_000, 0, -(10**9), 10**15)] == [15, 1, 1, 20]
    assert sum(method.amounts(20)) * 5 > Fraction(7, 10) * method.epsilon


def test_boxes_with_few_points_or_cells_are_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 points or fewer; of fewer than 5 cells."""

    def leaves(shape: tuple[int, int], value: int) -> list[int]:
        method = Htf(shape, ADD_REMOVE_POINT, Fraction(1), cuts="middle")
        with scripted(lambda amount: (10**6,) if amount == TOTAL else (value,), monkeypatch) as script:
            measured, _ = script.tree(method, np.zeros(shape, dtype=np.int64), ())
        return sorted(measured.tree.areas[measured.tree.leaves].tolist())

    assert leaves((1, 5), 100) == [5]
    assert leaves((1, 5), 101) == [2, 3]
    assert leaves((2, 2), 101) == [4]
    assert leaves((1, 20), 101) == [2, 2, 2, 2, 3, 3, 3, 3]


def test_a_budget_that_the_constants_of_the_paper_overdraw_is_refused() -> None:
    with pytest.raises(PlanError, match="search takes more than"):
        Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1, 100))
    with pytest.raises(PlanError, match="search is too small"):
        Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1), search=Fraction(1, 10**12))
    with pytest.raises(PlanError, match="rounds"):
        Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1), rounds=-1)
    assert Htf((1024, 1024), ADD_REMOVE_POINT, Fraction(1, 100), cuts="middle").height(10**6) == 9


def test_the_largest_loss_needs_every_draw_of_a_path() -> None:
    one, other = Drawn(3, Fraction(1, 10), 7), Drawn(4, Fraction(1, 10), 7)
    assert (one.loss(other), other.loss(one)) == (Fraction(-1, 10), Fraction(1, 10))

"""Budgets over levels and bands of sizes: exact, and what they cost by enumeration of a small world."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.groups.plan.budget import SplitBudget

ANCESTORS = ((0, 0, 0), (0, 1, 1), (0, 1, 2))
"""Of a small world: the row of each of three leaves, and of the regions that it lies in, in each level."""
LARGEST = 3


def cumulative(groups: tuple[tuple[int, int], ...]) -> list[np.ndarray]:
    """c of every level of the small world with groups (leaf, size)."""
    counts = [np.zeros((regions, LARGEST + 1), dtype=np.int64) for regions in (1, 2, 3)]
    for leaf, size in groups:
        for level, row in enumerate(ANCESTORS[leaf]):
            counts[level][row, size] += 1
    return [np.cumsum(level, axis=1) for level in counts]


def test_one_member_costs_the_whole_budget_at_every_size() -> None:
    budget = SplitBudget(
        (0, 1, 2),
        tuple((Fraction(a, 12), Fraction(b, 12), Fraction(12 - a - b, 12)) for a, b in ((1, 3), (4, 4), (9, 2))),
    )
    costs = set()
    for leaves, sizes in product(product(range(3), repeat=2), product(range(LARGEST + 1), repeat=2)):
        groups = tuple(zip(leaves, sizes, strict=True))
        if sizes[0] == LARGEST:
            continue
        moved = ((leaves[0], sizes[0] + 1), groups[1])
        changes = [np.abs(a - b) for a, b in zip(cumulative(groups), cumulative(moved), strict=True)]
        # The change touches entry s alone, by 1, in one region of each level.
        assert all(change.sum() == 1 and change[:, sizes[0]].sum() == 1 for change in changes)
        loss = sum(
            (
                int(change[:, size].sum()) * budget.by_size(level, LARGEST + 1)[size]
                for level, change in enumerate(changes)
                for size in range(LARGEST + 1)
            ),
            Fraction(0),
        )
        costs.add(loss)
    assert costs == {budget.whole}


@pytest.mark.examples(20)
@settings(max_examples=60, deadline=None)
@given(
    whole=st.fractions(Fraction(1, 100), 10, max_denominator=100),
    weights=st.lists(st.fractions(Fraction(1, 50), 5, max_denominator=50), min_size=1, max_size=5),
)
def test_weights_share_out_the_whole_exactly(whole: Fraction, weights: list[Fraction]) -> None:
    budget = SplitBudget.weighted(whole, weights)
    assert budget.whole == whole
    assert len(budget.amounts[0]) == len(weights)
    assert [amount * weights[0] for amount in budget.amounts[0]] == [budget.amounts[0][0] * each for each in weights]


@pytest.mark.parametrize(
    ("bands", "amounts", "field"),
    [
        ((), (), "bands"),
        ((1,), ((1,),), "bands"),
        ((0, 0), ((1,), (1,)), "bands"),
        ((0, 3, 2), ((1,),) * 3, "bands"),
        ((0, 2), ((1,),), "amounts"),
        ((0, 2), ((1, 1), (2,)), "amounts"),
        ((0,), ((),), "amounts"),
        ((0,), ((1, 0),), "amounts"),
        ((0, 2), ((1, 1), (1, 2)), "amounts"),
    ],
)
def test_what_is_no_budget_is_refused(bands: tuple[int, ...], amounts: tuple[tuple[int, ...], ...], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        SplitBudget(bands, tuple(tuple(map(Fraction, each)) for each in amounts))
    assert refused.value.problems[0].field == field


def test_bands_beyond_the_sizes_are_left_out() -> None:
    budget = SplitBudget((0, 5), ((Fraction(1),), (Fraction(1),)))
    assert budget.by_size(0, 3) == (Fraction(1),) * 3


def test_a_budget_for_shares_gives_small_regions_more_where_groups_are() -> None:
    shares = [Fraction(0), *(Fraction(1, 2**size) for size in range(1, 40))]
    budget = SplitBudget.for_shares(1, shares, 10**6, [1, 50, 3000], [200, 12, 1])
    assert budget.whole == 1
    assert len(budget.bands) < 30
    dense, sparse = budget.amounts[0], budget.amounts[-1]
    assert dense[2] > Fraction(2, 5) > dense[0]
    assert max(sparse) - min(sparse) <= Fraction(1, 100)
    assert all(amount >= Fraction(1, 20) for amounts in budget.amounts for amount in amounts)
    # More importance never means less budget.
    more = SplitBudget.for_shares(1, shares, 10**6, [1, 50, 3000], [400, 12, 1])
    assert all(more.by_size(0, 40)[size] >= budget.by_size(0, 40)[size] for size in range(40))


def test_rho_goes_by_the_power_that_makes_its_errors_least() -> None:
    """Where groups are many, f is 1: eps_l is as the square root of importance times regions, rho_l as its power 2/3.

    Of a hundred parts each level has two, and the others are shared out.
    """
    for measure, power in (("epsilon", 1 / 2), ("rho", 2 / 3)):
        budget = SplitBudget.for_shares(1, [0, 1], 10**12, [1, 64], measure=measure, importance=[1, 1])  # type: ignore[arg-type]
        low, high = budget.amounts[0]
        free = 96 / (1 + 64**power)
        assert float(low) * 100 == pytest.approx(2 + free, abs=0.51)
        assert low + high == 1


def test_more_quantity_is_more_noise_to_reckon_with() -> None:
    one, five = (SplitBudget.for_shares(1, [0, 1, 0], 3_000, [1, 64], quantity=q).amounts[0] for q in (1, 5))
    # The more the noise, the less is gained by a split of its own: it is nearer to an equal one.
    assert abs(one[0] - one[1]) > abs(five[0] - five[1])


@pytest.mark.examples(20)
@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.fractions(Fraction(1, 100), 10, max_denominator=100),
    shares=st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=12),
    groups=st.integers(1, 10**9),
    regions=st.lists(st.integers(1, 10**5), min_size=1, max_size=5).map(sorted),
)
def test_a_budget_for_shares_spends_the_whole_at_every_size(
    epsilon: Fraction, shares: list[Fraction], groups: int, regions: list[int]
) -> None:
    budget = SplitBudget.for_shares(epsilon, shares, groups, regions)
    assert all(sum(amounts) == epsilon for amounts in budget.amounts)
    assert len(budget.amounts[0]) == len(regions)
    assert [len(budget.by_size(level, len(shares))) for level in range(len(regions))] == [len(shares)] * len(regions)


@pytest.mark.parametrize(
    ("epsilon", "shares", "groups", "regions", "importance"),
    [
        (0, [1], 1, [1], [1]),
        (1, [], 1, [1], [1]),
        (1, [-1], 1, [1], [1]),
        (1, [1], 0, [1], [1]),
        (1, [1], 1, [0], [1]),
        (1, [1], 1, [0], None),
        (1, [1], 1, [1, 2], [1]),
        (1, [1], 1, [], []),
        (1, [1], 1, [1] * 11, [1] * 11),
        (1, [1], 1, [1], [0]),
    ],
)
def test_what_gives_no_budget_for_shares_is_refused(
    epsilon: int, shares: list[int], groups: int, regions: list[int], importance: list[int] | None
) -> None:
    with pytest.raises(ParameterError):
        SplitBudget.for_shares(epsilon, shares, groups, regions, importance)

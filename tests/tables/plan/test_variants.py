"""What a plan makes of its measurements: which variants go together, and what it says of the release that it adds to."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from starling.tables.plan.variants import Choice, TopUp, Variants


def test_some_levels_are_kept_all_the_way_back() -> None:
    first = TopUp("a" * 64, "one", "", Fraction(6), (Fraction(1), Fraction(2), Fraction(3)), ("x", "y", "z"))
    second = TopUp("b" * 64, "two", "", Fraction(15), (Fraction(4), Fraction(5), Fraction(6)), ("u", "v", "w"), first)
    remaining = second.only([0, 2])
    assert (remaining.budgets, remaining.measurements) == ((Fraction(4), Fraction(6)), ("u", "w"))
    assert remaining.earlier is not None
    assert (remaining.earlier.budgets, remaining.earlier.measurements) == ((Fraction(1), Fraction(3)), ("x", "z"))
    # What was charged stays what it was.
    assert (remaining.cost, remaining.earlier.cost) == (Fraction(15), Fraction(6))


@pytest.mark.parametrize("chosen", [set(each) for size in range(7) for each in combinations(Choice, size)])
def test_a_plan_is_refused_exactly_where_two_of_its_choices_exclude_one_another(chosen: set[Choice]) -> None:
    top_up = TopUp("a" * 64, "one", "", Fraction(6), (Fraction(1),), ("x",)) if Choice.TOP_UP in chosen else None
    variants = Variants(
        Choice.BOTH_STAGES in chosen, Choice.ADD_UP in chosen, Choice.PUBLISHED_INTERVALS in chosen, top_up
    )
    group = [
        {Choice.TOP_UP, Choice.BOTH_STAGES},
        {Choice.TOP_UP, Choice.ADD_UP},
        {Choice.TOP_UP, Choice.PUBLISHED_INTERVALS},
        {Choice.TOP_UP, Choice.ACCURACY_TARGETS},
        {Choice.ADD_UP, Choice.NO_NEGATIVE_COUNTS},
        {Choice.ADD_UP, Choice.PUBLISHED_INTERVALS},
    ]
    others = chosen & {Choice.NO_NEGATIVE_COUNTS, Choice.ACCURACY_TARGETS}
    assert bool(variants.refused(others)) is any(pair <= chosen for pair in group)
    assert bool(replace(variants, evenly=True).refused(others)) is (
        bool(variants.refused(others)) or Choice.ADD_UP not in chosen
    ), "what does not add up is not rounded evenly"

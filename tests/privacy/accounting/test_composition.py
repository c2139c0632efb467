"""The events of guarantees: blind to order and grouping, worst part kept."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.accounting.binomial import atoms
from starling.privacy.accounting.composition import (
    Events,
    OverlappingEvents,
    _dominates,
    alternatives,
    detailed_events_of,
    events_of,
    replaced_events,
    without_details,
)
from starling.privacy.accounting.zcdp import epsilon_of, rho_of
from starling.privacy.events import (
    ANY,
    MONOTONE,
    ZCDP,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    PermuteAndFlip,
    PureDP,
)
from starling.privacy.guarantee import (
    BoundedOverlap,
    FullyAdaptive,
    Guarantee,
    JointResiduals,
    Sequential,
    bounded_overlap,
    measurement,
    sequential,
    without_factors,
)
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from tests.privacy.safetab import GAUSSIAN, GEOMETRIC, gaussian_of, laplace_of, level, safetab

rates = st.sampled_from([Fraction(k, 12) for k in (1, 2, 3, 4, 6, 9, 12)])


def pure(*amounts: int | Fraction) -> Events:
    return frozenset(Counter(PureDP(Fraction(amount)) for amount in amounts).items())


def count(rho: Fraction) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, gaussian_of(rho))


def test_safetab_with_geometric_noise_is_its_total_only_groups() -> None:
    """The spec: total-only is the worst case and the guarantee."""
    expected = Counter({PureDP(Fraction(427, 900)): 18, PureDP(Fraction(249, 900)): 18, PureDP(Fraction(59, 900)): 27})
    assert dict(events_of(safetab(GEOMETRIC, laplace_of))) == expected


def test_safetab_with_gaussian_noise_keeps_both_kinds_of_groups() -> None:
    found = events_of(safetab(GAUSSIAN, gaussian_of))
    assert sorted(times for _, times in found) == [2, 2, 3]
    for event, _ in found:
        assert isinstance(event, OverlappingEvents)
        assert (event.overlap, len(event.parts)) == (9, 2)


@pytest.mark.examples(30)
@given(st.lists(rates, min_size=2, max_size=6), st.integers(1, 4), st.randoms(use_true_random=False))
def test_events_are_blind_to_order_and_grouping(amounts: list[Fraction], most: int, shuffler: object) -> None:
    """Row 12, for every accountant at once: they read the events."""
    parts = [level("a level", amount, gaussian_of, most) for amount in amounts]
    whole = events_of(sequential("all", tuple(parts)))
    shuffler.shuffle(parts)  # type: ignore[attr-defined]
    grouped = sequential("two", (parts[0], sequential("rest", tuple(parts[1:]))))
    assert events_of(grouped) == whole
    assert hash(events_of(grouped)) == hash(whole)


def test_overlap_of_one_kind_repeats_it() -> None:
    assert events_of(bounded_overlap("9", 9, (count(Fraction(1, 2)),))) == frozenset(
        {(DiscreteGaussianNoise(Fraction(1)), 9)}
    )
    nested = bounded_overlap("3 of 2", 3, (bounded_overlap("2", 2, (count(Fraction(1, 2)),)),))
    assert events_of(nested) == frozenset({(DiscreteGaussianNoise(Fraction(1)), 6)})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (pure(1), pure(1), True),
        (pure(1), pure(Fraction(1, 10), Fraction(9, 10)), True),
        (pure(2, 1), pure(1, 1, 1), True),
        (pure(1, 1, 1), pure(2, 1), False),
        (pure(3, 3), pure(2, 2, 2), False),
        (pure(1), pure(Fraction(1, 2), Fraction(51, 100)), False),
        (
            frozenset({(DiscreteGaussianNoise(Fraction(1)), 2)}),
            frozenset({(DiscreteGaussianNoise(Fraction(1)), 1)}),
            True,
        ),
        (
            frozenset({(DiscreteGaussianNoise(Fraction(1)), 1)}),
            frozenset({(DiscreteGaussianNoise(Fraction(2)), 1)}),
            False,
        ),
        (frozenset({(PureDP(Fraction(1)), 10_000)}), pure(1), False),
    ],
)
def test_which_events_provably_dominates(one: Events, other: Events, expected: bool) -> None:
    assert _dominates(one, other) is expected


@given(st.lists(rates, min_size=1, max_size=4), st.lists(rates, min_size=1, max_size=6))
def test_what_dominates_is_at_least_as_revealing_at_every_epsilon(one: list[Fraction], other: list[Fraction]) -> None:
    larger, smaller = pure(*one), pure(*other)
    if _dominates(larger, smaller):
        above, below = atoms(larger), atoms(smaller)
        assert above is not None
        assert below is not None
        for k in range(30):
            assert below.delta(k / 10) <= above.delta(k / 10) * (1 + 1e-8) + 1e-12


def test_alternatives_are_the_parts_of_an_outermost_choice() -> None:
    states, island = count(Fraction(3)), count(Fraction(2))
    choice = bounded_overlap("one of two", 1, (states, island))
    assert sorted(alternatives(events_of(choice)), key=str) == sorted([events_of(states), events_of(island)], key=str)
    inside = sequential("more", (choice, count(Fraction(1))))
    assert alternatives(events_of(inside)) == [events_of(inside)]


leaf = st.one_of(
    st.builds(DiscreteLaplaceNoise, rates, st.just(Fraction(1)), st.sampled_from([MONOTONE, ANY])),
    st.builds(ExponentialMechanism, rates),
    st.builds(PermuteAndFlip, rates),
    st.builds(PureDP, rates),
).map(lambda event: Guarantee("a leaf", ADD_REMOVE_PERSON, event))
parts = st.lists(
    st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda several: sequential("all", several)),
            st.tuples(st.integers(1, 4), st.lists(inner, min_size=1, max_size=3)).map(
                lambda pair: bounded_overlap("some", *pair)
            ),
        ),
        max_leaves=6,
    ),
    min_size=1,
    max_size=3,
)


def whole_rho(guarantee: Guarantee, *, replaced: bool) -> Fraction:
    """By the tree, where `rho_of` goes by the events that none dominates."""
    each = [whole_rho(part, replaced=replaced) for part in guarantee.parts]
    match guarantee.event:
        case BoundedOverlap(_, overlap):
            return overlap * max(each)
        case Sequential():
            return sum(each, Fraction(0))
        case event:
            assert not isinstance(event, FullyAdaptive | JointResiduals)
            amount = event.cost.amount**2 / (8 if isinstance(event, ExponentialMechanism) else 2)
            return amount * event.replacement_factor if replaced else amount


@pytest.mark.examples(50)
@given(parts)
def test_no_detail_that_a_charge_needs_is_lost_and_accountants_see_none(several: list[Guarantee]) -> None:
    guarantee = bounded_overlap("all", 2, several)
    detailed = detailed_events_of(guarantee)
    assert [rho_of(detailed, replaced=replaced) for replaced in (False, True)] == [
        whole_rho(guarantee, replaced=replaced) for replaced in (False, True)
    ]
    assert epsilon_of(detailed) == guarantee.cost.amount
    assert epsilon_of(without_details(detailed)) == guarantee.cost.amount
    assert events_of(without_factors(guarantee)) == events_of(guarantee)
    assert epsilon_of(replaced_events(detailed)) == 2 * guarantee.cost.amount


PURE: list[Event] = [
    DiscreteLaplaceNoise(Fraction(4), Fraction(2)),
    LatticeNoise(Fraction(1, 4), Fraction(2)),
    ExponentialMechanism(Fraction(1, 2)),
    PermuteAndFlip(Fraction(1, 2), Fraction(7)),
    PureDP(Fraction(1, 2)),
]


@pytest.mark.parametrize("event", PURE)
def test_what_is_pure_counts_as_pure_of_its_cost(event: Event) -> None:
    assert events_of(Guarantee("a leaf", ADD_REMOVE_PERSON, event)) == pure(Fraction(1, 2))


@pytest.mark.parametrize("squared", [1, 2, 3])
def test_a_small_squared_sensitivity_is_so_many_steps(squared: int) -> None:
    leaf = Guarantee("moves", ADD_REMOVE_PERSON, DiscreteGaussianNoise(Fraction(4), Fraction(squared)))
    assert events_of(leaf) == frozenset({(DiscreteGaussianNoise(Fraction(4)), squared)})
    step = Guarantee("a step", ADD_REMOVE_PERSON, DiscreteGaussianNoise(Fraction(4)))
    assert leaf.cost == sequential("steps", [step] * squared).cost


def test_no_integer_vector_of_small_norm_is_more_than_so_many_steps() -> None:
    """The argument by enumeration: at most `squared` cells differ, each by 1."""
    for squared in (1, 2, 3):
        for moved in product(range(-2, 3), repeat=4):
            if sum(each * each for each in moved) <= squared:
                assert max(map(abs, moved)) <= 1
                assert sum(map(abs, moved)) <= squared


@pytest.mark.parametrize("squared", [Fraction(1, 2), Fraction(3, 2), Fraction(4), Fraction(9)])
def test_any_other_squared_sensitivity_is_accounted_by_its_cost(squared: Fraction) -> None:
    leaf = Guarantee("a vector", ADD_REMOVE_PERSON, DiscreteGaussianNoise(Fraction(4), squared))
    assert events_of(leaf) == frozenset({(ZCDP(squared / 8), 1)})
    assert events_of(Guarantee("somebody else's", ADD_REMOVE_PERSON, ZCDP(squared / 8))) == events_of(leaf)


def test_a_thousand_choices_of_a_part_of_one_budget_are_the_whole_of_it() -> None:
    """How many parts there are follows from an earlier answer: k of a k-th each, which the one whole dominates."""
    leaf = partial(Guarantee, "part", REPLACE_PERSON)
    choices = [bounded_overlap("k", k, (leaf(PureDP(Fraction(1, k))),)) for k in range(1, 1001)]
    assert events_of(bounded_overlap("any k", 1, choices)) == {(PureDP(Fraction(1)), 1)}


@pytest.mark.examples(33)
@given(*[st.lists(st.tuples(st.fractions(Fraction(1, 9), 3, max_denominator=9), st.integers(1, 4)), max_size=4)] * 2)
def test_equal_events_are_sorted_in_together_as_one_by_one(
    larger: list[tuple[Fraction, int]], smaller: list[tuple[Fraction, int]]
) -> None:
    one, other = ({PureDP(epsilon): times for epsilon, times in each} for each in (larger, smaller))
    room = sorted((Counter(one) - Counter(other)).elements(), key=lambda event: event.epsilon, reverse=True)
    free, fits = [event.epsilon for event in room], True
    for need in sorted((event.epsilon for event in (Counter(other) - Counter(one)).elements()), reverse=True):
        place = next((at for at, left in enumerate(free) if left >= need), None)
        if place is None:
            fits = False
            break
        free[place] -= need
    assert _dominates(frozenset(one.items()), frozenset(other.items())) is fits

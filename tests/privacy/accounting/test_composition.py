"""Guarantees as bags of events: blind to order and grouping, worst part kept, nothing unknown accepted."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.accounting.binomial import atoms
from starling.privacy.accounting.composition import (
    Bag,
    Concentrated,
    Family,
    GaussianStep,
    Pure,
    _dominates,
    alternatives,
    bag_of,
)
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.guarantee import Guarantee, degree, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.privacy.safetab import GAUSSIAN, GEOMETRIC, gaussian_of, laplace_of, level, safetab

rates = st.sampled_from([Fraction(k, 12) for k in (1, 2, 3, 4, 6, 9, 12)])


def pure(*amounts: int | Fraction) -> Bag:
    return frozenset(Counter(Pure(Fraction(amount)) for amount in amounts).items())


def count(rho: Fraction) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, gaussian_of(rho))


def test_safetab_with_geometric_noise_is_its_total_only_groups() -> None:
    """The spec: total-only is the worst case and the guarantee."""
    expected = Counter({Pure(Fraction(427, 900)): 18, Pure(Fraction(249, 900)): 18, Pure(Fraction(59, 900)): 27})
    assert dict(bag_of(safetab(GEOMETRIC, laplace_of))) == expected


def test_safetab_with_gaussian_noise_keeps_both_kinds_of_groups() -> None:
    bag = bag_of(safetab(GAUSSIAN, gaussian_of))
    assert sorted(times for _, times in bag) == [2, 2, 3]
    assert all(isinstance(event, Family) and event.degree == 9 and len(event.parts) == 2 for event, _ in bag)


@given(st.lists(rates, min_size=2, max_size=6), st.integers(1, 4), st.randoms(use_true_random=False))
def test_bags_are_blind_to_order_and_grouping(amounts: list[Fraction], most: int, shuffler: object) -> None:
    """Row 12, for every accountant at once: they read the bag."""
    parts = [level("a level", amount, gaussian_of, most) for amount in amounts]
    whole = bag_of(sequential("all", tuple(parts)))
    shuffler.shuffle(parts)  # type: ignore[attr-defined]
    grouped = sequential("two", (parts[0], sequential("rest", tuple(parts[1:]))))
    assert bag_of(grouped) == whole
    assert hash(bag_of(grouped)) == hash(whole)


def test_a_family_of_one_kind_repeats_it() -> None:
    assert bag_of(degree("9", 9, (count(Fraction(1, 2)),))) == frozenset({(GaussianStep(Fraction(1)), 9)})
    nested = degree("3 of 2", 3, (degree("2", 2, (count(Fraction(1, 2)),)),))
    assert bag_of(nested) == frozenset({(GaussianStep(Fraction(1)), 6)})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (pure(1), pure(1), True),
        (pure(1), pure(Fraction(1, 10), Fraction(9, 10)), True),
        (pure(2, 1), pure(1, 1, 1), True),
        (pure(1, 1, 1), pure(2, 1), False),
        (pure(3, 3), pure(2, 2, 2), False),
        (pure(1), pure(Fraction(1, 2), Fraction(51, 100)), False),
        (frozenset({(GaussianStep(Fraction(1)), 2)}), frozenset({(GaussianStep(Fraction(1)), 1)}), True),
        (frozenset({(GaussianStep(Fraction(1)), 1)}), frozenset({(GaussianStep(Fraction(2)), 1)}), False),
        (frozenset({(Pure(Fraction(1)), 10_000)}), pure(1), False),
    ],
)
def test_which_bag_provably_dominates(one: Bag, other: Bag, expected: bool) -> None:
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
    choice = degree("one of two", 1, (states, island))
    assert sorted(alternatives(bag_of(choice)), key=str) == sorted([bag_of(states), bag_of(island)], key=str)
    inside = sequential("more", (choice, count(Fraction(1))))
    assert alternatives(bag_of(inside)) == [bag_of(inside)]


def test_leaves() -> None:
    selection = Guarantee("a selection", ADD_REMOVE_PERSON, Epsilon(Fraction(1)))
    assert bag_of(selection) == pure(1)
    wide = measurement("sensitivity 2", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(4)), 2)
    assert bag_of(wide) == pure(Fraction(1, 2))
    vector = measurement("sensitivity 2", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(4)), 2)
    assert bag_of(vector) == frozenset({(Concentrated(Fraction(1, 2)), 1)})
    unknown = Guarantee("somebody else's", ADD_REMOVE_PERSON, Rho(Fraction(1)))
    assert bag_of(unknown) == frozenset({(Concentrated(Fraction(1)), 1)})


def test_what_is_not_known_is_refused() -> None:
    whole = degree("two", 2, (count(Fraction(1)),))
    with pytest.raises(ParameterError, match="composed in a way the accountant does not know"):
        bag_of(replace(whole, composition="shuffled"))  # type: ignore[arg-type]
    leaf = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1)))
    with pytest.raises(ParameterError, match="norm is not L1"):
        bag_of(replace(leaf, norm="L2"))

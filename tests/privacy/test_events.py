"""Events: exact numbers, the cost that follows, and the way to JSON and back."""

from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import (
    ANY,
    EVENTS,
    MONOTONE,
    ZCDP,
    DiscreteGaussianNoise,
    DiscreteLaplaceNoise,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    MedianResponse,
    PermuteAndFlip,
    PureDP,
    RandomizedResponse,
    known_cost,
    noise_event,
    read,
    without_factor,
    written,
)

numbers = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)
factors = st.fractions(min_value=MONOTONE, max_value=ANY)
DRAWN = {"replacement_factor": factors, "values": st.integers(2, 40).map(Fraction)}
events = st.sampled_from([*EVENTS.values()]).flatmap(
    lambda kind: st.builds(kind, *[DRAWN.get(each.name, numbers) for each in fields(kind)])
)

COSTS: list[tuple[Event, Cost]] = [
    (DiscreteLaplaceNoise(Fraction(5, 2)), Epsilon(Fraction(2, 5))),
    (DiscreteLaplaceNoise(Fraction(10), Fraction(3)), Epsilon(Fraction(3, 10))),
    (DiscreteGaussianNoise(Fraction(5, 2)), Rho(Fraction(1, 5))),
    (DiscreteGaussianNoise(Fraction(10), Fraction(9)), Rho(Fraction(9, 20))),
    (DiscreteGaussianNoise(Fraction(10), Fraction(2)), Rho(Fraction(1, 10))),
    (LatticeNoise(Fraction(1, 5)), Epsilon(Fraction(1, 5))),
    (LatticeNoise(Fraction(1, 5), Fraction(3)), Epsilon(Fraction(3, 5))),
    (ExponentialMechanism(Fraction(1, 3), Fraction(7)), Epsilon(Fraction(1, 3))),
    (PermuteAndFlip(Fraction(1, 3), Fraction(7)), Epsilon(Fraction(1, 3))),
    (RandomizedResponse(Fraction(1, 3)), Epsilon(Fraction(1, 3))),
    (RandomizedResponse(Fraction(1, 3), Fraction(5)), Epsilon(Fraction(1, 3))),
    (MedianResponse(Fraction(1, 6), Fraction(1, 3), Fraction(5)), Epsilon(Fraction(1, 2))),
    (PureDP(Fraction(1, 3)), Epsilon(Fraction(1, 3))),
    (ZCDP(Fraction(1, 3)), Rho(Fraction(1, 3))),
]


@pytest.mark.parametrize(("event", "cost"), COSTS)
def test_the_cost_follows(event: Event, cost: Cost) -> None:
    """SafeTab 2022, Lemmas 6 and 7; the cost grows with the sensitivity, or with its square."""
    assert event.cost == cost


def test_noise_on_counts_has_the_sensitivity_of_its_norm() -> None:
    assert noise_event(DiscreteLaplace(Fraction(10)), 3) == DiscreteLaplaceNoise(Fraction(10), Fraction(3))
    assert noise_event(DiscreteGaussian(Fraction(10)), "1.5") == DiscreteGaussianNoise(Fraction(10), Fraction(9, 4))


@pytest.mark.parametrize("cost", [Epsilon(Fraction(1, 7)), Rho(Fraction(1, 7))])
def test_a_known_cost_is_what_the_event_costs(cost: Cost) -> None:
    assert known_cost(cost).cost == cost


@pytest.mark.examples(30)
@given(events)
def test_an_event_is_read_back(event: Event) -> None:
    assert read(written(event)) == event


@pytest.mark.examples(20)
@given(events)
def test_a_factor_is_written_where_one_is_declared(event: Event) -> None:
    """So that what was written before factors were declared is what is written of events that declare none."""
    plain = without_factor(event)
    assert ("replacement_factor" in written(event)) is (event.replacement_factor != ANY)
    assert "replacement_factor" not in written(plain)
    assert (plain.cost, plain.replacement_factor) == (event.cost, ANY)


def test_a_response_states_its_values_where_they_are_not_two() -> None:
    """What was written of yes and no, before there were others, is what is written of them."""
    assert written(RandomizedResponse(Fraction(1))) == {"mechanism": "randomized response", "epsilon": "1"}
    assert written(RandomizedResponse(Fraction(1), Fraction(3)))["values"] == "3"
    for values in ("1", "5/2"):
        with pytest.raises(ParameterError, match="values are not a whole number from 2 on"):
            read({"mechanism": "randomized response", "epsilon": "1", "values": values})


@pytest.mark.parametrize("kind", EVENTS.values())
@pytest.mark.parametrize("wrong", [0.5, 3**0.5, float("nan"), 0, -1, "x", True, None])
def test_a_number_that_is_not_exact_or_not_above_0_is_refused(kind: Callable[..., Event], wrong: Any) -> None:
    good = [MONOTONE for _ in fields(kind)]  # type: ignore[arg-type] # each is a dataclass
    for place in range(len(good)):
        with pytest.raises(ParameterError):
            kind(*good[:place], wrong, *good[place + 1 :])


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"mechanism": "magic", "epsilon": "1"},
        {"mechanism": "pure DP"},
        {"mechanism": "pure DP", "epsilon": "0"},
        {"mechanism": "pure DP", "epsilon": "1", "rho": "1"},
        {"mechanism": "zCDP", "rho": "x"},
        {"mechanism": "zCDP", "rho": "1", "replacement_factor": "1"},
        {"mechanism": "exponential mechanism", "epsilon": "1", "replacement_factor": "2"},
    ],
)
def test_what_is_no_event_is_not_read(said: dict[str, str]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, ParameterError)):
        read(said)

"""Guarantees: a cost is computed from its parts and stated nowhere else (rows 12, 16 and 17)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.accounting.conversion import approximate, delta_at_epsilon, epsilon_at_delta
from starling.privacy.accounting.detection import Detection, detection, detection_bound
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import DiscreteGaussianNoise
from starling.privacy.guarantee import (
    BoundedOverlap,
    Guarantee,
    Sequential,
    bounded_overlap,
    joint,
    measurement,
    sequential,
)
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from tests.privacy.safetab import GAUSSIAN, GEOMETRIC, gaussian_of, laplace_of, safetab

costs = st.fractions(min_value=Fraction(1, 1000), max_value=10, max_denominator=10**6)


def rho(cost: Fraction) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, gaussian_of(cost))


def epsilon(cost: Fraction) -> Guarantee:
    return measurement("a count", ADD_REMOVE_PERSON, laplace_of(cost))


def test_safetab_costs_the_sum_of_its_levels() -> None:
    """SafeTab 2022, Theorems 1 and 3, as exact rationals."""
    assert safetab(GEOMETRIC, laplace_of).cost == Epsilon(Fraction("15.29"))
    assert safetab(GAUSSIAN, gaussian_of).cost == Rho(Fraction("1.41"))


def test_overlap_z_costs_z_rho_and_not_z_squared_rho() -> None:
    """Row 17: one person in 9 groups, each counted with rho 0.01, against one vector of sensitivity 9 with the same noise."""
    distribution = gaussian_of(Fraction("0.01"))
    assert bounded_overlap("9 groups", 9, (rho(Fraction("0.01")),)).cost == Rho(Fraction("0.09"))
    # A unit in 9 of the cells moves the vector by sqrt(9) in L2; stability accounting takes 9, the L1 stability, for it.
    assert measurement("one vector", ADD_REMOVE_PERSON, distribution, 3).cost == Rho(Fraction("0.09"))
    assert measurement("by stability", ADD_REMOVE_PERSON, distribution, 9).cost == Rho(Fraction("0.81"))
    # In pure DP the two ways agree.
    geometric = laplace_of(Fraction("0.01"))
    assert bounded_overlap("9 groups", 9, (epsilon(Fraction("0.01")),)).cost == Epsilon(Fraction("0.09"))
    assert measurement("by stability", ADD_REMOVE_PERSON, geometric, 9).cost == Epsilon(Fraction("0.09"))


def test_overlap_takes_its_worst_part() -> None:
    assert bounded_overlap("parallel", 1, (rho(Fraction(1)), rho(Fraction(3)), rho(Fraction(2)))).cost == Rho(
        Fraction(3)
    )


@pytest.mark.examples(30)
@given(st.lists(costs, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_sum_is_blind_to_order_and_batching(amounts: list[Fraction], shuffler: object) -> None:
    """Row 12."""
    parts = [rho(amount) for amount in amounts]
    at_once = sequential("all", tuple(parts)).cost
    shuffler.shuffle(parts)  # type: ignore[attr-defined]
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = sequential("so far", (one_by_one, part))
    assert one_by_one.cost == at_once == Rho(sum(amounts, Fraction(0)))


def test_a_cost_cannot_be_typed_in() -> None:
    honest = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1)))
    with pytest.raises(TypeError):
        Guarantee("a count", ADD_REMOVE_PERSON, honest.event, cost=Epsilon(Fraction(1, 2)))  # type: ignore[call-arg]
    with pytest.raises((TypeError, ValueError), match="init=False"):  # which of the two depends on the Python
        replace(honest, cost=Epsilon(Fraction(1, 2)))
    three = bounded_overlap("three", 3, (honest,))
    assert replace(three, event=BoundedOverlap(three.parts, 2)).cost == Epsilon(Fraction(2))


@pytest.mark.parametrize("event", [None, Epsilon(Fraction(1)), DiscreteLaplace(Fraction(1)), "discrete Laplace noise"])
def test_what_is_no_event_is_refused(event: object) -> None:
    with pytest.raises(ParameterError, match="none that the accountants know"):
        Guarantee("somebody else's", ADD_REMOVE_PERSON, event)  # type: ignore[arg-type]


def test_parts_of_one_measure_and_one_relation() -> None:
    with pytest.raises(ParameterError, match="mix epsilon and rho"):
        sequential("mixed", (rho(Fraction(1)), epsilon(Fraction(1))))
    other = measurement("a count", REPLACE_PERSON, DiscreteGaussian(Fraction(1)))
    with pytest.raises(ParameterError, match="relation differs"):
        sequential("mixed", (rho(Fraction(1)), other))


@pytest.mark.parametrize("overlap", [0, -1, 1.5, True, "2"])
def test_an_overlap_is_an_int_of_1_or_more(overlap: Any) -> None:
    with pytest.raises(ParameterError, match="overlap is not an int of 1 or more"):
        bounded_overlap("none", overlap, (rho(Fraction(1)),))


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(1)), DiscreteGaussian(Fraction(1))])
def test_a_sensitivity_is_above_0_and_exact(noise: Distribution) -> None:
    for wrong in (0, -1):
        with pytest.raises(ParameterError, match="sensitivity is not above 0"):
            measurement("a count", ADD_REMOVE_PERSON, noise, wrong)
    # The float below the root of 3 has a square below 3: it would charge 1.2e-16 too little.
    with pytest.raises(ParameterError, match="sensitivity is a float"):
        measurement("a vector", ADD_REMOVE_PERSON, noise, 3**0.5)  # type: ignore[arg-type]
    moved = Guarantee("a vector", ADD_REMOVE_PERSON, DiscreteGaussianNoise(Fraction(1), Fraction(3)))
    assert moved.cost == Rho(Fraction(3, 2))


def test_a_composition_has_parts() -> None:
    for empty in (Sequential(()), BoundedOverlap((), 1)):
        with pytest.raises(ParameterError, match="parts are none"):
            Guarantee("empty", ADD_REMOVE_PERSON, empty)


@pytest.mark.examples(30)
@given(st.lists(costs, min_size=2, max_size=4), st.sampled_from([rho, epsilon]))
def test_what_was_chosen_after_other_results_has_no_loss_distribution(
    amounts: list[Fraction], make: Callable[[Fraction], Guarantee]
) -> None:
    """Costs and Renyi divergences add up; every figure that an accountant takes from a loss distribution is refused or a bound."""
    parts = tuple(map(make, amounts))
    adaptive, fixed = joint(parts[0], parts[1:]), sequential("fixed beforehand", parts)
    assert adaptive.cost == fixed.cost
    assert approximate(adaptive, "1e-10").method != "pld"
    assert epsilon_at_delta(adaptive, "1e-10") == epsilon_at_delta(fixed, "1e-10", method="renyi")
    assert detection(adaptive, 0.05) == Detection(detection_bound(fixed.cost, 0.05), exact=False)
    assert bounded_overlap("within", 1, (adaptive,)).fully_adaptive
    with pytest.raises(ParameterError, match="chosen after"):
        epsilon_at_delta(adaptive, "1e-10", method="pld")
    with pytest.raises(ParameterError, match="chosen after"):
        delta_at_epsilon(adaptive, "0.0001")

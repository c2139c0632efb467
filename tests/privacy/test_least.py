"""Each mechanism draws at its least budget, and is refused just below it by an error that names the least."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.discrete import (
    LARGEST_SCALE,
    LARGEST_SIGMA_SQUARED,
    DiscreteGaussian,
    DiscreteLaplace,
)
from starling.privacy.events import (
    EVENTS,
    Event,
    ExponentialMechanism,
    LatticeNoise,
    MedianResponse,
    PermuteAndFlip,
    noise_event,
)
from starling.privacy.guarantee import Guarantee, bounded_overlap, sequential
from starling.privacy.least import (
    LEAST_LATTICE_RATE,
    LEAST_SELECTION_RATE,
    check_least,
)
from starling.privacy.neighbours import REPLACE_PERSON
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import draw
from starling.privacy.sampling.response import randomized_choice
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip
from tests.stepping import at_most

ONE_MORE = 1 + Fraction(1, 2**20)
AT_LEAST: dict[str, Event] = {
    "laplace": noise_event(DiscreteLaplace(LARGEST_SCALE)),
    "gaussian": noise_event(DiscreteGaussian(LARGEST_SIGMA_SQUARED)),
    "lattice": LatticeNoise(LEAST_LATTICE_RATE),
    "exponential": ExponentialMechanism(2 * LEAST_SELECTION_RATE),
    "permute-and-flip": PermuteAndFlip(2 * LEAST_SELECTION_RATE),
    "median": MedianResponse(2 * LEAST_SELECTION_RATE, Fraction(1, 2**40)),
}
BELOW: dict[str, Event] = {
    "laplace": noise_event(DiscreteLaplace(LARGEST_SCALE * ONE_MORE)),
    "gaussian": noise_event(DiscreteGaussian(LARGEST_SIGMA_SQUARED * ONE_MORE)),
    "lattice": LatticeNoise(LEAST_LATTICE_RATE / ONE_MORE),
    "exponential": ExponentialMechanism(2 * LEAST_SELECTION_RATE / ONE_MORE),
    "permute-and-flip": PermuteAndFlip(2 * LEAST_SELECTION_RATE / ONE_MORE),
    "median": MedianResponse(2 * LEAST_SELECTION_RATE / ONE_MORE, Fraction(1, 2**40)),
}


def drawn(event: Event) -> None:
    """One draw of what the event says."""
    scores = np.array([0, 5, -(10**9), 3, 2**60])
    if isinstance(event, LatticeNoise):
        lattice_noise(event.rate, 1, columns=3)
    elif isinstance(event, ExponentialMechanism):
        exponential_mechanism(scores, event.epsilon, event.score_sensitivity, 3)
    elif isinstance(event, MedianResponse):
        exponential_mechanism(scores, event.median_epsilon)
        randomized_choice(scores, event.response_epsilon, 5)
    elif isinstance(event, PermuteAndFlip):
        permute_and_flip(scores, event.epsilon, event.score_sensitivity)
    else:
        noise = (
            DiscreteLaplace(LARGEST_SCALE) if event == AT_LEAST["laplace"] else DiscreteGaussian(LARGEST_SIGMA_SQUARED)
        )
        draw(noise, 100, search="fixed")


def test_every_event_of_which_the_mechanism_is_known_has_a_least() -> None:
    """A response is drawn at any epsilon: its coins are never wider than a word and what follows it."""
    without = {EVENTS[name] for name in ("pure DP", "zCDP", "randomized response", "stored randomized response")}
    assert {type(event) for event in AT_LEAST.values()} == set(EVENTS.values()) - without


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "lattice" else ()) for name in AT_LEAST]
)
def test_a_mechanism_draws_at_its_least(name: str) -> None:
    event = AT_LEAST[name]
    check_least(Guarantee("a count", REPLACE_PERSON, event))
    with at_most(20_000_000):
        drawn(event)


@pytest.mark.parametrize("name", BELOW)
def test_less_is_refused_with_the_least_of_the_whole(name: str) -> None:
    """The error names what the whole has to cost: three of a part, which has less than a third of it."""
    part = Guarantee("a part", REPLACE_PERSON, BELOW[name])
    whole = sequential("the whole", (bounded_overlap("three", 3, (part,)), part))
    with pytest.raises(ParameterError, match="the whole cannot be drawn: the least is") as refused:
        check_least(whole)
    (problem,) = refused.value.problems
    least = Fraction(problem.fix.removeprefix("give at least "))
    assert problem.field == whole.cost.measure
    assert whole.cost.amount < least <= whole.cost.amount * Fraction(102, 100)

"""Runs a release again on neighbouring records with what the first run drew, as Re:cord-play does.

A `Tape` stands before everything random that mechanisms call. In the first run it writes down each call and its result. In the second it
gives the same results back: in place of a sum of counts and noise the noisy counts of before, in place of a selection its choice. What the
second run does otherwise, or publishes otherwise, follows from a confidential value that no noise covers. What the results cost, given
the two inputs of each call, is added up by the calls' own parameters.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest

from starling.errors import RunFailed
from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.sampling import entropy, exact_draws, lattice, noise, response, selection, selection_rows

NOISE: Final[dict[str, Callable[..., Any]]] = {
    "draw": noise.draw,
    "discrete_laplace": noise.discrete_laplace,
    "discrete_gaussian": noise.discrete_gaussian,
    "lattice_noise": lattice.lattice_noise,
}
CHOICES: Final[dict[str, Callable[..., Any]]] = {
    "exponential_mechanism": selection.exponential_mechanism,
    "permute_and_flip": selection.permute_and_flip,
    "exponential_rows": selection_rows.exponential_rows,
    "randomized_response": response.randomized_response,
    "randomized_choice": response.randomized_choice,
}
COINS: Final[dict[str, Callable[..., Any]]] = {"below": exact_draws.below, "fresh_bytes": entropy.fresh_bytes}
"""Public coins: they look at nothing. Of `fresh_bytes` those alone by which a person's records are chosen when these are counted."""


@dataclass
class Drawn:
    """What a call of a sampler was for: its name, its public parameters and the shape of its confidential input."""

    name: str
    parameters: str
    result: Any
    confidential: Any = None


@dataclass
class Tape:
    """The calls of the first run, and how far a second has come.

    Attributes:
        measure: In which costs are added up.
        calls: In their order.
        cost: What the results of the second run cost, when it is over.
        replays: Whether results are given back.
        wrong: What a call did that it must not; a run that stops tells nobody why it did.
    """

    measure: Measure = "epsilon"
    calls: list[Drawn] = field(default_factory=list)
    cost: Fraction = Fraction(0)
    replays: bool = False
    wrong: str = ""
    _at: int = 0
    _elements: list[tuple[Any, int]] = field(default_factory=list)
    _changes: dict[int, int] = field(default_factory=dict)

    def rewind(self) -> None:
        """Begin a second run, or a further one."""
        self.replays, self.cost, self._at = True, Fraction(0), 0
        self._elements.clear()
        self._changes.clear()

    def end(self) -> None:
        """The second run is over: it made all calls of the first, and its noise is priced."""
        assert self._at == len(self.calls), "the second run draws less than the first"
        assert not self.wrong, self.wrong
        lattices: dict[int, tuple[Fraction, int]] = {}
        for element, change in self._changes.items():
            distribution, call = self._elements[element]
            if isinstance(distribution, DiscreteLaplace):
                self.cost += abs(change) / distribution.scale
            elif isinstance(distribution, DiscreteGaussian):
                self.cost += Fraction(change**2) / (2 * distribution.sigma_squared)
            else:
                rate, norm = lattices.get(call, (distribution, 0))
                lattices[call] = rate, norm + max(change, 0)
        self.cost += sum((rate * norm for rate, norm in lattices.values()), Fraction(0))

    def _next(self, name: str, parameters: str) -> Drawn:
        call = self.calls[self._at] if self._at < len(self.calls) else None
        self._at += 1
        if call is None or (call.name, call.parameters) != (name, parameters):
            self.wrong = f"the second run draws otherwise: {name} {parameters} in place of {call}"
            raise AssertionError(self.wrong)
        return call

    def noise(self, name: str, sampler: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Noise; in the second run, in place of each number, which element of which call it is."""
        parameters = repr((arguments, options))
        if not self.replays:
            self.calls.append(Drawn(name, parameters, sampler(*arguments, **options)))
            return self.calls[-1].result
        result = self._next(name, parameters).result
        first = arguments[0]
        of = {"discrete_laplace": DiscreteLaplace, "discrete_gaussian": DiscreteGaussian}.get(name, lambda each: each)
        start = len(self._elements)
        self._elements += [(of(Fraction(first) if name != "draw" else first), self._at)] * result.size
        # From 1, so that an element with its sign changed is known.
        return np.arange(start + 1, start + 1 + result.size, dtype=np.int64).reshape(result.shape)

    def choose(
        self, name: str, sampler: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """A selection or a response from confidential scores or answers, the first argument."""
        confidential, *public = arguments
        values = np.asarray(confidential)
        parameters = repr((values.shape, public, options))
        if not self.replays:
            self.calls.append(Drawn(name, parameters, sampler(*arguments, **options), values.copy()))
            return self.calls[-1].result
        call = self._next(name, parameters)
        self.cost += self._price(name, values, call.confidential, public)
        return call.result

    def _price(self, name: str, values: Any, before: Any, public: list[Any]) -> Fraction:
        """Of a choice; a row of `exponential_rows` is one choice, and a person's answer one of a response."""
        changed = np.atleast_2d(values.astype(object) - before.astype(object))
        if name.startswith("randomized"):
            return Fraction(public[0]) * int(np.count_nonzero(changed))
        sensitivity = Fraction(public[1]) if len(public) > 1 else Fraction(1)
        epsilons = [Fraction(public[0]) * int(abs(row).max()) / sensitivity for row in changed]
        # An exponential mechanism of epsilon has a range of epsilon, which costs rho epsilon^2 / 8.
        return sum((each if self.measure == "epsilon" else each**2 / 8 for each in epsilons), Fraction(0))

    def add(self, counts: Any, drawn: Any) -> Any:
        """Counts with noise."""
        if not self.replays:
            self.calls.append(Drawn("checked_add", repr(counts.shape), noise.checked_add(counts, drawn), counts.copy()))
            return self.calls[-1].result
        call = self._next("checked_add", repr(counts.shape))
        changes = (np.ravel(counts).astype(object) - np.ravel(call.confidential).astype(object)).tolist()
        for element, change in zip(np.ravel(drawn).tolist(), changes, strict=True):
            signed = change if element > 0 else -change
            if self._changes.setdefault(abs(element) - 1, signed) != signed:
                self.wrong = "one draw covers two values"
        return call.result

    @contextmanager
    def stands_before_sampling(self) -> Iterator[None]:
        """While this lasts, all modules beyond the samplers' own call this tape."""
        with pytest.MonkeyPatch.context() as patch:
            for module, name, sampler in _calls():
                patch.setattr(module, name, self._stand_in(name, sampler))
            try:
                yield
            except RunFailed:
                assert not self.wrong, self.wrong
                raise

    def _stand_in(self, name: str, sampler: Callable[..., Any]) -> Callable[..., Any]:
        if name == "checked_add":
            return self.add
        way = self.noise if name in NOISE else self.choose if name in CHOICES else self._coin
        return lambda *arguments, **options: way(name, sampler, arguments, options)

    def _coin(self, name: str, sampler: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A public coin, that looks at nothing confidential."""
        if not self.replays:
            self.calls.append(Drawn(name, repr((arguments, options)), sampler(*arguments, **options)))
            return self.calls[-1].result
        return self._next(name, repr((arguments, options))).result


def _calls() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Where in the house samplers are called by their own names."""
    samplers = {**NOISE, **CHOICES, **COINS, "checked_add": noise.checked_add}
    for path, module in list(sys.modules.items()):
        if path.startswith("starling.") and not path.startswith("starling.privacy"):
            for name, sampler in samplers.items():
                if name == "fresh_bytes" and "counts" not in path:
                    continue
                if getattr(module, "__dict__", {}).get(name) is sampler:
                    yield module, name, sampler

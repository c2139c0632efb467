"""Whole releases of a method on tiny grids, one by one, with their exact probabilities under neighbouring databases.

In place of noise a script says which noisy values come out, and which of several candidates a selection takes; what is written down is how
likely each is. So a release is a sequence of values, and the logarithm of its probability ratio is a sum of rationals,
|y - c'|/b - |y - c|/b over all draws of scale b, and of the logarithms of the ratios of selections.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, log, prod
from typing import Protocol, TypeAlias

import numpy as np
import pytest

from starling.places.arrays import Int64
from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.method import Method
from starling.privacy.budget import Epsilon
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.events import MONOTONE, DiscreteLaplaceNoise, PureDP
from tests.privacy.leaves import leaves


@dataclass(frozen=True)
class Drawn:
    """One noisy value: of what, with which amount for one point, and what came out."""

    exact: int
    amount: Fraction
    value: int

    def loss(self, other: "Drawn | Selected") -> Fraction:
        """The logarithm of how much likelier this value is here than there."""
        assert isinstance(other, Drawn)
        assert (self.amount, self.value) == (other.amount, other.value), "the scales of noise depend on the data"
        return (abs(other.value - other.exact) - abs(self.value - self.exact)) * self.amount

    @property
    def probability(self) -> float:
        q = exp(-float(self.amount))
        return (1 - q) / (1 + q) * q ** abs(self.value - self.exact)


@dataclass(frozen=True)
class Selected:
    """What the exponential mechanism chose, by which scores, with which amount for a change of 1 in them."""

    exact: tuple[int, ...]
    amount: Fraction
    value: int

    def loss(self, other: "Drawn | Selected") -> Fraction:
        """The logarithm of how much likelier this choice is here than there."""
        assert isinstance(other, Selected)
        assert (self.amount, self.value) == (other.amount, other.value)
        return Fraction(log(self.probability) - log(other.probability))

    @property
    def probability(self) -> float:
        weights = [exp(float(self.amount) * (score - max(self.exact)) / 2) for score in self.exact]
        return weights[self.value] / sum(weights)


Draw: TypeAlias = Drawn | Selected


def loss_of(one: Draw, other: Draw) -> Fraction:
    """The loss of one value."""
    return one.loss(other)


Release: TypeAlias = Measured | tuple[Measured, ...]
"""Of one grid, or of one for each slice."""

Replays: TypeAlias = dict[tuple[int, ...], tuple[Release, list[Draw]]]
"""Releases of one grid and their draws, by the values that come out first."""


class Drawing(Protocol):
    """A method, or one over several slices."""

    def draw(self, exact: Int64, /) -> Release:
        """Measure."""
        ...


Choices: TypeAlias = Sequence[int] | Callable[[Fraction], Sequence[int]]
"""What may come out, or what may for noise of each amount."""


def of(choices: Choices, draw: Draw) -> Sequence[int]:
    """The choices for this draw: of a selection all candidates."""
    return range(len(draw.exact)) if isinstance(draw, Selected) else of_noise(choices, draw.amount)


def of_noise(choices: Choices, amount: Fraction) -> Sequence[int]:
    """The choices for noise of this amount."""
    return choices(amount) if callable(choices) else choices


@dataclass
class Script:
    """Stands for the noise: values come out as they are given, and after these the first choice."""

    choices: Choices
    given: Sequence[int] = ()
    drawn: list[Draw] = field(default_factory=list)

    def noisy(self, exact: Int64, amount: Fraction) -> Int64:
        first, at = of_noise(self.choices, amount)[0], len(self.drawn)
        values = (*self.given[at : at + exact.size], *(first,) * (exact.size - max(len(self.given) - at, 0)))
        pairs = zip(exact.reshape(-1).tolist(), values, strict=True)
        self.drawn += [Drawn(each, amount, value) for each, value in pairs]
        return np.array(values, dtype=np.int64).reshape(exact.shape)

    def select(self, scores: Int64, amount: Fraction, sensitivity: int = 1) -> list[int]:
        """In place of `exponential_mechanism`."""
        at = len(self.drawn)
        chosen = self.given[at] if at < len(self.given) else 0
        self.drawn.append(Selected(tuple(scores.tolist()), amount / sensitivity, chosen))
        return [chosen]

    def replay(self, method: Drawing, exact: Int64, given: Sequence[int]) -> tuple[Release, list[Draw]]:
        """The release in which these values come out."""
        self.given, self.drawn = given, []
        return method.draw(exact), self.drawn

    def tree(self, method: Drawing, exact: Int64, given: Sequence[int]) -> tuple[MeasuredTree, list[Draw]]:
        """The release of a method that measures a tree."""
        measured, drawn = self.replay(method, exact, given)
        assert isinstance(measured, MeasuredTree)
        return measured, drawn


@contextmanager
def scripted(choices: Choices, patch: pytest.MonkeyPatch) -> Iterator[Script]:
    """A script in place of all noise."""
    script = Script(choices)
    with patch.context() as patched:
        for module in [each for name, each in sys.modules.items() if name.startswith("starling.places.mechanism.")]:
            for drawing, instead in (("noisy", script.noisy), ("exponential_mechanism", script.select)):
                if hasattr(module, drawing):
                    patched.setattr(module, drawing, instead)
        yield script


def neighbours(grid: Int64, points: int) -> Iterator[Int64]:
    """Every grid with one to so many points more; of several slices, in whatever slices."""
    for number in range(1, points + 1):
        for cells in combinations_with_replacement(range(grid.size), number):
            more = grid.copy()
            np.add.at(more.reshape(-1), list(cells), 1)
            yield more


def same(one: Release, other: Release) -> bool:
    """Whether two releases are equal."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        assert isinstance(one, tuple)
        assert isinstance(other, tuple)
        return all(same(a, b) for a, b in zip(one, other, strict=True))
    if not isinstance(one, MeasuredTree) or not isinstance(other, MeasuredTree):
        return np.array_equal(one.value, other.value)
    return one.noises == other.noises and all(
        np.array_equal(a, b)
        for a, b in (
            (one.tree.boxes, other.tree.boxes),
            (one.tree.parents, other.tree.parents),
            (one.node, other.node),
            (one.value, other.value),
            (one.noise, other.noise),
            (one.steered, other.steered),
            (one.searched, other.searched),
        )
    )


def is_monotone(method: Drawing) -> bool:
    """Whether all noisy numbers of a method are declared monotone."""
    return isinstance(method, Method) and not any(
        isinstance(each, PureDP) or (isinstance(each, DiscreteLaplaceNoise) and each.replacement_factor != MONOTONE)
        for each in leaves(method.guarantee)
    )


def check_monotone(one: Sequence[Draw], more: Sequence[Draw]) -> None:
    """No noisy number is lower with points more, along the same path."""
    pairs = zip(one, more, strict=True)
    assert all(b.exact >= a.exact for a, b in pairs if isinstance(a, Drawn) and isinstance(b, Drawn))


def releases(
    method: Drawing,
    one: Int64,
    other: Int64,
    choices: Choices,
    patch: pytest.MonkeyPatch,
    loss: Callable[[Draw, Draw], Fraction] = loss_of,
    of_one: Replays | None = None,
) -> Iterator[Fraction]:
    """The privacy loss of every release in which each value is one of the choices; `loss` is that of one value.

    Values of boxes that hold as many points in both grids have no loss, and are not varied. `of_one` holds releases of the first grid, and
    takes those that it lacks.
    """
    open_scripts: list[tuple[int, ...]] = [()]
    of_one = {} if of_one is None else of_one
    monotone = is_monotone(method)
    with scripted(choices, patch) as script:
        while open_scripts:
            stated = open_scripts.pop()
            if stated not in of_one:
                of_one[stated] = script.replay(method, one, stated)
            (here, left), (there, right) = of_one[stated], script.replay(method, other, stated)
            assert same(here, there), "the form of a release depends on more than what is released"
            if monotone:
                check_monotone(left, right)
            for place in range(len(stated), len(left)):
                if left[place].exact != right[place].exact:
                    before = tuple(each.value for each in left[:place])
                    open_scripts += [(*before, value) for value in of(choices, left[place])[1:]]
            yield sum((loss(a, b) for a, b in zip(left, right, strict=True) if a != b), Fraction(0))


def losses(
    method: Drawing,
    grids: Sequence[Int64],
    points: int,
    choices: Choices,
    patch: pytest.MonkeyPatch,
    loss: Callable[[Draw, Draw], Fraction] = loss_of,
) -> Iterator[Fraction]:
    """The privacy loss, in either direction, of each release of all neighbours of some grids; `loss` is that of one value."""
    with_replays: list[tuple[Int64, Replays]] = [(grid, {}) for grid in grids]
    for grid, replays in with_replays:
        for other in neighbours(grid, points):
            for each in releases(method, grid, other, choices, patch, loss, replays):
                yield abs(each)


def largest_loss(
    method: Drawing,
    grids: Sequence[Int64],
    points: int,
    choices: Choices,
    patch: pytest.MonkeyPatch,
    loss: Callable[[Draw, Draw], Fraction] = loss_of,
) -> Fraction:
    """The largest of `losses`."""
    return max(losses(method, grids, points, choices, patch, loss))


def total_probability(method: Drawing, grid: Int64, choices: Choices, patch: pytest.MonkeyPatch) -> float:
    """The probability of all releases in which each value is one of the choices, varying all of them."""
    open_scripts: list[tuple[int, ...]] = [()]
    total = 0.0
    with scripted(choices, patch) as script:
        while open_scripts:
            stated = open_scripts.pop()
            _, drawn = script.replay(method, grid, stated)
            for place in range(len(stated), len(drawn)):
                before = tuple(each.value for each in drawn[:place])
                open_scripts += [(*before, value) for value in of(choices, drawn[place])[1:]]
            total += prod(each.probability for each in drawn)
    return total


def amounts(measured: MeasuredTree) -> list[list[Fraction]]:
    """What a point of each cell has paid for all measurements of boxes that hold it."""
    spent = np.full(measured.tree.shape, Fraction(0), dtype=object)
    for node, noise in zip(measured.node.tolist(), measured.noise.tolist(), strict=True):
        kind = measured.noises[noise]
        assert isinstance(kind, DiscreteLaplace)
        top, bottom, left, right = measured.tree.boxes[node].tolist()
        spent[top:bottom, left:right] += 1 / kind.scale
    result: list[list[Fraction]] = spent.tolist()
    return result


def check_cost(method: Method, epsilon: Fraction) -> None:
    """The guarantee and the lines of the budget say what the method was given."""
    assert method.guarantee.cost == Epsilon(epsilon)
    assert sum(each.epsilon for each in method.budget) == epsilon
    assert all(each.epsilon > 0 for each in method.budget)


def tiny_grids(shape: tuple[int, int]) -> list[Int64]:
    """A grid without points, and one with 0 to 2 a cell."""
    cells = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape)
    return [np.zeros(shape, dtype=np.int64), cells * 2 % 3]

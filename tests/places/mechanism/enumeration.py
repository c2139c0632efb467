"""Whole releases of a method on tiny grids, one by one, with their exact probabilities under neighbouring databases.

In place of noise a script says which noisy values come out; what is written down is how likely each is. So a release is a sequence of
values, and the logarithm of its probability ratio is a sum of rationals, |y - c'|/b - |y - c|/b over all draws of scale b.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, prod
from typing import TypeAlias

import numpy as np
import pytest

from starling.places.measurements import Int64, Measured, MeasuredTree
from starling.places.mechanism.method import Method
from starling.privacy.budget import Epsilon
from starling.privacy.distributions.discrete import DiscreteLaplace


@dataclass(frozen=True)
class Drawn:
    """One noisy value: of what, with which amount for one point, and what came out."""

    exact: int
    amount: Fraction
    value: int

    def loss(self, other: "Drawn") -> Fraction:
        """The logarithm of how much likelier this value is here than there."""
        assert (self.amount, self.value) == (other.amount, other.value), "the scales of noise depend on the data"
        return (abs(other.value - other.exact) - abs(self.value - self.exact)) * self.amount

    @property
    def probability(self) -> float:
        q = exp(-float(self.amount))
        return (1 - q) / (1 + q) * q ** abs(self.value - self.exact)


Choices: TypeAlias = Sequence[int] | Callable[[Fraction], Sequence[int]]
"""What may come out, or what may for noise of each amount."""


def of(choices: Choices, amount: Fraction) -> Sequence[int]:
    """The choices for noise of this amount."""
    return choices(amount) if callable(choices) else choices


@dataclass
class Script:
    """Stands for the noise: values come out as they are given, and after these the first choice."""

    choices: Choices
    given: Sequence[int] = ()
    drawn: list[Drawn] = field(default_factory=list)

    def noisy(self, exact: Int64, amount: Fraction) -> Int64:
        out = np.empty(exact.size, dtype=np.int64)
        for place, each in enumerate(exact.reshape(-1).tolist()):
            at = len(self.drawn)
            out[place] = self.given[at] if at < len(self.given) else of(self.choices, amount)[0]
            self.drawn.append(Drawn(each, amount, int(out[place])))
        return out.reshape(exact.shape)

    def replay(self, method: Method, exact: Int64, given: Sequence[int]) -> tuple[Measured, list[Drawn]]:
        """The release in which these values come out."""
        self.given, self.drawn = given, []
        return method.draw(exact), self.drawn

    def tree(self, method: Method, exact: Int64, given: Sequence[int]) -> tuple[MeasuredTree, list[Drawn]]:
        """The release of a method that measures a tree."""
        measured, drawn = self.replay(method, exact, given)
        assert isinstance(measured, MeasuredTree)
        return measured, drawn


@contextmanager
def scripted(choices: Choices, patch: pytest.MonkeyPatch) -> Iterator[Script]:
    """A script in place of all noise."""
    script = Script(choices)
    with patch.context() as patched:
        for name, module in list(sys.modules.items()):
            if name.startswith("starling.places.mechanism.") and hasattr(module, "noisy"):
                patched.setattr(module, "noisy", script.noisy)
        yield script


def neighbours(grid: Int64, points: int) -> Iterator[Int64]:
    """Every grid with one to so many points more."""
    for number in range(1, points + 1):
        for cells in combinations_with_replacement(range(grid.size), number):
            more = grid.copy()
            np.add.at(more.reshape(-1), list(cells), 1)
            yield more


def same(one: Measured, other: Measured) -> bool:
    """Whether two releases are equal."""
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


def releases(
    method: Method,
    one: Int64,
    other: Int64,
    choices: Choices,
    patch: pytest.MonkeyPatch,
    loss: Callable[[Drawn, Drawn], Fraction] = Drawn.loss,
) -> Iterator[Fraction]:
    """The privacy loss of every release in which each value is one of the choices; `loss` is that of one value.

    Values of boxes that hold as many points in both grids have no loss, and are not varied.
    """
    open_scripts: list[tuple[int, ...]] = [()]
    with scripted(choices, patch) as script:
        while open_scripts:
            given = open_scripts.pop()
            (here, left), (there, right) = (script.replay(method, grid, given) for grid in (one, other))
            assert same(here, there), "the form of a release depends on more than what is released"
            for place in range(len(given), len(left)):
                if left[place].exact != right[place].exact:
                    before = tuple(each.value for each in left[:place])
                    open_scripts += [(*before, value) for value in of(choices, left[place].amount)[1:]]
            yield sum((loss(a, b) for a, b in zip(left, right, strict=True)), Fraction(0))


def largest_loss(
    method: Method,
    grids: Sequence[Int64],
    points: int,
    choices: Choices,
    patch: pytest.MonkeyPatch,
    loss: Callable[[Drawn, Drawn], Fraction] = Drawn.loss,
) -> Fraction:
    """The largest privacy loss of all releases of all neighbours of some grids, in either direction; `loss` is that of one value."""
    return max(
        abs(each)
        for grid in grids
        for other in neighbours(grid, points)
        for each in releases(method, grid, other, choices, patch, loss)
    )


def total_probability(method: Method, grid: Int64, choices: Choices, patch: pytest.MonkeyPatch) -> float:
    """The probability of all releases in which each value is one of the choices, varying all of them."""
    open_scripts: list[tuple[int, ...]] = [()]
    total = 0.0
    with scripted(choices, patch) as script:
        while open_scripts:
            given = open_scripts.pop()
            _, drawn = script.replay(method, grid, given)
            for place in range(len(given), len(drawn)):
                before = tuple(each.value for each in drawn[:place])
                open_scripts += [(*before, value) for value in of(choices, drawn[place].amount)[1:]]
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
    found: list[list[Fraction]] = spent.tolist()
    return found


def check_cost(method: Method, epsilon: Fraction) -> None:
    """The guarantee and the lines of the budget say what the method was given."""
    assert method.guarantee.cost == Epsilon(epsilon)
    assert sum(each.epsilon for each in method.budget) == epsilon
    assert all(each.epsilon > 0 for each in method.budget)


def tiny_grids(shape: tuple[int, int]) -> list[Int64]:
    """A grid without points, and one with 0 to 2 a cell."""
    cells = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape)
    return [np.zeros(shape, dtype=np.int64), cells * 2 % 3]

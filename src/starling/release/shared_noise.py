"""What numbers of one group, or groups that were made to add up, know of the noise that they share.

Cells of one group stand together as `Cells`, for some are rounded: corrected together by whole persons, or combined from several
measurements. They say three things of any weighted sum of the group's cells: the draws in it, what roundings add to them at most,
which widens the interval, and the variance with the roundings in it. Groups without a common draw are independent.

Estimates that were made to add up share very many draws, and none with anything else: no release adds to them. Of any weighted sum of
their cells (`Linked`) the exact variance is known, and the margin is as many deviations as the estimates say, in whole persons upwards.
It is around the sum before rounding, which is public too. A number in whole persons that is less than 1 away has the same whole numbers
within this margin, or more; any other sum gets a wider one, by what it is further away. Draws are whole, and deviations those of continuous
noise: so no margin is less than they say and a step.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.discrete import Distribution

_NEXT_TO: Final = 1e-6
"""Persons that sums of doubles may be off."""
Draws: TypeAlias = Mapping[Hashable, tuple[Distribution, Fraction]]
"""By its name, the distribution of each independent draw in a number, and its weight."""


class Cells(Protocol):
    """The cells of a group, published as measured, or rounded together or each by itself. What compares equal is the same group."""

    def __hash__(self) -> int: ...

    def draws(self, weights: Sequence[Fraction]) -> Draws:
        """The draws in the sum of the cells, each times its weight, by their names; its roundings apart."""

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        """What roundings may have added to that sum, at most."""

    def variance(self, weights: Sequence[Fraction]) -> float:
        """The variance of that sum as published, with its roundings."""


class Estimates(Protocol):
    """Groups whose numbers were made to add up. What compares equal is of the same draws."""

    def __hash__(self) -> int: ...

    def variance(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """The exact variance of the sum of the groups' cells, each times its weight, before they are rounded to whole persons."""

    def most_moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """By how much rounding may have moved that sum, at most, whatever was measured."""

    def moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """By how much rounding moved that sum, of the numbers that were released."""

    def deviations(self, alpha: Fraction, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How many standard deviations hold all but `alpha` of what that sum errs, were it continuous."""

    def step(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How much further an interval reaches since draws are whole (privacy/distributions/deviations.py); 0 where the variance is."""


def beyond_one(moved: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """By how many persons an interval in whole persons is wider because rounding moved its middle so far."""
    beyond: npt.NDArray[np.int64] = np.floor(np.abs(moved) + _NEXT_TO).astype(np.int64)
    return beyond


@dataclass(frozen=True, slots=True)
class Linked:
    """The cells of one group of `Estimates`."""

    estimates: Estimates
    group: Hashable

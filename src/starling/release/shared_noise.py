"""What numbers of one group, or groups that were made to add up, know of the noise that they share.

Cells of one group stand together as `Cells`, for some are rounded: corrected together by whole persons, or combined from several
measurements. They say three things of any weighted sum of the group's cells: the draws in it, what roundings add to them at most,
which widens the interval, and the variance with the roundings in it. Groups without a common draw are independent.

Estimates that were made to add up share very many draws, and none with anything else: no release adds to them. Of any weighted sum of
their cells (`Linked`) the exact variance is known, and the margin is as many deviations as the estimates say, in whole persons upwards.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

from starling.privacy.distributions.discrete import Distribution

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

    def deviations(self, alpha: Fraction) -> float:
        """How many standard deviations hold all but `alpha` of what such a sum errs."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The cells of one group of `Estimates`."""

    estimates: Estimates
    group: Hashable

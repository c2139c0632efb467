"""The budget of a release over levels of regions and bands of sizes.

Privacy. A member more or less moves one group from size s to s + 1: in each level this changes one cumulative count, c[r,s], by 1. So noise
of scale 1/eps_l(s) on c[.,s] of level l costs, for this pair of neighbours, the sum over l of eps_l(s). Where that sum is epsilon for
every s, the release is epsilon-DP, however differently sizes share epsilon out over the levels (rho of zCDP alike). A move over q sizes
meets q sums, each taken at scale q/eps_l(s), so that each counts for a q-th.

Who reads the root, or a few large regions, needs most of the budget there at sizes that groups rarely have: in small regions these are
nearly always 0, which no budget tells better. Sizes that most groups have are worth more in the leaves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from starling.errors import ParameterError
from starling.privacy.budget import Exact, positive


@dataclass(frozen=True, slots=True)
class SplitBudget:
    """What each level may spend at each size, the same in all: whatever the size, the levels add up to the whole budget.

    Attributes:
        bands: The first size of each band, ascending from 0.
        amounts: For each band the amount of each level, the root's first, above 0: epsilon, or rho of zCDP.
    """

    bands: tuple[int, ...]
    amounts: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        if not self.bands or self.bands[0] or list(self.bands) != sorted(set(self.bands)):
            raise ParameterError(field="bands", problem="do not ascend from size 0", fix="begin with 0")
        if len(self.amounts) != len(self.bands) or len({len(each) for each in self.amounts}) != 1:
            raise ParameterError(
                field="amounts", problem="do not name every level in every band", fix="give each level its amount"
            )
        if not self.amounts[0] or min(map(min, self.amounts)) <= 0:
            raise ParameterError(
                field="amounts", problem="are not all above 0", fix="measure every level at every size"
            )
        if len({sum(each, Fraction(0)) for each in self.amounts}) != 1:
            raise ParameterError(
                field="amounts", problem="do not add up to one budget", fix="spend the same at every size"
            )

    @classmethod
    def equal(cls, whole: Exact, levels: int) -> Self:
        """`whole` in equal parts, one for each of `levels` levels, at every size.

        >>> SplitBudget.equal(1, 3).amounts
        ((Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)),)
        """
        return cls.weighted(whole, [1] * levels)

    @classmethod
    def weighted(cls, whole: Exact, weights: Sequence[Exact]) -> Self:
        """`whole` in proportion to the weights of the levels, the root's first, at every size.

        Raises:
            ParameterError: without weights, or for one that is not above 0.

        >>> SplitBudget.weighted(1, ["0.1", "0.3", "0.6"]).amounts
        ((Fraction(1, 10), Fraction(3, 10), Fraction(3, 5)),)
        """
        budget = positive(whole, field="budget")
        numbers = [positive(weight, field="weights") for weight in weights]
        total = sum(numbers, Fraction(0))
        return cls((0,), (tuple(budget * number / total for number in numbers),))

    @property
    def whole(self) -> Fraction:
        """The whole budget."""
        return sum(self.amounts[0], Fraction(0))

    @property
    def levels(self) -> int:
        """How many levels share it."""
        return len(self.amounts[0])

    def by_size(self, level: int, sizes: int) -> tuple[Fraction, ...]:
        """The amount of a level at each of the sizes 0 to `sizes` - 1.

        >>> SplitBudget((0, 2), ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2),) * 2)).by_size(0, 3)
        (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
        """
        ends = [min(first, sizes) for first in (*self.bands[1:], sizes)]
        found: list[Fraction] = []
        for amounts, end in zip(self.amounts, ends, strict=True):
            found.extend([amounts[level]] * (end - len(found)))
        return tuple(found)

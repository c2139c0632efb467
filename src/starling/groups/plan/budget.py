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
from typing import Final, Self

from starling.errors import ParameterError
from starling.privacy.budget import Exact, Measure, exact, positive, power

UNITS: Final = 100
"""A budget for shares gives each level a whole number of these parts of it."""
LEAST_UNITS: Final = 2
"""The fewest that a level gets."""
MOST_LEVELS: Final = 10
IMPORTANCE: Final = Fraction(3, 5)
"""Where no importance is stated, it is the number of leaves for each region of a level, to this power (bench/groups_accuracy.py)."""
BEST_POWER: Final[dict[Measure, str]] = {"epsilon": "1/2", "rho": "2/3"}
"""Amounts in proportion to this power of weights make the weighted sum of errors least, since errors are as 1/eps or 1/sqrt(rho)."""


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
            raise ParameterError("bands", "do not ascend from size 0", "begin with 0")
        if len(self.amounts) != len(self.bands) or len({len(each) for each in self.amounts}) != 1:
            raise ParameterError("amounts", "do not name every level in every band", "give each level its amount")
        if not self.amounts[0] or min(map(min, self.amounts)) <= 0:
            raise ParameterError("amounts", "are not all above 0", "measure every level at every size")
        if len({sum(each, Fraction(0)) for each in self.amounts}) != 1:
            raise ParameterError("amounts", "do not add up to one budget", "spend the same at every size")

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

    @classmethod
    def for_shares(
        cls,
        whole: Exact,
        shares: Sequence[Exact],
        groups: int,
        regions: Sequence[int],
        importance: Sequence[Exact] | None = None,
        *,
        measure: Measure = "epsilon",
        quantity: int = 1,
    ) -> Self:
        """A budget for each size, after what is publicly expected of it: no record is looked at.

        A region of level l expects m groups of size s or s + 1, whichever are more. Noise matters as far as groups have such sizes at all:
        the part f = m/(m + v), where v is the variance of the noise in a cumulative count under an equal split. Errors of the level are in
        proportion to 1/eps_l(s), or to 1/sqrt(rho_l(s)). So the sum over levels of importance times regions times f times error is
        least where eps_l(s) is in proportion to the square root of importance times regions times f, or rho_l(s) to the power 2/3 of it.
        Where f is near 0 on every level, nearly no group has such a size, but c is read there too, and levels share equally. In between,
        the two are mixed. Parts are rounded to hundredths, none below two.

        Args:
            whole: The whole budget, above 0.
            shares: For each size 0 to N its public share of all groups, of invented or earlier data; none negative.
            groups: G, at least 1.
            regions: How many regions each level has, the root's first.
            importance: What an error in one group weighs at each level, above 0. None: the number of leaves for each region of the
                level, to the power 3/5, which leaves the upper levels nearly as exact as an equal split does on Census-like data.
            measure: Of the budget: epsilon of pure DP, or rho of zCDP.
            quantity: q, the most that one member adds to a size.

        Raises:
            ParameterError: for a number out of range, or levels that do not fit.

        >>> budget = SplitBudget.for_shares(1, ["0.5", "0.5", 0, 0, 0], 10_000, [1, 100], [10, 1])
        >>> budget.bands, [str(amount) for amount in budget.amounts[0]]
        ((0, 2), ['13/50', '37/50'])
        """
        budget = positive(whole, field="budget")
        parts = [exact(share, field="shares") for share in shares]
        if importance is None:
            importance = [power(Fraction(regions[-1], max(count, 1)), IMPORTANCE) for count in regions]
        weights = [positive(weight, field="importance") for weight in importance]
        if not parts or min(parts) < 0:
            raise ParameterError("shares", "are none, or negative", "give a share of 0 or more for each size")
        if len(regions) > MOST_LEVELS:
            raise ParameterError("regions", f"have more than {MOST_LEVELS} levels", "weigh the levels by hand")
        if groups < 1 or min(regions, default=0) < 1 or len(regions) != len(weights):
            fix = "give each level regions and importance"
            raise ParameterError("regions", "or groups are not above 0 on every level", fix)
        each_level = budget / len(regions)
        # Of the discrete Laplace distribution of scale q/eps, to leading order; of the discrete Gaussian of parameter q/(2 rho).
        noise = 2 * (quantity / each_level) ** 2 if measure == "epsilon" else quantity / (2 * each_level)
        bands: list[int] = []
        amounts: list[tuple[Fraction, ...]] = []
        before = None
        for size, share in enumerate(parts):
            most = max(share, parts[size + 1]) if size + 1 < len(parts) else share
            if most == before:
                continue
            before = most
            felt = [most * groups / (most * groups + noise * count) for count in regions]
            units = _units(
                [weight * count * part for weight, count, part in zip(weights, regions, felt, strict=True)],
                max(felt),
                BEST_POWER[measure],
            )
            amounts_here = tuple(budget * each / UNITS for each in units)
            if not amounts or amounts_here != amounts[-1]:
                bands.append(size)
                amounts.append(amounts_here)
        return cls(tuple(bands), tuple(amounts))

    @property
    def whole(self) -> Fraction:
        """The whole budget."""
        return sum(self.amounts[0], Fraction(0))

    def by_size(self, level: int, sizes: int) -> tuple[Fraction, ...]:
        """The amount of a level at each of the sizes 0 to `sizes` - 1.

        >>> SplitBudget((0, 2), ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2),) * 2)).by_size(0, 3)
        (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
        """
        ends = [min(first, sizes) for first in (*self.bands[1:], sizes)]
        result: list[Fraction] = []
        for amounts, end in zip(self.amounts, ends, strict=True):
            result.extend([amounts[level]] * (end - len(result)))
        return tuple(result)


def _units(weights: Sequence[Fraction], mixed: Fraction, best: str) -> list[int]:
    """UNITS in whole numbers: the part `mixed` in proportion to the power `best` of weights, the rest equally, none below LEAST_UNITS."""
    levels = len(weights)
    roots = [power(weight, best) if weight else Fraction(0) for weight in weights]
    total = sum(roots, Fraction(0))
    parts = [mixed * root / total if total else Fraction(0) for root in roots]
    free = UNITS - LEAST_UNITS * levels
    wanted = [free * (part + (1 - sum(parts)) / levels) for part in parts]
    units = [int(each) for each in wanted]
    by_remainder = sorted(range(levels), key=lambda level: (units[level] - wanted[level], level))
    for level in by_remainder[: free - sum(units)]:
        units[level] += 1
    return [LEAST_UNITS + each for each in units]

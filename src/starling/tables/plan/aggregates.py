"""Aggregates: sums and means, or quantiles, of a column of numbers in every group of a level.

A number is clamped to the public bounds of its column and counted in units of its last place, so that all of this is in whole numbers. A
record without a number takes no part in the aggregate; whoever takes part has a number x with low <= x <= high, W = high - low.

*Sums.* Of each group two numbers are measured together, A = sum of (high - x) and B = sum of (x - low). A record adds high - x >= 0 and
x - low >= 0 to them, W in all: the pair has L1 sensitivity W, and L2 sensitivity at most W. From it follow the size (A + B) / W, the
sum (high B + low A) / W and the mean (high B + low A) / (A + B). Measuring a sum and a count one after the other, each with half the
budget, gives the same accuracy under rho, and twice the variance of both under epsilon; where low is 0, the pair costs no more than
the sum alone, for which a sensitivity of high is needed. Both numbers are MONOTONE (privacy/events.py), which a sum of terms of both
signs is not.

*Quantiles by noisy counts.* The classes of the column are measured as the nodes of a tree of `depth` levels. A record is in one node of
each level, so that each level is one measurement of sensitivity 1, and levels compose.

*Quantiles by selection.* The quantile of share a/b of N records is the first class up to which there are at least a N / b of them. A
class with L records below it and U above it is scored by -max(0, b L - a N, b U - (b - a) N): 0 for the quantile, and else b times the
records that it is off. One record more or less changes either term by a or by b - a, which is the sensitivity. The exponential mechanism
costs its epsilon; in zCDP epsilon^2 / 8, since the range of its privacy loss is bounded by epsilon (Cesar and Rogers, Bounding,
Concentrating, and Truncating, 2021). Each share is one selection.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, isqrt, pi, sqrt
from typing import Final, Literal, TypeAlias

from starling.privacy.budget import Measure, Rho
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.events import ANY, MONOTONE, Event, ExponentialMechanism, known_cost
from starling.privacy.guarantee import Guarantee, measurement, sequential
from starling.privacy.neighbours import Relation
from starling.tables.plan.levels import Level
from starling.tables.plan.variants import noise_of

Way: TypeAlias = Literal["counts", "selection"]
"""How quantiles are measured."""
MOST_CLASSES: Final = 256
"""Classes of the numbers that quantiles are of: a counted record keeps its class in 8 bits."""
MOST_SHARES: Final = 9
"""Quantiles of one group."""
FINEST_SHARE: Final = 100
"""The largest denominator of a share: a selection's sensitivity grows with it."""
WIDEST: Final = 2**40
"""Units that the bounds of a column of sums may be apart: noise of up to 2^10 times as much is drawn."""
NARROW: Final = 2**31
"""Up to this width the two numbers of a group are 64-bit integers; those of wider columns are decimals of 128 bits."""
OF_SUMS: Final = ("size", "sum", "mean")
"""The statistics of a sum."""
_ROOT: Final = 10**12
"""Parts of one in which the root of a budget is rounded down."""


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Which quantiles are asked for, and how they are measured.

    Attributes:
        shares: The shares of the records that are at most the quantile, ascending, above 0 and below 1.
        cuts: The least number of each class, from the least of the column on, in units of its last place.
        way: Noisy counts of the classes give intervals and all quantiles at once; a selection gives each quantile by itself.
    """

    shares: tuple[Fraction, ...]
    cuts: tuple[int, ...]
    way: Way

    def epsilon(self, measure: Measure, share: Fraction) -> Fraction:
        """The epsilon of each selection of a group that spends `share` on all of them: under rho, at most the root of 8 rho."""
        each = share / len(self.shares)
        if measure == "epsilon":
            return each
        # The root of a floor, itself rounded down, is never above the root.
        return Fraction(isqrt(int(8 * each * _ROOT**2)), _ROOT)

    def least_share(self, measure: Measure, epsilon: Fraction) -> Fraction:
        """The least that a group spends on all of them where each selection has this epsilon, or a little more."""
        each = epsilon if measure == "epsilon" else Fraction(ceil(epsilon * _ROOT) ** 2, 8 * _ROOT**2)
        return each * len(self.shares)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Sums, or quantiles, of a column in the groups of one level.

    Attributes:
        level: Regions, groups, budget and stability; it has no thresholds.
        column: The column of numbers, by its name in the plan.
        low: The least number, in units of the last place.
        quantiles: What is asked for; None for sums.
    """

    level: Level
    column: str
    low: int
    high: int
    quantiles: Quantiles | None = None

    @property
    def name(self) -> str:
        """What is measured, for messages and the guarantee."""
        return f"{'sums' if self.quantiles is None else 'quantiles'} of {self.column} {self.level.name}"

    @property
    def width(self) -> int:
        """W: how far two numbers can be apart."""
        return self.high - self.low

    @property
    def replacement_factor(self) -> Fraction:
        """MONOTONE where what is measured are counts, or the two numbers of a sum; ANY of selections."""
        return ANY if self.quantiles is not None and self.quantiles.way == "selection" else MONOTONE

    @property
    def wide(self) -> bool:
        """Whether the numbers of a group may be beyond 64 bits: sums of a wide column."""
        return self.quantiles is None and self.width > NARROW

    @property
    def cells(self) -> int:
        """How many exact numbers there are of each group: the two of a sum, or the classes."""
        return 2 if self.quantiles is None else len(self.quantiles.cuts)

    def noise(self, measure: Measure, share: Fraction) -> Distribution:
        """The noise of each number of a group that spends `share`; of sums, or of quantiles by noisy counts."""
        if self.quantiles is not None:
            return quantile_noise(self.cells, measure, share)
        return noise_of(measure, share, self.width)

    def guarantee(self, measure: Measure, share: Fraction, relation: Relation) -> Guarantee:
        """What one group that spends `share` costs a record in it."""
        if self.quantiles is None:
            return measurement(f"{self.name} of a group", relation, self.noise(measure, share), self.width, MONOTONE)
        if self.quantiles.way == "counts":
            noise, depth = self.noise(measure, share), tree(self.cells, measure).depth
            names = [f"{self.name}, level {at + 1} of the tree" for at in range(depth)]
            each = [measurement(name, relation, noise, 1, MONOTONE) for name in names]
            return sequential(f"{self.name} of a group", each)
        shares, epsilon = self.quantiles.shares, self.quantiles.epsilon(measure, share)
        # Under rho the root of the budget was rounded down, so that a selection costs at most its part.
        events: list[Event] = [known_cost(Rho(share / len(shares)))] * len(shares)
        if measure == "epsilon":
            events = [ExponentialMechanism(epsilon, Fraction(sensitivity(each))) for each in shares]
        selections = zip(shares, events, strict=True)
        parts = [Guarantee(f"{self.name} at {each}", relation, event) for each, event in selections]
        return sequential(f"{self.name} of a group", parts)


def quantile_noise(classes: int, measure: Measure, share: Fraction) -> Distribution:
    """The noise of each node of the tree of a group that spends `share` on all levels."""
    return noise_of(measure, share / tree(classes, measure).depth)


def statistic_names(aggregate: Aggregate) -> tuple[str, ...]:
    """What the statistics of an aggregate are called."""
    if aggregate.quantiles is None:
        return OF_SUMS
    return tuple(f"quantile {float(share):g}" for share in aggregate.quantiles.shares)


def sensitivity(share: Fraction) -> int:
    """How much one record can change the score of a class, for the quantile of this share.

    >>> sensitivity(Fraction(1, 2)), sensitivity(Fraction(9, 10))
    (1, 9)
    """
    return max(share.numerator, share.denominator - share.numerator)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree over classes: each level cuts them into nodes of one width, which divides that of the level before.

    Attributes:
        widths: Classes of a node of each level, from the widest on; the last is 1.
    """

    classes: int
    widths: tuple[int, ...]

    @property
    def depth(self) -> int:
        """How many levels there are, and so nodes that a record is in."""
        return len(self.widths)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has."""
        return tuple(-(-self.classes // width) for width in self.widths)

    @property
    def nodes(self) -> int:
        """How many there are."""
        return sum(self.sizes)

    def below(self, edge: int) -> tuple[tuple[int, int], ...]:
        """The nodes of each level, from a first one and before a last one, that together hold the classes before `edge`."""
        nodes, at = [], 0
        for width in self.widths:
            nodes.append((at // width, edge // width))
            at = edge // width * width
        return tuple(nodes)

    def above(self, edge: int) -> tuple[tuple[int, int], ...]:
        """The nodes of each level that together hold the classes from `edge` on."""
        nodes, end = [], self.sizes[0] * self.widths[0]
        for width, size in zip(self.widths, self.sizes, strict=True):
            first = -(-edge // width)
            # Nodes beyond the last class are not there, and hold nobody.
            nodes.append((min(first, size), min(end // width, size)))
            end = first * width
        return tuple(nodes)

    def terms(self, edge: int) -> tuple[int, int]:
        """How many nodes are below and above an edge."""
        below, above = (sum(last - first for first, last in part) for part in (self.below(edge), self.above(edge)))
        return below, above


@lru_cache(maxsize=64)
def tree(classes: int, measure: Measure) -> Tree:
    """The tree whose medians err least: that of least variance at its worst edge.

    >>> tree(4, "rho").widths, tree(256, "rho").widths
    ((1,), (64, 16, 4, 1))
    """
    shapes = sorted({(1,), *(_widths(classes, branching) for branching in range(2, classes))})
    # Levels share the budget: the variance of a node grows with their number, or under epsilon with its square.
    power = 2 if measure == "epsilon" else 1

    def variance(shape: Tree) -> int:
        return int(shape.depth**power) * max(sum(shape.terms(edge)) for edge in range(1, classes))

    return min((Tree(classes, widths) for widths in shapes), key=variance)


def _widths(classes: int, branching: int) -> tuple[int, ...]:
    widths = [1]
    while widths[-1] * branching < classes:
        widths.append(widths[-1] * branching)
    return tuple(reversed(widths))


def better_way(classes: int, shares: tuple[Fraction, ...], measure: Measure, share: Fraction) -> Way:
    """The way whose quantiles are fewer records off, on average over the shares, by `rank_errors`.

    >>> better_way(4, tuple(Fraction(each, 8) for each in range(1, 8)), "rho", Fraction(1, 10))
    'counts'
    """
    errors = rank_errors(classes, shares, measure, share)
    ways: tuple[Way, Way] = ("selection", "counts")
    return min(ways, key=lambda way: sum(errors[way]))


def rank_errors(
    classes: int, shares: tuple[Fraction, ...], measure: Measure, share: Fraction
) -> dict[Way, tuple[float, ...]]:
    """About how many records each quantile is off, on average, either way. Where a class holds more than that it is nearly always hit."""
    shape, noise = tree(classes, measure), quantile_noise(classes, measure, share)
    counts = []
    for quantile in shares:
        edge = min(max(round(quantile * classes), 1), classes - 1)
        below, above = shape.terms(edge)
        variance = float((1 - quantile) ** 2 * below + quantile**2 * above) * standard_deviation(noise) ** 2
        # The mean absolute value of a normal error.
        counts.append(sqrt(2 / pi * variance))
    epsilon = Quantiles(shares, (), "selection").epsilon(measure, share)
    # Scores fall by b for each record, so that the records off are about exponential, to either side.
    selection = [float(2 * sensitivity(each) / (epsilon * each.denominator)) if epsilon else inf for each in shares]
    return {"counts": tuple(counts), "selection": tuple(selection)}

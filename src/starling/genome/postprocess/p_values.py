"""What a release tells of one SNP from noisy counts: its p-value, its effect, and who lacks a call.

Numbers are rounded, an interval outward, so that the last bits of a machine's logarithms do not change what is told.
"""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Final

from starling.genome.inference.answers import ALPHA, effect, p_value
from starling.genome.inference.called import lacking
from starling.genome.inference.intervals import Interval
from starling.genome.inference.ranges import Range
from starling.genome.measurements import Cells
from starling.genome.plan import Plan, SnpPval
from starling.release.codec import OPTIONAL
from starling.release.session import Fields

CONFIDENCE: Final = 1 - ALPHA
"""The chance that an interval, or a statement about a selection, holds; each on its own."""
PLACES: Final = 6
"""Decimals of a logarithm or a correlation."""
DIGITS: Final = 4
"""Digits of a p-value."""
EFFECT_DIGITS: Final = 6
"""Digits of an odds ratio or a share."""
_LEAST: Final = 5e-324
"""No p-value is 0; below it the logarithm tells."""


@dataclass(frozen=True, slots=True)
class Effect:
    """How a SNP goes with the disease, from the same noisy counts as its p-value, at no further cost.

    Of carriers under the dominant and recessive models, of alleles under the genotypic and allelic ones. Each range holds the value of the
    exact table, with a chance of CONFIDENCE or more for all three together; it is no confidence interval of a population.

    Attributes:
        odds_ratio: Odds of the allele among cases over those among controls; an empty cell counts as 1/2.
        cases: Share of cases, or of their alleles, with the allele.
        controls: Share of controls, or of their alleles, with the allele.
    """

    odds_ratio: Interval
    cases: Interval
    controls: Interval


class _ByLogarithm:
    """A p-value that is known by its logarithm."""

    __slots__ = ()

    log10: Interval

    @property
    def p(self) -> float:
        """The p-value of the noisy counts."""
        return _power(self.log10.estimate, ROUND_HALF_EVEN)

    @property
    def low(self) -> float:
        """The lower end, rounded down."""
        return _power(self.log10.low, ROUND_FLOOR)

    @property
    def high(self) -> float:
        """The upper end, rounded up."""
        return max(_power(self.log10.high, ROUND_CEILING), _LEAST)


@dataclass(frozen=True, slots=True)
class Missingness(_ByLogarithm):
    """Whether cases and controls lack calls of a SNP alike, from the same noisy counts as its p-value, at no further cost.

    Attributes:
        log10: log10 of the p-value of Fisher's exact test of who has a call and who lacks one, and the range that holds the exact one with
            a chance of CONFIDENCE or more.
        cases: Share of cases without a call, and its range.
        controls: Share of controls without a call, and its range.
    """

    log10: Interval
    cases: Interval
    controls: Interval


@dataclass(frozen=True, slots=True)
class PValue(_ByLogarithm, Fields):
    """The p-value of a SNP.

    Attributes:
        counts: Noisy, as they were drawn: cases with and without the carried allele, then controls; or by 0, 1, 2 copies; or each
            with who lacks a call.
        log10: log10 of the p-value of the noisy counts, and the range that holds the exact one with a chance of CONFIDENCE or more.
        effect: Odds ratio and shares of the noisy counts.
        missing: Of who lacks a call, where the plan counts them apart.
    """

    snp: str
    test: str
    counts: tuple[int, ...]
    log10: Interval
    effect: Effect
    missing: Missingness | None = field(default=None, metadata=OPTIONAL)


def p_value_of(plan: Plan, query: SnpPval, drawn: Cells) -> PValue:
    """What the noisy counts of a SNP tell."""
    odds_ratio, cases, controls = (_digits(each) for each in effect(plan, query, drawn))
    log10 = rounded(p_value(plan, query, drawn))
    missing = None
    if plan.missing is not None:
        differ, *lack = lacking(plan, query, drawn, ALPHA)
        missing = Missingness(rounded(differ), *map(_digits, lack))
    return PValue(query.snp, query.test, drawn.counts, log10, Effect(odds_ratio, cases, controls), missing)


def _digits(interval: Range) -> Interval:
    """The range to EFFECT_DIGITS digits, the ends outward."""

    def written(value: Fraction, rounding: str) -> float:
        context = Context(prec=EFFECT_DIGITS, rounding=rounding)
        return float(context.divide(Decimal(value.numerator), Decimal(value.denominator)))

    return Interval(
        written(interval.estimate, ROUND_HALF_EVEN),
        written(interval.low, ROUND_FLOOR),
        written(interval.high, ROUND_CEILING),
    )


def rounded(interval: Interval) -> Interval:
    """To PLACES decimals, the ends outward.

    >>> rounded(Interval(-1.23456789, -2.00000001, 0.0))
    Interval(estimate=-1.234568, low=-2.000001, high=0.0)
    """
    scale = 10**PLACES
    # Adding 0.0 makes -0.0, which a text would show, the plain 0.
    return Interval(
        round(interval.estimate, PLACES) + 0.0,
        floor(Fraction(interval.low) * scale) / scale + 0.0,
        ceil(Fraction(interval.high) * scale) / scale + 0.0,
    )


def _power(log10: float, rounding: str) -> float:
    """10 to that power, to DIGITS digits: in decimal arithmetic, which is the same on every machine."""
    if log10 == 0.0:
        return 1.0
    exact = Context(prec=40).power(Decimal(10), Decimal(log10))
    return float(Context(prec=DIGITS, rounding=rounding).plus(exact))

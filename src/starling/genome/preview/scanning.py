"""What a scan will be worth: the share of the sample that the coins leave, and the odds ratios that are found.

The score test of an allele of log odds ratio b has the non-centrality n Var(x) b^2 K (1 - K) times the share of the sample, x the column
of the SNP and K the share of cases, to first order in b (inference/scans.py has the share). It is at or below the threshold 95 times of
100 where the square root is the threshold's normal quantile and 1.645 more. Covariates are not supposed: what they explain is lost
besides. Of a quantitative phenotype b is in its standard deviations, K (1 - K) is 1, and the share is that of plan/intervals.py.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, log, sqrt
from typing import Final

from starling.genome.distance.constants import quantile
from starling.genome.inference.medians import median_error
from starling.genome.inference.scans import share_left
from starling.genome.plan import Scan
from starling.genome.plan.intervals import CUTS, normal_share
from starling.genome.preview.typical import FREQUENCIES, ODDS_RATIOS, Assumed, ExpectedAnswer
from starling.release.codec import OPTIONAL

SURE: Final = 1.6448536269514722
"""What a standard normal variable is below 95 times of 100."""
PREVALENCES: Final = (0.5, 0.2, 0.05, 0.01)
AT: Final = 0.2
"""The frequency at which a margin is stated."""


@dataclass(frozen=True, slots=True)
class ShareLeft:
    """The share of the sample that a response leaves at a share of cases."""

    prevalence: float
    share: float


@dataclass(frozen=True, slots=True)
class ShareOfIntervals:
    """The share of the sample that a response leaves of a normal phenotype in so many intervals; of `chosen` ones by the question."""

    intervals: int
    share: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class NeededOddsRatio:
    """The odds ratio from which a SNP is found 95 times of 100; None where none up to 100 is enough. Of a quantitative phenotype its effect
    in standard deviations.

    Attributes:
        frequency: Of the carried allele.
        without_noise: If every phenotype were told.
        detected: By the response.
    """

    frequency: float
    without_noise: float | None
    detected: float | None


@dataclass(frozen=True, repr=False)
class ExpectedScan(ExpectedAnswer):
    """What to expect of a scan."""

    query: Scan
    shares: tuple[ShareLeft, ...]
    needed: tuple[NeededOddsRatio, ...]
    intervals: tuple[ShareOfIntervals, ...] = field(default=(), metadata=OPTIONAL)
    median: int | None = field(default=None, metadata=OPTIONAL)
    """People that the side with fewer at a paid median lacks at most, against the best step, 95 times of 100."""


def scan(assumed: Assumed, question: Scan) -> ExpectedScan:
    """What to expect of a scan of the supposed study."""
    if assumed.plan.between is not None:
        return _quantitative(assumed, question.at_best(assumed.plan))
    own = assumed.cases / assumed.plan.people
    shares = tuple(ShareLeft(each, share_left(each, question.epsilon)) for each in dict.fromkeys((own, *PREVALENCES)))
    needed = tuple(
        NeededOddsRatio(each, needed_odds_ratio(assumed, each, 1.0), needed_odds_ratio(assumed, each, shares[0].share))
        for each in FREQUENCIES
    )
    return ExpectedScan(question, shares, needed)


def _quantitative(assumed: Assumed, question: Scan) -> ExpectedScan:
    shares = tuple(
        ShareOfIntervals(number, normal_share(question.response_epsilon, number), number == question.values)
        for number in CUTS
    )
    left = normal_share(question.response_epsilon, question.values)
    needed = tuple(
        NeededOddsRatio(each, needed_slope(assumed, each, 1.0), needed_slope(assumed, each, left))
        for each in FREQUENCIES
    )
    return ExpectedScan(question, (), needed, shares, median_error(assumed.plan, question))


def error(assumed: Assumed, question: Scan) -> float:
    """The odds ratio from which an allele of frequency AT is found; infinite where none up to 100 is enough. Of a quantitative phenotype
    the effect in standard deviations.
    """
    if assumed.plan.between is not None:
        chosen = question.at_best(assumed.plan)
        return needed_slope(assumed, AT, normal_share(chosen.response_epsilon, chosen.values))
    needed = needed_odds_ratio(assumed, AT, share_left(assumed.cases / assumed.plan.people, question.epsilon))
    return float("inf") if needed is None else needed


def needed_odds_ratio(assumed: Assumed, frequency: float, share: float) -> float | None:
    """The odds ratio from which an allele is found 95 times of 100 at a share of the sample; None where none up to 100 is enough."""
    cases = assumed.cases / assumed.plan.people
    wanted = needed_slope(assumed, frequency, cases * (1 - cases) * share)
    return exp(wanted) if wanted <= log(ODDS_RATIOS[-1]) else None


def needed_slope(assumed: Assumed, frequency: float, information: float) -> float:
    """The slope of a phenotype on the model's number of copies from which an allele is found 95 times of 100, where a person tells so much
    of it, in units of 1/slope^2.
    """
    plan = assumed.plan
    carriers = {"dominant": 1 - (1 - frequency) ** 2, "recessive": frequency**2}.get(plan.model)
    variance = 2 * frequency * (1 - frequency) if carriers is None else carriers * (1 - carriers)
    return (sqrt(quantile(Fraction(plan.p_threshold), 1)) + SURE) / sqrt(plan.people * variance * information)

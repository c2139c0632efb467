"""From what was drawn to what is told: p-values and correlations with their intervals, selections with how far they may be off.

Everything here is a function of the plan, the query and the noisy answer, so it is released at no further cost.
"""

from fractions import Fraction
from typing import Final, Literal, cast

from starling.genome.inference.effects import Range, odds_ratio, share, steps_of, two_by_two
from starling.genome.inference.intervals import (
    Interval,
    allelic_interval,
    correlation_interval,
    genotypic_interval,
    p_value_interval,
    reach,
    trend_interval,
)
from starling.genome.inference.selections import SelectionError
from starling.genome.measurements import Cells
from starling.genome.plan import LocBlock, LocSig, NumSig, Plan, SnpCorr, SnpPval
from starling.genome.scores.locations import num_sig_outputs
from starling.genome.statistics import PTest

ALPHA: Final = Fraction(5, 100)
"""Chance that an interval misses, unless said otherwise."""


def p_value(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction = ALPHA) -> Interval:
    """log10 of the p-value of a SNP and the range that holds the exact one with probability 1 - alpha or more.

    Raises:
        ParameterError: for alpha outside (0, 1).
    """
    steps = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    if query.test == "trend":
        return trend_interval(drawn.counts, plan.people, steps)
    if plan.model == "genotypic":
        return genotypic_interval(drawn.counts, plan.people, cast(Literal["g", "chi2"], query.test), steps)
    if plan.model == "allelic":
        return allelic_interval(drawn.counts, plan.people, cast(PTest, query.test), steps)
    return p_value_interval(drawn.counts, plan.people, cast(PTest, query.test), steps)


def effect(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction = ALPHA) -> tuple[Range, Range, Range]:
    """Odds ratio, and the shares of cases and of controls that have the allele, each with the range that holds that of the exact table
    with probability 1 - alpha or more, all three together.

    Raises:
        ParameterError: for alpha outside (0, 1).
    """
    reached = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    table, steps = two_by_two(drawn.counts, plan.people, plan.model), steps_of(reached, plan.model)
    a, b, c, d = table
    return odds_ratio(table, steps), share(a, b, steps), share(c, d, steps)


def correlation(plan: Plan, query: SnpCorr, drawn: Cells, alpha: Fraction = ALPHA) -> Interval:
    """The correlation of a pair and the range that holds the exact one with probability 1 - alpha or more.

    Raises:
        ParameterError: for alpha outside (0, 1).
    """
    steps = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    return correlation_interval(drawn.counts, plan.people, query.correlation, steps)


def selection_error(plan: Plan, query: NumSig | LocSig | LocBlock) -> SelectionError:
    """How far the answer to a query may be from the best one: public, the same for every study."""
    if isinstance(query, NumSig):
        return SelectionError(len(num_sig_outputs(query.k, len(plan.snps))), query.epsilon)
    if isinstance(query, LocSig):
        held = sum(stop - start for start, stop in query.ranges(plan))
        return SelectionError(held, query.epsilon, query.k)
    return SelectionError(query.candidates(plan).count + 1, query.epsilon)

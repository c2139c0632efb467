"""What effects of SNPs will be worth: how much of a score's variance is noise, and the odds ratios that are found.

The scale of the noise follows from M (distance/joint_scores.py), which is of the study's genotypes. It is supposed that all k SNPs have one
frequency, that genotypes are in Hardy-Weinberg proportions, that covariates explain nothing, and that one person has the largest number in
all columns: M is k times that of one SNP, which is the most that it can be there. Mostly it is far less.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from starling.genome.plan import SnpEffects
from starling.genome.plan.queries import selecting
from starling.genome.preview.scanning import AT, NeededOddsRatio, needed_odds_ratio
from starling.genome.preview.typical import FREQUENCIES, Assumed, ExpectedAnswer

_CODES: Final = {"additive": (0, 1, 2), "dominant": (0, 1, 1), "recessive": (0, 0, 1)}
"""What a number of copies counts as."""


@dataclass(frozen=True, repr=False)
class ExpectedEffects(ExpectedAnswer):
    """What to expect of effects.

    Attributes:
        shares: Of each frequency, the share of a score's variance that is not noise.
        needed: Of each frequency, the odds ratio from which a SNP is at or below the plan's threshold 95 times of 100.
    """

    query: SnpEffects
    shares: tuple[float, ...]
    needed: tuple[NeededOddsRatio, ...]


def snp_effects(assumed: Assumed, question: SnpEffects) -> ExpectedEffects:
    """What to expect of effects in the supposed study."""
    shares = tuple(share(assumed, question, frequency) for frequency in FREQUENCIES)
    needed = tuple(
        NeededOddsRatio(each, needed_odds_ratio(assumed, each, 1.0), needed_odds_ratio(assumed, each, left))
        for each, left in zip(FREQUENCIES, shares, strict=True)
    )
    return ExpectedEffects(question, shares, needed)


def share(assumed: Assumed, question: SnpEffects, frequency: float) -> float:
    """The share of the variance of a score that is not noise, for SNPs of that frequency."""
    plan, f = assumed.plan, frequency
    chances, codes = ((1 - f) ** 2, 2 * f * (1 - f), f**2), _CODES[plan.model]
    mean = sum(chance * code for chance, code in zip(chances, codes, strict=True))
    spread = sum(chance * (code - mean) ** 2 for chance, code in zip(chances, codes, strict=True))
    most = max(abs(code - mean) for code in codes) / sqrt(plan.people * spread)
    cases = assumed.cases / plan.people
    variance = 0.25 if question.prevalence_epsilon is None else cases * (1 - cases)
    return float(variance / (variance + 2 * (len(question.snps) * most / float(selecting(question))) ** 2))


def error(assumed: Assumed, question: SnpEffects) -> float:
    """The odds ratio from which an allele of frequency AT is found; infinite where none up to 100 is enough."""
    needed = needed_odds_ratio(assumed, AT, share(assumed, question, AT))
    return float("inf") if needed is None else needed

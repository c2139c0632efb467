"""What slopes from noisy moments will be worth: how wide their intervals are.

What inference/slopes.py makes of the sums of a supposed study without noise and without effect: its phenotype is normal, its deviation a
sixth of the way between the plan's ends and its mean half way; genotypes are in Hardy-Weinberg proportions, and nobody lacks anything.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from starling.genome.inference.slopes import slope_of, sums_of
from starling.genome.measurements import NoisyMoments
from starling.genome.plan import SnpEffects
from starling.genome.plan.moments import HALF, snp_weights, trait_weights
from starling.genome.plan.queries import LARGEST_EPSILON
from starling.genome.preview.scanning import AT
from starling.genome.preview.typical import FREQUENCIES, Assumed, ExpectedAnswer

_DEVIATION = Fraction(1, 6)


@dataclass(frozen=True, slots=True)
class ExpectedWidth:
    """The width of the 95 % interval of a slope, in the unit of the phenotype.

    Attributes:
        frequency: Of the carried allele.
        without_noise: By sampling alone.
        width: By sampling and noise together.
    """

    frequency: float
    without_noise: float
    width: float


@dataclass(frozen=True, repr=False)
class ExpectedSlopes(ExpectedAnswer):
    """What to expect of slopes."""

    query: SnpEffects
    widths: tuple[ExpectedWidth, ...]


def snp_slopes(assumed: Assumed, question: SnpEffects) -> ExpectedSlopes:
    """What to expect of slopes in the supposed study."""
    sure = replace(question, epsilon=Fraction(LARGEST_EPSILON))
    return ExpectedSlopes(
        question,
        tuple(ExpectedWidth(each, width(assumed, sure, each), width(assumed, question, each)) for each in FREQUENCIES),
    )


def width(assumed: Assumed, question: SnpEffects, frequency: float) -> float:
    """The width of the interval of an allele of that frequency, in the unit of the phenotype."""
    plan, people = assumed.plan, assumed.plan.people
    assert plan.between is not None
    copies, squares = (round(people * share) for share in (2 * frequency - 1, frequency**2 + (1 - frequency) ** 2))
    _, of_copies, of_squares, _ = snp_weights().tolist()
    _, of_phenotypes, _ = trait_weights().tolist()
    variance = round(people * 4 * HALF**2 * _DEVIATION**2)
    k = len(question.snps)
    sums = NoisyMoments(
        (0,) * k, (copies * of_copies,) * k, (squares * of_squares,) * k, (0,) * k, (0, variance * of_phenotypes, 0)
    )
    _, low, high = slope_of(plan, question, sums_of(plan, question, sums)[0])
    return (high - low) * float(plan.between[1] - plan.between[0])


def error(assumed: Assumed, question: SnpEffects) -> float:
    """The width of the interval of an allele of frequency AT."""
    return width(assumed, question, AT)

"""Effects and p-values in words."""

from typing import Final

from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.plan import Model, Plan

OF: Final[dict[Model, str]] = {
    "dominant": "of carriers",
    "recessive": "of carriers of two copies",
    "genotypic": "of the allele",
    "allelic": "of the allele",
    "additive": "of each copy",
}
"""What an odds ratio and shares are of, under each model."""
ONE_MORE: Final = {"additive": "one more copy", "dominant": "carrying the allele", "recessive": "carrying two copies"}
"""What a slope is with, under each model."""


def snp_effect_text(plan: Plan, each: SnpEffect) -> str:
    """The effect of a SNP with its interval and p-value, without a full stop."""
    value, low, high = effect_text(each.slope if each.odds_ratio is None else each.odds_ratio)
    what = f"odds ratio {OF[plan.model]} about"
    if each.odds_ratio is None:
        what = f"{'the share of cases' if plan.between is None else 'the phenotype'} grows by about"
        value = f"{value} with {ONE_MORE[plan.model]}"
    return f"{each.snp}: {what} {value} ({low} to {high}); p is about {power_text(each.log10_p, each.p)}"


def effect_text(interval: Interval) -> tuple[str, str, str]:
    """An odds ratio or a share, and the ends of its range."""
    return f"{interval.estimate:z.3g}", f"{interval.low:z.3g}", f"{interval.high:z.3g}"


def power_text(log10: float, value: float) -> str:
    """A p-value; where a float would be too small, from its logarithm."""
    if value > 1e-300:
        return f"{value:z.4g}"
    exponent = int(log10 // 1)
    return f"{10 ** (log10 - exponent):z.3g}e{exponent}"

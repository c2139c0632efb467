"""The columns of the table of effects, and the rows that an answer gives."""

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from starling.genome.plan import Plan
from starling.genome.postprocess.estimates import EffectsAnswer

_NUMBER: Final = pa.float64()
EFFECTS: Final[dict[str, tuple[pa.DataType, str]]] = {
    name: (_NUMBER, words)
    for name, words in {
        "SLOPE": "Growth of the phenotype with one more A1, or with carrying it: of the share of cases, or in the unit of the trait",
        "SLOPE_L95": "Lower end of its 95 % interval, sampling and noise together",
        "SLOPE_U95": "Upper end of it",
        "OR": "Odds ratio, to first order; missing without a number of cases, or where it cannot be told",
        "L95": "Lower end of the 95 % interval of OR, sampling and noise together",
        "U95": "Upper end of it",
        "Z": "Score over its standard deviation, sampling and noise together",
        "P": "Two-sided p-value of the score, not corrected for the number of SNPs",
        "LOG10_P": "log10 of P, where P itself may be too small to write",
    }.items()
}
_OF_MOMENTS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "SLOPE": (_NUMBER, "Growth of the phenotype with one more A1, in its unit"),
    "Z": (_NUMBER, "Covariance of phenotype and copies over its standard deviation, sampling and noise together"),
    "P": (_NUMBER, "Two-sided p-value of it, not corrected for the number of SNPs"),
    "A1_FREQ": (_NUMBER, "Frequency of A1 among the alleles of these people, with noise"),
    "OBS_CT": (pa.int64(), "People with the call and the phenotype, with noise"),
}
"""What is otherwise, or further, where all of a person is protected."""
OF_CASES: Final = ("OR", "L95", "U95")


def effects_of(plan: Plan) -> dict[str, tuple[pa.DataType, str]]:
    """The columns of a plan, after those of the place."""
    if not plan.by_moments:
        return EFFECTS
    return {name: value for name, value in EFFECTS.items() if name not in OF_CASES} | _OF_MOMENTS


def effects_columns(answer: EffectsAnswer) -> dict[str, Sequence[Any]]:
    """The columns of an answer, by name; those that are of other plans among them."""
    effects = answer.effects
    slopes, ratios = [each.slope for each in effects], [each.odds_ratio for each in effects]
    return {
        "SLOPE": [each.estimate for each in slopes],
        "SLOPE_L95": [each.low for each in slopes],
        "SLOPE_U95": [each.high for each in slopes],
        "OR": [each and each.estimate for each in ratios],
        "L95": [each and each.low for each in ratios],
        "U95": [each and each.high for each in ratios],
        "Z": [each.z for each in effects],
        "P": [each.p for each in effects],
        "LOG10_P": [each.log10_p for each in effects],
        "A1_FREQ": [each.frequency for each in effects],
        "OBS_CT": [each.people for each in effects],
    }

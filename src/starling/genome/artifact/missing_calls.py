"""Columns of who lacks a call of a SNP, of plans that count missing calls apart; F_MISS_A and F_MISS_U as PLINK's --test-missing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from starling.genome.inference.intervals import Interval
from starling.genome.plan import Plan
from starling.genome.plan.missing import Missing
from starling.genome.postprocess.p_values import PValue

_RANGES: Final = {
    "P_MISS": "p-value of Fisher's test of who lacks a call, cases against controls, of the noisy counts",
    "F_MISS_A": "Share of cases who lack a call, of the noisy counts",
    "F_MISS_U": "Share of controls who lack a call, of the noisy counts",
}
CELLS: Final[Mapping[Missing | None, tuple[str, ...]]] = {None: ("CARRY", "NOT"), "cell": ("CARRY", "NOT", "MISSING")}
"""Which cells cases and controls have."""
COUNTS: Final = ("CASES_MISSING", "CONTROLS_MISSING")
COLUMNS: Final[Mapping[str, tuple[pa.DataType, str]]] = {
    "CASES_MISSING": (pa.int64(), "Cases who lack a call, with noise"),
    "CONTROLS_MISSING": (pa.int64(), "Controls who lack a call, with noise"),
    **{
        f"{name}{end}": (pa.float64(), words if not end else f"{side} end of the range of {name}, as of P")
        for name, words in _RANGES.items()
        for end, side in (("", ""), ("_LOW", "Lower"), ("_HIGH", "Upper"))
    },
}
"""By their names, the ranges after the counts."""
RANGES: Final = tuple(name for name in COLUMNS if name not in COUNTS)


def ranges_of(plan: Plan) -> tuple[str, ...]:
    """The columns of the ranges that a plan's answers have."""
    return () if plan.missing is None else RANGES


def missing_columns(p_values: Sequence[PValue]) -> dict[str, Sequence[Any]]:
    """The ranges of SNPs; nothing where missing calls are not counted apart."""
    known = [each.missing for each in p_values if each.missing is not None]
    if not known:
        return {}
    intervals = [(Interval(each.p, each.low, each.high), each.cases, each.controls) for each in known]
    rows = [[end for part in row for end in (part.estimate, part.low, part.high)] for row in intervals]
    return dict(zip(RANGES, zip(*rows, strict=True), strict=True))

"""What a plan states of its cross tables beside which they are: how much each matters, or how far its cells may be off.

Each is of some table, of a level of regions, of both, or of all; where several are of one table at a level, the one that names most counts,
and a named table before a named level.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from starling.release.codec import OPTIONAL
from starling.tables.plan.accuracy_targets import CONFIDENCE


@dataclass(frozen=True, slots=True)
class CrossWeight:
    """How much the variance of a cell of some tables counts where a budget is divided, in place of 1."""

    weight: Fraction
    table: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    regions: str = field(default="", metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class CrossMargin:
    """How many records each cell of some tables may be off, at a confidence."""

    within: int
    confidence: Fraction = field(default=CONFIDENCE, metadata=OPTIONAL)
    table: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    regions: str = field(default="", metadata=OPTIONAL)


Scoped = TypeVar("Scoped", CrossWeight, CrossMargin)


def ranked(stated: Iterable[Scoped], table: tuple[str, ...], regions: str) -> list[Scoped]:
    """What is stated for a table at a level of regions: first what counts, then what would count without it.

    >>> stated = [CrossMargin(9), CrossMargin(5, regions="ward"), CrossMargin(7, table=("sex",))]
    >>> [[each.within for each in ranked(stated, table, "ward")] for table in ((), ("sex",))]
    [[5, 9], [7, 5, 9]]
    """
    fitting = [each for each in stated if each.table in (None, table) and each.regions in ("", regions)]
    return sorted(fitting, key=lambda each: (each.table is None, each.regions == ""))

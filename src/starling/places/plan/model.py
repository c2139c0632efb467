"""The plan of a release of points: every public choice, as one immutable value. It opens nothing confidential.

Points in a public box are counted in the cells of a public grid, slice by slice where the plan has slices (Shaham et al. 2021, "HTF:
Homogeneous Tree Framework", Section 2).

Neighbours. One point more or less, which changes the count of one cell of one slice by 1. Or one person more or less, of whose points at
most k, over all slices together, are counted: the k rows of smallest keyed hash (counts.py), so that the counts of neighbours differ by at
most k in all. The mechanisms compose what they draw to their guarantees (mechanism/).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Final

from starling.errors import PlanError
from starling.places.plan.choices import (
    ADAPTIVE,
    EARLIER,
    METHODS,
    PURPOSES,
    SPARSE,
    Columns,
    Purpose,
    Slices,
    Unit,
    Value,
)
from starling.places.plan.grammar import PLAN
from starling.places.plan.grid import MOST_CELLS, MOST_DENSE, Grid
from starling.places.plan.points import PlanOfPoints
from starling.planfile.spelling import did_you_mean
from starling.privacy.least import least_text
from starling.release.codec import OPTIONAL, digest
from starling.text_format import PLAIN, TextFormat

WIDEST: Final = 1 << 30
"""Bounds k/epsilon, so that no sum of noise over the grid leaves int64."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(PlanOfPoints):
    """Every public choice of a release: those of `PlanOfPoints`, and these.

    Attributes:
        distinct: Whether a person's points in one cell of one slice count once, before k of them are kept.
        parameters: The method's own parameters that the plan sets, each as the plan writes it, by their names.
        slices: The public slices; None where all points are counted together.
        purpose: What `adaptive` divides its budget for; where the method is another, and in plans of before 0.3, "earlier".
    """

    grammar: ClassVar = PLAN
    cell = "cell"
    title: str
    point: str
    grid: Grid
    unit: Unit
    points: int
    distinct: bool
    epsilon: Fraction
    method: str
    columns: Columns
    parameters: Mapping[str, str] = field(default_factory=dict)
    slices: Slices | None = None
    expected: int | None = None
    format: TextFormat = field(default=PLAIN, metadata=OPTIONAL)
    purpose: Purpose = field(default=EARLIER, metadata=OPTIONAL)
    value: Value | None = field(default=None, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise PlanError("privacy.epsilon", "is not above 0", "give a budget")
        if self.units / self.epsilon > WIDEST:
            problem = "is so small that the noise of one count could leave 64 bits together with others"
            least = least_text(Fraction(self.units, WIDEST))
            raise PlanError("privacy.epsilon", problem, f"spend at least {least}")
        self._check_persons()
        self._check_value()
        self._check_slices()
        most = MOST_CELLS if self.grid.sparse else MOST_DENSE
        if self.cells > most:
            problem = f"make {self.cells:,} cells of all slices together, beyond {most:,}"
            raise PlanError("slices", problem, "take fewer slices or larger cells")
        if self.method not in METHODS:
            raise PlanError("method.name", f"is not {' or '.join(METHODS)}", did_you_mean(self.method, METHODS))
        if self.purpose != EARLIER and self.method != ADAPTIVE:
            raise PlanError("method.for", f"is a choice of {ADAPTIVE} alone", "leave it out")
        if self.grid.sparse and self.method not in SPARSE:
            problem = f"looks at every cell, or cuts elsewhere than at middles, and the grid has more than {MOST_DENSE:,} cells"
            raise PlanError("method.name", problem, f"name {' or '.join(SPARSE)}, or take larger cells")
        self._check_expected()

    @property
    def own_slices(self) -> tuple[str, ...]:
        """The name of each slice of records."""
        return super().slice_names

    @property
    def layers(self) -> tuple[str, ...]:
        """Of a plan with a value what is summed of each record; else empty."""
        if self.value is None:
            return ()
        return f"{self.columns.value} above {self.value.lower:,}", f"{self.columns.value} below {self.value.upper:,}"

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The name of each slice that is measured; of a plan with a value each slice of records has two layers."""
        if self.value is None:
            return self.own_slices
        return self.layers if self.slices is None else tuple(map(", ".join, product(self.own_slices, self.layers)))

    @property
    def is_sliced(self) -> bool:
        """Whether slices have names."""
        return self.slices is not None or self.value is not None

    @property
    def layers_note(self) -> str:
        """What the layers of a plan with a value say; empty for another."""
        if self.value is None:
            return ""
        above, below = self.layers
        return (
            f"Each slice has two layers: units of {above}, and of {below}. Both together, divided by {self.value.width:,}, are the points; "
            'the command "starling places means" and means() in Python give points, sums and means, with sure intervals.'
        )

    @property
    def counted_first(self) -> str:
        """What is counted, at the head of a sentence."""
        return self.counted[0].upper() + self.counted[1:]

    @property
    def cells(self) -> int:
        """Cells of all slices."""
        return len(self.slice_names) * self.grid.cells

    @property
    def crs_name(self) -> str:
        """The coordinate reference system of plain units; empty for others."""
        return self.grid.crs_name

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every choice but the words and the expectation, hexadecimal."""
        names = ("grid", "unit", "points", "distinct", "epsilon", "method", "columns", "slices")
        stated: dict[str, Any] = {} if self.format == PLAIN else {"format": self.format}
        if self.purpose != EARLIER:
            stated["purpose"] = self.purpose
        if self.value is not None:
            stated["value"] = self.value
        return digest(
            {
                "parameters": dict(sorted(self.parameters.items())),
                **{name: getattr(self, name) for name in names},
                **stated,
            }
        )

    def _facts(self) -> list[tuple[str, str]]:
        grid, many = self.grid, len(self.slice_names)
        slices = " in all" if many == 1 else f" in each of {many:,} slices"
        return [
            *self._first_facts(),
            ("box", grid.box_text),
            (
                "cells",
                f"{grid.rows:,} rows of {grid.columns:,}, {grid.cells:,}{slices}",
            ),
            ("method", f"{self.method}: {METHODS[self.method]}"),
            *([("for", PURPOSES[self.purpose])] if self.method == ADAPTIVE else []),
            *self.parameters.items(),
            *self._value_facts(),
        ]

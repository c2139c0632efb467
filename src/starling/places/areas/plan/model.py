"""The plan of a release of areas: every public choice, as one immutable value. It opens nothing confidential.

Neighbours. One point more or less, which changes the count of one node of each level, in one slice, by 1: of its area, and of what lies
above. Or one person more or less, of whose points at most k, over all slices together, are counted: the k rows of smallest keyed hash
(places/counts.py), so that the counts of a level differ by at most k in all, both as a sum (L1) and as a root of squares (L2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from starling.errors import PlanError
from starling.places.areas.plan.areas_grammar import with_file
from starling.places.areas.plan.columns import AreaColumns
from starling.places.areas.plan.grammar import AREA_PLAN
from starling.places.areas.plan.polygons import Areas
from starling.places.plan.choices import Slices, Unit, Value
from starling.places.plan.grid import MOST_DENSE
from starling.places.plan.model import WIDEST
from starling.places.plan.points import PlanOfPoints
from starling.planfile.values import toml_of
from starling.privacy.budget import Measure
from starling.privacy.least import least_text
from starling.release.codec import digest
from starling.text_format import PLAIN, TextFormat

SHOWN: Final = 4
"""Pairs of areas that overlap, of which so many are named."""


@dataclass(frozen=True, eq=False, repr=False)
class AreasPlan(PlanOfPoints):
    """Every public choice of a release of areas: those of `PlanOfPoints`, and these.

    Attributes:
        areas: The public areas with their hierarchy.
        distinct: Whether a person's points in one area of one slice count once, before k of them are kept.
        measure: What the budget is of.
        amount: The whole budget.
        shares: Of each level, the whole first and the areas last, what it gets of the budget, in proportion.
        slices: The public slices; None where all points are counted together.
    """

    grammar: ClassVar = AREA_PLAN
    cell = "area"
    title: str
    point: str
    areas: Areas
    columns: AreaColumns
    unit: Unit
    points: int
    distinct: bool
    measure: Measure
    amount: Fraction
    shares: tuple[Fraction, ...]
    slices: Slices | None = None
    expected: int | None = None
    format: TextFormat = PLAIN
    value: Value | None = None

    def __post_init__(self) -> None:
        self._check_persons()
        if self.columns.h3 and self.areas.crs_name:
            problem = f"has cells that lie in degrees, and areas are in {self.areas.crs_name}"
            raise PlanError("input.h3", problem, "name columns of coordinates, or take areas in degrees")
        self._check_slices()
        self._check_value()
        levels = self.areas.level_names
        if len(self.shares) != len(levels) or min(self.shares) <= 0:
            problem = f"are not {len(levels)} numbers above 0, for {', '.join(levels)}"
            raise PlanError("privacy.shares", problem, "give one for each level, the whole first")
        if self.cells > MOST_DENSE:
            problem = f"make {self.cells:,} areas of all slices together, beyond {MOST_DENSE:,}"
            raise PlanError("slices", problem, "take fewer slices")
        # The deviation of the noise of one count is below 1.5 of the bound: k/epsilon, or k/sqrt(2 rho).
        narrow = min(self.amounts)
        if self.units > WIDEST * narrow:
            problem = "is so small that the noise of one count could leave 64 bits together with others"
            least = least_text(self.amount * self.units / (WIDEST * narrow))
            raise PlanError(f"privacy.{self.measure}", problem, f"spend at least {least}")
        self._check_expected()

    @property
    def crs_name(self) -> str:
        """The reference system of plain units; empty of degrees."""
        return self.areas.crs_name

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """The budget of each level, the whole first."""
        whole = sum(self.shares, Fraction(0))
        return tuple(self.amount * share / whole for share in self.shares)

    @property
    def layers(self) -> int:
        """Columns of numbers of each slice: its points, or of a plan with a value the units above the lower bound, and those below the
        upper one.
        """
        return 1 if self.value is None else 2

    @property
    def cells(self) -> int:
        """Areas of all layers of all slices."""
        return len(self.slice_names) * self.layers * len(self.areas)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every choice but the words and the expectation, hexadecimal."""
        names = ("unit", "points", "distinct", "measure", "amount", "columns", "shares", "slices", "format")
        stated: dict[str, Any] = {} if self.value is None else {"value": self.value}
        return digest({"areas": self.areas.digest, **{name: getattr(self, name) for name in names}, **stated})

    def _files(self, path: Path) -> Mapping[Path, str]:
        polygons = path.with_suffix(".areas.geojson")
        return {polygons: self.areas.text(), path: toml_of(with_file(self._values(), polygons.name))}

    def _facts(self) -> list[tuple[str, str]]:
        nodes = zip(self.areas.level_names, self.areas.nodes, self.amounts, strict=True)
        return [
            *self._first_facts(),
            *((f"level {name}", f"{len(each):,} counted, {self.measure} {amount}") for name, each, amount in nodes),
            ("slices", f"{len(self.slice_names):,}"),
            *self._value_facts(),
            ("areas", f"sha256 {self.areas.digest}"),
            *([("reference", self.crs_name)] if self.crs_name else []),
            ("overlaps", self._overlaps()),
        ]

    def _overlaps(self) -> str:
        """Which areas overlap, in words."""
        pairs = self.areas.overlaps
        if not pairs:
            return "none"
        named = "; ".join(f"{self.areas.names[a]} and {self.areas.names[b]}" for a, b in pairs[:SHOWN])
        more = f", and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
        return f"{len(pairs):,} pairs, whose common points count in the first: {named}{more}"

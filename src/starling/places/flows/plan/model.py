"""The plan of a release of flows: every public choice, as one immutable value. It opens nothing confidential.

Trips are counted by the public area where they begin and the one where they end; where a plan names columns of stops, their legs are,
from each of these places to the next. Neighbours: one trip more or less, or one person more or
less, of whose trips at most k, over all slices together, are counted: the k rows of smallest keyed hash (counts.py). The mechanism says
what that costs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from starling.errors import PlanError
from starling.places.areas.plan.areas_grammar import FILE, with_file
from starling.places.areas.plan.polygons import Areas
from starling.places.flows.plan.choices import MOST_AREAS, MOST_CODES, MOST_PAIRS, Ends
from starling.places.flows.plan.grammar import FLOWS
from starling.places.flows.plan.levels import Levels, default_shares
from starling.places.plan.choices import Slices
from starling.places.plan.trips import PlanOfTrips, Unit
from starling.planfile.values import toml_of
from starling.privacy.budget import Cost, decimal_up
from starling.release.codec import digest
from starling.text_format import PLAIN, TextFormat

WIDEST: Final = 1 << 30
"""Bounds the scale of noise, so that no sum of it over all pairs of areas leaves int64."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(PlanOfTrips):
    """Every public choice of a release: those of `PlanOfTrips`, and these.

    Attributes:
        trip: What a trip is, in a word.
        cost: The whole budget: epsilon, or rho.
        shares: Of each level of areas, the whole first, in proportion; empty for those of `default_shares`.
        expected: Publicly expected number of trips; None where nobody says any.
        slices: The public slices; None where all trips are counted together.
    """

    grammar: ClassVar = FLOWS
    title: str
    trip: str
    areas: Areas
    unit: Unit
    trips: int
    cost: Cost
    columns: Ends
    shares: tuple[Fraction, ...] = ()
    expected: int | None = None
    slices: Slices | None = None
    format: TextFormat = PLAIN

    def __post_init__(self) -> None:
        if not 2 <= len(self.areas.ids) <= MOST_AREAS:
            fix = "take at least two" if len(self.areas.ids) < 2 else "take larger areas: every pair has a number"
            raise PlanError("areas.file", f"has not 2 to {MOST_AREAS:,} areas", fix)
        self._check_persons()
        self._check_slices()
        if self.cells > MOST_PAIRS:
            problem = f"make {self.cells:,} pairs of areas of all slices together, beyond {MOST_PAIRS:,}"
            raise PlanError("slices", problem, "take fewer slices, or larger areas")
        if self.codes > MOST_CODES:
            raise PlanError("flows.stops", "are too many for so many areas", "name fewer stops, or take larger areas")
        names = self.areas.level_names
        if self.shares and (len(self.shares) != len(names) or min(self.shares) < 0 or not self.shares[-1]):
            problem = f"are not {len(names)} numbers of 0 or more, the last above 0, for {', '.join(names)}"
            raise PlanError("privacy.shares", problem, "give one for each level, the whole first")
        for pair in self.levels.pairs:
            if self.levels.noise(pair, self.cost, self.legs).width > WIDEST:
                problem = "is so small that the noise of one number could leave 64 bits together with others"
                raise PlanError("privacy.epsilon", problem, "spend more, or give small shares more")

    @cached_property
    def levels(self) -> Levels:
        """The levels of the areas, with their shares."""
        sizes = tuple(map(len, self.areas.nodes))
        stated = self.shares or default_shares(len(sizes))
        return Levels(sizes, tuple(self.areas.parents), tuple(share / sum(stated) for share in stated))

    @property
    def budgets(self) -> tuple[tuple[str, str], ...]:
        """What is spent on each pair of levels that is measured: from which to which, and how much, in words."""
        levels, names = self.levels, self.areas.level_names
        return tuple(
            (
                f"{names[one]} to {names[other]}",
                decimal_up(self.cost.amount * levels.shares[one] * levels.shares[other]),
            )
            for one, other in levels.pairs
        )

    @property
    def measure(self) -> str:
        """In which the cost is stated: epsilon or rho."""
        return type(self.cost).__name__.lower()

    @property
    def legs(self) -> int:
        """The most numbers between areas that one unit is counted in: its trips, each with as many legs as it can have."""
        return self.trips * (len(self.columns.between) + 1)

    @property
    def counted(self) -> str:
        """What is counted between areas, in a word."""
        return "legs" if self.columns.between else "trips"

    @property
    def what(self) -> str:
        """What the numbers are of, for titles."""
        return f"{self.counted.capitalize()} ({self.trip})"

    @property
    def codes(self) -> int:
        """Trips that can be told from each other: those of each slice, by areas of the ends, and areas or none of each stop."""
        codes: int = self.cells * (self.levels.areas + 1) ** len(self.columns.between)
        return codes

    @property
    def cells(self) -> int:
        """Pairs of areas of all slices."""
        return len(self.slice_names) * self.levels.areas**2

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every choice but the words and the expectation, hexadecimal."""
        stated: dict[str, Any] = {} if self.format == PLAIN else {"format": self.format}
        amount = {self.measure: str(self.cost.amount)}
        names = ("unit", "trips", "columns")
        shares = [str(share) for share in self.levels.shares]
        chosen = {name: getattr(self, name) for name in names}
        if self.slices is not None:
            stated |= {"slices": self.slices}
        return digest({"areas": self.areas.digest, "shares": shares, **amount, **chosen, **stated})

    def _files(self, path: Path) -> Mapping[Path, str]:
        file = path.with_name(f"{path.stem}-{FILE}")
        return {file: self.areas.text(), path: toml_of(with_file(self._values(), file.name))}

    def _facts(self) -> list[tuple[str, str]]:
        legs = f"at most {len(self.columns.between) + 1} of a trip, between its ends and stops"
        levels = zip(self.areas.level_names, self.levels.sizes, self.levels.shares, strict=True)
        return [
            *self._first_facts(),
            ("cost", str(self.cost)),
            *([("legs", legs)] if self.columns.between else []),
            *((f"level {name}", f"{many:,} counted, share {share} of each end") for name, many, share in levels),
            *([] if self.slices is None else [("slices", f"{len(self.slice_names):,}")]),
            ("numbers", f"{self.levels.areas**2:,} pairs of areas, all of them, empty or not"),
        ]

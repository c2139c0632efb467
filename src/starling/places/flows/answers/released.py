"""What is asked of released flows: trips from some nodes to some nodes, each with its interval; and the pairs of areas with most trips."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isnan
from typing import Any, Final, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.forms import checked_level, shown, stated, whole
from starling.places.answers.hotspots import chance_text
from starling.places.arrays import Float64, Int64
from starling.places.flows.answers.deviation import EndWeights, Noise, whole_ends
from starling.places.flows.answers.ranking import MOST_RANKED, chances
from starling.places.flows.measurements import summed
from starling.places.flows.plan import Plan
from starling.planfile import spelling
from starling.privacy.budget import Exact
from starling.release.codec import Json
from starling.release.session import Described, Grid

LEVEL: Final = Fraction(95, 100)
Names: TypeAlias = Sequence[str]
"""Ids of areas, or names of larger ones; none for everywhere."""


class _Trips(Described):
    """An estimate of trips with its interval: a dataclass."""

    __slots__ = ()

    trips: float
    lower: int
    upper: int
    deviation: float
    counted: str

    def _number(self) -> list[tuple[str, str]]:
        return [
            (self.counted, f"{self.trips:z,.1f}"),
            ("interval", f"{self.lower:,} to {self.upper:,}"),
            ("standard deviation", f"{self.deviation:z,.2f}"),
        ]

    def as_json(self) -> dict[str, Json]:
        """Each attribute by its name, and the estimate by what is counted."""
        own: Any = self
        names = [each.name for each in fields(own) if each.name != "counted"]
        return {self.counted if name == "trips" else name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, repr=False)
class FlowCount(_Trips):
    """Trips from some areas to some areas.

    Attributes:
        trips: The estimate; it may be negative.
        lower: The least number of trips that the interval holds.
        upper: The largest.
        deviation: The exact standard deviation of the estimate.
        slice: The public name of the slice; None where a plan has none.
        counted: "trips", or "legs" of a plan with stops.
    """

    origin: str
    destination: str
    trips: float
    lower: int
    upper: int
    deviation: float
    slice: str | None = None
    counted: str = "trips"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("from", self.origin),
            ("to", self.destination),
            *_part("slice", self.slice),
            *self._number(),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class FlowDifference(_Trips):
    """How many more trips lead from some areas to some areas than from others to others.

    Attributes:
        minus_origin: Where the trips begin that are taken away.
        minus_destination: Where they end.
        trips: The estimate of the difference.
        lower: The least difference that the interval holds; it may be negative, as the largest.
        upper: The largest.
        deviation: The exact standard deviation of the estimate.
        slice: The public name of the slice; None where a plan has none.
        minus_slice: That of the trips that are taken away.
        counted: "trips", or "legs" of a plan with stops.
    """

    origin: str
    destination: str
    minus_origin: str
    minus_destination: str
    trips: float
    lower: int
    upper: int
    deviation: float
    slice: str | None = None
    minus_slice: str | None = None
    counted: str = "trips"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("from", self.origin),
            ("to", self.destination),
            *_part("slice", self.slice),
            ("less those from", self.minus_origin),
            ("to", self.minus_destination),
            *_part("slice", self.minus_slice),
            *self._number(),
        ]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class LargestFlows(Described):
    """The pairs of areas with most released trips, most first.

    Attributes:
        pairs: int64 (k, 2): the areas of origin and of destination.
        trips: float64 (k,): released trips.
        lower: int64 (k,): the least number of trips in the interval of each, which hold together.
        upper: int64 (k,): the largest.
        sure: bool (k,): whether it surely is among the k pairs with most trips; all marks are right together.
        chance: float64 (k,): how likely it is to be among them (answers/ranking.py); no number where it is below .6, or where
            the pair may have no trip at all; None of more than 200 pairs.
        counted: "trips", or "legs" of a plan with stops.
    """

    names: tuple[str, ...]
    pairs: Int64
    trips: Float64
    lower: Int64
    upper: Int64
    sure: np.ndarray[tuple[int], np.dtype[np.bool_]]
    chance: Float64 | None = None
    counted: str = "trips"

    def _facts(self) -> list[tuple[str, str]]:
        return [("flows", f"{len(self.trips):,} pairs of areas with most {self.counted}")]

    def _parts(self) -> tuple[Grid, ...]:
        return ((self.header(), self.rows()),)

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        chance = () if self.chance is None else ("chance",)
        return ("rank", "from", "to", self.counted, "at least", "at most", "surely among them", *chance)

    def rows(self) -> list[tuple[str, ...]]:
        """Each pair in words."""
        chances = [] if self.chance is None else [self.chance.tolist()]
        columns = [
            [str(rank) for rank in range(1, len(self.trips) + 1)],
            *self._ends(),
            shown(self.trips),
            whole(self.lower),
            whole(self.upper),
            ["yes" if each else "" for each in self.sure.tolist()],
            *(["not stated" if isnan(each) else chance_text(each) for each in column] for column in chances),
        ]
        return list(zip(*columns, strict=True))

    def as_json(self) -> dict[str, Json]:
        """Each attribute as a list, with an entry for each pair; a chance that is not stated is none."""
        origins, destinations = self._ends()
        return {
            "origin": origins,
            "destination": destinations,
            self.counted: self.trips.tolist(),
            **{name: getattr(self, name).tolist() for name in ("lower", "upper", "sure")},
            "chance": stated(self.chance),
        }

    def _ends(self) -> list[list[Any]]:
        """The names of the areas of origin, and of destination."""
        return [[self.names[place] for place in end] for end in self.pairs.T.tolist()]


class ReleasedFlows:
    """The released trips from area to area, and how far any sum of them may be off.

    Args:
        plan: The public plan.
        trips: float64 (areas, areas): the released table.
        number: Of which slice it is.

    Attributes:
        slice: The public name of the slice; None where a plan has none.
    """

    def __init__(self, plan: Plan, trips: Float64, number: int = 0) -> None:
        self.plan, self.trips = plan, trips
        self.slice = None if plan.slices is None else plan.slice_names[number]
        self._noise = Noise(plan.levels, plan.cost, plan.legs)

    @cached_property
    def each(self) -> EndWeights:
        """One end of all flows that begin or end in one area."""
        return self._noise.end(np.eye(self.plan.levels.areas))

    def ends_of_level(self, level: int) -> EndWeights:
        """One end of the flows of each node of a level."""
        levels = self.plan.levels
        return self._noise.end((levels.nodes_of_areas[level][:, None] == np.arange(levels.sizes[level])) * 1.0)

    def margins(self, origins: EndWeights, destinations: EndWeights, level: Fraction = LEVEL) -> Float64:
        """By how much each number is off at most, with a probability of `level`, each on its own."""
        return self._noise.margins(origins, destinations, 1 - level)

    def count(self, origin: Names, destination: Names, level: Exact = LEVEL) -> FlowCount:
        """Trips from any of some nodes to any of others.

        Args:
            origin: Ids of areas, or names of larger areas; none for everywhere.
            destination: The same of the other end.
            level: The probability with which the interval holds the true number, for a question fixed before the release is seen.

        Raises:
            ParameterError: there is no such area, or a level that is not between 0 and 1.
        """
        chance = checked_level(level)
        ends = self.chosen(origin, "from"), self.chosen(destination, "to")
        one, other = (self._noise.end(end[:, None]) for end in ends)
        trips = self.sum(*ends)
        low, high = whole_ends(trips, float(self.margins(one, other, chance)[0, 0]))
        deviation = float(self._noise.deviation(one, other)[0, 0])
        return FlowCount(
            _words(origin), _words(destination), trips, low, high, deviation, self.slice, self.plan.counted
        )

    def difference(
        self,
        flow: tuple[Names, Names],
        minus: tuple[Names, Names],
        level: Exact = LEVEL,
        other_slice: "ReleasedFlows | None" = None,
    ) -> FlowDifference:
        """How many more trips lead from some areas to some areas than from others to others; the groups may have pairs in common.

        Args:
            flow: Where the trips begin, and where they end, as of `count`.
            minus: The same of the trips that are taken away.
            level: As of `count`.
            other_slice: Another slice of the release, whose trips are taken away.

        Raises:
            ParameterError: as of `count`, or both are the same trips.
        """
        chance = checked_level(level)
        one = self.chosen(flow[0], "from"), self.chosen(flow[1], "to")
        other = self.chosen(minus[0], "minus_from"), self.chosen(minus[1], "minus_to")
        rest = self if other_slice is None else other_slice
        if rest.slice == self.slice and all(map(np.array_equal, one, other)):
            raise ParameterError("minus_from", "and minus_to are the trips themselves", "take others away")
        margin, deviation = self._noise.difference(one, other, 1 - chance, apart=rest.slice != self.slice)
        trips = self.sum(*one) - rest.sum(*other)
        begins, leads, minus_begins, minus_leads = map(_words, (*flow, *minus))
        low, high = ceil(trips - margin), floor(trips + margin)
        words = begins, leads, minus_begins, minus_leads
        return FlowDifference(*words, trips, low, high, deviation, self.slice, rest.slice, self.plan.counted)

    def sum(self, origins: Float64, destinations: Float64) -> float:
        """The released trips from any of some areas to any of others, float64 (areas,) each: 1 for those that are meant."""
        return float(self.trips[origins > 0][:, destinations > 0].sum())

    def chosen(self, names: Names, field: str) -> Float64:
        """float64 (areas,): 1 for the areas that some names mean, else 0; for none, all."""
        areas, levels = self.plan.areas, self.plan.levels
        chosen = np.zeros(levels.areas, dtype=np.bool_)
        for name in names:
            inside = np.array([each == name for each in areas.ids])
            for level, nodes in enumerate(areas.nodes):
                inside |= np.isin(levels.nodes_of_areas[level], [at for at, each in enumerate(nodes) if each == name])
            if not inside.any():
                known = [*areas.ids, *(each for nodes in areas.nodes for each in nodes)]
                raise ParameterError(field, f"has no area {spelling.shown(name)}", spelling.did_you_mean(name, known))
            chosen |= inside
        return (chosen if len(names) else ~chosen).astype(np.float64)

    def largest(self, k: int, level: Exact = LEVEL) -> LargestFlows:
        """The k pairs of areas with most released trips.

        Args:
            k: How many.
            level: The probability with which all intervals of all pairs hold, and so all marks are right.

        Raises:
            ParameterError: k is not from 1 to the number of pairs, or a level that can't be kept for so many.
        """
        many = self.trips.size
        if not 1 <= k <= many:
            raise ParameterError("k", f"is not in 1 to {many:,}", "ask for as many pairs as there are")
        margins = self.margins(self.each, self.each, 1 - (1 - checked_level(level)) / many)
        values = self.trips.reshape(-1)
        first = np.argsort(-values, kind="stable")[:k]
        below, above = values - margins.reshape(-1), values + margins.reshape(-1)
        # Fewer than k others can have more where the lower end is above the upper one of the next.
        sure = below[first] > np.partition(above, -k - 1)[-k - 1] if k < many else np.ones(k, dtype=np.bool_)
        ends = np.array([whole_ends(values[at], margins.flat[at]) for at in first.tolist()], dtype=np.int64)
        areas = self.plan.levels.areas
        pairs = np.stack([first // areas, first % areas], axis=1)
        # Of those that may be noise alone nothing is said: among many empty pairs they are there for their noise.
        chance = np.where(below[first] > 0, chances(self._noise, self.trips, k), np.nan) if k <= MOST_RANKED else None
        return LargestFlows(
            self.plan.areas.names, pairs, values[first], ends[:, 0], ends[:, 1], sure, chance, self.plan.counted
        )

    @cached_property
    def certain(self) -> tuple[Int64, Float64]:
        """The pairs of areas that have trips, all of them together with a probability of 95 %: int64 (pairs, 2), most trips first, and the
        released trips of each, float64 (pairs,); of equal ones the earlier areas first.
        """
        alpha = (1 - LEVEL) / self.trips.size
        return _ordered(self.trips, self.trips > self.margins(self.each, self.each, 1 - alpha))

    def certainly_other(self, other: "ReleasedFlows") -> tuple[Int64, Float64]:
        """The pairs of areas that have more or fewer trips than in another slice, all of them together with a probability of 95 %, and how
        many more, as `certain` has them: the largest differences first.
        """
        more = self.trips - other.trips
        alpha = (1 - LEVEL) / more.size
        return _ordered(more, np.abs(more) > self.margins_between(1 - alpha))

    def margins_between(self, level: Fraction = LEVEL) -> Float64:
        """By how much the difference of two slices is off at most for each pair of areas, each on its own: float64 (areas, areas)."""
        return self._noise.margins(self.each, self.each, 1 - level, slices=2)

    def of_levels(self, pair: tuple[int, int]) -> Float64:
        """The trips from each node of a level to each of a level, exact sums of those between areas."""
        return summed(self.plan.levels, self.trips, pair)


def _ordered(numbers: Float64, chosen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> tuple[Int64, Float64]:
    """The chosen pairs of areas and their numbers, the largest first."""
    origins, destinations = np.nonzero(chosen)
    values = numbers[origins, destinations]
    order = np.argsort(-np.abs(values), kind="stable")
    return np.stack([origins, destinations], axis=1)[order], values[order]


def _part(what: str, name: str | None) -> list[tuple[str, str]]:
    return [] if name is None else [(what, name)]


def _words(names: Names) -> str:
    return ", ".join(names) or "everywhere"

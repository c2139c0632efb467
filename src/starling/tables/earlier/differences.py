"""What a comparison of two releases says: one value for text, JSON and a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from starling.release.codec import Json
from starling.release.session import Described, Part, attributes
from starling.tables.earlier.releases import Earlier

SHOWN: Final = 20
"""How many numbers the text lists."""
ALONE: Final = (
    "level",
    "first_suppressed_in_second=first",
    "second_suppressed_in_first=second",
    "first_plan_alone=first_plan",
    "second_plan_alone=second_plan",
)
"""Groups in one release alone, as `attributes` gives them."""


@dataclass(frozen=True, slots=True)
class Family:
    """Numbers of one kind that both releases measured.

    Attributes:
        number: "total" or "cell".
        tests, significant: How many were compared, and how many differ.
        limit: Largest p-value of a number that differs: significant/tests of the level.
    """

    number: str
    tests: int
    significant: int
    limit: float


@dataclass(frozen=True, slots=True)
class OnlyIn:
    """Groups of one level that are published in one of the releases alone.

    Attributes:
        first, second: How many groups are published in that release, measured and suppressed in the other.
        first_plan, second_plan: How many groups are in the plan of that release alone.
    """

    level: str
    first: int
    second: int
    first_plan: int
    second_plan: int


@dataclass(frozen=True, slots=True)
class SignificantDifference:
    """A number that differs, as text.

    Attributes:
        label: Group, and sex and ages of a cell.
        first, second: The number as each release measured it, before clamping.
        lower, upper: The ends of the interval of second less first, both included.
        p_value: Chance of such a difference, or a larger one, where the true numbers are equal.
    """

    label: str
    first: int
    second: int
    lower: int
    upper: int
    p_value: float

    @property
    def difference(self) -> int:
        """Second less first."""
        return self.second - self.first

    @property
    def sureness(self) -> float:
        """The difference beside its noise, as it is ordered by."""
        return abs(self.difference) / (1 + self.upper - self.lower)

    def cells(self) -> tuple[str, ...]:
        """As a row of the text."""
        return (
            self.label,
            f"{self.first:,}",
            f"{self.second:,}",
            f"{self.difference:+,}",
            f"{self.lower:+,} to {self.upper:+,}",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Described):
    """What two releases say of one another.

    Attributes:
        first, second: The releases, as their folders state them.
        confidence: The confidence of the rule for many comparisons and of the intervals.
        families: How many totals and how many cells were compared, and differ.
        only: The levels that have groups in one release alone.
        differences: The numbers that differ most beside their noise, at most MOST_KEPT.
    """

    first: Earlier
    second: Earlier
    confidence: Fraction
    families: tuple[Family, ...]
    only: tuple[OnlyIn, ...]
    differences: tuple[SignificantDifference, ...]

    @property
    def people(self) -> str:
        """Whether both are about the same people, as far as their ledgers say."""
        populations = self.first.population, self.second.population
        if None in populations:
            return "not known: a release that brought a ledger of its own does not say whose they are"
        if populations[0] != populations[1]:
            return f"others: {populations[0]} in the first, {populations[1]} in the second"
        if self.first.dataset == self.second.dataset:
            return f"the same, and the same data: {populations[0]}, {self.first.dataset}; what differs in truth is the records alone"
        return (
            f"the same: {populations[0]}; data {self.first.dataset} in the first, {self.second.dataset} in the second"
        )

    def _facts(self) -> list[tuple[str, str]]:
        """The releases, and how many numbers of each family differ."""
        pairs = [("first", _title(self.first)), ("second", _title(self.second)), ("people", self.people)]
        for family in self.families:
            limit = f", those with a p-value up to {family.limit:z.2g}" if family.significant else ""
            pairs.append((f"{family.number}s", f"{family.significant:,} of {family.tests:,} differ{limit}"))
        rule = f"Benjamini and Hochberg at {100 - float(100 * self.confidence):g} %, totals and cells apart"
        return [*pairs, ("rule", rule)]

    def _parts(self) -> Sequence[Part]:
        """The numbers that differ most surely, and groups in one alone."""
        parts: list[Part] = []
        if self.differences:
            header = ("number", "first", "second", "difference", "interval")
            shown = self.differences[:SHOWN]
            parts.append((header, [each.cells() for each in shown]))
            count = sum(family.significant for family in self.families)
            if count > len(shown):
                parts.append(f"and {count - len(shown):,} more: --csv FILE has all")
        if self.only:
            names = ("suppressed in second", "suppressed in first", "not in second's plan", "not in first's plan")
            rows = [
                (each.level, *(f"{count:,}" for count in (each.first, each.second, each.first_plan, each.second_plan)))
                for each in self.only
            ]
            parts += ["Groups in one release alone", (("level", *names), rows)]
        parts.append(
            "Counts are the noisy measurements, before clamping. A number is listed where its interval does not hold 0; the intervals are\n"
            "widened for how many are listed, so that of all of them together at least"
            f" {float(100 * self.confidence):g} % are expected to hold the true difference."
        )
        if any(side.plan.aggregates for side in (self.first, self.second)):
            parts.append(
                "Sums, means and quantiles are not compared: each has an interval or a margin of its own, in t3."
            )
        return parts

    def as_json(self) -> dict[str, Json]:
        """What it says, for programs, with all numbers that it keeps."""
        return {
            "first": _earlier_json(self.first),
            "second": _earlier_json(self.second),
            "people": self.people,
            "confidence": float(self.confidence),
            "rule": "Benjamini-Hochberg, totals and cells apart; intervals of Benjamini-Yekutieli",
            "families": [
                attributes(each, "number", "compared=tests", "differ=significant", "p_value_up_to=limit")
                for each in self.families
            ],
            "differ": [
                attributes(each, "number=label", "first", "second", "difference", "lower", "upper", "p_value")
                for each in self.differences
            ],
            "in_one_alone": [attributes(each, *ALONE) for each in self.only],
        }


def _title(earlier: Earlier) -> str:
    return f"{earlier.path}: {earlier.plan.title}, {earlier.plan.cost}"


def _earlier_json(earlier: Earlier) -> dict[str, Json]:
    return {"release": str(earlier.path)} | attributes(
        earlier, "title=plan.title", "request_id", "population", "dataset"
    )

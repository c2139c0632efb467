"""Margins of error of sums in place of a budget: the least budget that keeps them all.

Each is the 95 % margin of one kind of number: of a size in records, of a sum in the unit of its column, of a mean in that unit in groups of
some number of records, wherever the mean lies. A margin falls as the budget grows, so that the least budget is found by halving.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Final

from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import choice, exact, whole
from starling.planfile.toml import Section
from starling.privacy.budget import Measure
from starling.privacy.distributions.two_draws import weighted_margin
from starling.tables.plan.accuracy_targets import last_digit
from starling.tables.plan.aggregates import OF_SUMS, Aggregate
from starling.tables.plan.columns import places_of
from starling.tables.plan.variants import LARGEST_BUDGET

EXAMPLE: Final = 'margins = [{ number = "mean", within = "0.5", records = 1_000 }]'
MOST_RECORDS: Final = 10**12
"""Records of a group."""
_MISSING: Final = Fraction(1, 20)
_HALVINGS: Final = 24
_DIGITS: Final = 5
"""Digits of a budget that was found, after those that are 0."""


@dataclass(frozen=True, slots=True)
class SumMargin:
    """A margin that a sum keeps.

    Attributes:
        number: size, sum or mean.
        within: The margin, in records of a size, else in units of the last place of the column.
        records: How many records the groups have of which a mean keeps it; 1 of other numbers.
    """

    number: str
    within: Fraction
    records: int = 1

    def reach(self, aggregate: Aggregate, measure: Measure, share: Fraction) -> float:
        """The margin that a group gets that spends `share`."""
        width, noise = aggregate.width, aggregate.noise(measure, share)
        match self.number:
            case "size":
                return weighted_margin(noise, 1 / width, 1 / width, _MISSING)
            case "sum":
                return weighted_margin(noise, aggregate.high / width, aggregate.low / width, _MISSING)
        # The widest that it can be: where the mean lies at one of the bounds.
        return weighted_margin(noise, 1, 0, _MISSING) / self.records


def _check_margin(section: Section, values: Values) -> None:
    number, column = values["number"], values["column"]
    if number == "mean" and "records" not in section.values:
        section.whole("records", 1, MOST_RECORDS)  # is missing
    elif number != "mean" and "records" in section.values:
        section.refuse("records", "is of a mean", "leave it out: other margins are those of every group")
    if values["within"] is not None and column is not None and number != "size":
        values["within"] *= Fraction(10) ** places_of(column)


MARGIN: Final = Table(
    {
        "number": Key(
            "Which number of a group.", choice(OF_SUMS, f'write "{OF_SUMS[0]}", "{OF_SUMS[1]}" or "{OF_SUMS[2]}"')
        ),
        "within": Key(
            "How far off it may be, in 95 of 100 cases: records, or the unit of the column.",
            exact("write how far off it may be", lambda within: within <= 0, "is not above 0"),
        ),
        "records": Key(
            "Of a mean: in groups of so many records; size and sum hold in groups of any size.",
            whole(1, MOST_RECORDS),
            default=1,
        ),
    },
    make=SumMargin,
    check=_check_margin,
)


def least_budget(aggregate: Aggregate, measure: Measure, degree: int, margins: Sequence[SumMargin]) -> Fraction | None:
    """The least budget, to some digits, with which all margins are kept; None where there is none up to LARGEST_BUDGET."""

    def holds(budget: Fraction) -> bool:
        return all(each.reach(aggregate, measure, budget / degree) <= each.within for each in margins)

    low = high = Fraction(1)
    while not holds(high):
        low, high = high, 2 * high
        if high > LARGEST_BUDGET:
            return None
    while holds(low):
        low, high = low / 2, low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    unit = min(last_digit(high, _DIGITS), Fraction(1))
    rounded = ceil(high / unit) * unit
    return next(filter(holds, (rounded, rounded + unit)))

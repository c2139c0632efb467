"""Accuracy first: a plan by the margins of its numbers, or by what it may cost in all; what either gives is a plan again.

A margin is that of one kind of number of a level, or of the sums of a column. Levels get the least budgets that keep the margins written
for them, as a plan file does that states margins; those without keep their budgets. A cost in all widens every margin of a plan by one
factor, as `starling tables plan --total` does; of a plan that states no margin it divides every budget, rounded down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Final

from starling.errors import ParameterError, PlanError, Problem
from starling.planfile.values import exact_text, toml_of
from starling.privacy.budget import Exact, decimal_up, exact, positive
from starling.release.codec import Json
from starling.release.session import Described, Part
from starling.tables.plan import AccuracyTarget, Aggregate, Level, Plan, afford
from starling.tables.plan.aggregate_margins import SumMargin, least_budget
from starling.tables.plan.at_epsilon import times
from starling.tables.plan.columns import places_of
from starling.tables.plan.cross import Cross
from starling.tables.plan.cross_accuracy import CrossMargin, ranked
from starling.tables.plan.cross_solving import keeping_margins
from starling.tables.plan.labels import level_text
from starling.tables.plan.margins import LARGEST_MARGIN
from starling.tables.plan.overview import least_margin, with_targets
from starling.tables.preview.aggregates import title
from starling.tables.preview.cross import HEADER, preview_cross

RANKS: Final = "quantiles are off by ranks, which no margin of a plan is in"
"""Why quantiles have no margin."""
RECORDS: Final = "records"
"""What margins of cross tables are in."""
NUMBERS: Final = ("level", "number", "margin", "budget")
DIGITS: Final = 6
"""Significant digits of a budget that was divided."""
_WIDEST_SUM: Final = 10**6
"""The widest margin of a sum, in multiples of what one record can change."""


@dataclass(frozen=True, slots=True)
class Number:
    """One kind of number of a plan.

    Attributes:
        level: Of which level, or of which sums or quantiles, in words.
        name: Which number: "cell", "sum".
        unit: What its margin is in.
        within: The margin that the plan states, or else the least that its budget keeps; empty where none is defined.
        budget: Of its level: exact.
        reason: Why none is defined; else empty.
    """

    level: str
    name: str
    unit: str
    within: str
    budget: Fraction
    reason: str = ""

    @property
    def label(self) -> str:
        """Which number of which level; what is wrong with its margin is said of this field."""
        return f"{self.level}, {self.name}" if self.name else self.level


@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(Described):
    """A plan by its margins and budgets.

    Attributes:
        numbers: Whose margins can be chosen, in plan order.
        factor: On every margin, or every budget, where a cost in all was given; None elsewhere.
    """

    plan: Plan
    numbers: tuple[Number, ...]
    factor: Fraction | None = None

    def _facts(self) -> list[tuple[str, str]]:
        return [("plan", self.plan.title), ("cost", str(self.plan.cost))]

    def _parts(self) -> list[Part]:
        header, rows, caption = self.table
        return [caption, (header, rows)]

    @property
    def table(self) -> tuple[Sequence[str], list[tuple[str, ...]], str]:
        """Header, rows and caption of the margins."""
        if (tables := preview_cross(self.plan)) is not None:
            header, *cells = ((table, level, *last) for table, level, _, _, *last in (HEADER, *tables.rows()))
            return header, cells, "How far a cell of each table is off, and what of the cost it is the reason of"
        rows: list[tuple[str, ...]] = [
            (each.level, each.name, margin_text(each), exact_text(each.budget)) for each in self.numbers
        ]
        return NUMBERS, rows, "The margin of each number, at 95 % unless it says otherwise, and the budget of its level"

    def as_json(self) -> dict[str, Json]:
        """All of it, for programs, amounts exact."""
        return {
            "title": self.plan.title,
            "measure": self.plan.cost.measure,
            "cost": exact_text(self.plan.cost.amount),
            "factor": None if self.factor is None else str(self.factor),
            "numbers": [
                {
                    "level": each.level,
                    "number": each.name,
                    "unit": each.unit,
                    "within": each.within or None,
                    "budget": exact_text(each.budget),
                    "reason": each.reason or None,
                }
                for each in self.numbers
            ],
        }

    def file(self) -> str:
        """The plan as a plan file; raises PlanError where a plan file cannot state it."""
        return toml_of(self.plan.values())


def margin_text(number: Number) -> str:
    """A margin in words, or why there is none."""
    return f"± {number.within} {number.unit}" if number.within else number.reason


def accuracy(plan: Plan) -> Accuracy:
    """The margins and budgets of a plan as it stands."""
    if plan.cross is not None:
        return Accuracy(plan, _cross_numbers(plan, plan.cross))
    return Accuracy(plan, tuple(_number(plan, place) for place in _places(plan)))


def at_margins(plan: Plan, within: Mapping[int, str], budgets: Mapping[int, str] | None = None) -> Accuracy:
    """A plan by margins of its numbers.

    Args:
        plan: The plan as it stands.
        within: A margin, as it is written, by the position of its number in `accuracy(plan).numbers`.
        budgets: A budget, as it is written, of numbers for which no margin is defined.

    Raises:
        PlanError: a margin or a budget is none, or no budget keeps a margin; all of them together.
    """
    if plan.cross is not None:
        return _at_cross_margins(plan, plan.cross, within)
    places, budgets = _places(plan), budgets or {}
    targets: dict[str, tuple[AccuracyTarget, ...]] = {}
    aggregates: dict[str, Aggregate] = {}
    problems: list[Problem] = []
    for position, place in enumerate(places):
        text = within.get(position, "").strip() if place.margin is not None else budgets.get(position, "").strip()
        if not text:
            continue
        try:
            field = ", ".join(filter(None, _named(plan, place)))
            if isinstance(place.margin, AccuracyTarget):
                target = replace(place.margin, within=_persons(text, field))
                targets[place.level.name] = (*targets.get(place.level.name, ()), target)
            elif place.aggregate is not None:
                aggregates[place.aggregate.name] = _priced(plan, place.aggregate, text, field)
        except (ParameterError, PlanError) as refused:
            problems += refused.problems
    PlanError.check(problems)
    changed = replace(plan, aggregates=tuple(aggregates.get(each.name, each) for each in plan.aggregates))
    return accuracy(with_targets(changed, targets))


def _at_cross_margins(plan: Plan, cross: Cross, within: Mapping[int, str]) -> Accuracy:
    """Cross tables by other margins of some of them; margins that count for no table any more are left out."""
    stands, margins = _cross_numbers(plan, cross), list(cross.margins)
    problems: list[Problem] = []
    tables = [(table, level) for level in cross.levels for table in cross.named]
    texts = [within.get(at, "").strip() or number.within for at, number in enumerate(stands)]
    if texts == [number.within for number in stands]:
        return accuracy(plan)
    for (table, level), number, text in zip(tables, stands, texts, strict=True):
        if text == number.within and cross.margins:
            continue
        try:
            stated = ranked(cross.margins, table, level)[:1] or [CrossMargin(1)]
            of_level = level if len(cross.levels) > 1 else ""
            own = replace(stated[0], within=_persons(text, number.label), table=table, regions=of_level)
            margins = [each for each in margins if (each.table, each.regions) != (table, of_level)] + [own]
        except (ParameterError, PlanError) as refused:
            problems += refused.problems
    PlanError.check(problems)
    counting = [ranked(margins, *each)[0] for each in tables]
    chosen = replace(cross, margins=tuple(each for each in margins if each in counting), weights=())
    return accuracy(replace(plan, cross=keeping_margins(chosen, plan.cross_shape, plan.records_of_one)))


def at_every_margin(plan: Plan, within: str) -> Accuracy:
    """A plan with the same margin, in persons, for every number of people; raises PlanError or ParameterError where it is none."""
    if plan.cross is not None:
        cross = replace(plan.cross, margins=(CrossMargin(_persons(within, "every")),), weights=())
        return accuracy(replace(plan, cross=keeping_margins(cross, plan.cross_shape, plan.records_of_one)))
    persons = str(_persons(within, "every"))
    places = enumerate(_places(plan))
    return at_margins(plan, {at: persons for at, place in places if isinstance(place.margin, AccuracyTarget)})


def at_cost(plan: Plan, total: Exact) -> Accuracy:
    """A plan that costs at most `total` in all.

    Raises:
        ParameterError: it is no cost, or pays for no margins.
        PlanError: it is too little to draw noise by.
    """
    if any(level.targets for level in plan.levels) or (plan.cross is not None and plan.cross.margins):
        factor, solved = afford(plan, total)
        return replace(accuracy(solved), factor=factor)
    factor = positive(total, field="total") / plan.cost.amount
    return replace(accuracy(times(plan, factor, DIGITS)), factor=factor)


@dataclass(frozen=True, slots=True)
class _Place:
    """A number of a plan, and the margin that it has or would have; None where none is defined."""

    level: Level
    margin: AccuracyTarget | SumMargin | None
    aggregate: Aggregate | None = None


def _places(plan: Plan) -> list[_Place]:
    places = [_Place(level, target) for level in plan.levels for target in level.targets or _numbers_of(level)]
    of_sums = SumMargin("sum", Fraction(1))
    return places + [_Place(each.level, None if each.quantiles else of_sums, each) for each in plan.aggregates]


def _numbers_of(level: Level) -> Sequence[AccuracyTarget]:
    """The numbers of a level that states a budget: the finest of groups in two stages, and bare totals."""
    staged = [] if level.single_stage else [AccuracyTarget("cell", 1)]
    return [*staged, AccuracyTarget("total only", 1)] if level.total_only.any() else staged


def _named(plan: Plan, place: _Place) -> tuple[str, str]:
    if place.aggregate is None:
        assert isinstance(place.margin, AccuracyTarget)
        return level_text(plan, place.level), str(place.margin).partition(" within ")[0]
    return title(plan, place.aggregate), "" if place.margin is None else "sum"


def _number(plan: Plan, place: _Place) -> Number:
    level, name = _named(plan, place)
    if isinstance(place.margin, AccuracyTarget):
        stated = place.margin.margin if place.level.targets else max(least_margin(plan, place.level, place.margin), 1)
        return Number(level, name, "persons", str(stated), place.level.budget)
    if place.margin is None or place.aggregate is None:
        return Number(level, name, "", "", place.level.budget, RANKS)
    units = ceil(place.margin.reach(place.aggregate, plan.measure, plan.share(place.aggregate)))
    within = decimal_up(Fraction(units, 10 ** _digits(plan, place.aggregate)), 12)
    return Number(level, name, f"in the unit of {place.aggregate.column}", within, place.level.budget)


def _cross_numbers(plan: Plan, cross: Cross) -> tuple[Number, ...]:
    """A cell of each table at each level of regions; all of them share one budget."""
    tables = [(table, level) for level in cross.levels for table in cross.named]
    stated = [ranked(cross.margins, *each)[:1] for each in tables]
    previewed = preview_cross(plan)
    assert previewed is not None
    return tuple(
        Number(
            each.level,
            each.name,
            RECORDS,
            str(margins[0].within if margins else max(ceil(each.margin), 1)),
            cross.budget,
        )
        for each, margins in zip(previewed.tables, stated, strict=True)
    )


def _digits(plan: Plan, aggregate: Aggregate) -> int:
    return places_of(plan.records.by_name[aggregate.column])


def _persons(text: str, field: str) -> int:
    number = exact(text, field=field)
    if number.denominator != 1 or number < 1:
        raise PlanError(field, "is not a whole number of persons from 1 on", "write it like 20")
    if number > LARGEST_MARGIN:
        raise PlanError(field, f"is above {LARGEST_MARGIN} persons", "write less")
    return int(number)


def _priced(plan: Plan, aggregate: Aggregate, text: str, field: str) -> Aggregate:
    """Sums with the least budget that keeps a margin; quantiles with a budget."""
    amount = positive(text, field=field)
    if aggregate.quantiles is not None:
        return replace(aggregate, level=replace(aggregate.level, budget=amount))
    units = amount * 10 ** _digits(plan, aggregate)
    if units > _WIDEST_SUM * aggregate.width:
        raise PlanError(field, f"is above {_WIDEST_SUM:,} times what one record can change", "write less")
    least = least_budget(aggregate, plan.measure, plan.degree(aggregate.level), [SumMargin("sum", units)])
    if least is None:
        raise PlanError(field, "is kept by no budget", "write a wider margin")
    return replace(aggregate, level=replace(aggregate.level, budget=least))

"""The cross tables of a plan: tables of several columns, in regions, measured together as residuals (residuals.py).

Privacy. A record has one value of every column and lies in one region of every level, or it is dropped from all tables. So it is in one
cell of each table of each level, and adds to every part what residuals.py says; where up to k records of a person count, up to k times
that vector, at k^2 times the cost. `guarantee` states each part as one event. All parts add up to the budget.

Under pure epsilon whole tables are measured. A record adds 1 to one cell of a table in one region, k records at most k in the L1 norm; with
discrete Laplace noise of scale k/share the table costs its share (SafeTab 2022, Lemma 6), and tables and levels add up. All are counts, so
that replacing a person costs twice the rho of what a pure plan is charged in a population of rho, and twice its epsilon.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from starling.errors import PlanError, Problem
from starling.privacy.budget import Cost, Epsilon, Measure, Rho
from starling.privacy.distributions.discrete import LARGEST_SIGMA_SQUARED, DiscreteLaplace, Distribution
from starling.privacy.events import MONOTONE, Event, known_cost, noise_event
from starling.privacy.guarantee import Guarantee, JointResiduals, sequential
from starling.privacy.residual_events import MOST_COLUMNS, ResidualEvents
from starling.release.codec import OPTIONAL
from starling.tables.plan.columns import Column, Decimals
from starling.tables.plan.cross_accuracy import CrossMargin, CrossWeight
from starling.tables.plan.custom_families import EVERYBODY, cut_column
from starling.tables.plan.custom_records import CustomRecords, custom_records
from starling.tables.plan.region_levels import RegionLevels
from starling.tables.plan.residuals import Shape, Shares, Table, cost, noise, replace_one, squared_sensitivity
from starling.tables.plan.variants import LARGEST_BUDGET, SMALLEST_SHARE, Variants

if TYPE_CHECKING:
    from starling.tables.plan.choices import Choices

MOST_PART: Final = 1 << 22
"""Cells of a part: with at most 2^38 records its exact numbers are below 2^60."""
MOST_CELLS: Final = 1 << 26
"""Cells of all tables in all regions."""
MOST_MEMBERS: Final = 1 << 18
"""Parts of all tables, each counted in every table that it is of."""
_FROM_A_FILE: Final = "read it from a plan file"


@dataclass(frozen=True, slots=True)
class Cross:
    """What is published, and how its budget is shared.

    Attributes:
        columns: The columns, by their names in the plan.
        cuts: Of each, the least number of every class of whole numbers; empty of others, and where each number is a class.
        tables: Each a set of columns, by their positions in `columns`; the smaller before the larger, and then in order.
        levels: The levels of regions, each nested in the one before.
        shares: What each part costs in each level, (levels, parts), in all the budget; under pure epsilon, each as a table that is measured
            whole, or 0.
        weights: Of tables whose variances count for more than others, where the budget was shared by weights.
        margins: What the shares were solved for, where the budget follows from margins.
        whole: Whether numbers are published in whole records.
    """

    columns: tuple[str, ...]
    cuts: tuple[tuple[int, ...], ...]
    tables: tuple[Table, ...]
    levels: tuple[str, ...]
    shares: Shares
    weights: tuple[CrossWeight, ...] = field(default=(), metadata=OPTIONAL)
    margins: tuple[CrossMargin, ...] = field(default=(), metadata=OPTIONAL)
    whole: bool = field(default=False, metadata=OPTIONAL)

    @property
    def named(self) -> tuple[tuple[str, ...], ...]:
        """The tables by the names of their columns."""
        return tuple(tuple(self.columns[column] for column in table) for table in self.tables)

    @property
    def budget(self) -> Fraction:
        """Epsilon or rho of the release."""
        return cost(self.shares)

    def times(self, factor: Fraction) -> "Cross":
        """The same tables with each share times a factor, above 0."""
        return replace(self, shares=tuple(tuple(share * factor for share in level) for level in self.shares))

    def read(self, columns: Mapping[str, Column]) -> tuple[Column, ...]:
        """Its columns, those of whole numbers cut into their classes; raises PlanError where cuts are none of a column."""
        return tuple(cut_column(columns[name], cuts) for name, cuts in zip(self.columns, self.cuts, strict=True))

    def slack(self, shape: Shape, table: Table) -> float:
        """What an interval has on each side beside its deviations: a step since draws are whole, and how far whole numbers may be moved."""
        return shape.step(table) + (shape.most_moved(table) if self.whole else 0)

    def name(self, part: Table) -> str:
        """The columns of a table or a part, in words."""
        return " by ".join(self.columns[column] for column in part) or EVERYBODY


def shape_of(records: CustomRecords, regions: RegionLevels, cross: Cross, measure: Measure) -> Shape:
    """The sizes of the columns and the tree of the regions, and what is measured; raises PlanError where levels are not nested."""
    levels, areas = [regions.order(level) for level in cross.levels], records.areas
    parents = [each for pair in pairwise(levels) if (each := areas.parents(*pair)) is not None]
    if len(parents) < len(levels) - 1 or "" in areas.regions[levels[0]]:
        fix = "leave the level out of the tables, or give every area a region that lies in one region above"
        raise PlanError("cross", "is over levels of regions that are not nested, or lack an area", fix)
    sizes = tuple(column.domain.size for column in cross.read(records.by_name))
    of_one = 1 if records.unit is None else records.unit.most
    laplace = of_one if measure == "epsilon" else 0
    return Shape(sizes, cross.tables, len(areas.ids(levels[0])), tuple(parents), laplace)


def noise_of_part(shape: Shape, part: Table, share: Fraction, records: int) -> Distribution:
    """The noise of the numbers of a part, or table, with this share, where so many records of one person are counted."""
    if shape.laplace:
        return DiscreteLaplace(records / share)
    return noise(shape, part, share / records**2)


def events_of_parts(plan: "Choices", cross: Cross, shape: Shape) -> ResidualEvents:
    """What is drawn for all parts, and by how much one person changes it."""
    records = plan.records_of_one
    squares = [squared_sensitivity(shape, part) * records**2 for part in shape.parts]
    parameters = tuple(
        tuple(square / (2 * share) for square, share in zip(squares, level, strict=True)) for level in cross.shares
    )
    return ResidualEvents(shape.sizes, shape.parts, records, shape.roots > 1, parameters)


def events_by_level(plan: "Choices", cross: Cross, shape: Shape) -> list[list[tuple[int, Event]]]:
    """Of each level what is measured, by its place among the parts, and how."""
    records = plan.records_of_one
    if not shape.laplace:
        return [list(enumerate(level)) for level in events_of_parts(plan, cross, shape).noise]
    return [[(at, _of_table(share, records)) for at, share in enumerate(level) if share] for level in cross.shares]


def _of_table(share: Fraction, records: int) -> Event:
    """A table under pure epsilon. Which of its cells k records take for the most likely ratios is not known: the cost holds for all."""
    if records == 1:
        return noise_event(DiscreteLaplace(1 / share), 1, MONOTONE)
    return known_cost(Epsilon(share), MONOTONE)


def guarantee(plan: "Choices", cross: Cross, shape: Shape) -> Guarantee:
    """Every part of every level as one event, and what they cost together."""
    kind, levels = "counts by" if shape.laplace else "residuals of", []
    for name, measured in zip(cross.levels, events_by_level(plan, cross, shape), strict=True):
        named = ((f"{name}: {kind} {cross.name(shape.parts[at])}", event) for at, event in measured)
        parts = [Guarantee(each, plan.relation, event) for each, event in named]
        levels.append(sequential(f"{name}: cross tables", parts))
    if shape.laplace:
        return sequential("cross tables", levels)
    return Guarantee("cross tables", plan.relation, JointResiduals(tuple(levels), events_of_parts(plan, cross, shape)))


def replacement(cross: Cross, shape: Shape) -> Cost:
    """What replacing one unit costs; of more columns than are looked at together the bound that was stated before it was charged."""
    if shape.laplace:
        return Epsilon(2 * cross.budget)
    few = len({column for table in cross.tables for column in table}) <= MOST_COLUMNS
    return Rho(replace_one(shape, cross.shares) if few else 4 * cross.budget)


def cross_problems(plan: "Choices") -> list[Problem]:
    """What would make the guarantee of cross tables untrue, or their noise impossible; the readers refuse the rest with lines."""
    if plan.cross is None:
        fix = "give each [[groups]] a name of its own"
        return [] if plan.families else [Problem("groups", "are none, or two of one name", fix)]
    return [*_company(plan)] or [*_columns(plan, plan.cross)] or [*_tables(plan, plan.cross)]


def _company(plan: "Choices") -> Iterator[Problem]:
    """What stands beside cross tables and cannot."""
    others = plan.levels or plan.aggregates or plan.families or plan.detail.steps
    if others or plan.variants != Variants() or plan.suppression or not plan.allow_negative:
        problem = "stand beside levels, groups, detail, sums, quantiles or choices of publication that are not theirs"
        yield Problem("cross tables", problem, "make two plans of it")


def _columns(plan: "Choices", cross: Cross) -> Iterator[Problem]:
    known, names = plan.records.by_name, cross.columns
    if not names or len(set(names)) < len(names) or len(cross.cuts) != len(names) or not set(names) <= known.keys():
        yield Problem("cross tables", "are of no columns of the plan, or of one twice", "name each column once")
        return
    for name in names:
        if known[name].several or isinstance(known[name].domain, Decimals):
            problem = f"are of {name[:40]}, of which a record has several values, or decimals"
            yield Problem("cross tables", problem, "take columns of one value")
            return
    try:
        read = cross.read(known)
    except PlanError as error:
        yield from error.problems
        return
    for column in read:
        if column.domain.size < 2:
            yield Problem("cross tables", f"are of {column.name[:40]}, which has one value", "leave the column out")


def _tables(plan: "Choices", cross: Cross) -> Iterator[Problem]:
    order = [(len(table), table) for table in cross.tables]
    every = range(len(cross.columns))
    if not order or order != sorted(set(order)) or any(list(t) != sorted(set(t) & set(every)) for t in cross.tables):
        yield Problem("cross tables", "are none, or not in their order, each once", _FROM_A_FILE)
        return
    if sum(2 ** len(table) for table in cross.tables) > MOST_MEMBERS:
        yield Problem("cross tables", "have more parts than are measured together", "take fewer columns at a time")
        return
    levels = [plan.regions.order(level) for level in cross.levels]
    if not levels or levels != sorted(set(levels)):
        yield Problem("cross tables", "are of no levels of regions, or not in their order, each once", _FROM_A_FILE)
        return
    try:
        shape = shape_of(custom_records(plan), plan.regions, cross, plan.measure)
    except PlanError as error:
        yield from error.problems
        return
    cells = sum(map(shape.cells, cross.tables)) * sum(shape.regions)
    if cells > MOST_CELLS or max(map(shape.cells, shape.parts)) > MOST_PART:
        problem = f"have {cells:,} cells; at most {MOST_CELLS:,} are possible, and {MOST_PART:,} of a table in a region"
        yield Problem("cross tables", problem, "take fewer columns at a time, or coarser classes")
    elif len(cross.shares) != len(levels) or any(len(each) != len(shape.parts) for each in cross.shares):
        yield Problem("cross tables", "have shares of other parts than their tables", _FROM_A_FILE)
    elif not all(_is_known(shape, level) for level in cross.shares) or cross.budget > LARGEST_BUDGET:
        problem = f"have a budget that is not above 0 and at most {LARGEST_BUDGET}, or a share that is not above 0"
        yield Problem("cross tables", problem, "give them another budget")
    elif any(
        _is_too_wide(noise_of_part(shape, part, share, plan.records_of_one))
        for level in cross.shares
        for part, share in zip(shape.parts, level, strict=True)
        if share
    ):
        yield Problem("cross tables", "have a budget too small to draw their noise", "give them more")


def _is_known(shape: Shape, level: tuple[Fraction, ...]) -> bool:
    """Whether every part of a level is measured; under pure epsilon, in some table that is."""
    if not shape.laplace:
        return all(share > 0 for share in level)
    owners, inside, _ = shape.within
    places = {int(part) for owner, part in zip(owners, inside, strict=True) if level[owner]}
    return all(share >= 0 for share in level) and len(places) == len(level)


def _is_too_wide(noise: Distribution) -> bool:
    if isinstance(noise, DiscreteLaplace):
        return noise.scale > 1 / SMALLEST_SHARE
    return noise.sigma_squared > LARGEST_SIGMA_SQUARED

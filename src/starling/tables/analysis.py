"""A tables release for who analyses it: its numbers with their noise, to be added, compared and divided.

Each number is a `Value` (release/intervals.py) that knows the draws of noise in it by name: those of its group's cells, and where the plan
uses it again the group's first total. So a total is not taken for independent of its own cells, and two totals of different groups are.
Which detail a group has, and so how many draws its total has, is told by the standard deviation beside it: the plan gives each detail
another one.

Intervals hold over all groups before suppression. Groups that were left out are not there: a sum over what was published is a sum
of what was published, and `left_out` says how many groups are missing from it.
"""

from collections.abc import Collection, Iterable
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.ledger.keys import Pin, Public
from starling.privacy.budget import Exact
from starling.privacy.laws import Law
from starling.release import intervals
from starling.release.intervals import CONFIDENCE, Ratio, Value
from starling.release.reading import DomainRelease, Release
from starling.release.reading import open_release as open_any
from starling.tables import cells
from starling.tables.artifact.public_plan import read_plan
from starling.tables.inference.combined import later_weight
from starling.tables.inference.consistency import nested
from starling.tables.inference.totals import deviation_of, run_deviation, stage1_share
from starling.tables.measurements import BRANCHES, TOTAL_ONLY
from starling.tables.plan import Level, Noise, Plan, Twice

Wanted: TypeAlias = str | Collection[str]
"""One value of a column, or several."""

GROUP: Final = ("region_type", "region_id", "iteration_code")
LABELS: Final = (*GROUP, "region_name", "iteration_name", "age_start", "age_end", "sex")
"""Columns that numbers are chosen by."""
ALL: Final = "*"


class TablesRelease(DomainRelease):
    """An opened release of tables.

    Attributes:
        plan: Its public plan.
        geography: Its public regions.
    """

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan, self.geography = read_plan(self.folder)

    def rows(self, table: str, **wanted: Wanted) -> pa.Table:
        """Rows of "t1" or "t2" whose columns have the wanted values.

        Raises:
            ParameterError: there is no such table or column.
        """
        found = self._table(table)
        for column, values in wanted.items():
            if column not in LABELS or column not in found.column_names:
                known = ", ".join(name for name in LABELS if name in found.column_names)
                raise ParameterError(field=column, problem="is no column to choose by", fix=f"take {known}")
            chosen = pa.array([values] if isinstance(values, str) else sorted(values), pa.string())
            found = found.filter(pc.is_in(found[column], value_set=chosen))
        return found

    def numbers(self, table: str, **wanted: Wanted) -> list[Value]:
        """The numbers of these rows, in their order.

        Raises:
            ParameterError: as of `rows`; or a number was raised to 0 or is a sum of such, so that its error is not that of its noise.
        """
        return [self._value(row) for row in self.rows(table, **wanted).to_pylist()]

    def number(self, table: str, **wanted: Wanted) -> Value:
        """The number of the one row that has the wanted values.

        Raises:
            ParameterError: as of `numbers`; or there are more rows, or none: not in the plan, or left out.
        """
        found = self.rows(table, **wanted)
        if len(found) == 1:
            return self._value(found.to_pylist()[0])
        if len(found) > 1:
            raise ParameterError(
                field=table, problem=f"has {len(found):,} such rows", fix="say more, or take `numbers`"
            )
        groups = {column: values for column, values in wanted.items() if column in GROUP}
        if self.left_out(**groups):
            fix = "its measurement is in data/measurements"
            raise ParameterError(
                field=table, problem="does not have it: the group was left out, or has no ages", fix=fix
            )
        raise ParameterError(field=table, problem="does not have it: the plan has no such group", fix="look at `plan`")

    def left_out(self, **wanted: Wanted) -> int:
        """How many groups of the plan that have the wanted region_type, region_id and iteration_code are not in T1."""
        planned = 0
        for column in wanted:
            if column not in GROUP:
                raise ParameterError(field=column, problem="does not choose groups", fix=f"take {', '.join(GROUP)}")
        sets = {name: {values} if isinstance(values, str) else set(values) for name, values in wanted.items()}
        for level in self.plan.levels:
            if str(level.geography) not in sets.get("region_type", {str(level.geography)}):
                continue
            regions = self.geography.regions[level.geography]
            codes = [each.code for each in level.iterations]
            planned += len(sets.get("region_id", set(regions)) & set(regions)) * len(
                sets.get("iteration_code", set(codes)) & set(codes)
            )
        return planned - len(self.rows("t1", **wanted))

    def sum(self, values: Iterable[Value]) -> Value:
        """The sum of numbers, with an interval that knows which noise they share."""
        return intervals.total(values)

    def difference(self, a: Value, b: Value) -> Value:
        """a - b, likewise."""
        return intervals.difference(a, b)

    def ratio(self, a: Value, b: Value, confidence: Exact = CONFIDENCE) -> Ratio:
        """a/b with an interval; raises ParameterError where b may be 0."""
        return intervals.ratio(a, b, confidence)

    def _table(self, name: str) -> pa.Table:
        if name not in ("t1", "t2"):
            raise ParameterError(field="table", problem="is not t1 or t2", fix="take one of them")
        return self._t1 if name == "t1" else self._t2

    @cached_property
    def _t1(self) -> pa.Table:
        return self.table("t1")

    @cached_property
    def _t2(self) -> pa.Table:
        return self.table("t2")

    @cached_property
    def _levels(self) -> dict[tuple[str, str], Level]:
        """Level of each region type and iteration."""
        return {(str(level.geography), each.code): level for level in self.plan.levels for each in level.iterations}

    def _value(self, row: dict[str, Any]) -> Value:
        if row["post_processed"]:
            problem = "was raised to 0, or is a sum of such numbers, so that its error is not known"
            raise ParameterError(field="count", problem=problem, fix="use the measurements")
        estimate = Fraction(row["count"])
        if self.plan.add_up and self._moves(row):
            return Value(estimate, deviation=row["standard_deviation"])
        group = tuple(row[column] for column in GROUP)
        level = self._levels[row["region_type"], row["iteration_code"]]
        return _linear(self.plan, level, group, row, estimate)

    def _moves(self, row: dict[str, Any]) -> bool:
        """Whether a number's noise is that of a least-squares estimate."""
        return nested(self._levels[row["region_type"], row["iteration_code"]].geography)


def _linear(plan: Plan, level: Level, group: tuple[str, ...], row: dict[str, Any], estimate: Fraction) -> Value:
    """A number as a sum of draws: its cells', and the first total's where that is used."""
    laws = plan.laws(level)
    kind, mine = _kind(plan, level, row)
    if plan.top_up is not None:
        return _combined(plan.noise(level, total_only=kind == TOTAL_ONLY), (group, kind), mine, estimate)
    if kind == TOTAL_ONLY:
        return Value(estimate, {(group, "total"): (laws.total_only, Fraction(1))})
    size = cells.BRANCH_CELLS[kind]
    weight = stage1_share(plan, level, kind)
    # Least squares moves each cell by weight/size of what the first total says more: by its own draw, less by all cells'.
    share = weight * len(mine) / size
    draws: dict[Any, tuple[Law, Fraction]] = {}
    for cell in range(size) if share else mine:
        draws[group, kind, cell] = (laws.stage2, Fraction(cell in mine) - share)
    if share:
        draws[group, "first"] = (laws.stage1, share)
    # The total's correction is rounded, and so is its spread over cells.
    slack = Fraction(0) if not share else Fraction(1, 2) if len(mine) == size else Fraction(3, 2)
    return Value(estimate, draws, slack)


def _combined(noise: Noise, name: Any, mine: frozenset[int], estimate: Fraction) -> Value:
    """A number of which each cell is combined from draws of several releases, and rounded each time."""
    drawn: list[tuple[Law, Fraction]] = []
    left, slack = Fraction(1), Fraction(0)
    while isinstance(noise, Twice):
        weight = later_weight(noise)
        drawn.append((noise.later, left * weight))
        slack += left / 2
        left, noise = left * (1 - weight), noise.earlier
    drawn.append((noise, left))
    draws: dict[Any, tuple[Law, Fraction]] = {
        (name, cell, back): draw for cell in mine for back, draw in enumerate(drawn) if draw[1]
    }
    return Value(estimate, draws, len(mine) * slack)


def _kind(plan: Plan, level: Level, row: dict[str, Any]) -> tuple[int, frozenset[int]]:
    """The branch of a row's group, and which of its cells are in the number: by its ages and its standard deviation."""
    found: list[tuple[float, int, frozenset[int]]] = []
    for kind in BRANCHES:
        size = cells.BRANCH_CELLS[max(kind, 0)]
        if "sex" not in row:
            found.append((deviation_of(plan, level, kind), kind, frozenset(range(size))))
        elif mine := _cells(kind, row):
            found.append((run_deviation(plan, level, kind, len(mine)), kind, mine))
    total_only = {each.code for each in level.iterations if each.total_only}
    found = [each for each in found if (each[1] == TOTAL_ONLY) == (row["iteration_code"] in total_only)]
    _, kind, mine = min(found, key=lambda each: abs(each[0] - row["standard_deviation"]))
    return kind, mine


def _cells(kind: int, row: dict[str, Any]) -> frozenset[int]:
    """Cells of a branch that a T2 row is the sum of; none if the branch has no such row."""
    if kind <= 0:
        return frozenset()
    bands = cells.BRANCH_BANDS[kind]
    first = (int(row["sex"]) - 1) * len(bands)
    if row["age_start"] == ALL:
        return frozenset(range(first, first + len(bands)))
    ages = (int(row["age_start"]), int(row["age_end"]))
    ranges = cells.age_ranges(bands)
    return frozenset({first + ranges.index(ages)}) if ages in ranges else frozenset()


def opened(release: Release) -> TablesRelease:
    """A release of tables, as what analysts use.

    Raises:
        ParameterError: it is of another domain.
    """
    if release.statement["domain"] != "tables":
        raise ParameterError(field="release", problem="is no release of tables", fix="name one")
    return TablesRelease(release)


def open_release(path: str | Path, *, key: str | Public | Pin | None = None) -> TablesRelease:
    """Open a release of tables, given as a folder or as one zip; raises as `starling.open_release` does."""
    return opened(open_any(path, key=key))

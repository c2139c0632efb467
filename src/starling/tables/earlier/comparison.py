"""Two releases compared number by number: which differ by more than their noise.

Compared are the noisy stage-2 measurements that both releases ship, before anything was dropped, clamped or made to add up. So which groups
were published, and whether negative counts were, bends nothing: the noise of every group has its whole distribution.

The rule for many comparisons. A family is all totals, or all cells, that both releases measured. Within a family the measurements are
independent of one another, so the p-values are, and the procedure of Benjamini and Hochberg (1995) at level 1 - confidence holds: of the
numbers found to differ, at most that share is expected to be equal in truth. The intervals beside them are those of Benjamini and
Yekutieli (2005), at 1 - (1 - confidence) R/N for R that differ of N: of their intervals, at most that share is expected to miss; and
a number differs exactly when its interval does not hold 0.

Both releases are read twice: first for the p-values, then for the numbers that differ.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.privacy.budget import Exact, exact
from starling.release.reading import open_release
from starling.tables.earlier.differences import Comparison, Family, OnlyIn, SignificantDifference
from starling.tables.earlier.pairs import (
    Float64,
    Int64,
    Pair,
    Part,
    Side,
    Tails,
    benjamini_hochberg,
    difference,
    noise,
    pairs,
    shared_iterations,
    terms,
)
from starling.tables.earlier.releases import check_comparable, earlier_of
from starling.tables.plan import Detail, Piece, labels
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.postprocess.rows import group_columns

FAMILIES: Final = ("total", "cell")
MOST_KEPT: Final = 1000
"""Numbers that a comparison keeps; `keep` gets all."""


def schema(detail: Detail) -> pa.Schema:
    """Columns of a row: a number that differs, or a group that is published in one release alone and measured in both.

    Of a cell, a column for each attribute of the detail has its class in words.
    """
    return pa.schema(
        [
            *((name, pa.string()) for name in ("status", "region_type", "region_id", "region_name")),
            *((name, pa.string()) for name in ("iteration_code", "iteration_name", *_classes(detail))),
            *((name, pa.int64()) for name in ("first", "second", "difference", "lower", "upper")),
            ("p_value", pa.float64()),
        ]
    )


def _classes(detail: Detail) -> tuple[str, ...]:
    return tuple(each.name if each.values else each.plural for each in detail.attributes)


DIFFERS: Final = "differs"
FIRST_ALONE: Final = "published in the first alone: suppressed in the second"
SECOND_ALONE: Final = "published in the second alone: suppressed in the first"


def compare(
    first: Path, second: Path, *, confidence: Exact = "0.95", keep: Callable[[pa.Table], object] = lambda _: None
) -> Comparison:
    """Compare two releases of tables.

    Args:
        first: The folder or zip of one release.
        second: That of the other.
        confidence: Above 1/2 and below 1: 1 less the share of the differences that is expected to be wrong.
        keep: Takes the rows (`schema`) of what differs and of groups published in one alone, part by part in plan order; first none.

    Raises:
        IntegrityError: a release is not what was signed.
        ParameterError: one is of another domain or has no counts, both are one or share measurements, or the confidence is out of range.
    """
    sure = exact(confidence, field="confidence")
    if not Fraction(1, 2) < sure < 1:
        raise ParameterError("confidence", "is not above 0.5 and below 1", 'give a chance such as "0.95"')
    with open_release(first) as one, open_release(second) as other:
        known = earlier_of(one, first), earlier_of(other, second)
        check_comparable(known[0], known[1], second)
        sides = [
            Side(release.folder, each.plan, each.geography) for release, each in zip((one, other), known, strict=True)
        ]
        families = _families(sides[0], sides[1], float(1 - sure))
        listed = _Rows(sides[0], sides[1], families)
        keep(schema(sides[0].plan.detail).empty_table())
        for rows in listed:
            keep(rows)
        return Comparison(*known, sure, families, listed.only(), tuple(listed.differences))


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Numbers of one kind of a pair: the place of the group of each, the cell and its branch (-1 and 0 for totals), the numbers as both
    releases measured them, and the noise in the difference of both.
    """

    group: Int64
    label: tuple[int, int]
    first: Int64
    second: Int64
    noise: Tails

    def p_values(self) -> Float64:
        return self.noise.chance(self.second - self.first)


TOTAL: Final = -1
"""What stands for a total in the place of a cell."""


def _numbers(sides: tuple[Side, Side], pair: Pair, family: str) -> Iterator[_Numbers]:
    """The numbers of one of FAMILIES in a pair, those of alike noise together."""
    parts, detail = (pair.one, pair.other), pair.one.detail
    one, other = (part.branch.astype(np.int64) - TOTAL_ONLY for part in parts)
    kind = one * len(detail.branches) + other
    for both in np.unique(kind).tolist():
        branches = [branch + TOTAL_ONLY for branch in divmod(both, len(detail.branches))]
        here, common = np.flatnonzero(kind == both), min(branches)
        if family == "total":
            totals = [part.totals[here] for part in parts]
            yield _Numbers(here, (TOTAL, 0), totals[0], totals[1], _noise(sides, parts, branches, (None, None)))
        elif common > 0:
            values = [part.cells(here, branch, common) for part, branch in zip(parts, branches, strict=True)]
            for cell, sizes in enumerate(zip(*(terms(detail, branch, common) for branch in branches), strict=True)):
                apart = _noise(sides, parts, branches, sizes)
                yield _Numbers(here, (cell, common), values[0][:, cell], values[1][:, cell], apart)


def _noise(
    sides: tuple[Side, Side], parts: tuple[Part, Part], branches: Sequence[int], sizes: Sequence[int | None]
) -> Tails:
    measured = zip(sides, parts, branches, sizes, strict=True)
    return difference(*(noise(side.plan, part.level, branch, size) for side, part, branch, size in measured))


def _families(one: Side, other: Side, level: float) -> tuple[Family, ...]:
    """First time through: how many numbers of each kind there are, and up to which p-value they differ."""
    tests = dict.fromkeys(FAMILIES, 0)
    small: dict[str, list[Float64]] = {family: [np.zeros(0)] for family in FAMILIES}
    for pair in pairs(one, other):
        for family in FAMILIES:
            for numbers in _numbers((one, other), pair, family):
                chances = numbers.p_values()
                tests[family] += len(chances)
                small[family].append(chances[chances <= level])
    return tuple(
        Family(name, count, *benjamini_hochberg(np.concatenate(small[name]), count, level))
        for name, count in tests.items()
    )


class _Rows:
    """Second time through: the rows of what differs, and by the way the differences that are surest so far."""

    def __init__(self, one: Side, other: Side, families: tuple[Family, ...]) -> None:
        self._sides, self._families = (one, other), families
        self._alone: Counter[tuple[str, bool]] = Counter()
        self.differences: list[SignificantDifference] = []

    def __iter__(self) -> Iterator[pa.Table]:
        for pair in pairs(*self._sides):
            parts = [
                self._rows(pair, numbers, np.flatnonzero(numbers.p_values() <= family.limit), family.limit)
                for family in self._families
                if family.significant
                for numbers in _numbers(self._sides, pair, family.number)
            ]
            parts += [self._one_sided(pair, first=first) for first in (True, False)]
            rows = pa.concat_tables(parts)
            if len(rows):
                self._keep(rows)
                yield rows

    def _keep(self, rows: pa.Table) -> None:
        differing = rows.filter(pc.equal(rows["status"], DIFFERS))
        lower, apart, upper = (differing[name].to_numpy() for name in ("lower", "difference", "upper"))
        sureness = np.abs(apart) / (1 + upper - lower)
        positions = np.argsort(-sureness, kind="stable")[:MOST_KEPT]
        fresh = [
            _significant(row, _classes(self._sides[0].plan.detail))
            for row in differing.take(pa.array(positions)).to_pylist()
        ]
        self.differences = nsmallest(MOST_KEPT, [*self.differences, *fresh], key=lambda each: -each.sureness)

    def _rows(self, pair: Pair, numbers: _Numbers, which: Int64, limit: float) -> pa.Table:
        first, second = numbers.first[which], numbers.second[which]
        half, apart = numbers.noise.margin(limit), second - first
        values = {
            "first": first,
            "second": second,
            "difference": apart,
            "lower": apart - half,
            "upper": apart + half,
            "p_value": numbers.noise.chance(apart),
        }
        cell, common = numbers.label
        words = () if cell == TOTAL else pair.one.detail.words(pair.one.detail.cells[common][cell])
        return self._named(pair, numbers.group[which], DIFFERS, words, values)

    def _one_sided(self, pair: Pair, *, first: bool) -> pa.Table:
        here, there = (pair.one, pair.other) if first else (pair.other, pair.one)
        groups = np.flatnonzero(here.published & ~there.published)
        self._alone[labels.level_title(self._sides[0].plan, pair.one.level), first] += len(groups)
        values = {"first": pair.one.totals[groups], "second": pair.other.totals[groups]}
        return self._named(pair, groups, FIRST_ALONE if first else SECOND_ALONE, (), values)

    def _named(
        self, pair: Pair, groups: Int64, status: str, words: tuple[str, ...], values: Mapping[str, Any]
    ) -> pa.Table:
        region, iteration = np.divmod(groups, len(pair.iterations))
        level, geography = pair.one.level, self._sides[0].geography
        many = len(level.iterations)
        piece = Piece(0, 0, len(geography.regions[level.geography]), many)
        of_level = pair.regions[region] * many + pair.iterations[iteration]
        columns: dict[str, Any] = {
            "status": [status] * len(groups),
            **{name: each.cast(pa.string()) for name, each in group_columns(geography, level, piece, of_level).items()},
            **{name: [each] * len(groups) for name, each in zip(_classes(pair.one.detail), words, strict=False)},
            **values,
        }
        missing, rows = [None] * len(groups), schema(pair.one.detail)
        return pa.table([pa.array(columns.get(field.name, missing), field.type) for field in rows], schema=rows)

    def only(self) -> tuple[OnlyIn, ...]:
        """Levels with groups in one alone, after all rows."""
        levels = [{labels.level_title(side.plan, level): level for level in side.plan.levels} for side in self._sides]
        rows = []
        for title in dict.fromkeys((*levels[0], *levels[1])):
            sizes = [
                len(side.geography.regions[each[title].geography]) * len(each[title].iterations) if title in each else 0
                for side, each in zip(self._sides, levels, strict=True)
            ]
            both = 0
            if title in levels[0] and title in levels[1]:
                level = levels[0][title]
                regions = [set(side.geography.regions[level.geography]) for side in self._sides]
                plans = self._sides[0].plan, self._sides[1].plan
                both = len(regions[0] & regions[1]) * len(shared_iterations(plans, (level, levels[1][title]))[0])
            each = OnlyIn(title, self._alone[title, True], self._alone[title, False], sizes[0] - both, sizes[1] - both)
            if each.first or each.second or each.first_plan or each.second_plan:
                rows.append(each)
        return tuple(rows)


def _significant(row: dict[str, Any], classes: tuple[str, ...]) -> SignificantDifference:
    label = labels.group(row)
    if classes and row[classes[0]] is not None:
        label += f": {', '.join(row[each] for each in classes)}"
    return SignificantDifference(label, row["first"], row["second"], row["lower"], row["upper"], row["p_value"])

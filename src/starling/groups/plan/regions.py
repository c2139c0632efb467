"""The public regions: one root, every level below it nested in the one above, groups in the regions of the last level (the leaves).

A file names each region once with the region that it lies in, `region,parent` in CSV with a header; the root has no parent. A third column,
`groups`, may give the public number of groups of each leaf.
"""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from starling.errors import PlanError, Problem
from starling.groups.optimise.tree import Int64, Tree
from starling.planfile.public_text import public_rows
from starling.planfile.spelling import name_problem, shown
from starling.text_format import PLAIN, TextFormat

LONGEST_FILE: Final = 1 << 28
"""Bytes of a file of regions."""
MOST_GROUPS: Final = 1 << 40
"""Groups in all, and in a region."""
COLUMNS: Final = ("region", "parent")
TOTALS: Final = "groups"
MOST_PROBLEMS: Final = 1000


class Row(NamedTuple):
    """One region of a file.

    Attributes:
        line: The line that it stands in.
        region: Its id, of which no two regions have the same.
        parent: The id of the region that it lies in; empty for the root.
        groups: The public number of groups in it; None where the file does not say.
    """

    line: int
    region: str
    parent: str
    groups: int | None


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of each level, those of one parent together and ascending by id, parents in the order of their own level.

    Attributes:
        levels: The name of each level, the root's first.
        ids: The ids of the regions of each level.
        tree: How they are nested, in the same order.
        totals: The public number of groups of each leaf; None where only the number of all groups is public.
    """

    levels: tuple[str, ...]
    ids: tuple[tuple[str, ...], ...]
    tree: Tree
    totals: tuple[int, ...] | None

    @property
    def leaves(self) -> tuple[str, ...]:
        """The ids of the last level."""
        return self.ids[-1]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all of it, hexadecimal."""
        state = hashlib.sha256()
        rows: list[list[int]] = [[], *(parents.tolist() for parents in self.tree.parents)]
        for name, ids, parents in zip(self.levels, self.ids, rows, strict=True):
            state.update("\n".join((name, *ids, *map(str, parents), "")).encode())
        state.update(repr(self.totals).encode())
        return state.hexdigest()

    @property
    def above(self) -> tuple[tuple[str, ...], ...]:
        """For each level, the id of the region that each region lies in; of the root an empty one."""
        inner = zip(self.ids, self.tree.parents, strict=False)
        return (("",), *(tuple(ids[row] for row in rows.tolist()) for ids, rows in inner))

    @property
    def level_totals(self) -> tuple[Int64, ...] | None:
        """The public number of groups of each region of each level; None where they are not public."""
        return None if self.totals is None else self.sums(np.array(self.totals, dtype=np.int64))

    def sums(self, leaves: Int64) -> tuple[Int64, ...]:
        """What the regions of each level hold, root first, of int64 (leaves, ...)."""
        levels = [leaves]
        for parents in reversed(self.tree.parents):
            # Children of one parent stand together.
            levels.append(np.add.reduceat(levels[-1], np.searchsorted(parents, np.arange(parents[-1] + 1)), axis=0))
        return tuple(reversed(levels))


def read_rows(path: Path, form: TextFormat = PLAIN) -> list[Row]:
    """The rows of a file of regions, which is plain CSV or as `form` says.

    Raises:
        PlanError: it cannot be read, lacks a column, or a row is none.
    """
    problems: list[Problem] = []
    listed = public_rows(path, LONGEST_FILE, form, "regions", COLUMNS)
    rows = [_row(fields, line, path.name, problems) for line, fields in listed]
    _refuse(problems)
    return rows


def nested_rows(regions: Mapping[str, Any]) -> list[Row]:
    """The rows of regions that are nested in dicts: each name with the regions in it, or of a leaf with its public number of groups.

    Raises:
        PlanError: with every name or number that is none.

    >>> [(row.region, row.parent, row.groups) for row in nested_rows({"land": {"east": ["e1"], "west": {"w1": 3}}})]
    [('land', '', None), ('east', 'land', None), ('e1', 'east', None), ('west', 'land', None), ('w1', 'west', 3)]
    """
    rows: list[Row] = []
    problems: list[Problem] = []

    def add(inside: Any, parent: str) -> None:
        for name, each in inside.items() if isinstance(inside, Mapping) else ((name, None) for name in inside):
            number = each if isinstance(each, int) and not isinstance(each, bool) else None
            if not isinstance(name, str) or not (number is not None or isinstance(each, Mapping | list | tuple | None)):
                fix = 'nest dicts, as in {"land": {"east": ["e1", "e2"]}}'
                problems.append(Problem("regions", "hold what is neither a name, a list, a dict nor a number", fix))
                continue
            fields = {"region": name, "parent": parent, TOTALS: "" if number is None else str(number)}
            rows.append(_row(fields, len(rows) + 1, "regions", problems))
            if isinstance(each, Mapping | list | tuple):
                add(each, name)

    add(regions, "")
    _refuse(problems)
    return rows


def regions_text(regions: Regions) -> str:
    """The text of a file of regions, which `read_rows` and `regions_of` read."""
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS if regions.totals is None else (*COLUMNS, TOTALS))
    totals = dict(zip(regions.leaves, regions.totals or (), strict=False))
    for ids, above in zip(regions.ids, regions.above, strict=True):
        for name, parent in zip(ids, above, strict=True):
            lines.writerow((name, parent) if regions.totals is None else (name, parent, totals.get(name, "")))
    return text.getvalue()


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise PlanError(problems=problems[:MOST_PROBLEMS])


def _row(fields: Mapping[str, str], line: int, name: str, problems: list[Problem]) -> Row:
    region, parent, groups = (fields.get(column, "").strip() for column in (*COLUMNS, TOTALS))
    if (wrong := name_problem(region)) is not None:
        problems.append(Problem("region", wrong, "name every region", name, line))
    if groups and not (groups.isascii() and groups.isdigit() and int(groups[:20]) <= MOST_GROUPS):
        problems.append(Problem(TOTALS, f"is not an integer from 0 to {MOST_GROUPS}", "correct it", name, line))
        groups = ""
    return Row(line, region, parent, int(groups) if groups else None)


def regions_of(rows: Sequence[Row], levels: Sequence[str], name: str) -> Regions:
    """The regions of some rows, without totals.

    Args:
        rows: In any order.
        levels: The name of each level, the root's first.
        name: What the rows are called in messages.

    Raises:
        PlanError: with every cause: no root or several, a repeated region, an unknown parent, an inner region without a child, a
            leaf below the last level.
    """
    times = Counter(row.region for row in rows)
    roots = [row for row in rows if not row.parent]
    problems = [
        Problem("region", f"{shown(region)} is there {many} times", "name every region once", name)
        for region, many in times.items()
        if many > 1
    ]
    problems += [
        Problem("parent", f"{shown(row.parent)} is no region of the file", "name it, or correct it", name, row.line)
        for row in rows
        if row.parent and row.parent not in times
    ]
    if len(roots) != 1:
        problem = f"has {len(roots)} roots, which lie in no other region"
        problems.append(Problem("regions", problem, "have one region without a parent", name))
    _refuse(problems)
    inside: dict[str, list[str]] = {}
    for row in rows:
        inside.setdefault(row.parent, []).append(row.region)
    ids: list[tuple[str, ...]] = [(roots[0].region,)]
    parents = []
    for level in levels[:-1]:
        childless = [region for region in ids[-1] if region not in inside]
        _refuse([_depth(region, f"level {level} has no region", name) for region in childless])
        below = [sorted(inside[region]) for region in ids[-1]]
        parents.append(np.repeat(np.arange(len(below)), [len(each) for each in below]))
        ids.append(tuple(region for each in below for region in each))
    deeper = [region for region in ids[-1] if region in inside]
    _refuse([_depth(region, f"the last level, {levels[-1]}, has regions", name) for region in deeper])
    if sum(map(len, ids)) < len(rows):
        _refuse([Problem("regions", "lie in one another in a circle", "correct their parents", name)])
    return Regions(tuple(levels), tuple(ids), Tree.of(parents), None)


def _depth(region: str, problem: str, name: str) -> Problem:
    fix = "name as many levels as the regions are deep, every leaf equally deep"
    return Problem("region", f"{shown(region)} of {problem} inside it", fix, name)


def leaf_totals(regions: Regions, stated: Mapping[str, int | None]) -> tuple[int, ...]:
    """The public number of groups of each leaf.

    Raises:
        PlanError: a leaf has none.
    """
    totals = {leaf: number for leaf in regions.leaves if (number := stated.get(leaf)) is not None}
    missing = [leaf for leaf in regions.leaves if leaf not in totals]
    if missing:
        problem = f"of {shown(missing[0])} and {len(missing) - 1} other leaves is missing"
        raise PlanError(TOTALS, problem, "give the public number of groups of every leaf")
    return tuple(totals.values())

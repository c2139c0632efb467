"""The detail of a table: a public chain of partitions, from the total to the finest cells, each a refinement of the one before.

A record has one value of each attribute of the chain. A partition cuts each attribute into classes of neighbouring values, or leaves it
whole; its cells are all combinations of the classes, the last attribute varying first. A group whose noisy total has reached b thresholds
of its level is of branch b and gets the partition b; branch 0 is the bare total, and a group of the branch TOTAL_ONLY is measured once.

Privacy. A record lies in exactly one cell of a partition, so that the cells of a group have L1 and L2 sensitivity 1; a partition that is
coarser merges whole cells, which changes no sensitivity. The chain is public and fixed before any record is read.

The rows of the second table are the cells of the partition. Where a partition cuts the last attribute and another one, each combination
of the others is led by its sum over the last; as the last varies first, every such sum is of a run of cells that stand together.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import PlanError, Problem

Class: TypeAlias = tuple[int, int]
"""The first and the last number of a class, both included."""

MOST: Final = 10**9
"""The largest number of an attribute, and its negative the least."""

ALL: Final = "*"
"""The code of a row that is of all values of an attribute."""


@dataclass(frozen=True, slots=True)
class DetailAttribute:
    """An attribute with a public domain: whole numbers, or a list of values that are numbered.

    Attributes:
        name: The name, which its columns have: age_start and age_end of whole numbers, the name itself of a list.
        plural: The name of several of its values, which is the column of their text where they are whole numbers: "ages".
        low: The least number, or the number of the first value of the list.
        high: The largest number, or the number of the last value.
        values: Code and text of each value of a list; empty where the values are whole numbers.
        unit: What one of the whole numbers is, such as "year".
    """

    name: str
    plural: str
    low: int
    high: int
    values: tuple[tuple[str, str], ...] = ()
    unit: str = "number"

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in the second table."""
        return (self.name,) if self.values else (f"{self.name}_start", f"{self.name}_end")

    @property
    def text_column(self) -> str:
        """The column of its classes in words."""
        return f"{self.name}_name" if self.values else self.plural

    @property
    def column_words(self) -> tuple[str, ...]:
        """What each of `columns` says, and then the column of text."""
        if self.values:
            coded = ", ".join(code if code == text else f"{code} {text}" for code, text in self.values)
            return coded, f"The {self.name}, in words"
        ends = (f"{end} {self.unit} of the {self.plural}, or {ALL} for all {self.plural}" for end in ("First", "Last"))
        return *ends, f"The {self.plural}, in words"

    @property
    def whole(self) -> bool:
        """Whether its numbers are a range, and those of its values where it has a list, each with a code of its own that is not ALL."""
        codes = {code for code, _ in self.values} - {ALL, ""}
        fits = not self.values or len(codes) == len(self.values) == self.high + 1 - self.low
        return fits and -MOST <= self.low < self.high <= MOST

    @property
    def domain(self) -> str:
        """Its numbers in words: "age (0 to 115)", "sex (1, 2)"."""
        if not self.values:
            return f"{self.name} ({self.low} to {self.high})"
        return f"{self.name} ({', '.join(map(str, range(self.low, self.high + 1)))})"

    def refused(self, cuts: Sequence[int]) -> tuple[str, str] | None:
        """What is wrong with the least numbers of classes, and what to do; None where they are a partition of the domain."""
        if len(cuts) < 2 or list(cuts) != sorted(set(cuts)) or cuts[0] != self.low or cuts[-1] > self.high:
            fix = f"give two or more ascending cuts from {self.low} on and up to {self.high}, or none"
            return f"does not cut {self.name} into classes", fix
        if self.values and len(cuts) != self.high + 1 - self.low:
            return f"cuts the list of {self.name} into classes of several values", "give every value a class, or none"
        return None

    def classes(self, cuts: Sequence[int]) -> tuple[Class, ...]:
        """First and last number of each class.

        >>> DetailAttribute("age", "ages", 0, 115).classes((0, 18, 45, 65))
        ((0, 17), (18, 44), (45, 64), (65, 115))
        """
        return tuple((low, high - 1) for low, high in zip(cuts, (*cuts[1:], self.high + 1), strict=True))

    def cut(self, cuts: Sequence[int]) -> str:
        """What a partition makes of it: "4 ages", "sex"."""
        return self.name if self.values else f"{len(cuts)} {self.plural}"

    def codes(self, each: Class | None) -> tuple[str, ...]:
        """What stands in `columns` for a class, or for all values."""
        if each is None:
            return (ALL,) * len(self.columns)
        return (self.values[each[0] - self.low][0],) if self.values else (str(each[0]), str(each[1]))

    def text(self, each: Class | None) -> str:
        """A class in words.

        >>> age = DetailAttribute("age", "ages", 0, 115)
        >>> [age.text(each) for each in (None, (0, 4), (20, 20), (25, 29), (85, 115))]
        ['all ages', 'under 5', '20', '25 to 29', '85 and over']
        """
        if each is None:
            return f"all {self.plural}"
        if self.values:
            return self.values[each[0] - self.low][1]
        first, last = each
        if first == last:
            return str(first)
        if first == self.low:
            return f"under {last + 1}"
        return f"{first} and over" if last == self.high else f"{first} to {last}"


Int64: TypeAlias = npt.NDArray[np.int64]
Cuts: TypeAlias = tuple[tuple[int, ...], ...]
"""A partition: of each attribute the least number of each class, ascending; none where it is left whole."""

TOTAL_ONLY: Final = -1
"""The branch of a group that is measured once."""

RESERVED: Final = {
    *("region_id", "region_type", "region_name", "region_kind", "iteration_code", "iteration_name"),
    *("count", "standard_deviation", "lower", "upper", "post_processed"),
    *("status", "first", "second", "difference", "p_value"),
    *("unit", "races", "qspan", "cell", "persons", "branch", "stage_1", "stage_2"),
}
"""Names that other columns have, beside which those of an attribute stand somewhere."""

MOST_CELLS: Final = 256
"""Cells of a finest partition: a counted record keeps the number of its cell in 8 bits (counts/kernels.py)."""


def one_of(numbers: Sequence[int]) -> str:
    """Numbers as alternatives: "4, 9 or 23"."""
    *some, last = map(str, numbers)
    return f"{', '.join(some)} or {last}" if some else last


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the second table: the sum of a run of cells of its partition.

    Attributes:
        classes: The class of each attribute; None where the row is of all its values.
    """

    first: int
    terms: int
    classes: tuple[Class | None, ...]


@dataclass(frozen=True)
class Detail:
    """A chain of partitions; raises PlanError with all problems where it is none.

    Attributes:
        attributes: What a record has one value of; the last varies first. Without any the chain is the total alone.
        partitions: The chain. The first is the total, which cuts nothing.
    """

    attributes: tuple[DetailAttribute, ...]
    partitions: tuple[Cuts, ...]

    def __post_init__(self) -> None:
        PlanError.check((*self._attribute_problems(), *self._chain_problems()))

    def _attribute_problems(self) -> Iterator[Problem]:
        names = [name for each in self.attributes for name in {each.name, *each.columns, each.text_column}]
        if len({*names, *RESERVED}) < len(names) + len(RESERVED):
            problem = "has columns of one name, or of a name that other columns of the tables have"
            yield Problem("detail", problem, "give each a name of its own")
        if not all(re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) for name in names):
            fix = "write small letters, digits and _, beginning with a letter"
            yield Problem("detail", "has an attribute with a name that no column can have", fix)
        for attribute in self.attributes:
            if not attribute.whole:
                fix = "number as many values as there are, each with a code of its own, between -10^9 and 10^9"
                yield Problem(f"detail {attribute.name}", "has numbers that do not fit its values", fix)

    def _chain_problems(self) -> Iterator[Problem]:
        if not self.partitions or any(self.partitions[0]):
            fix = "begin with the total, from which the first threshold leads on"
            yield Problem("detail", "does not begin with the total", fix)
        for number, partition in enumerate(self.partitions):
            if len(partition) != len(self.attributes):
                fix = "give cuts, or none, of each"
                yield Problem(f"detail {number}", "does not say how each attribute is cut", fix)
                return
            for attribute, cuts in zip(self.attributes, partition, strict=True):
                refused = attribute.refused(cuts) if cuts else None
                if refused is not None:
                    yield Problem(f"detail {number}", *refused)
                    return
        for number, (coarse, fine) in enumerate(pairwise(self.partitions), 1):
            refined = all(set(few) <= set(many) for few, many in zip(coarse, fine, strict=True))
            if not refined or coarse == fine:
                yield Problem(f"detail {number}", "is no refinement of the one before", "keep its cuts and add some")
        if self.finest > MOST_CELLS:
            problem = f"has {self.finest:,} cells, and {MOST_CELLS} are the most that are counted"
            yield Problem("detail", problem, "take fewer cuts")

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each partition: stage-2 values of a group by its branch, from 0 on."""
        return tuple(prod(max(len(cuts), 1) for cuts in partition) for partition in self.partitions)

    @property
    def finest(self) -> int:
        """Cells of the finest partition."""
        return self.sizes[-1] if self.partitions else 0

    @property
    def steps(self) -> int:
        """How many thresholds a level has: one for each partition after the total."""
        return len(self.partitions) - 1

    @cached_property
    def branches(self) -> range:
        """Every branch, ascending."""
        return range(TOTAL_ONLY, len(self.partitions))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Cells of a sum over the last attribute in each partition: its classes there, or 0 where there are no such sums."""
        last = [len(partition[-1]) if partition else 0 for partition in self.partitions]
        return tuple(width if width < size else 0 for width, size in zip(last, self.sizes, strict=True))

    @cached_property
    def row_counts(self) -> tuple[int, ...]:
        """Rows of the second table of a group of each branch from 0 on; they ascend, so that their number tells the branch."""
        return tuple(map(len, self.rows))

    @cached_property
    def rows(self) -> tuple[tuple[Row, ...], ...]:
        """The rows of the second table of a group of each branch from 0 on; none of the total."""
        return ((), *(tuple(self._rows(branch)) for branch in range(1, len(self.partitions))))

    @cached_property
    def cells(self) -> tuple[tuple[Row, ...], ...]:
        """The cells of each partition as rows, without the sums."""
        return tuple(
            tuple(Row(cell, 1, classes) for cell, classes in enumerate(product(*self._classes(branch))))
            for branch in range(len(self.partitions))
        )

    def _rows(self, branch: int) -> Iterator[Row]:
        width = self.widths[branch]
        for cell in self.cells[branch]:
            if width and cell.first % width == 0:
                yield Row(cell.first, width, (*cell.classes[:-1], None))
            yield cell

    def _classes(self, branch: int) -> list[tuple[Class | None, ...]]:
        return [
            attribute.classes(cuts) if cuts else (None,)
            for attribute, cuts in zip(self.attributes, self.partitions[branch], strict=True)
        ]

    def within(self, branch: int, common: int) -> Int64:
        """The cell of `common` that each cell of `branch` is a part of, for a branch that refines it: int64 (cells of `branch`,).

        >>> chain = Detail((DetailAttribute("age", "ages", 0, 9),), (((),), ((0, 5),), ((0, 2, 5),)))
        >>> chain.within(2, 1).tolist()
        [0, 0, 1]
        """
        cell = np.zeros((), dtype=np.int64)
        for few, many in zip(self.partitions[common], self.partitions[branch], strict=True):
            if few:
                inside = np.searchsorted(np.array(few), np.array(many), side="right") - 1
            else:
                inside = np.zeros(max(len(many), 1), dtype=np.int64)
            cell = cell[..., np.newaxis] * max(len(few), 1) + inside
        return cell.ravel()

    def merged(self, values: Int64, branch: int, common: int) -> Int64:
        """Cells of `branch`, int64 (groups, cells), added up to those of `common`; each goes into exactly one."""
        of_cell = self.within(branch, common)
        order = np.argsort(of_cell, kind="stable")
        firsts = np.flatnonzero(np.diff(of_cell[order], prepend=-1))
        return np.add.reduceat(values[:, order], firsts, axis=1)

    def cell_of(self, numbers: tuple[npt.NDArray[np.integer], ...], shape: int | tuple[int, ...] = ()) -> Int64:
        """The finest cell of records that have these numbers of the attributes, arrays of one shape; 0 of a total, in the shape given."""
        cell = np.zeros(numbers[0].shape if numbers else shape, dtype=np.int64)
        for cuts, number in zip(self.partitions[-1], numbers, strict=True):
            if cuts:
                cell = cell * len(cuts) + np.searchsorted(np.array(cuts), number, side="right") - 1
        return cell

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the second table that say which row of a group it is: those of the last attribute first."""
        return tuple(column for attribute in reversed(self.attributes) for column in attribute.columns)

    def codes(self, row: Row) -> tuple[str, ...]:
        """What stands in `columns` in a row."""
        pairs = list(zip(self.attributes, row.classes, strict=True))
        return tuple(code for attribute, each in reversed(pairs) for code in attribute.codes(each))

    def words(self, row: Row) -> tuple[str, ...]:
        """The class of each attribute of a row in words."""
        return tuple(attribute.text(each) for attribute, each in zip(self.attributes, row.classes, strict=True))

    @cached_property
    def of_codes(self) -> dict[tuple[str, ...], tuple[tuple[int, Row], ...]]:
        """The rows that stand under the same codes, each with its branch: all are of the same values of the attributes."""
        by_codes: dict[tuple[str, ...], tuple[tuple[int, Row], ...]] = {}
        for branch, rows in enumerate(self.rows):
            for row in rows:
                by_codes[self.codes(row)] = (*by_codes.get(self.codes(row), ()), (branch, row))
        return by_codes

    @cached_property
    def names(self) -> dict[int, str]:
        """What a group of each branch gets: "sex by 4 ages"."""
        chain = (" by ".join(self._parts(partition)) or "total" for partition in self.partitions)
        return {TOTAL_ONLY: "total only by plan", **dict(enumerate(chain))}

    @cached_property
    def short_names(self) -> tuple[str, ...]:
        """The partitions by what tells them apart: "4 ages" where all but the total are by sex."""
        shared = [len(set(cuts)) == 1 for cuts in zip(*self.partitions[1:], strict=True)]
        apart = (
            tuple(() if same else cuts for same, cuts in zip(shared, partition, strict=True))
            for partition in self.partitions[1:]
        )
        named = (" by ".join(self._parts(cuts)) for cuts in apart)
        return ("bare total", *(short or self.names[branch] for branch, short in enumerate(named, 1)))

    @property
    def steps_text(self) -> str:
        """What the branches from 1 on get, in one phrase: "sex by 4, 9 or 23 ages"."""
        finer = self.partitions[1:]
        if len(finer) < 2 or any(not cuts[-1] or cuts[:-1] != finer[0][:-1] for cuts in finer):
            return ", ".join(self.names[branch] for branch in range(1, len(self.partitions)))
        before = self._parts(finer[0])[:-1]
        many = f"{one_of([len(cuts[-1]) for cuts in finer])} {self.attributes[-1].plural}"
        return " by ".join([*before, many])

    def _parts(self, partition: Cuts) -> list[str]:
        return [attribute.cut(cuts) for attribute, cuts in zip(self.attributes, partition, strict=True) if cuts]

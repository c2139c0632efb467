"""Questions to a release of tables that cost nothing: sums, differences and ratios of released numbers, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from starling.errors import ParameterError
from starling.release.intervals import CONFIDENCE
from starling.release.reading import PER_ROW, Where, by_column
from starling.release.work import Work
from starling.tables.artifact.cross import of_plan
from starling.tables.artifact.cross_values import rows_of
from starling.tables.artifact.row_values import GROUP, groups_read
from starling.tables.inference.group_choice import texts
from starling.tables.postprocess.cross import table_names

if TYPE_CHECKING:
    from starling.tables.analysis import TablesRelease

NUMBERS: Final = ("t1", "t2", "t3")
"""The tables of released numbers, but for cross tables."""
MOST_NUMBERS: Final = 1000
"""Released numbers in one question."""
MOST_CELLS: Final = 50_000
"""Cells of cross tables in one question."""
PER_NUMBER: Final = 200_000
"""Steps (release/work.py) of a number, with its noise."""
PER_MEASURED: Final = 150
"""Steps of reading the measurement of a group."""
OF_WIDE: Final = 1_000_000_000
PER_WIDE: Final = 15_000_000
"""Steps of a ratio of numbers of T3, and of each of them: their noise is as wide as the numbers of the column."""
PER_CELL: Final = 16_000
"""Steps of a cell of a cross table, and of each time that its weight changes."""
PER_WEIGHT: Final = 60
"""Steps of a weight in the variance of a sum, of each part of a table and each cell of it."""
TRIED: Final = 20
"""Ratios of which it is found out whether they may be the true one."""


@dataclass(frozen=True, slots=True)
class Term:
    """Released numbers, added up and multiplied: a part of a sum.

    Attributes:
        table: t1, t2, or t3 for sizes and sums of columns of numbers; of cross tables any, or none for the smallest that has the columns.
        where: Which rows: each a column of texts and a value; of a column that stands there several times any of the values will do. With
            no table, each is a column of the plan, or a level of regions, and one of its values.
        weight: By what they are multiplied; -1 takes them away.
    """

    table: str = ""
    where: Where = ()
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum or difference of released numbers, with its interval: a question to a release, which costs nothing.

    Attributes:
        terms: What is added up.
        confidence: The chance with which the interval holds the true sum.
    """

    terms: tuple[Term, ...]
    confidence: Fraction = CONFIDENCE

    def work(self, release: "TablesRelease") -> Work:
        """That of its terms."""
        return _work(release, self.terms)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two sums of released numbers, with its interval: a question to a release, which costs nothing.

    Attributes:
        terms: What is added up and divided.
        divisor: What is added up and divides; its interval has to be above 0.
        confidence: The chance, or more, with which the interval holds the true ratio.
    """

    terms: tuple[Term, ...]
    divisor: tuple[Term, ...]
    confidence: Fraction = CONFIDENCE

    def work(self, release: "TablesRelease") -> Work:
        """That of its terms and of those of the divisor."""
        return _work(release, (*self.terms, *self.divisor), TRIED)


def _work(release: "TablesRelease", terms: Sequence[Term], tried: int = 1) -> Work:
    """Each term is looked for in every row that may be meant, and in those of T1 for what is missing; numbers are added up exactly."""
    terms = [named(release, term) for term in terms]
    rows = [release.stored(term.table).candidates(by_column(term.where)) for term in terms]
    if release.plan.cross is not None:
        return _cross_work(release, terms, rows, tried)
    planned = [
        release.stored(term.table if term.table == "t3" else "t1").candidates(by_column(of_groups(term.where)))
        for term in terms
    ]
    wide = [term.table == "t3" for term in terms]
    read = sum((one + two) * (1 + len(term.where)) for one, two, term in zip(rows, planned, terms, strict=True))
    numbers = min(MOST_NUMBERS, sum(rows))
    steps = read * PER_ROW + (numbers + len(terms)) * PER_NUMBER
    if any(wide):
        steps += OF_WIDE + PER_WIDE * min(
            MOST_NUMBERS, sum(one for one, is_wide in zip(rows, wide, strict=True) if is_wide)
        )
    if release.plan.variants.add_up:
        codes = [{value for column, value in term.where if column == "iteration_code"} for term in terms]
        iterations = len(set().union(*codes)) if all(codes) else numbers
        steps += groups_read(release.plan, release.geography, iterations) * PER_MEASURED
    return Work(steps, "add up fewer terms")


def _cross_work(release: "TablesRelease", terms: Sequence[Term], rows: Sequence[int], tried: int) -> Work:
    """As `_work`; the variance of a sum looks at every part of its tables, in all regions."""
    shape, cross = release.plan.cross_shape, of_plan(release.plan)
    tables = dict(zip(table_names(cross), cross.tables, strict=True))
    weights = sum(2 ** len(tables[name]) * shape.cells(tables[name]) for name in {term.table for term in terms})
    read = sum(each * (1 + len(term.where)) for each, term in zip(rows, terms, strict=True))
    cells = min(MOST_CELLS, sum(rows))
    steps = read * PER_ROW + (1 + tried) * (cells * PER_CELL + weights * sum(shape.regions) * PER_WEIGHT)
    return Work(steps, "add up fewer cells, or those of a smaller table: all tables agree")


def named(release: "TablesRelease", term: Term) -> Term:
    """A term with the table that is meant, and rows by its columns.

    Raises:
        ParameterError: its table has no numbers to add up, or none is named; or as `rows_of` of cross tables.
    """
    if release.plan.cross is not None and not term.table:
        table, wanted = rows_of(release.plan, release.geography, by_column(term.where))
        where = tuple((column, value) for column, values in wanted.items() for value in texts(values))
        return replace(term, table=table, where=where)
    if term.table not in (known := NUMBERS if release.plan.cross is None else table_names(release.plan.cross)):
        raise ParameterError("question.terms", "name no table of numbers", f"take {' or '.join(known[:12])}")
    return term


def of_groups(where: Where) -> Where:
    """The conditions that choose groups."""
    return tuple((column, value) for column, value in where if column in GROUP)

"""Families of groups over declared columns: one group for each combination of values of some columns, or for each set that it names.

A family is an attribute of its own in the sense of stability.py: its values are the combinations, a record has at most the product of the
most values of its columns of them, and no value is of two families. A level tabulates one family, so the families of other levels do not
count.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod
from typing import Final

from starling.errors import PlanError, Problem
from starling.planfile.spelling import name_problem
from starling.tables.plan.columns import Codes, Column, Decimals, Domain, Integers
from starling.tables.plan.iterations import Attribute, Iteration

EVERYBODY: Final = "everybody"
"""The one value of a family of no column."""
MOST_VALUES: Final = 32_000
"""Values of all families of groups together: they are numbered in 16 bits (counts/kernels.py)."""


def value_texts(domain: Domain) -> tuple[tuple[str, str], ...]:
    """Code and text of each value of a domain, in order.

    >>> value_texts(Integers(0, 9, (0, 5)))
    (('0 to 4', '0 to 4'), ('5 to 9', '5 to 9'))
    """
    match domain:
        case Codes():
            return domain.values
        case Decimals():
            return ()  # of sums and quantiles alone
        case Integers():
            lows = domain.cuts or range(domain.low, domain.high + 1)
            ends = ((low, after - 1) for low, after in pairwise((*lows, domain.high + 1)))
            texts = [f"{low}" if low == high else f"{low} to {high}" for low, high in ends]
        case _:
            texts = [f"from {begin} until {end}" for begin, end in pairwise(domain.edges)]
    return tuple((text, text) for text in texts)


@dataclass(frozen=True, slots=True)
class CustomGroup:
    """A group that a family names: a set of values of its one column.

    Attributes:
        values: The values of the set, ascending: codes of a list.
    """

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CustomFamily:
    """A family of groups.

    Attributes:
        columns: The columns that it looks at; without any it has the one group of everybody.
        cuts: Of each column of whole numbers the least number of each class, ascending; empty of others, and where each number is a class.
        groups: Its groups as sets of values of its one column; empty where each combination of values is a group.
        alone: Whether all values of a record must lie in the set of a group; otherwise one suffices.
        total_only: Whether each group is measured once, as a bare total.
    """

    name: str
    columns: tuple[str, ...]
    cuts: tuple[tuple[int, ...], ...]
    groups: tuple[CustomGroup, ...] = ()
    alone: bool = False
    total_only: bool = False

    def attribute(self, columns: Mapping[str, Column]) -> Attribute:
        """The family as an attribute."""
        return Attribute(self.name, prod(columns[name].most for name in self.columns))

    def read(self, columns: Mapping[str, Column]) -> tuple[Column, ...]:
        """Its columns, those of whole numbers cut into its classes, and each named by its cuts too.

        Raises:
            PlanError: the cuts are none of the column.
        """
        return tuple(cut_column(columns[name], cuts) for name, cuts in zip(self.columns, self.cuts, strict=True))

    def values(self, columns: Mapping[str, Column]) -> tuple[tuple[str, str], ...]:
        """Code and text of each value of the attribute: every combination of classes, the last column first; in this order they are
        numbered where records are counted.
        """
        if not self.columns:
            return ((f"{self.name}: {EVERYBODY}", EVERYBODY),)
        parts = (value_texts(column.domain) for column in self.read(columns))
        return tuple(
            (f"{self.name}: {', '.join(code for code, _ in each)}", ", ".join(text for _, text in each))
            for each in product(*parts)
        )

    def iterations(self, level: int, columns: Mapping[str, Column]) -> Iterator[Iteration]:
        """Its groups, as those of a family of this number."""
        if not self.groups:
            for code, text in self.values(columns):
                yield Iteration(code, text, self.name, level, False, self.total_only, False, (code,))
        for group in self.groups:
            codes = tuple(sorted(f"{self.name}: {value}" for value in group.values))
            name = f"{group.name} alone" if self.alone else group.name
            yield Iteration(
                f"{self.name}: {group.name}", name, self.name, level, self.alone, self.total_only, False, codes
            )

    def problems(self, columns: Mapping[str, Column]) -> Iterator[Problem]:
        """What is wrong with it."""
        field = f"groups {self.name}"
        if (problem := name_problem(self.name)) is not None:
            yield Problem("groups", f"has a name that {problem}", "name the groups")
        if unknown := [name for name in self.columns if name not in columns]:
            problem = f"are over {unknown[0][:40]!r}, which is no column of the plan"
            yield Problem(field, problem, "declare it in [[columns]]")
            return
        if len(set(self.columns)) < len(self.columns) or len(self.cuts) != len(self.columns):
            yield Problem(field, "has a column twice, or no cuts of one", "name each column once")
            return
        if decimal := [name for name in self.columns if isinstance(columns[name].domain, Decimals)]:
            fix = "declare the column without decimals for groups"
            yield Problem(field, f"are over {decimal[0][:40]}, which is for sums and quantiles alone", fix)
            return
        try:
            read = self.read(columns)
        except PlanError as error:
            yield from (Problem(field, f"{problem.field} {problem.problem}", problem.fix) for problem in error.problems)
            return
        if prod(column.domain.size for column in read) > MOST_VALUES:
            yield Problem(field, f"has more than {MOST_VALUES:,} combinations of values", "take fewer columns, or cuts")
            return
        yield from self._group_problems(field, columns)

    def _group_problems(self, field: str, columns: Mapping[str, Column]) -> Iterator[Problem]:
        if (self.groups or self.alone) and len(self.columns) != 1:
            yield Problem(field, "has sets of values, and not one column", "name the one column that the sets are of")
            return
        if self.alone and not self.groups:
            yield Problem(field, "has no sets that all values of a record could lie in", "give the sets of values")
        known = {code for code, _ in value_texts(self.read(columns)[0].domain)} if self.groups else set()
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names) or any(name_problem(name) for name in names):
            yield Problem(field, "has sets of one name, or of none", "give each set a name of its own")
        for group in self.groups:
            if not group.values or len(set(group.values)) < len(group.values) or not known.issuperset(group.values):
                fix = f"list values of {self.columns[0]}, each once"
                yield Problem(field, f"has a set {group.name[:40]!r} of no values, or of one twice, or of others", fix)


def cut_column(column: Column, cuts: tuple[int, ...]) -> Column:
    """A column of whole numbers by classes; any column as it is without cuts. Raises PlanError where the cuts are none of it."""
    if not cuts:
        return column
    if not isinstance(column.domain, Integers):
        raise PlanError("cuts", f"are of {column.name}, which holds no whole numbers", "cut whole numbers alone")
    name = f"{column.name} from {', '.join(map(str, cuts))}"
    return replace(column, name=name, domain=replace(column.domain, cuts=cuts))

"""A tables release for who analyses it: its numbers with their noise, to be added, compared and divided by `+`, `sum`, `-` and `/`.

Each number is a `Value` (release/intervals.py) that knows the draws of noise in it by name: those of its group's cells, and where the plan
uses it again the group's first total. So a total is not taken for independent of its own cells, and two totals of different groups are.
A draw is known by the file of measurements that it is in, by its hash: numbers of two releases are independent, unless one release adds
to the other. Which detail a group has, and so how many draws its total has, is seen from the standard deviation beside it: the plan gives
each detail another one.

Intervals hold over all groups before suppression. Groups that were left out are not there: a sum over what was published is a sum
of what was published, and `left_out` says how many groups are missing from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pyarrow as pa

from starling.errors import IntegrityError, ParameterError
from starling.ledger.keys import Pin, Public
from starling.pages.parts import Headline
from starling.release.codec import Json
from starling.release.intervals import Value, total
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.reading import FIRST_ROWS, DomainRelease, Release, Rows, Wanted, by_column, having
from starling.release.reading import open_release as open_any
from starling.tables.artifact.aggregates import aggregate_path
from starling.tables.artifact.columns import measurements_path
from starling.tables.artifact.cross import cross_path
from starling.tables.artifact.cross_values import CrossValues, rows_of
from starling.tables.artifact.first_number import FirstNumber
from starling.tables.artifact.plan_order import PlanOrder
from starling.tables.artifact.public_plan import read_plan
from starling.tables.artifact.questions import MOST_CELLS, MOST_NUMBERS, NUMBERS, Ratio, Sum, Term, named, of_groups
from starling.tables.artifact.row_values import GROUP, AggregateValues, RowValues
from starling.tables.export import Form, Layout, export
from starling.tables.export.described import Front
from starling.tables.export.rules import Rules
from starling.tables.inference.group_choice import ChosenGroups, Values, choose_groups, texts
from starling.tables.inference.labelled_counts import labelled_counts, ordered_values
from starling.tables.plan import Level
from starling.tables.postprocess.cross import column_names

if TYPE_CHECKING:
    from starling.release.plots import Plots

MOST_SORTED: Final = 10_000
"""Rows that are brought into the order of the plan before the first of them are shown."""


class TablesRelease(DomainRelease):
    """An opened release of tables.

    Attributes:
        plan: The public plan of the release.
        geography: The public regions of the release.
    """

    questions: ClassVar[Any] = Rows | Sum | Ratio

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan, self.geography = read_plan(self.folder)
        self._read: dict[str, pa.Table] = {}

    def table(self, name: str) -> pa.Table:
        """One of `names`, whole; read once, for its numbers are asked for one by one."""
        if name not in self._read:
            self._read[name] = super().table(name)
        return self._read[name]

    def _main_rows(self, wanted: Mapping[str, Wanted]) -> pa.Table:
        """T1 by the columns that the plan declares; of cross tables the largest."""
        if self._cross is not None:
            return self.rows(self._cross.tables[-1], **wanted)
        rows = self.table("t1")
        rows = rows.take(PlanOrder(self.plan).of(rows))
        return having(labelled_counts(self.plan, self.geography, rows), wanted)

    def _beginning(self) -> pa.Table:
        main = "t1" if self._cross is None else self._cross.tables[-1]
        name = main if main in self.names else next(name for name in self.names if "/" not in name)
        rows = self.stored(name).window({}, 0, MOST_SORTED).rows
        if name != "t1" or not self.plan.records.families:
            return rows.slice(0, FIRST_ROWS)
        if len(rows) < MOST_SORTED:
            rows = rows.take(PlanOrder(self.plan).of(rows))
        counts = labelled_counts(self.plan, self.geography, rows.slice(0, FIRST_ROWS))
        return counts.drop_columns(["standard_deviation", "post_processed"])

    def _ordered_values(self) -> dict[str, list[str]]:
        crossed = () if self.plan.cross is None else column_names(self.plan.cross)
        return ordered_values(self.plan, crossed)

    def headline(self) -> Headline | None:
        """The people in all, where the plan declares columns and their sum is released; else the largest published total."""
        return self._first_number

    @cached_property
    def _first_number(self) -> Headline | None:
        """The headline, which a page shows again and again."""
        if self._cross is not None:
            return self.number().headline("Records in all")
        if "t1" not in self.names:
            return None
        first = FirstNumber(self.plan, self.geography, self.folder)
        first.read(self.stored("t1"))
        return first.headline()

    def numbers(self, table: str, **wanted: Wanted) -> list[Value]:
        """The numbers of these rows, in their order.

        Raises:
            ParameterError: there is no such table or column; or a number was raised to 0 or is a sum of such, so that its error is not
                that of its noise.
        """
        return [self._value(row, table) for row in self._published(table, wanted).to_pylist()]

    def number(self, table: str | None = None, **values: Values) -> Value:
        """The number of the one row of a table that has the wanted values; or, without a table, of the people with these values.

        Without a table, of a plan that declares columns: `number(sex="F")` is a released group, or the sum of groups whose noise is least
        (inference/group_choice.py), or of cells of cross tables. People of whom a record says no value of a column are in no group of it.

        Raises:
            ParameterError: there is no such table or column; there are more rows, or none, as it is not in the plan or was left out; or
                the number was raised to 0 or is a sum of such, so that its error is not that of its noise.
        """
        if table is None and self._cross is not None:
            name, chosen = rows_of(self.plan, self.geography, values)
            return self._total(name, self.rows(name, **chosen))
        if table is None:
            return self._sum_of(choose_groups(self.plan, self.geography, values))
        wanted: dict[str, Wanted] = {name: texts(each) for name, each in values.items()}
        rows = self._published(table, wanted)
        if len(rows) == 1:
            return self._value(rows.to_pylist()[0], table)
        if len(rows) > 1:
            raise ParameterError(table, f"has {len(rows):,} such rows", "say more, or take `numbers`")
        groups = {column: values for column, values in wanted.items() if column in GROUP}
        if table != "t3" and self.left_out(**groups):
            fix = "its measurement is in data/measurements"
            raise ParameterError(table, "does not have it: the group was left out, or has no such detail", fix)
        raise ParameterError(table, "does not have it: the plan has no such group", "look at `plan`")

    def _sum_of(self, groups: ChosenGroups) -> Value:
        """The number of people in groups of one level; raises ParameterError where one was left out, or its error is not known."""
        level = str(groups.level.geography)
        rows = self.rows("t1", region_type=level, region_id=groups.regions, iteration_code=groups.codes).to_pylist()
        if left_out := len(groups.regions) * len(groups.codes) - len(rows):
            fix = "their measurements are in data/measurements"
            raise ParameterError("groups", f"that add up to this number were left out: {left_out:,} of them", fix)
        return total(self._value(row, "t1") for row in rows)

    def left_out(self, **wanted: Wanted) -> int:
        """How many groups of the plan that have the wanted region_type, region_id and iteration_code are not in T1."""
        for column in wanted:
            if column not in GROUP:
                raise ParameterError(column, "does not choose groups", f"take {', '.join(GROUP)}")
        return self._planned(wanted) - len(self.rows("t1", **wanted))

    def _planned(self, wanted: Mapping[str, Wanted]) -> int:
        """How many groups of the plan have the wanted values of the columns GROUP."""
        sets = {name: {values} if isinstance(values, str) else set(values) for name, values in wanted.items()}

        def chosen(column: str, known: Iterable[str]) -> int:
            return len(set(known) & sets[column] if column in sets else set(known))

        return sum(
            chosen("region_type", [str(level.geography)])
            * chosen("region_id", self.geography.regions[level.geography])
            * chosen("iteration_code", [each.code for each in level.iterations])
            for level in self.plan.levels
        )

    def _answered(self, question: Any) -> Json:
        """Of sums and ratios, the number and its interval, how many released numbers are in it, and how many groups are missing from it."""
        if not isinstance(question, Sum | Ratio):
            return super()._answered(question)
        sides = (question.terms,) if isinstance(question, Sum) else (question.terms, question.divisor)
        if not all(sides):
            raise ParameterError("question.terms", "are none, or the divisor has none", "say what is added up")
        left = MOST_NUMBERS if self._cross is None else MOST_CELLS
        numbers = 0
        sums = []
        for terms in sides:
            weighted = []
            for each in terms:
                term = named(self, each)
                rows = self._rows_of(term, left - numbers)
                numbers += len(rows)
                weighted.append(self._total(term.table, rows).times(term.weight))
            sums.append(total(weighted))
        sure = question.confidence
        bounds = sums[0].to_reply(sure) if isinstance(question, Sum) else sums[0].ratio(sums[1], sure).to_reply()
        return {**bounds, "numbers": numbers, "left_out": sum(self._missing(term) for terms in sides for term in terms)}

    def _rows_of(self, term: Term, most: int) -> pa.Table:
        """The rows of a term; raises ParameterError where there are more, or none."""
        window = self.stored(term.table).window(by_column(term.where), 0, most)
        if window.more:
            problem = f"have more than {MOST_NUMBERS if self._cross is None else MOST_CELLS:,} numbers"
            raise ParameterError("question.terms", problem, "ask for less at once")
        if not len(window.rows):
            fix = "ask for its rows: a group was left out, or has no such detail, or is not in the plan"
            raise ParameterError("question.terms", f"have a term without a number in {term.table}", fix)
        return window.rows

    def _total(self, table: str, rows: pa.Table) -> Value:
        if self._cross is None:
            return total(self._value(row, table) for row in rows.to_pylist())
        try:
            return self._cross.total(table, rows)
        except (LookupError, ValueError):
            raise IntegrityError(table, "has a row of no group of the plan", DOWNLOAD_AGAIN) from None

    def _missing(self, term: Term) -> int:
        if term.table == "t3" or self._cross is not None:
            return 0  # every group of an aggregate is published, and every cell
        groups = of_groups(term.where)
        return self._planned(by_column(groups)) - self.stored("t1").count(by_column(groups))

    def _published(self, table: str, wanted: Mapping[str, Wanted]) -> pa.Table:
        known = [name for name in NUMBERS if name in self.names] if self._cross is None else self._cross.tables
        if table not in known:
            raise ParameterError("table", f"is not {' or '.join(known)}", "take one of them")
        return self.rows(table, **wanted)

    def plot(self, table: str = "t1", *, most: int = 40, **wanted: Wanted) -> "Plots":
        """A picture of released numbers with their intervals of 95 %, a row each.

        Args:
            table: t1 or t2, or a cross table.
            most: How many rows are drawn, the first in the order in which the plan names groups.
            wanted: The values of columns that rows have, as `rows` takes them.

        Raises:
            ParameterError: there is no such table, column or row, or `most` is below 1.
        """
        from starling.tables.plots import plots_of

        if table == "t3":
            raise ParameterError("table", "is not t1 or t2", "take one of them")
        rows = self._published(table, wanted)
        if not len(rows) or most < 1:
            raise ParameterError("rows", "are none", "ask for rows that the table has")
        if self._cross is None:
            rows = rows.take(PlanOrder(self.plan).of(rows))
        return plots_of(self.plan.title, table, rows, most)

    def export(
        self,
        out: str | Path,
        form: Form,
        *,
        structure: str | None = None,
        tables: Sequence[str] = (),
        across: str | None = None,
        round_to: int | None = None,
        hide_below: int | None = None,
        hide_wider: float | None = None,
    ) -> Path:
        """Write the release in the form of another program, as one new file or folder; gives its path.

        Args:
            out: What must not exist: a folder for "csv", "parquet" and "sdmx"; .xlsx for "excel", .duckdb for "duckdb", .csv or .parquet
                for "wide", .csv for the numbers of "sdmx" alone.
            form: "csv", "parquet", "excel" or "duckdb", with a table for each level of the plan and columns of its own; "sdmx"; or "wide",
                with one row for each group of all levels.
            structure: Of SDMX, the data structure that the numbers keep, AGENCY:ID(1.0); None for the one that the plan names.
            tables: The names of tables that are written, as the folder of csv shows them; all by default.
            across: The column whose values stand side by side.
            round_to: Round counts to multiples of this, in public: 5, or 1 for whole numbers.
            hide_below: Leave out counts below this.
            hide_wider: Leave out counts whose interval has a half width above this.

        Raises:
            ParameterError: form, name, layout, rules or structure do not go together, or with the release; or a form without its extra.
            OutputError: something is there, or cannot be written.
        """
        account = self.statement["account"]
        facts = (
            ("Protects", str(self.guarantee.relation)),
            ("Cost", str(self.cost)),
            ("Charged", f"{account['day']}, request {self.request_id}"),
            ("Signed by", self.signer.fingerprint),
        )
        path = Path(out).absolute()
        agree, day = self._cross is not None, date.fromisoformat(account["day"])
        front = Front(self.plan.title, facts, day, self.request_id, agree)
        layout = Layout(tuple(tables), across or "", Rules(round_to, hide_below, hide_wider))
        export(self.folder, self.plan, self.geography, front, path, form, layout=layout, structure=structure)
        return path

    @cached_property
    def _values(self) -> RowValues:
        return RowValues(self.plan, self.geography, self.folder, self._drawn_in)

    @cached_property
    def _aggregate_values(self) -> AggregateValues:
        return AggregateValues(self.plan, lambda aggregate: self.hashes[aggregate_path(self.plan, aggregate)])

    @cached_property
    def _cross(self) -> CrossValues | None:
        """Of a release of cross tables, what makes its numbers."""
        if self.plan.cross is None:
            return None
        return CrossValues(self.plan, self.geography, self.hashes[cross_path(0)])

    def _value(self, row: dict[str, Any], table: str) -> Value:
        if self._cross is not None:
            return self._total(table, pa.Table.from_pylist([row]))
        try:
            return (self._aggregate_values if "statistic" in row else self._values).value(row)
        except (LookupError, ValueError):
            raise IntegrityError(table, "has a row of no group of the plan", DOWNLOAD_AGAIN) from None

    def _drawn_in(self, level: Level) -> tuple[str, ...]:
        """The hashes of the measurements of a level, of this release and of those that it adds to, the last first."""
        place = self.plan.levels.index(level)
        return (
            self.hashes[measurements_path(level)],
            *(each.measurements[place] for each in self.plan.variants.releases),
        )


def opened(release: Release) -> TablesRelease:
    """A release of tables, as what analysts use; raises ParameterError where it is of another domain."""
    if release.statement["domain"] != "tables":
        raise ParameterError("release", "is no release of tables", "name one")
    return TablesRelease(release)


def open_release(path: str | Path, *, key: str | Public | Pin | None = None) -> TablesRelease:
    """Open a release of tables, given as a folder or as one zip; raises as `starling.open_release` does."""
    return opened(open_any(path, key=key))

"""What releases of groups add: the sizes of a region with their intervals, beside those of the regions above, beside and inside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import pyarrow as pa

from starling.errors import ParameterError
from starling.groups.analysis import GroupsRelease
from starling.pages.charts import Interval, intervals
from starling.pages.parts import Headline, Line, Picture, Table
from starling.release.codec import Json
from starling.release.text import cell, outside_note, rounded
from starling.screens.domain_pages import DomainPages, Row
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply

MOST_SIZES: Final = 50
"""Sizes of a page."""
MOST_AROUND: Final = 12
"""Regions beside a region, and regions in it, that a page lists."""
MEASURES: Final = ("groups", "mean", "median")
"""What is listed of each region, with its interval."""
MOST_CHOICES: Final = 1000
"""Regions that a picker lists; of more the id is typed."""
COLUMNS: Final = {
    "size": "Size",
    "groups": "Groups",
    "lower": "95 % from",
    "upper": "to",
    "at_least": "Groups of at least this size",
    "at_least_lower": "95 % from",
    "at_least_upper": "to",
}
"""What a page shows of the table of a level, each with its title."""


@dataclass(frozen=True, slots=True)
class Around:
    """A region of the list of those around one.

    Attributes:
        kind: How it lies to that one: "above", "beside", "inside", or "this".
        region: Its id.
        cells: Groups, mean and median, each with its interval, as text.
    """

    kind: str
    region: str
    cells: tuple[str, ...]


class GroupsPages(DomainPages[GroupsRelease]):
    """The pages of a release of groups."""

    links = (("Sizes", "/sizes"),)
    counted = "groups"

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """See `DomainPages`."""
        return self._sizes(query, frame) if list(path) == ["sizes"] else None

    def overlap(self, rows: Sequence[Row]) -> tuple[str, str] | None:
        """See `DomainPages`: a region and one in it."""
        regions = {row.get("region") for row in rows}
        pairs = ((row["parent"], row["region"]) for row in rows if row.get("parent") in regions - {None})
        return next(pairs, None)

    def _sizes(self, query: Query, frame: Frame) -> Reply:
        from starling.groups import pictures

        plan = self.release.plan
        row = self._region(query.one("region", plan.regions.ids[0][0]))
        region, first = row["region"], query.whole("first")
        sizes = self._rows(row["level"], region=region)
        shown = sizes.slice(min(first, sizes.num_rows), MOST_SIZES)
        around = self._around(row)
        where = urlencode({"region": region})
        question: dict[str, Json] = {
            "kind": "rows",
            "table": row["level"],
            "where": [["region", region]],
            "first": first,
        }
        number, number_lines = self._number(region, query, frame)
        return self.page(
            "sizes.html",
            frame,
            region=region,
            level=row["level"],
            choices=self._choices(),
            headline=_headline(plan, row),
            picture=pictures.picture(plan, region, {each: sizes[each].to_numpy() for each in pictures.COLUMNS}),
            means=_means(plan, [each for _, each in around], region),
            around=[_listed(kind, each) for kind, each in around],
            around_note=outside_note(_with_ends([each for _, each in around], *(f"{name}_" for name in MEASURES))),
            left_out=self._left_out(row, around),
            table=Table(
                tuple(COLUMNS.values()),
                tuple(tuple(cell(each[name]) for name in COLUMNS) for each in shown.to_pylist()),
                f"Groups ({plan.group}) in {region} by size ({plan.member}), published numbers",
                note=outside_note(_with_ends(shown.to_pylist(), "", "at_least_")),
            ),
            steps=query.steps(
                first, MOST_SIZES, "Smaller sizes", "Larger sizes", more=first + MOST_SIZES < sizes.num_rows
            ),
            downloads=[
                (word, f"{frame.release}/download/{form}/{row['level']}?{where}")
                for word, form in (("CSV", "csv"), ("Parquet", "parquet"), ("Excel", "xlsx"))
            ],
            largest=plan.largest,
            least=query.one("least"),
            most=query.one("most"),
            number=number,
            number_lines=number_lines,
            lines=frame.lines(question, f"release.to_pandas({row['level']!r}, region={region!r})"),
        )

    def _rows(self, table: str, **where: str) -> pa.Table:
        """Rows of a table, read piece by piece."""
        stored = self.release.stored(table)
        pieces = stored.pieces({column: [value] for column, value in where.items()})
        return pa.concat_tables([stored.schema.empty_table(), *pieces])

    def _region(self, region: str) -> dict[str, Any]:
        """Its row of the table of all regions."""
        rows = self._rows("regions", region=region).to_pylist()
        if not rows:
            raise ParameterError("region", "is not in the plan", "choose one of the list")
        row: dict[str, Any] = rows[0]
        return row

    def _choices(self) -> list[tuple[str, Sequence[str]]] | None:
        """The regions of each level; None where they are too many to be listed."""
        regions = self.release.plan.regions
        many = sum(map(len, regions.ids)) > MOST_CHOICES
        return None if many else list(zip(regions.levels, regions.ids, strict=True))

    def _around(self, row: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The region above, this one, those beside it and those in it."""
        around = [] if row["parent"] is None else [("above", self._region(row["parent"]))]
        around.append(("this", dict(row)))
        if row["parent"] is not None:
            siblings = self._rows("regions", parent=row["parent"]).slice(0, MOST_AROUND + 1).to_pylist()
            around += [("beside", each) for each in siblings if each["region"] != row["region"]][:MOST_AROUND]
        return around + [
            ("inside", each) for each in self._rows("regions", parent=row["region"]).slice(0, MOST_AROUND).to_pylist()
        ]

    def _left_out(self, row: Mapping[str, Any], around: Sequence[tuple[str, Any]]) -> list[tuple[str, str]]:
        """Of lists that are not whole: how many regions there are, and the address of all of them."""
        result = []
        for kind, parent in (("beside", row["parent"]), ("inside", row["region"])):
            many = 0 if parent is None else self._rows("regions", parent=parent).num_rows - (kind == "beside")
            if many > sum(each == kind for each, _ in around):
                result.append((f"{many:,} regions lie {kind} it", f"tables/regions?{urlencode({'parent': parent})}"))
        return result

    def _number(self, region: str, query: Query, frame: Frame) -> tuple[Headline | None, tuple[Line, ...]]:
        """The measured number of groups of some sizes, where it is asked for: what the release tells of this question."""
        if not query.one("least") and not query.one("most"):
            return None, ()
        least, most = query.whole("least"), query.whole("most", self.release.plan.largest)
        question: dict[str, Json] = {"kind": "number", "region": region, "least": least, "most": most}
        answer: Any = self.release.tell(question, frame.most)
        number = Headline(
            f"Measured groups ({self.release.plan.group}) of size {least:,} to {most:,} in {region}",
            cell(answer["estimate"]),
            f"95 % interval: {rounded(answer['lower'])} to {rounded(answer['upper'])}",
            f"Standard deviation of the noise: {rounded(answer['standard_deviation'])}.",
        )
        return number, frame.lines(question, f"release.number_of_sizes({region!r}, {least}, {most})")


def _headline(plan: Any, row: Mapping[str, Any]) -> Headline:
    from starling.groups.artifact.pages import headline

    low, high = row["groups_lower"], row["groups_upper"]
    groups = f"{row['groups']:,} groups, " + (
        "which is public." if low == high else f"95 % interval: {low:,} to {high:,}."
    )
    return headline(plan, row["mean"], row["mean_lower"], row["mean_upper"], row["region"], groups)


def _means(plan: Any, rows: Sequence[Mapping[str, Any]], region: str) -> Picture | None:
    """Mean sizes of the regions, each with its interval; None of a region alone."""
    lines = [
        Interval(each["region"], rounded(each["mean"]), each["mean"], each["mean_lower"], each["mean_upper"])
        for each in rows
        if each["mean"] is not None
    ]
    mean = next((each["mean"] for each in rows if each["region"] == region), None)
    if len(lines) < 2:
        return None
    caption = (
        f"Mean sizes of {region} and of the regions above, beside and inside it, each with its interval of 95 %. "
        f"The line is the mean of {region}."
    )
    return Picture(partial(intervals, lines, f"mean size ({plan.member})", around=mean), caption, "beside")


def _with_ends(rows: Sequence[Mapping[str, Any]], *prefixes: str) -> list[tuple[Any, Any, Any]]:
    """The numbers of some columns, each with the ends of its interval, by how the names of these begin."""
    return [
        (row[each.rstrip("_") or "groups"], row[f"{each}lower"], row[f"{each}upper"])
        for row in rows
        for each in prefixes
    ]


def _listed(kind: str, row: Mapping[str, Any]) -> Around:
    cells = []
    for name in MEASURES:
        low, high = row[f"{name}_lower"], row[f"{name}_upper"]
        cells += [
            cell(row[name], "points"),
            "public" if low == high and name == "groups" else f"{rounded(low)} to {rounded(high)}",
        ]
    return Around(kind, row["region"], tuple(cells))

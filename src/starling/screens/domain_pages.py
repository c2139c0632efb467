"""The face of the pages of a domain: what it adds to those that every release has. A domain's module fills it in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

import pyarrow as pa

from starling.errors import ParameterError
from starling.pages.parts import Line, Picture, Table
from starling.pages.rendering import served
from starling.release.datapackage import Sheet, sheets
from starling.release.reading import Release
from starling.release.text import cell
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply

ReleaseT = TypeVar("ReleaseT", bound=Release)
PACKAGE: Final = "starling.screens"
FIRST_ROWS: Final = 20
"""Rows of a table on the page of an answer."""
MOST_LETTERS: Final = 400_000
"""Of a picture: a longer one is left out of a page."""
MOST_LINKED: Final = 8
"""Tables to which every page links; of more it links to their list."""
REPORT: Final = "report.html"
OF_REPORT: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; sandbox allow-same-origin allow-downloads"
)
"""The policy of the report, which is sent as it was signed, with the style in it: no script runs, and it reaches
nothing but the tables to which it links, for which it is of this site."""
TITLES: Final = {
    "count": "Number",
    "lower": "Lower end",
    "upper": "Upper end",
}
"""What columns are called on a page, where that is not their own name."""

Row = Mapping[str, Any]
"""A row of a table by the names of its columns."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column of a page.

    Attributes:
        title: Its head.
        source: The column of the table that it shows, by which rows are chosen.
        number: Whether it holds numbers.
        text: What it shows of a row.
        code: The code of which that is the label; empty where it shows no label.
    """

    title: str
    source: str
    number: bool
    text: Callable[[Row], str]
    code: Callable[[Row], str] = lambda _: ""


@dataclass(frozen=True, slots=True)
class Combined:
    """What was made of picked numbers.

    Attributes:
        what: In words: "Sum".
        number: With its interval, as `Release.tell` gives it: `estimate`, `lower`, `upper`; empty where it was refused.
        problem: Why it was refused.
        lines: What gives the same elsewhere.
    """

    what: str
    number: Mapping[str, Any]
    problem: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class AgeCell:
    """A number of an age band.

    Attributes:
        start: The first age.
        end: The last age.
        text: The band in words.
        side: Of what it is besides: "Female"; empty where of everybody.
        row: The row that has it.
    """

    start: int
    end: int
    text: str
    side: str
    row: Row


class DomainPages(Generic[ReleaseT]):
    """The pages of a release of a domain; of one that adds nothing, those that every release has.

    Args:
        release: An opened release; what has to end with it is given to its `keep_open`.

    Attributes:
        links: The word and the path of each page that it adds, below the release: ("Map", "/map").
        counted: What its numbers are of.
    """

    links: Sequence[tuple[str, str]] = ()
    counted: str = "people"

    def __init__(self, release: ReleaseT) -> None:
        self.release = release
        self.title = str(getattr(getattr(release, "plan", None), "title", release.guarantee.name))

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """The reply to a path of the pages that it adds, by its parts; None where there is no such page.

        Raises:
            StarlingError: what is asked is refused; it becomes a page that says so.
        """
        del path, query, frame
        return None

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """The label of each value of a column of codes, by the plan or the standard that it is of."""
        del table, column
        return {}

    def choices(self, table: str, column: str, where: Mapping[str, str]) -> Mapping[str, str] | None:
        """The values by which rows can be chosen beside these others, each with its text; None where only the table knows them."""
        del table, column, where
        return None

    @cached_property
    def sheets(self) -> Mapping[str, Sheet]:
        """What each table and each of its columns holds, in the words of the release's data package."""
        release = self.release
        described = sheets(release.folder)
        paths = {name: release.path_of(name).relative_to(release.folder).as_posix() for name in release.names}
        return {name: described[path] for name, path in paths.items()}

    def columns(self, table: str, schema: pa.Schema) -> Sequence[ShownColumn]:
        """The columns of a page of a table."""
        return [self.column(table, name, schema.field(name).type) for name in schema.names]

    def column(self, table: str, name: str, kind: pa.DataType) -> ShownColumn:
        """A column that shows a column of the table, by the text of its values where they have one."""
        labels = self.labels(table, name)

        title = TITLES.get(name, name.replace("_", " ").capitalize())
        if not labels:
            return ShownColumn(title, name, not pa.types.is_string(kind), lambda row: cell(row[name], name))

        def code(row: Row) -> str:
            value = cell(row[name])
            return value if labels.get(value, value).casefold() != value.casefold() else ""

        return ShownColumn(title, name, False, lambda row: labels.get(cell(row[name]), cell(row[name])), code)

    def key(self, table: str) -> Sequence[str]:
        """The columns that tell a number of a table from all others, where numbers can be picked for `combined`."""
        del table
        return ()

    def combined(self, picks: Sequence[tuple[str, Mapping[str, str]]], frame: Frame) -> Sequence[Combined]:
        """What is made of picked numbers, each of which is a table and the values of its key."""
        del picks, frame
        return ()

    def overlaps(self, picks: Sequence[tuple[str, Mapping[str, str]]]) -> Sequence[str]:
        """A sentence for each two picked numbers that can be in part of the same people, by the plan."""
        del picks
        return ()

    def overlap(self, rows: Sequence[Row]) -> tuple[str, str] | None:
        """In words the first two rows of a table that can be in part of the same people, by the plan; None where no two can."""
        del rows
        return None

    def ages(self, table: str, where: Mapping[str, str]) -> tuple[str, Sequence[AgeCell]]:
        """The numbers of the age bands of one group, with what they are of, in words; none where the values do not choose one."""
        del table, where
        return "", ()

    def left_out(self, table: str, where: Mapping[str, str]) -> Sequence[str]:
        """A sentence for each row that the plan has and the table has not, among those with these values."""
        del table, where
        return ()

    def summary(self) -> Table:
        """What the page of an answer shows of it as a table: the first rows of the main one."""
        release = self.release
        name = release.main or next(each for each in release.names if "/" not in each)
        answer: Any = release.tell({"kind": "rows", "table": name, "most": FIRST_ROWS})
        size, _ = release.size(name)
        columns = self.columns(name, release.stored(name).schema)
        rows = [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]
        cells = tuple(tuple(column.text(row) for column in columns) for row in rows)
        words = f"the first {len(cells)} of {size:,} rows" if size > len(cells) else "all rows"
        return Table(tuple(column.title for column in columns), cells, f"Table {name}: {words}")

    def pictures(self) -> Sequence[Picture]:
        """The pictures that it shows: those that the release draws of itself, where it does."""
        drawn_by: Any = self.release
        try:
            plots = drawn_by.plot()
        except (AttributeError, ParameterError):
            return []  # it has nothing to draw
        return [each for section in plots.pictures.values() for each in section.pictures]

    def drawn(self) -> Sequence[tuple[str, str]]:
        """The SVG and the caption of each picture that is short enough for a page."""
        drawn = [(each.draw(), " ".join(each.caption.split())) for each in self.pictures()]
        return [each for each in drawn if len(each[0]) <= MOST_LETTERS]

    def page(
        self, template: str, frame: Frame, status: int = HTTPStatus.OK, package: str = PACKAGE, **values: object
    ) -> Reply:
        """A page of a template, which extends `release.html`, with the frame around it."""
        values = {**frame.values(), **self.around(frame), **values}
        root = values.pop("root")
        return Reply(served(template, package, str(root), **values).encode(), status=status)

    def around(self, frame: Frame) -> dict[str, object]:
        """What `release.html` shows on every page of the release: its title, and the links to its pages."""
        published = [name for name in self.release.names if "/" not in name and self.release.size(name)[0]]
        tables = [(f"Table {name}", f"/tables/{quote(name)}") for name in published]
        if len(tables) > MOST_LINKED:
            tables = [("Tables", "/#tables")]
        report = [("Privacy report", "/report")] if (self.release.folder / REPORT).is_file() else []
        links = [("Release", "/"), *tables, *self.links, *report]
        return {
            "title": self.title,
            "counted": self.counted,
            "links": [*((word, f"{frame.release}{path}") for word, path in links), ("Download all", frame.bundle)],
        }

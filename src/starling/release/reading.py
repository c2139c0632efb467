"""Reading a release: its tables as Arrow, and what it states. Files are compared with the signature before any is parsed."""

import weakref
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import IntegrityError, ParameterError
from starling.ledger.keys import Pin, Public
from starling.pages.parts import Headline
from starling.planfile.spelling import shown
from starling.privacy.budget import Cost
from starling.privacy.guarantee import Guarantee
from starling.release import verify
from starling.release.codec import Json
from starling.release.manifest import DOWNLOAD_AGAIN, OWN_LEDGER
from starling.release.questions import read
from starling.release.session import InSession, Part, as_shown, shortened, to_pandas, to_polars
from starling.release.statement import FILE
from starling.release.stored_table import StoredTable, check_columns
from starling.release.text import facts, table
from starling.release.work import Work, check_work
from starling.release.zipped import opened

Wanted: TypeAlias = str | Collection[str]
"""One value of a column, or several."""
Where: TypeAlias = tuple[tuple[str, str], ...]
"""Each a column of texts and a value; of a column that stands there several times any of the values will do."""

DATA = "data/"
SUFFIX = ".parquet"


LIMITS: Final = "limits further releases"
UNLIMITED: Final = (
    "nothing: no ledger was named, so a further release of these records is not refused, and costs people more"
)
"""Where a release brought a ledger of its own."""
FIRST_ROWS: Final = 5
"""Rows that a session shows of a release."""
LONG: Final = 10_000
"""Numbers from it on are shown whole, with commas."""
MOST_COLUMNS: Final = 8
"""Columns of them."""
MOST_ROWS: Final = 1000
"""Rows of an answer."""
FURTHEST: Final = 1_000_000
"""Rows before them."""
PER_ROW: Final = 50
"""Steps (release/work.py) of a row for each condition."""
PER_VALUE: Final = 50
"""Steps of a value that is read."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a released table, in their order: a question to a release, which costs nothing.

    Attributes:
        table: One of the release's tables.
        where: Each a column of texts and a value; of a column that stands there several times any of the values will do.
        first: How many such rows are left out before, 0 to 1,000,000.
        most: How many rows are given, 1 to 1,000.
    """

    table: str
    where: Where = ()
    first: int = 0
    most: int = 100

    def __post_init__(self) -> None:
        check_part(self.first, self.most)

    def work(self, release: "Release") -> Work:
        """Each row that may be wanted is compared with the conditions; those up to the last one that is given are read."""
        rows, columns = release.stored(self.table).candidates(by_column(self.where)), release.size(self.table)[1]
        steps = rows * (1 + len(self.where)) * PER_ROW + (self.first + self.most) * columns * PER_VALUE
        return Work(steps, "begin at an earlier row, or give fewer conditions")


def check_part(first: int, most: int) -> None:
    """Raises ParameterError where rows are asked for that begin too far down, or are too many at once."""
    for name, value, low, high in (("first", first, 0, FURTHEST), ("most", most, 1, MOST_ROWS)):
        if not low <= value <= high:
            raise ParameterError(f"question.{name}", f"is not from {low} to {high:,}", "ask for less at once")


class Release(InSession):
    """A release whose files are what its key signed. Whether its numbers follow from its measurements, `starling.verify` says.

    Attributes:
        path: The folder or the zip that was opened.
        statement: privacy.json, parsed.
        guarantee: What it promises, recomputed from its events.
        signer: Who signed; compare the fingerprint with the publisher's.
        request_id: The request id of its charge.
        names: The names of its tables, which `table` takes.
        hashes: SHA-256 of each of its files, by its path in the release.
        manifest_sha256: SHA-256 of that list, which names the whole release.
        questions: The questions that `tell` takes: a dataclass, or a union of some.
    """

    questions: ClassVar[Any] = Rows
    main: ClassVar[str | None] = None
    """The table that is meant where none is named; None where a release has one alone."""

    def __init__(self, path: Path, key: Pin | None = None) -> None:
        self.path = path
        self._stack = ExitStack()
        # A zip is unpacked for as long as this object lives.
        self._close = weakref.finalize(self, self._stack.close)
        self._folder = self._stack.enter_context(opened(path))
        checked = verify.check(self._folder)
        if findings := [*checked.findings, *verify.signed_by(checked, key)]:
            raise IntegrityError(problems=findings)
        if checked.stated is None or checked.guarantee is None or checked.signature is None:
            raise IntegrityError(FILE, "states nothing that can be read", DOWNLOAD_AGAIN)
        self.statement: dict[str, Any] = dict(checked.stated)
        self.guarantee: Guarantee = checked.guarantee
        self.signer: Public = checked.signature.key
        self.request_id = str(self.statement["account"]["request_id"])
        self.hashes: Mapping[str, str] = checked.hashes
        self.manifest_sha256 = checked.signature.manifest_sha256
        self._stored: dict[str, StoredTable] = {}
        self.names = tuple(
            name.removeprefix(DATA).removesuffix(SUFFIX)
            for name in checked.hashes
            if name.startswith(DATA) and name.endswith(SUFFIX)
        )

    @property
    def folder(self) -> Path:
        """Where its files lie; those of a zip for as long as this is open."""
        return self._folder

    @property
    def cost(self) -> Cost:
        """The cost of the whole release, under its own neighbour relation."""
        return self.guarantee.cost

    def crate(
        self,
        out: str | Path,
        *,
        license: str,  # noqa: A002 - as catalogues call it
        publisher: str,
        agent: str = "",
        spatial: str = "",
        temporal: str = "",
    ) -> Path:
        """Write the release as a Five Safes RO-Crate, a new folder that catalogues read; gives its path.

        Args:
            out: The folder, which must not exist. The release lies below it in `release`, as it was signed.
            license: The address of the licence.
            publisher: The name of the organisation.
            agent: The person who answers for the release; by default the holder of the key that signed it.
            spatial: The area that the numbers are of, in words.
            temporal: The time that they are of: 2025, or 2025-01-01/2025-12-31.

        Raises:
            ParameterError: the licence is no address, or a name is none.
            OutputError: the folder is there, or cannot be written.
        """
        from starling.release.crate import Publishing, write_crate

        path = Path(out).absolute()
        publishing = Publishing(license, publisher, agent, spatial, temporal)
        write_crate(self.folder, self.statement, self.signer, publishing, path)
        return path

    def table(self, name: str) -> pa.Table:
        """One of `names`, whole; raises ParameterError where there is no such table."""
        return pq.read_table(self.path_of(name))

    def rows(self, table: str, **wanted: Wanted) -> pa.Table:
        """Rows of one of `names` whose columns have the wanted values; without any, the whole table.

        Raises:
            ParameterError: there is no such table, or no such column of texts.
        """
        return having(self.table(table), wanted)

    def _main_rows(self, wanted: Mapping[str, Wanted]) -> pa.Table:
        """Rows of the table that is meant where none is named."""
        published = [name for name in self.names if "/" not in name]
        if self.main is None and len(published) > 1:
            raise ParameterError("table", "is not named", f"take one of {', '.join(published)}")
        return self.rows(self.main or published[0], **wanted)

    def headline(self) -> Headline | None:
        """The answer in one number, where there is one: what a page shows first."""
        return None

    def size(self, table: str) -> tuple[int, int]:
        """Rows and columns of one of `names`; raises ParameterError where there is no such table."""
        stored = self.stored(table)
        return stored.size, len(stored.schema)

    def tell(self, question: Json, most: int | None = None) -> Json:
        """The answer to a question as JSON (release/questions.py): what a server tells of a release, at no cost.

        Args:
            question: One of `questions`.
            most: The most work, in millions of steps (release/work.py); None for any.

        Raises:
            ParameterError: it is none of `questions`, asks for what the release has not, or takes more work.
        """
        query = read(self.questions, question)
        if most is not None:
            check_work(query.work(self), most)
        return self._answered(query)

    def _answered(self, question: Any) -> Json:
        """The answer to one of `questions`."""
        query: Rows = question
        window = self.stored(query.table).window(by_column(query.where), query.first, query.most)
        rows = [[_json(value) for value in row.values()] for row in window.rows.to_pylist()]
        return {
            "columns": list(window.rows.column_names),
            "rows": list[Json](rows),
            "more": window.more,
        }

    def stored(self, table: str) -> StoredTable:
        """One of `names` as it lies on the disk, never read as a whole."""
        if table not in self._stored:
            self._stored[table] = StoredTable(self.path_of(table))
        return self._stored[table]

    def path_of(self, table: str) -> Path:
        """The file of a table; raises ParameterError where there is none."""
        if table not in self.names:
            raise ParameterError("table", "is not in the release", f"take one of {', '.join(self.names)}")
        return self._folder / f"{DATA}{table}{SUFFIX}"

    def to_pandas(self, table: str | None = None, **wanted: Wanted) -> Any:
        """`rows` as a pandas data frame; of the main table where none is named. Ages and other whole numbers are numbers, their classes and
        periods ordered categories.

        Raises:
            ParameterError: there is no such table or column, or pandas is not installed.
        """
        rows = self._main_rows(wanted) if table is None else self.rows(table, **wanted)
        return to_pandas(rows, self._ordered_values())

    def to_polars(self, table: str | None = None, **wanted: Wanted) -> Any:
        """`rows` as a polars data frame; of the main table where none is named.

        Raises:
            ParameterError: there is no such table or column, or polars is not installed.
        """
        rows = self._main_rows(wanted) if table is None else self.rows(table, **wanted)
        return to_polars(rows, self._ordered_values())

    def _ordered_values(self) -> Mapping[str, Sequence[str]]:
        """The values in order of columns of texts that frames have as numbers or in that order."""
        return {}

    def _facts(self) -> list[tuple[str, str]]:
        """What a session shows, the title first."""
        account = self.statement["account"]
        rows = (f"{name} {pq.read_metadata(self.path_of(name)).num_rows:,}" for name in self.names if "/" not in name)
        return [
            ("release", f"{self.statement['domain']}: {shown(self.guarantee.name)}"),
            ("signed by", self.signer.fingerprint),
            ("rows", ", ".join(rows)),
            ("cost", f"{self.cost} ({self.guarantee.relation})"),
            ("charged", f"{account['day']}, request {shown(self.request_id)}"),
            *([(LIMITS, UNLIMITED)] if OWN_LEDGER in self.hashes else []),
            ("opened", str(self.path)),
        ]

    def _parts(self) -> Sequence[Part]:
        """The first rows of the main table."""
        rows = self._beginning()
        if not len(rows):
            return ()
        names = rows.column_names[:MOST_COLUMNS]
        cells = ([_cell(row[name]) for name in names] for row in rows.to_pylist())
        return ((names, list(cells)),)

    def _beginning(self) -> pa.Table:
        """The first rows of the main table."""
        name = self.main or next(name for name in self.names if "/" not in name)
        return self.stored(name).window({}, 0, FIRST_ROWS).rows

    def __repr__(self) -> str:
        """The numbers first: facts alone would fill it."""
        few = [fact for fact in self._facts() if fact[0] in ("release", "rows", "cost", LIMITS)]
        below = [part if isinstance(part, str) else table(*part) for part in self._parts()]
        return shortened("\n".join([facts(few), *below]))

    def verify(self, *, ledger: str | None = None, key: str | Public | Pin | None = None) -> Any:
        """`starling.verify` of this release."""
        # By its name: what verifies a release of any domain lies above them all.
        return import_module("starling.verification").verify(self.path, ledger=ledger, key=key)

    def keep_open(self, stack: ExitStack) -> None:
        """Close a stack, such as that of a temporary folder, when this is closed."""
        self._stack.enter_context(stack)

    def close(self) -> None:
        """Remove what was unpacked; tables that were read stay."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def having(rows: pa.Table, wanted: Mapping[str, Wanted]) -> pa.Table:
    """The rows whose columns of texts have the wanted values; raises ParameterError where there is no such column."""
    check_columns(rows.schema, wanted)
    for column, values in wanted.items():
        chosen = pa.array([values] if isinstance(values, str) else sorted(values), pa.string())
        rows = rows.filter(pc.is_in(rows[column], value_set=chosen))
    return rows


def by_column(where: Where) -> dict[str, list[str]]:
    """The values that are wanted of each column."""
    wanted: dict[str, list[str]] = {}
    for column, value in where:
        wanted.setdefault(column, []).append(value)
    return wanted


def _cell(value: Any) -> str:
    """A value of a table in a session."""
    if isinstance(value, int | float) and not isinstance(value, bool) and LONG <= abs(value) < inf:
        return f"{round(value):,}"
    return "" if value is None else as_shown(value)


def _json(value: Any) -> Json:
    """A value of a table as JSON has it."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


class DomainRelease(Release):
    """A release that its domain reads further; made of an opened one, which stays open for as long as this is referred to."""

    def __init__(self, release: Release) -> None:
        # Not opened again: its files were hashed, and a zip unpacked, once.
        self._release = release
        vars(self).update(vars(release))


def open_release(path: str | Path, *, key: str | Public | Pin | None = None) -> Release:
    """Open a release, given as a folder or as one zip.

    Args:
        path: The folder or the zip of the release.
        key: Who should have signed: the fingerprint that they publish, or their public key.

    Raises:
        IntegrityError: it is not what was signed, or not by that key; with everything that is wrong.
    """
    return Release(Path(path).absolute(), None if key is None else Pin.parse(key))

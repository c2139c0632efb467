"""The pages of an opened release: what it is, its report, its tables, and of places its map."""

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import quote, urlencode

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.cli.opening.serving import Reply
from starling.errors import ParameterError, StarlingError
from starling.pages.parts import Line
from starling.pages.rendering import served, static_file
from starling.release.cells import as_text
from starling.release.reading import Release
from starling.release.table_page import MOST, TablePages
from starling.tables.analysis import TablesRelease

if TYPE_CHECKING:
    from starling.places.analysis import PlacesRelease
    from starling.places.pictures.map_data import Map

PACKAGE: Final = "starling.cli.opening"
REPORT: Final = "report.html"
OF_REPORT: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; sandbox"
)
"""The policy of the report, which is sent as it was signed, with the style in it: no script runs, and it reaches nothing."""
MOST_TEXT: Final = 1_000_000
"""Rows of a download that is made here; more are in the files of the release."""
KINDS: Final = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Site:
    """What is replied to the paths of a release.

    Args:
        release: An opened release.
        path: As the user named it, for the lines that do the same.
    """

    def __init__(self, release: Release, path: Path) -> None:
        self._release, self._path = release, path
        self._tables = TablePages(release)
        self._stack = ExitStack()
        self._map = cache(self._new_map)
        self._exports = cache(self._new_exports)
        self.title = str(getattr(getattr(release, "plan", None), "title", release.guarantee.name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def answer(self, path: str, query: Mapping[str, str]) -> Reply:
        """The reply to a path with the values of its query."""
        try:
            reply = self._reply([part for part in path.split("/") if part], query)
        except StarlingError as error:
            return self._page("refused.html", error.status, problems=[str(each) for each in error.problems])
        return reply or self._page("refused.html", HTTPStatus.NOT_FOUND, problems=["There is no such page."])

    def _reply(self, parts: Sequence[str], query: Mapping[str, str]) -> Reply | None:
        """The page or file of a path; None where there is none."""
        kind, rest = (parts[0], parts[1:]) if parts else ("", [])
        name = "/".join(rest)
        match kind:
            case "" | "report" if not rest:
                return self._report() if kind else self._home()
            case "static":
                file = static_file(name)
                return None if file is None else Reply(*file, headers={"Cache-Control": "max-age=31536000, immutable"})
            case "tables" if name in self._release.names:
                return self._table(name, query)
            case "download" if rest and rest[0] in KINDS and (name := "/".join(rest[1:])) in self._release.names:
                return self._download(name, rest[0], query)
            case "map" if self._is_places:
                return self._map_reply(name)
        return None

    def _report(self) -> Reply | None:
        """The report as it was signed."""
        file = self._release.folder / REPORT
        return Reply(file.read_bytes(), headers={"Content-Security-Policy": OF_REPORT}) if file.is_file() else None

    def _map_reply(self, name: str) -> Reply | None:
        """The page of the map, what its script reads, or a file for other programs."""
        if name in ("", "data"):
            return self._map_page() if not name else Reply(self._map()[1], "application/octet-stream")
        file = self._exports().get(name)
        return None if file is None else _attached(file.read_bytes(), name, "application/octet-stream")

    @property
    def _is_places(self) -> bool:
        return bool(self._release.statement["domain"] == "places")

    def _page(self, template: str, status: int = HTTPStatus.OK, **values: object) -> Reply:
        values |= {
            "title": self.title,
            "tables": [name for name in self._release.names if "/" not in name],
            "report": (self._release.folder / REPORT).is_file(),
            "has_map": self._is_places,
        }
        return Reply(served(template, PACKAGE, "", **values).encode(), status=status)

    def _home(self) -> Reply:
        lines = (
            Line("Python", f"import starling\n\nrelease = starling.open_release({str(self._path)!r})"),
            Line("Shell", f"starling verify {shlex.quote(str(self._path))}"),
        )
        release = self._release
        facts = [
            ("What is protected", str(release.guarantee.relation)),
            ("Privacy loss", str(release.cost)),
            ("Charged", f"{release.statement['account']['day']}, request {release.request_id}"),
            ("Signed by", release.signer.fingerprint),
        ]
        sizes = [(name, self._tables.stored(name).size) for name in self._release.names]
        return self._page("home.html", facts=facts, sizes=sizes, lines=lines)

    def _table(self, name: str, query: Mapping[str, str]) -> Reply:
        first = query.get("first", "0")
        if not first.isdecimal():
            raise ParameterError("first", "is no whole number", "begin at 0")
        where = {column: value for column, value in query.items() if column != "first"}
        page = self._tables.page(name, where, int(first))

        def address(**changes: object) -> str:
            return f"?{urlencode({**page.where, **changes})}"

        steps = [("Previous rows", address(first=max(page.first - MOST, 0)))] if page.first else []
        steps += [("Next rows", address(first=page.first + MOST))] if page.more else []
        downloads = [
            (form.upper() if form != "xlsx" else "Excel", f"/download/{form}/{quote(name)}{address()}")
            for form in KINDS
        ]
        return self._page(
            "table.html",
            page=page,
            steps=steps,
            downloads=downloads,
            left_out=self._left_out(name, page.where),
            words=self._words(),
            lines=(Line("Python", _python(self._path, name, page.where)),),
        )

    def _words(self) -> dict[str, str]:
        """The sexes in words, where the plan has them."""
        if not isinstance(self._release, TablesRelease):
            return {}
        return {
            code: text
            for each in self._release.plan.detail.attributes
            if each.name == "sex"
            for code, text in each.values
        }

    def _left_out(self, name: str, where: Mapping[str, str]) -> tuple[str, ...]:
        """Groups of the chosen region that were left out of T1, each by its code."""
        release = self._release
        if not isinstance(release, TablesRelease) or name != "t1" or not {"region_type", "region_id"} <= set(where):
            return ()
        rows = self._tables.stored(name).pieces({column: where[column] for column in ("region_type", "region_id")})
        published = {code for piece in rows for code in piece["iteration_code"].to_pylist()}
        planned = [
            each.code
            for level in release.plan.levels
            if str(level.geography) == where["region_type"]
            and where["region_id"] in release.geography.regions[level.geography]
            for each in level.iterations
        ]
        return tuple(code for code in planned if code not in published and where.get("iteration_code", code) == code)

    def _download(self, name: str, form: str, query: Mapping[str, str]) -> Reply:
        where = {column: value for column, value in query.items() if value and column != "first"}
        table, parts, rows = self._tables.stored(name), [], 0
        for piece in table.pieces(where):
            parts.append(piece)
            if (rows := rows + len(piece)) > MOST_TEXT:
                raise ParameterError(
                    "rows", f"are more than {MOST_TEXT:,}", "choose a region, or take the file in data/"
                )
        result = pa.concat_tables(parts) if parts else table.schema.empty_table()
        return _attached(written(result, form, self.title), f"{name.replace('/', '-')}.{form}", KINDS[form])

    def _places(self) -> "PlacesRelease":
        release: Any = self._release
        return release  # type: ignore[no-any-return]

    def _new_map(self) -> "tuple[Map, bytes]":
        from starling.places.pictures.map_data import encoded

        shown = self._places().map()
        return shown, encoded(shown)

    def _new_exports(self) -> Mapping[str, Path]:
        """Released boxes and grids for other programs, slice by slice, in a folder that goes with this."""
        from starling.places.artifact.exports import write_all

        release, folder = (
            self._places(),
            Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="starling-"))),
        )
        exports = {}
        for number, name in enumerate(release.plan.slice_names):
            table = None if release.plan.grid.sparse else release.released(name).table
            for file in write_all(folder / str(number), release.plan.grid, table, *release.boxes(name), None):
                exports[file.name if release.plan.slices is None else f"{number + 1}-{file.name}"] = file
        return exports

    def _map_page(self) -> Reply:
        from starling.places.pictures.map_page import served_page

        downloads = [(name, f"/map/{name}") for name in self._exports()]
        return Reply(served_page(self._map()[0], "", "/map/data", downloads).encode())


def _attached(data: bytes, name: str, kind: str) -> Reply:
    return Reply(data, kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _python(path: Path, name: str, where: Mapping[str, str]) -> str:
    chosen = "".join(f", {column}={value!r}" for column, value in where.items())
    return f"import starling\n\nstarling.open_release({str(path)!r}).to_pandas({name!r}{chosen})"


def written(rows: pa.Table, form: str, title: str) -> bytes:
    """Rows as a file of a form: `csv`, `parquet` or `xlsx`; no text is a formula to a spreadsheet.

    Raises:
        ParameterError: xlsx without its extra.
    """
    file = BytesIO()
    if form == "csv":
        pacsv.write_csv(as_text(rows), file)
    elif form == "parquet":
        pq.write_table(rows, file, compression="zstd")
    else:
        from starling.tables.export.workbook import write_rows

        write_rows(rows, title, file)
    return file.getvalue()

"""A table of a release as a page, and what the page shows as a file."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import pyarrow as pa

from starling.errors import ParameterError
from starling.release.codec import Json
from starling.screens.domain_pages import DomainPages
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached
from starling.screens.tables.files import KINDS, written
from starling.screens.tables.page import MOST, TablePages

MOST_TEXT: Final = 1_000_000
"""Rows of a download that is made here; more are in the files of the release."""


class TableScreen:
    """The tables of a release.

    Args:
        domain: The pages of the domain of the release.
    """

    def __init__(self, domain: DomainPages) -> None:
        self._domain = domain
        self._pages = TablePages(domain.release)

    def size(self, name: str) -> int:
        """Rows of a table."""
        return self._pages.stored(name).size

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """The page or file of a path; None where there is none."""
        kind, *rest = path
        form = rest.pop(0) if kind == "download" and rest else ""
        name = "/".join(rest)
        if name not in self._domain.release.names or (kind == "download" and form not in KINDS):
            return None
        return self._download(name, form, query) if form else self._table(name, query, frame)

    def _table(self, name: str, query: Query, frame: Frame) -> Reply:
        where, first = query.others("first"), query.whole("first")
        page = self._pages.page(name, where, first)
        steps = [("Previous rows", query.address(first=max(first - MOST, 0)))] if first else []
        steps += [("Next rows", query.address(first=first + MOST))] if page.more else []
        address = query.address(first=None)
        downloads = [
            (
                form.upper() if form != "xlsx" else "Excel",
                f"{frame.release}/download/{form}/{quote(name)}{address}",
            )
            for form in self._forms(name)
        ]
        chosen = "".join(f", {column}={value!r}" for column, value in where.items())
        question: dict[str, Json] = {
            "kind": "rows",
            "table": name,
            "where": [[*each] for each in where.items()],
            "first": first,
        }
        return self._domain.page(
            "table.html",
            frame,
            page=page,
            steps=steps,
            downloads=downloads,
            left_out=self._domain.left_out(name, where),
            words=self._domain.labels(name, "sex"),
            lines=frame.lines(question, f"release.to_pandas({name!r}{chosen})"),
        )

    def _forms(self, name: str) -> Sequence[str]:
        """The forms that can hold a table: lists in a cell, as measurements have them, are Parquet's alone."""
        nested = any(map(pa.types.is_nested, self._pages.stored(name).schema.types))
        return ("parquet",) if nested else tuple(KINDS)

    def _download(self, name: str, form: str, query: Query) -> Reply:
        table, parts, rows = self._pages.stored(name), [], 0
        for piece in table.pieces(query.others("first")):
            parts.append(piece)
            if (rows := rows + len(piece)) > MOST_TEXT:
                raise ParameterError(
                    "rows", f"are more than {MOST_TEXT:,}", "choose a region, or take the file in data/"
                )
        result = pa.concat_tables(parts) if parts else table.schema.empty_table()
        file = written(result, form, self._domain.title)
        return attached(file, f"{name.replace('/', '-')}.{form}", KINDS[form])

"""A table of a release as a page, and what the page shows as a file."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from starling.release.codec import Json
from starling.screens.domain_pages import DomainPages
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached
from starling.screens.tables.files import FORMS, check_size, forms_of, written
from starling.screens.tables.page import FIRST, MOST, PICK, TablePage, TablePages, picks
from starling.screens.tables.pyramid import pyramid


class TableScreen:
    """The tables of a release.

    Args:
        domain: The pages of the domain of the release.
    """

    def __init__(self, domain: DomainPages[Any]) -> None:
        self._domain, self._release = domain, domain.release
        self._pages = TablePages(domain)

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """The page or file of a path; None where there is none."""
        kind, *rest = path
        form = rest.pop(0) if kind == "download" and rest else ""
        name = "/".join(rest)
        if name not in self._release.names:
            return None
        if kind == "download" and form not in forms_of(self._release.stored(name).schema):
            return None
        return self._download(name, form, query) if form else self._table(name, query, frame)

    def _table(self, name: str, query: Query, frame: Frame) -> Reply:
        first = query.whole(FIRST)
        page = self._pages.page(name, query.others(FIRST, PICK), first)
        keys = {each: self._domain.key(each) for each in self._release.names if "/" not in each}
        picked = picks(query.several(PICK), keys)
        # What was typed is the value that it means from here on.
        query = query.changed(**{FIRST: None} | {each.name: each.value or None for each in page.pickers})
        chosen = "".join(f", {column}={value!r}" for column, value in page.where.items())
        rows = f"[{first}:{first + MOST}]" if first or page.more else ""
        question: dict[str, Json] = {
            "kind": "rows",
            "table": name,
            "where": [[*each] for each in page.where.items()],
            "first": first,
            "most": MOST,
        }
        here = {each.pick for each in page.rows}
        return self._domain.page(
            "table.html",
            frame,
            page=page,
            sheet=self._domain.sheets[name],
            meanings=self._meanings(name),
            steps=query.steps(first, MOST, "Previous rows", "Next rows", more=page.more),
            matches={
                each.name: [(text, query.address(**{each.name: code})) for code, text in each.matches]
                for each in page.pickers
            },
            downloads=self._downloads(page, query.changed(pick=None), frame),
            left_out=self._domain.left_out(name, page.where) if not first else (),
            pyramid=pyramid(*self._domain.ages(name, page.where)),
            picked=set(query.several(PICK)),
            elsewhere=[each for each in query.several(PICK) if each not in here],
            combined=self._domain.combined(picked, frame),
            overlaps=self._domain.overlaps(picked),
            unpicked=query.address(pick=None),
            lines=frame.lines(question, f"release.to_pandas({name!r}{chosen}){rows}"),
        )

    def _downloads(self, page: TablePage, query: Query, frame: Frame) -> list[tuple[str, str, str]]:
        """Name, address, and why there is none, of each form of what is shown."""
        return [
            (
                form.title,
                f"{frame.release}/download/{name}/{quote(page.name)}{query.address()}",
                "" if page.known is None or page.known <= form.most else form.refusal(page.known),
            )
            for name, form in forms_of(self._release.stored(page.name).schema).items()
        ]

    def _download(self, name: str, form: str, query: Query) -> Reply:
        table = self._release.stored(name)
        where = {column: [value] for column, value in self._pages.where(name, query.others(FIRST, PICK)).items()}
        # Before anything is written.
        check_size(form, table.count(where))
        guarantee = self._release.guarantee
        notes = [
            ("Table", self._domain.sheets[name].title),
            ("What is protected", str(guarantee.relation)),
            ("Privacy loss", str(guarantee.cost)),
            *self._meanings(name),
        ]
        file = written(table.schema, table.pieces(where), form, self._domain.title, notes)
        return attached(file, f"{name.replace('/', '-')}.{form}", FORMS[form].kind)

    def _meanings(self, name: str) -> list[tuple[str, str]]:
        """Name and meaning of each column."""
        return [(each.name, each.description) for each in self._domain.sheets[name].columns]

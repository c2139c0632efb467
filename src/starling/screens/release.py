"""The pages of an opened release: what it is, its report, its tables, and what its domain adds."""

import shlex
from collections.abc import Sequence
from http import HTTPStatus
from importlib import import_module
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from starling.domains import DOMAINS
from starling.errors import StarlingError
from starling.pages.parts import Line
from starling.release.reading import Release
from starling.release.statement import proof_in_words
from starling.release.zipped import write_entries
from starling.screens.domain_pages import OF_REPORT, REPORT, DomainPages
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached
from starling.screens.tables.files import FORMS
from starling.screens.tables.screen import TableScreen


def pages_of(release: Release) -> DomainPages[Any]:
    """What the domain of a release adds to its pages."""
    registered = DOMAINS.get(release.statement["domain"])
    if registered is None or not registered.pages:
        return DomainPages(release)
    module, _, name = registered.pages.partition(":")
    pages: DomainPages[Any] = getattr(import_module(module), name)(release)
    return pages


class Screens:
    """What is replied to the paths below a release.

    Args:
        release: An opened release; it stays open for as long as this is referred to.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self._domain = pages_of(release)
        self._tables = TableScreen(self._domain)

    def reply(self, path: str, query: str, frame: Frame) -> Reply:
        """The reply to a path below the release.

        Args:
            path: Decoded; it begins with a slash.
            query: As it stands in the address, without the question mark.
            frame: What stands around the page.
        """
        try:
            reply = self._reply([part for part in path.split("/") if part], Query(query), frame)
        except StarlingError as error:
            return self._refused(frame, error.status, [str(each) for each in error.problems])
        return reply or self._refused(frame, HTTPStatus.NOT_FOUND, ["There is no such page."])

    def _refused(self, frame: Frame, status: int, problems: Sequence[str]) -> Reply:
        return self._domain.page("refused.html", frame, status, problems=problems)

    def _reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """The page or file of a path; None where there is none."""
        match list(path):
            case []:
                return self._home(frame)
            case ["report"]:
                return self._report()
            case ["bundle"] if not frame.number:  # A server has it at an address of its own.
                return self._bundle()
            case ["data", name]:
                return self._linked(name)
            case ["tables", *_] | ["download", *_]:
                return self._tables.reply(path, query, frame)
        return self._domain.reply(path, query, frame)

    def _report(self) -> Reply | None:
        """The report as it was signed."""
        file = self._release.folder / REPORT
        return Reply(file.read_bytes(), headers={"Content-Security-Policy": OF_REPORT}) if file.is_file() else None

    def _bundle(self) -> Reply:
        """All that was signed, as the zip that is opened and verified anywhere."""
        release = self._release
        file: BinaryIO = TemporaryFile()  # noqa: SIM115 - it is sent, and closed by its reader
        write_entries({name: release.folder / name for name in sorted(release.hashes)}, file)
        file.seek(0)
        return attached(file, f"{release.path.resolve().name.removesuffix('.zip')}.zip", "application/zip")

    def _linked(self, name: str) -> Reply | None:
        """A table as it was released, to which the report links by its file; None where there is none."""
        files = [self._release.path_of(each) for each in self._release.names if "/" not in each]
        file = next((each for each in files if each.name == name), None)
        return None if file is None else attached(file.open("rb"), name, FORMS["parquet"].kind)

    def _home(self, frame: Frame) -> Reply:
        release = self._release
        lines: tuple[Line, ...] = ()
        if frame.path:
            lines = (
                Line("Python", f"import starling\n\nrelease = starling.open_release({frame.path!r})"),
                Line("Shell", f"starling verify {shlex.quote(frame.path)}"),
            )
        facts = [
            ("What is protected", str(release.guarantee.relation)),
            ("Privacy loss", str(release.cost)),
            ("Proof of the charge", proof_in_words(release.statement.get("proof", {}).get("name", ""))),
            ("Charged", f"{release.statement['account']['day']}, request {release.request_id}"),
            ("Signed by", release.signer.fingerprint),
        ]
        sizes = [(name, release.size(name)[0], self._domain.sheets[name].title) for name in release.names]
        return self._domain.page(
            "home.html",
            frame,
            headline=release.headline(),
            pictures=self._domain.drawn(),
            facts=facts,
            published=[each for each in sizes if "/" not in each[0]],
            measured=[each for each in sizes if "/" in each[0]],
            bundle=frame.bundle,
            lines=lines,
        )

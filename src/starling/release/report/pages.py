"""A page in the dress of reports, and what it is made of: sections of text, pictures and tables. It knows no release."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from starling.errors import OutputError
from starling.pages.parts import Section, Table
from starling.pages.rendering import page
from starling.release.session import Described, Part

PREVIEW: Final = "preview.html"
"""The page of a preview, in the folder that was named for it."""
_AMOUNTS: Final = re.compile(r"<dl>.*?</dl>|<section>\s*<h2>The same in symbols</h2>.*?</section>", re.DOTALL)


def files(rows: Sequence[tuple[str, str]]) -> Section:
    """What is in the folder of a release: the domain's own files, and those that every release has."""
    every = (
        ("datapackage.json", "every file with its SHA-256, every table with its columns"),
        ("registry.yaml", "draft of an entry in OpenDP's registry of deployments"),
        ("SIGNATURE", "over every other file of the folder"),
    )
    table = Table(("File", "Content"), (*rows, *every), "Files of this release", words=True)
    return Section("What is in this folder", tables=(table,), folded=True)


def amounts(text: str) -> list[str]:
    """The parts of a report that state the protected unit and the privacy loss: its head, and the formula with what follows it."""
    return _AMOUNTS.findall(text)


class Preview(Described):
    """The expected error of a plan, for those who decide on it. It can be published, as a page too."""

    __slots__ = ()

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of the page: the plan's."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What the page is, with the cost of the plan, in one line below the title."""

    @abstractmethod
    def sections(self) -> Sequence[Section]:
        """The content of the page."""

    def _facts(self) -> list[tuple[str, str]]:
        return [("preview", self.title), ("expected", self.kind)]

    def _parts(self) -> Sequence[Part]:
        """The tables of the page, unless a domain shows others."""
        tables = [table for section in self.sections() for table in section.tables]
        return [part for table in tables for part in (table.caption, (table.header, table.rows))]

    def page(self) -> str:
        """The page, complete in one text."""
        return page(self.title, self.kind, self.sections())

    def write(self, folder: str | Path) -> Path:
        """Write the page into `folder`, which is made if need be, as preview.html.

        Raises:
            OutputError: the page is there already, or cannot be written.
        """
        return write_new(Path(folder) / PREVIEW, self.page())


def write_new(path: Path, text: str) -> Path:
    """Write a page where no file is; its folder is made if need be.

    Raises:
        OutputError: the page is there already, or cannot be written.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise OutputError(str(path), "exists", "remove it, or name another folder") from None
    except OSError as error:
        fix = "name a folder in a place that you may write"
        raise OutputError(str(path), f"cannot be written ({error.strerror})", fix) from None
    return path

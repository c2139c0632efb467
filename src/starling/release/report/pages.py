"""A page in the dress of reports, and what it is made of: sections of text, pictures and tables. It knows no release."""

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starling.distribution import SOFTWARE
from starling.errors import OutputError
from starling.release.session import Described, Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PREVIEW: Final = "preview.html"
"""The page of a preview, in the folder that was named for it."""
_DRAWN: Final = re.compile(r'(<div class="picture"[^<>]*>)<svg\b.*?</svg>\s*(</div>)', re.DOTALL)
_AMOUNTS: Final = re.compile(r"<dl>.*?</dl>|<section>\s*<h2>The same in symbols</h2>.*?</section>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with the words that say what it shows.

    Attributes:
        draw: Gives the SVG, by `pictures`; it stands in the page as it is.
        caption: What is seen, for those who see it and those who do not.
        figure: The figure of Matplotlib that is drawn; None where the SVG is written without one.
    """

    draw: Callable[[], str]
    caption: str
    figure: "Figure | None" = None


@dataclass(frozen=True, slots=True)
class Table:
    """A small table.

    Attributes:
        header: Names of the columns; the first is for labels.
        rows: Cells as text.
        caption: What it holds.
        words: Its cells are words, set to the left and broken into lines, not numbers.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    words: bool = False

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, str]], caption: str, *, words: bool = False) -> "Table":
        """A table of one line or more, each of which has its cells by the names of the columns."""
        return cls(tuple(lines[0]), tuple(tuple(line.values()) for line in lines), caption, words)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under its own title: text, then pictures, then tables.

    Attributes:
        title: The title of the part.
        text: Paragraphs with an empty line between them; other white space does not matter.
        pictures: Each with its caption.
        tables: Each with its caption.
    """

    title: str
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The text, cut at empty lines, white space joined."""
        return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", self.text) if part.strip())


def files(rows: Sequence[tuple[str, str]]) -> Section:
    """What is in the folder of a release: the domain's own files, and those that every release has."""
    every = (
        ("datapackage.json", "every file with its SHA-256, every table with its columns"),
        ("registry.yaml", "draft of an entry in OpenDP's registry of deployments"),
        ("SIGNATURE", "over every other file of the folder"),
    )
    table = Table(("File", "Content"), (*rows, *every), "Files of this release", words=True)
    return Section("What is in this folder", tables=(table,))


def undrawn(section: Section) -> Section:
    """A section with its captions, and nothing where its pictures stand: for a comparison of words."""
    return replace(section, pictures=tuple(Picture(str, picture.caption) for picture in section.pictures))


def words(text: str) -> str:
    """A page of no stray markup (markup.py) without what is drawn in its pictures, as it is written with `undrawn` sections."""
    return _DRAWN.sub(r"\1\2", text)


def amounts(text: str) -> list[str]:
    """The parts of a report that state the protected unit and the privacy loss: its head, and the formula with what follows it."""
    return _AMOUNTS.findall(text)


def page(title: str, kind: str, sections: Sequence[Section], *, warning: str = "") -> str:
    """A page that is no report of a release, in the same dress, complete in one text.

    Args:
        title: The title of the page.
        kind: What it is, in a few words.
        sections: Its content.
        warning: What stands above everything else, in a frame.
    """
    return filled("plain.html", title=title, kind=kind, sections=sections, warning=warning)


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


def filled(template: str, **values: object) -> str:
    """A template of this package with its blanks filled."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("starling.release.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template(template).render(software=SOFTWARE, **values)

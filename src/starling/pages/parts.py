"""The parts of a page as values: headline, facts, sections of text, pictures and tables, and the lines that do the same."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer in one number.

    Attributes:
        label: What is counted, in a few words.
        number: The number, as it is read.
        interval: What the noise leaves open; empty where the number has none.
        note: What else must be known to read it, in one sentence.
    """

    label: str
    number: str
    interval: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with the words that say what it shows.

    Attributes:
        draw: Gives the SVG, by `marks`; it stands in the page as it is.
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
class Line:
    """A line that gives the same again.

    Attributes:
        place: Where it is typed: "Python", "Shell", "curl".
        text: The line, or several.
    """

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under its own title: text, then pictures, tables and lines.

    Attributes:
        title: The title of the part.
        text: Paragraphs with an empty line between them; other white space does not matter.
        pictures: Each with its caption.
        tables: Each with its caption.
        folded: Whether it is closed until a reader opens it.
        lines: What gives the same in other places.
    """

    title: str
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: bool = False
    lines: tuple[Line, ...] = ()

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The text, cut at empty lines, white space joined."""
        return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", self.text) if part.strip())

"""The parts of a page as values: headline, facts, sections of text, pictures and tables, and the lines that do the same."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10

from starling.pages.marks import Sheet, heat


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

    def _repr_html_(self) -> str:
        from starling.pages.rendering import fragment

        return fragment("headline.html", value=self)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with the words that say what it shows.

    Attributes:
        sheet: Draws it.
        caption: What is seen, for those who see it and those who do not.
        name: Letters that set its inner names apart from those of other pictures of a page.
        scrolls: Whether it keeps its size on a narrow screen, and scrolls.
    """

    sheet: Callable[[], Sheet]
    caption: str
    name: str
    scrolls: bool = False

    def draw(self) -> str:
        """The SVG, whose title is the first sentence of the caption."""
        title = re.split(r"(?<=[.:;])\s", " ".join(self.caption.split()), maxsplit=1)[0]
        return self.sheet().svg(self.name, title, scrolls=self.scrolls)


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of a shaded table.

    Attributes:
        label: Shown in it.
        shade: 0 (light) to 1 (dark).
    """

    label: str
    shade: float


def relative_shade(part: float) -> float:
    """Shade of an error that is this part of the size it stands beside: three decades from light to dark, 0.1 % to 100 %.

    >>> relative_shade(0.0001), round(relative_shade(0.01), 3), relative_shade(7.0)
    (0.0, 0.333, 1.0)
    """
    return min(max((log10(max(part, 1e-3)) + 3) / 3, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Table:
    """A small table.

    Attributes:
        header: Names of the columns; the first is for labels.
        rows: Cells as text.
        caption: What it holds.
        words: Its cells are words, set to the left and broken into lines, not numbers.
        shades: Of each row the colours of its cells but the first, as `marks.heat` names them; empty for none.
        note: What must be known to read it, in one sentence.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    words: bool = False
    shades: tuple[tuple[str, ...], ...] = ()
    note: str = ""

    @classmethod
    def of_tiles(
        cls, header: Sequence[str], labels: Sequence[str], grid: Sequence[Sequence["Tile | None"]], caption: str
    ) -> "Table":
        """A table whose cells are shaded; None is an empty one.

        Args:
            header: Names of the columns, that of the labels first.
            labels: One for each row.
            grid: Of each row its tiles.
            caption: What it holds.
        """
        rows = [
            (label, *("" if tile is None else tile.label for tile in line))
            for label, line in zip(labels, grid, strict=True)
        ]
        shades = [tuple("" if tile is None else heat(tile.shade) for tile in line) for line in grid]
        return cls(tuple(header), tuple(rows), caption, shades=tuple(shades))

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
        headline: The answer in one number, where this part has it.
    """

    title: str
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: bool = False
    lines: tuple[Line, ...] = ()
    headline: Headline | None = None

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The text, cut at empty lines, white space joined."""
        return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", self.text) if part.strip())

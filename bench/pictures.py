"""What pictures of results share: panels side by side, and the file of a picture, with a digest of the rows that it was drawn from."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.drawing import INK, LINE, svg
from bench.peers import ROOT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = list[dict[str, Any]]

ORANGE: Final = "#c7691c"
GREEN: Final = "#3d7a4a"


def panels(*titles: str, size: tuple[float, float], rows: int = 1, apart: float = 0.3) -> "tuple[Figure, list[Axes]]":
    """A figure with a panel for each title.

    Args:
        titles: Of the panels, row by row.
        size: Width and height of a panel in inches.
        rows: How many rows of panels there are.
        apart: The room between panels, as a share of one.
    """
    from matplotlib.figure import Figure

    columns = len(titles) // rows
    figure = Figure(figsize=(size[0] * columns, size[1] * rows))
    found: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for axes, title in zip(found, titles, strict=True):
        axes.set_title(title, fontsize=8.5, color=INK)
        axes.grid(axis="y", linewidth=0.5, color=LINE)
        make_plain(axes)
    figure.subplots_adjust(wspace=apart, hspace=apart)
    return figure, found


def make_plain(axes: "Axes") -> None:
    """No frame above and to the right, and small labels."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=8)


def write(name: str, figure: "Figure", rows: Rows) -> None:
    """Write a picture of rows, with their digest."""
    text = f"{svg(figure, path_of(name).stem)}<!-- {digest(rows)} -->\n"
    path_of(name).write_text(text, encoding="utf-8")


def digest(rows: Rows) -> str:
    """Of the rows of a result."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()


def path_of(name: str) -> Path:
    """Where a picture lies."""
    return ROOT / "docs" / "pictures" / f"{name.replace('_', '-')}.svg"

"""Figures of Matplotlib for pictures of a release."""

from collections.abc import Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from starling.pages.parts import Picture, Section
from starling.release.report.pictures import BLUE, INK, svg

ROW: float = 0.3
"""Inches of a row of a chart of intervals."""


def section_of(figure: Figure, name: str, title: str, caption: str) -> Section:
    """A figure as the section of a page; `name` sets the picture's inner names apart from those of other pictures of a page."""
    return Section(title, pictures=(Picture(partial(svg, figure, name), caption, figure),))


def new_figure(title: str, size: tuple[float, float] = (6.0, 3.2)) -> tuple[Figure, Axes]:
    """A figure with one set of axes under a title.

    Args:
        title: Dollar signs in it are dollar signs.
        size: Inches, wide and high.
    """
    figure = Figure(figsize=size)
    axes = figure.add_subplot()
    axes.set_title(title.replace("$", r"\$"), fontsize=9.5, color=INK, loc="left")
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def intervals(
    title: str,
    axis: str,
    labels: Sequence[str],
    estimates: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
) -> Figure:
    """Numbers with their intervals, a row each from the top; `axis` says what they count."""
    figure, axes = new_figure(title, (6.0, ROW * len(labels) + 0.9))
    rows = range(len(labels))
    axes.hlines(rows, lower, upper, color=BLUE, linewidth=4, alpha=0.45, label="interval of 95 %")
    axes.plot(estimates, rows, "o", color=BLUE, markersize=4, label="published")
    axes.set_yticks(rows, [label.replace("$", r"\$") for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(axis, fontsize=8.5)
    axes.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return figure

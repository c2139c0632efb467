"""The released points of each cell as a figure."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from starling.places.answers.coordinates import aspect
from starling.places.plan.grid import Grid
from starling.places.postprocess import Float64
from starling.release.figures import new_figure
from starling.release.report.pictures import BLUE

TOP: float = 99.5
"""The percentile of the cells from which on all are as dark."""


def heat_map(of: Grid, what: str, title: str, grid: Float64) -> Figure:
    """A figure of a grid, its south at the bottom.

    Args:
        of: The public grid.
        what: What is counted.
        title: What is shown.
        grid: float64 (rows, columns): points of each cell, or of each square of cells.
    """
    figure, axes = new_figure(title, (6.0, 4.5))
    x0, y0, x1, y1 = map(float, of.box)
    shades = LinearSegmentedColormap.from_list("", ["white", BLUE])
    top = max(float(np.percentile(grid, TOP)), 1.0)
    picture = axes.imshow(grid, cmap=shades, vmin=0, vmax=top, origin="lower", extent=(x0, x1, y0, y1))
    axes.set_aspect((x1 - x0) / (y1 - y0) * of.rows / of.columns / aspect(of))
    bar = figure.colorbar(picture, ax=axes, shrink=0.7, label=f"{what} of a cell")
    bar.ax.tick_params(labelsize=8)
    return figure

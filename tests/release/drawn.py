"""What a picture of a session is drawn from."""

from functools import partial

from matplotlib.figure import Figure

from starling.release.plots import Plots


def figure_of(plots: Plots) -> Figure:
    """The figure of Matplotlib behind the only picture."""
    ((picture,),) = (section.pictures for section in plots.pictures.values())
    assert isinstance(picture.draw, partial)
    figure = picture.draw.args[0]
    assert isinstance(figure, Figure)
    return figure

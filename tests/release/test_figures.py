"""Figures for a session: what is drawn is what was given, and a notebook shows them by themselves."""

import re

import numpy as np
from matplotlib.collections import LineCollection

from starling.release.figures import intervals, new_figure, section_of
from starling.release.plots import Plots


def test_intervals_are_drawn_from_end_to_end() -> None:
    figure = intervals("People $", "people", ["F", "M $"], [3, 5], [1, 4], [6, 9])
    (axes,) = figure.axes
    (lines,) = axes.collections
    assert isinstance(lines, LineCollection)
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[1, 6], [4, 9]]
    (dots,) = axes.lines
    assert np.asarray(dots.get_xdata()).tolist() == [3, 5]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["F", r"M \$"]


def test_a_notebook_shows_a_figure_without_script_or_reference() -> None:
    figure, _ = new_figure("<script>")
    section = section_of(figure, "one", "A figure", "what is seen")
    page = Plots("T", "k", {"one": section})._repr_html_()
    assert "<figure>" in page
    assert "<svg" in page
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)

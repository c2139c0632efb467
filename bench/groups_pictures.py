"""Pictures of the paper on group sizes: Figures 7, 8 and 9, drawn from the rows of bench/groups_paper.py."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench.drawing import BLUE, GREY, INK, RED
from bench.pictures import GREEN, ORANGE, Rows, panels, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: Final = {
    "h_relaxed": ("#b08ac0", "--"),
    "h": (ORANGE, "-"),
    "topdown": (ORANGE, "--"),
    "c_relaxed": (BLUE, ":"),
    "c_twostep": (BLUE, "--"),
    "c_joint": (BLUE, "-"),
    "c_eb": (GREEN, "-"),
    "chain_published": (RED, ":"),
    "osqp": (GREY, "-"),
    "highs": (GREY, "--"),
    "tables": (INK, ":"),
}
"""Colour and dashes of each method."""
WIDE, HIGH, APART = 3.2, 2.9, 0.32
"""Of panels: inches, and the room between them as a share of one."""
WORLDS: Final = ("census", "taxi")
EPSILONS: Final = ("1/10", "1/2", "1")
_TABLE: Final = """\
taxi   1/10 h_relaxed       25.4 158.7 904.4 18206
taxi   1/10 h               26.6 121.9 915.7     0
taxi   1/10 c_relaxed       47.9 153.2 551.6 19460
taxi   1/10 c_twostep       19.9  65.6 644.3     0
taxi   1/10 chain_published  5.5  39.3 537.8     0
taxi   1/10 topdown         26.6  93.0 809.1     0
taxi   1/2  h_relaxed        8.6  81.2 364.2 18591
taxi   1/2  h                5.5  31.0 408.9     0
taxi   1/2  c_relaxed       46.7 153.5 450.7 19531
taxi   1/2  c_twostep        4.0  16.4 352.9     0
taxi   1/2  chain_published  1.2   9.5 150.6     0
taxi   1/2  topdown          5.3  20.3 242.1     0
taxi   1    h_relaxed        7.7  77.2 279.0 18085
taxi   1    h                3.1  19.8 328.5     0
taxi   1    c_relaxed       47.1 154.2 447.1 19706
taxi   1    c_twostep        2.0   8.7 307.8     0
taxi   1    chain_published  0.5   4.5  78.6     0
taxi   1    topdown          2.6  10.3 138.4     0
census 1/10 h_relaxed       40.3  54.3 802.1  1966
census 1/10 h               10.3  38.4 825.4     0
census 1/10 c_relaxed       23.1  64.5 632.2  1715
census 1/10 c_twostep        0.9  23.2 550.6     0
census 1/10 chain_published  0.2  13.9 603.0     0
census 1/10 topdown          3.7  35.0 820.5     0
census 1/2  h_relaxed       39.4  37.9 216.3  1990
census 1/2  h                2.4   9.4 230.8     0
census 1/2  c_relaxed       23.1  61.0 494.2  1718
census 1/2  c_twostep        0.2   5.8 159.1     0
census 1/2  chain_published  0.0   3.4 165.3     0
census 1/2  topdown          0.9   8.6 228.4     0
census 1    h_relaxed       40.7  39.2 130.0  1989
census 1    h                1.2   5.1 128.8     0
census 1    c_relaxed       24.1  63.0 494.5  1728
census 1    c_twostep        0.1   3.2  91.0     0
census 1    chain_published  0.0   1.7  86.9     0
census 1    topdown          0.5   4.6 127.2     0
"""
PAPER: Final = {
    (data, epsilon, method): tuple(map(float, errors))
    for data, epsilon, method, *errors in map(str.split, _TABLE.splitlines())
}
"""The paper's Table 7 by data, epsilon and method: L1 errors of levels 1 to 3 in thousands, and violations of consistency."""


def figure7(rows: Rows) -> "Figure":
    """Seconds by the number of sizes."""
    figure, (axes,) = panels("taxis over 263 zones, cut at N trips", size=(5.2, HIGH), apart=APART)
    shown = [row for row in rows if row["figure"] == "7"]
    for method in dict.fromkeys(row["method"] for row in shown):
        line = sorted((row["sizes"], row["seconds"]) for row in shown if row["method"] == method)
        colour, dashes = STYLES[method]
        axes.plot(*zip(*line, strict=True), dashes, color=colour, label=method, marker="." if len(line) < 4 else "")
    axes.set_xscale("log")
    axes.set_xlabel("N, the largest size", fontsize=8.5)
    return _timed(figure, axes)


def figure8(rows: Rows) -> "Figure":
    """Seconds by epsilon."""
    figure, found = panels(*(f"{world}-like data" for world in WORLDS), size=(WIDE, HIGH), apart=APART)
    for axes, world in zip(found, WORLDS, strict=True):
        _lines(axes, [row for row in rows if row.get("data") == world and row["noise"] == "proven"], "seconds", 1)
    return _timed(figure, *found)


def figure9(rows: Rows) -> "Figure":
    """L1 error by epsilon, for each level; hollow marks are the paper's."""
    titles = (f"{world}-like, level {level}" for world in WORLDS for level in (1, 2, 3))
    figure, found = panels(*titles, size=(WIDE, HIGH), rows=2, apart=APART)
    for number, axes in enumerate(found):
        world, level = WORLDS[number // 3], number % 3
        shown = [row for row in rows if row.get("data") == world and row["noise"] == "proven"]
        _lines(axes, shown, f"l1_{level + 1}", 1000)
        for at, epsilon in enumerate(EPSILONS):
            for method, (colour, _) in STYLES.items():
                error = PAPER.get((world, epsilon, method), (0.0,) * 3)[level]
                if error:
                    axes.plot(at, error, "o", mfc="none", ms=4, mew=0.8, color=colour)
        _decades(axes)
        if world == "taxi":
            axes.axhline(2 * 13.282, color=INK, linewidth=0.7, linestyle=(0, (1, 3)), label="2 G")
    for axes in found[::3]:
        axes.set_ylabel("L1 error, thousands", fontsize=8.5)
    found[-1].plot([], [], "o", mfc="none", ms=4, mew=0.8, color=INK, label="the paper's")
    return _legend(figure, found[-1])


FIGURES: Final[dict[str, Callable[[Rows], "Figure"]]] = {
    "groups-figure7": figure7,
    "groups-figure8": figure8,
    "groups-figure9": figure9,
}


def draw(document: dict[str, Any]) -> None:
    """Draw the pictures of a result."""
    for name, figure in FIGURES.items():
        write(name, figure(document["rows"]), document["rows"])


def _lines(axes: "Axes", rows: Rows, name: str, unit: int) -> None:
    """A line by epsilon for each method, with a band from the least run to the most."""
    for method, (colour, dashes) in STYLES.items():
        line = [row for row in rows if row["method"] == method]
        if line:
            at = [EPSILONS.index(row["epsilon"]) for row in line]
            axes.plot(at, [row[name] / unit for row in line], dashes, color=colour, label=method, linewidth=1.2)
            low, high = ([row[f"{name}_{end}"] / unit for row in line] for end in ("low", "high"))
            axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.set_xticks(range(len(EPSILONS)), ["0.1", "0.5", "1"])
    axes.set_xlabel("ε", fontsize=8.5)


def _timed(figure: "Figure", *found: "Axes") -> "Figure":
    for axes in found:
        _decades(axes)
    found[0].set_ylabel("CPU seconds", fontsize=8.5)
    return _legend(figure, found[0])


def _decades(axes: "Axes") -> None:
    """Powers of ten with 2 and 5 between them, as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if np.ptp(np.log10(axes.get_ylim())) < 3 else (1,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _legend(figure: "Figure", axes: "Axes") -> "Figure":
    signs = axes.get_legend_handles_labels()
    figure.legend(*signs, fontsize=7, frameon=False, loc="upper center", ncols=5, bbox_to_anchor=(0.5, -0.04))
    return figure

"""Pictures of the paper on homogeneous trees: Figures 3 to 6, drawn from the rows of bench/places_paper.py."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from bench.pictures import GREEN, ORANGE, Rows, panels, write
from starling.release.report.pictures import BLUE, GREY, INK, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EPSILONS: Final = ("0.1", "0.3", "0.5")
STAND_INS: Final = ("uber", "BeijingTaxiE")
"""For Los Angeles; they have Figures 3 to 5 at all budgets."""
KD_HEIGHTS: Final = (4, 6, 8, 10, 12)
QUAD_HEIGHTS: Final = (5, 6, 7, 8, 9, 10)
STOPS: Final = (10, 50, 100)
"""Noisy counts up to which a box of HTF is not cut."""
PUBLISHED_STOP: Final = 100
"""Where the paper does not say another: the method's own."""
LADDERS: Final = ("geometric", "uniform")
HTF: Final = "HTF 5e-4"
FAMILIES: Final = (*(f"kd {ladder}" for ladder in LADDERS), *(f"Quad {ladder}" for ladder in LADDERS))
"""Methods with heights."""
WIDE, HIGH, APART = 2.9, 2.2, 0.36
"""Of panels: inches, and the room between them as a share of one."""
STYLES: Final = {
    "HTF 5e-4": (INK, "-"),
    "HTF 1e-3": (INK, ":"),
    "kd geometric": (BLUE, "-"),
    "kd uniform": (BLUE, "--"),
    "Quad geometric": (GREEN, "-"),
    "Quad uniform": (GREEN, "--"),
    "UG, n public*": (GREY, "-"),
    "AG, n public*": (ORANGE, "-"),
}
"""Colour and dashes of lines."""
MARKS: Final = {
    "Uniform": (GREY, "_"),
    "Singular": (GREY, "s"),
    "Privlet": (GREY, "D"),
    "UG, n public*": (ORANGE, "^"),
    "AG, n public*": (ORANGE, "v"),
    "kd geometric": (BLUE, "s"),
    "Quad geometric": (GREEN, "s"),
    "HTF 5e-4": (INK, "o"),
    "HTF 1e-3": (INK, "x"),
    "HTF midpoints": (INK, "+"),
    "HTF random cuts": (INK, "1"),
    "PrivTree": ("#7d5a96", "o"),
    "Adaptive": (RED, "o"),
}
"""Colour and mark of each method of Figure 6."""
SQUARES: Final = ("2 %", "6 %", "10 %")


def best_of(rows: Rows, data: str, epsilon: str, family: str, kind: str) -> dict[str, Any]:
    """The row of the height with the least mean error: an oracle, NOT PRIVATE. Of a method without heights, its row."""
    here = [row for row in rows if (row["data"], row["epsilon"]) == (data, epsilon)]
    chosen = [row for row in here if row["method"] == family or row["method"].startswith(f"{family}, height")]
    return min(chosen, key=lambda row: float(row[kind]))


def against_heights(families: Sequence[str], heights: Sequence[int]) -> Callable[[Rows], "Figure"]:
    """Figures 3 and 5: the error by height, at three budgets for `rand` and at the first for squares, for each stand-in."""

    def figure(rows: Rows) -> "Figure":
        cases = [
            (data, epsilon, kind)
            for data in STAND_INS
            for epsilon, kind in (
                *((epsilon, "rand") for epsilon in EPSILONS),
                *((EPSILONS[0], kind) for kind in SQUARES),
            )
        ]
        titles = [f"{data}, ε = {epsilon}, {spoken(kind)}" for data, epsilon, kind in cases]
        drawn, found = panels(*titles, size=(WIDE, HIGH), rows=4, apart=APART)
        for axes, (data, epsilon, kind) in zip(found, cases, strict=True):
            here = {row["method"]: row for row in rows if (row["data"], row["epsilon"]) == (data, epsilon)}
            for family in families:
                line(axes, family, heights, [here[f"{family}, height {height}"] for height in heights], kind)
            for name in ("HTF 5e-4", "HTF 1e-3"):
                line(axes, name, (heights[0], heights[-1]), [here[name]] * 2, kind)
            axes.set_xticks(heights)
        return finished(drawn, found, "height")

    return figure


def figure4(rows: Rows) -> "Figure":
    """The error by budget beside grids: three stop counts of HTF for `rand`, and squares, for each stand-in."""
    cases = [
        (data, stop, kind)
        for data in STAND_INS
        for stop, kind in (*((stop, "rand") for stop in STOPS), *((STOPS[-1], kind) for kind in SQUARES))
    ]
    titles = [f"{data}, stop count {stop}, {spoken(kind)}" for data, stop, kind in cases]
    drawn, found = panels(*titles, size=(WIDE, HIGH), rows=4, apart=APART)
    for axes, (data, stop, kind) in zip(found, cases, strict=True):
        here = {(row["method"], row["epsilon"]): row for row in rows if row["data"] == data}
        stopped = "HTF 5e-4" if stop == STOPS[-1] else f"HTF 5e-4, stop {stop}"
        for name in ("UG, n public*", "AG, n public*", "HTF 5e-4"):
            method = stopped if name == "HTF 5e-4" else name
            points = [here[method, epsilon] for epsilon in EPSILONS]
            line(axes, name, range(len(points)), points, kind)
        axes.set_xticks(range(len(EPSILONS)), EPSILONS)
    return finished(drawn, found, "ε")


def figure6(rows: Rows) -> "Figure":
    """All methods on all data, `rand` at epsilon .1: the mean of runs, with a bar from the least to the most."""
    rows = [row for row in rows if row["epsilon"] == EPSILONS[0]]
    sets = list(dict.fromkeys(row["data"] for row in rows))
    both = [[name for name in sets if name.startswith("g") == synthetic] for synthetic in (True, False)]
    drawn, found = panels("Gaussians of the paper", "public points", size=(WIDE * 3, HIGH * 1.3), rows=2, apart=APART)
    for axes, names in zip(found, both, strict=True):
        for number, (method, (colour, mark)) in enumerate(MARKS.items()):
            shown = [best_of(rows, data, EPSILONS[0], method, "rand") for data in names]
            at = [place + (number - len(MARKS) / 2) * 0.055 for place in range(len(names))]
            low, high = ([row[f"rand {end}"] for row in shown] for end in ("least", "most"))
            axes.vlines(at, low, high, color=colour, linewidth=1, alpha=0.6)
            axes.plot(at, [row["rand"] for row in shown], mark, color=colour, markersize=4, label=labelled(method))
        axes.set_xticks(range(len(names)), names)
    return finished(drawn, found, "")


def labelled(method: str) -> str:
    """A method as a legend names it; of a family there is the best height, which is not private."""
    return f"{method}, best height*" if method in FAMILIES else method


def spoken(kind: str) -> str:
    """A kind of query in a title."""
    return "random shapes" if kind == "rand" else f"squares of {kind}"


def line(axes: "Axes", name: str, at: Iterable[float], points: Sequence[dict[str, Any]], kind: str) -> None:
    """A line with a band from the least run to the most."""
    places, (colour, dashes) = list(at), STYLES[name]
    axes.plot(places, [row[kind] for row in points], dashes, color=colour, label=name, linewidth=1.2)
    low, high = ([row[f"{kind} {end}"] for row in points] for end in ("least", "most"))
    axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)


def finished(figure: "Figure", found: "Sequence[Axes]", below: str) -> "Figure":
    """Axes in powers of ten, with their names, and one legend."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axes in found:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_locator(LogLocator(subs=()))
        axes.set_xlabel(below, fontsize=8)
    for axes in found[:: 3 if len(found) > 3 else 1]:
        axes.set_ylabel("MRE, %", fontsize=8)
    signs = found[0].get_legend_handles_labels()
    figure.legend(*signs, fontsize=7.5, frameon=False, loc="upper center", ncols=5, bbox_to_anchor=(0.5, 0.06))
    return figure


FIGURES: Final[dict[str, Callable[[Rows], "Figure"]]] = {
    "places-figure3": against_heights(("kd geometric", "kd uniform"), KD_HEIGHTS),
    "places-figure4": figure4,
    "places-figure5": against_heights(("Quad geometric", "Quad uniform"), QUAD_HEIGHTS),
    "places-figure6": figure6,
}


def draw(document: dict[str, Any]) -> None:
    """Draw the pictures of a result."""
    for name, figure in FIGURES.items():
        write(name, figure(document["rows"]), document["rows"])

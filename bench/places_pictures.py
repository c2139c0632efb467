"""Pictures of the paper on homogeneous trees: Figures 3 to 6, drawn from the rows of bench/places_paper.py."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from bench.drawing import BLUE, GREY, INK, RED
from bench.pictures import GREEN, ORANGE, Rows, panels, write

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
WIDE, HIGH = 2.6, 2.1
"""Of panels, in inches."""
SIZE: Final[Any] = {"size": (WIDE, HIGH), "rows": 2, "apart": 0.3}
"""Of pictures with six panels."""
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


def against_heights(data: str, families: Sequence[str], heights: Sequence[int]) -> Callable[[Rows], "Figure"]:
    """Figures 3 and 5: the error by height, at three budgets for `rand` and at the first for squares."""
    cases = [*((epsilon, "rand") for epsilon in EPSILONS), *((EPSILONS[0], kind) for kind in SQUARES)]

    def figure(rows: Rows) -> "Figure":
        drawn, found = panels(*(f"ε = {epsilon}, {kind}" for epsilon, kind in cases), **SIZE)
        for axes, (epsilon, kind) in zip(found, cases, strict=True):
            here = {row["method"]: row for row in rows if (row["data"], row["epsilon"]) == (data, epsilon)}
            for family in families:
                line(axes, family, heights, [here[f"{family}, height {height}"] for height in heights], kind)
            for name in ("HTF 5e-4", "HTF 1e-3"):
                line(axes, name, (heights[0], heights[-1]), [here[name]] * 2, kind)
            axes.set_xticks(heights)
        return finished(drawn, found, "height")

    return figure


def figure4(data: str) -> Callable[[Rows], "Figure"]:
    """The error by budget beside grids: three stop counts of HTF for `rand`, and squares."""
    cases = [*((stop, "rand") for stop in STOPS), *((PUBLISHED_STOP, kind) for kind in SQUARES)]

    def figure(rows: Rows) -> "Figure":
        drawn, found = panels(*(f"stop count {stop}, {kind}" for stop, kind in cases), **SIZE)
        here = {(row["method"], row["epsilon"]): row for row in rows if row["data"] == data}
        for axes, (stop, kind) in zip(found, cases, strict=True):
            for name in ("UG, n public*", "AG, n public*", HTF):
                method = f"{HTF}, stop {stop}" if name == HTF and stop != PUBLISHED_STOP else name
                line(axes, name, range(len(EPSILONS)), [here[method, epsilon] for epsilon in EPSILONS], kind)
            axes.set_xticks(range(len(EPSILONS)), EPSILONS)
        return finished(drawn, found, "ε")

    return figure


def figure6(*, synthetic: bool) -> Callable[[Rows], "Figure"]:
    """All methods on Gaussians or on public points, `rand` at epsilon .1: means of runs, with a bar from the least to the most."""

    def figure(rows: Rows) -> "Figure":
        rows = [row for row in rows if row["epsilon"] == EPSILONS[0]]
        names = [name for name in dict.fromkeys(row["data"] for row in rows) if name.startswith("g") == synthetic]
        drawn, found = panels("ε = 0.1, rand", size=(3 * WIDE, 1.4 * HIGH))
        for number, (method, (colour, mark)) in enumerate(MARKS.items()):
            shown = [best_of(rows, data, EPSILONS[0], method, "rand") for data in names]
            at = [place + (number - len(MARKS) / 2) * 0.055 for place in range(len(names))]
            low, high = ([row[f"rand {end}"] for row in shown] for end in ("least", "most"))
            found[0].vlines(at, low, high, color=colour, linewidth=1, alpha=0.6)
            found[0].plot(at, [row["rand"] for row in shown], mark, color=colour, markersize=4, label=labelled(method))
        found[0].set_xticks(range(len(names)), names)
        return finished(drawn, found, "")

    return figure


def labelled(method: str) -> str:
    """A method as a legend names it; of a family there is the best height, which is not private."""
    return f"{method}, best height*" if method in FAMILIES else method


def line(axes: "Axes", name: str, at: Iterable[float], points: Sequence[dict[str, Any]], kind: str) -> None:
    """A line with a band from the least run to the most."""
    places, (colour, dashes) = list(at), STYLES[name]
    axes.plot(places, [row[kind] for row in points], dashes, color=colour, label=name, linewidth=1.2)
    low, high = ([row[f"{kind} {end}"] for row in points] for end in ("least", "most"))
    axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)


def finished(figure: "Figure", found: "Sequence[Axes]", below: str) -> "Figure":
    """Axes in powers of ten, with their names, and one legend."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    for axes in found:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    for axes in found[-3:]:
        axes.set_xlabel(below, fontsize=8)
    for axes in found[::3]:
        axes.set_ylabel("MRE, %", fontsize=8)
    signs = found[0].get_legend_handles_labels()
    figure.legend(*signs, fontsize=7.5, frameon=False, loc="upper center", ncols=5, bbox_to_anchor=(0.5, 0.03))
    return figure


FIGURES: Final[dict[str, Callable[[Rows], "Figure"]]] = {
    **{
        f"places-figure3-{data}": against_heights(data, ("kd geometric", "kd uniform"), KD_HEIGHTS)
        for data in STAND_INS
    },
    **{f"places-figure4-{data}": figure4(data) for data in STAND_INS},
    **{
        f"places-figure5-{data}": against_heights(data, ("Quad geometric", "Quad uniform"), QUAD_HEIGHTS)
        for data in STAND_INS
    },
    "places-figure6-gaussians": figure6(synthetic=True),
    "places-figure6-points": figure6(synthetic=False),
}


def draw(document: dict[str, Any]) -> None:
    """Draw the pictures of a result."""
    for name, figure in FIGURES.items():
        write(name, figure(document["rows"]), document["rows"])

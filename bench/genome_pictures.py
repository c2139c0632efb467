"""Pictures of the genome paper's figures, drawn from the rows of their result files."""

from collections.abc import Callable, Iterable
from math import log
from typing import TYPE_CHECKING, Any, Final

from bench.drawing import BLUE, GREY, INK, RED
from bench.pictures import GREEN, ORANGE, Rows, panels, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE: Final = (3.2, 3.3)
"""Of a panel, inches."""


def figure1(rows: Rows) -> "Figure":
    """num_sig: chances by number of patients, and the upper ends of answers."""
    figure, (right, wrong, upper) = panels(
        "P(right answer)", "P(wrong answer)", "upper end of the answer, as published", size=SIZE
    )
    shown = [
        row
        for row in rows
        if row.get("k") == 1 and row["snps"] == 100_000 and row["least_frequency"] == 0.05 and "right" in row
    ]
    for epsilon, colour in ((1.0, BLUE), (0.6, ORANGE), (0.2, GREY)):
        for selection, dashes in (("exponential", "-"), ("permute-and-flip", "--")):
            line = [row for row in shown if row["epsilon"] == epsilon and row["selection"] == selection]
            people = [row["people"] for row in line]
            label = f"ε = {epsilon:g}, {'as published' if selection == 'exponential' else selection}"
            right.plot(people, [row["right"] for row in line], dashes, color=colour, label=label)
            wrong.plot(people, [row["wrong"] for row in line], dashes, color=colour)
            if selection == "exponential":
                _band(right, line, "right", colour)
                wrong.vlines(
                    people, [row["wrong"] for row in line], [row["wrong_high"] for row in line], colour, lw=0.8
                )
                upper.plot(people, [row["upper_95"] for row in line], "-", color=colour)
                upper.plot(people, [row["upper_99"] for row in line], ":", color=colour)
    for axes in (right, wrong, upper):
        _people(axes, (1138, 2000, 3000, 5000, 10000))
    right.set_ylim(0, 1.02)
    right.legend(fontsize=6.5, frameon=False, loc="lower right")
    wrong.set_yscale("log")
    wrong.axhline(0.01, color=RED, linewidth=0.6, linestyle=":")
    upper.set_yscale("log", base=2)
    upper.plot([], [], "-", color=INK, label="of 95 % at most")
    upper.plot([], [], ":", color=INK, label="of 99 % at most")
    upper.legend(fontsize=6.5, frameon=False)
    return figure


def figure2(rows: Rows) -> "Figure":
    """loc_sig and rivals: chances that nothing is lost, and percentiles of the loss."""
    figure, (nothing, middle, worst) = panels("P(nothing lost)", "loss, median", "loss of 99 % at most", size=SIZE)
    shown = [row for row in rows if row.get("frequencies") == "all"]
    styles = {
        "loc_sig as published": (BLUE, "-"),
        "loc_sig by permute-and-flip": (BLUE, "--"),
        "exponential on chi-squared, restricted": (GREEN, "-"),
        "Laplace on chi-squared, restricted": (ORANGE, "-"),
        "Laplace on chi-squared, unrestricted": (GREY, "-"),
    }
    for mechanism, (colour, dashes) in styles.items():
        line = [row for row in shown if row["mechanism"] == mechanism]
        people = [row["people"] for row in line]
        nothing.plot(people, [row["no_loss"] for row in line], dashes, color=colour, label=mechanism)
        if mechanism == "loc_sig as published":
            _band(nothing, line, "no_loss", colour)
        if "loss_50" in line[0]:
            middle.plot(people, [row["loss_50"] for row in line], dashes, color=colour)
            worst.plot(people, [row["loss_99"] for row in line], dashes, color=colour)
    for axes in (nothing, middle, worst):
        _people(axes, (1138, 2000, 3000, 5000, 10000))
        axes.set_ylim(-0.02, 1.04)
    figure.legend(fontsize=7, frameon=False, loc="lower center", ncols=3, bbox_to_anchor=(0.5, -0.22))
    return figure


def figure4(rows: Rows) -> "Figure":
    """Errors of ln p by the exact p-value: tables of 360 carriers, and of 200."""
    figure, both = panels("360 of 1,000 carry the allele", "200 of 1,000 carry the allele", size=SIZE)
    styles = {
        "snp_pval as published": (BLUE, "-"),
        "snp_pval with lattice noise": (BLUE, "--"),
        "chi-squared, restricted": (ORANGE, "-"),
        "chi-squared, unrestricted": (ORANGE, "--"),
        "p-value, restricted": (GREY, "-"),
        "p-value, unrestricted": (GREY, "--"),
    }
    for axes, carriers in zip(both, (360, 200), strict=True):
        here = [row for row in rows if row.get("carriers") == carriers]
        exact = list(dict.fromkeys(row["log10_p"] for row in here))
        for mechanism, (colour, dashes) in styles.items():
            line = [row for row in here if row["mechanism"] == mechanism]
            axes.plot(exact, [row["error"] for row in line], dashes, color=colour, label=mechanism)
            low, high = ([row[f"error_{end}"] for row in line] for end in ("low", "high"))
            axes.fill_between(exact, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(exact, [-log(10) * each for each in exact], ":", color=INK, linewidth=0.9, label="always p = 1")
        axes.set_yscale("log")
        axes.set_ylim(1, 600)
        axes.invert_xaxis()
        axes.set_xlabel("log₁₀ of the exact p-value", fontsize=8.5)
    both[0].set_ylabel("root mean squared error of ln p", fontsize=8.5)
    figure.legend(
        *both[0].get_legend_handles_labels(),
        fontsize=7,
        frameon=False,
        loc="lower center",
        ncols=4,
        bbox_to_anchor=(0.5, -0.18),
    )
    return figure


def draw(document: dict[str, Any]) -> None:
    """Draw the picture of a result."""
    name, rows = document["benchmark"], document["rows"]
    write(name, FIGURES[name](rows), rows)


def _people(axes: "Axes", ticks: Iterable[int]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(list(ticks), [f"{tick:,}" for tick in ticks], rotation=35, ha="right")
    axes.minorticks_off()
    axes.set_xlabel("patients", fontsize=8.5)


def _band(axes: "Axes", line: Rows, name: str, colour: str) -> None:
    low, high = ([row[f"{name}_{end}"] for row in line] for end in ("low", "high"))
    axes.fill_between([row["people"] for row in line], low, high, color=colour, alpha=0.15, linewidth=0)


FIGURES: Final[dict[str, Callable[[Rows], "Figure"]]] = {
    "genome_figure1": figure1,
    "genome_figure2": figure2,
    "genome_figure4": figure4,
}

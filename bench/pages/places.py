"""Tables of places-figures.md and places-benchmark.md: the paper on homogeneous trees again, and all methods on all data."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import Any, Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, made, untimed
from bench.places_methods import STAR
from bench.places_paper import against

Rows = Sequence[Mapping[str, Any]]

COLUMNS: Final = ("g20", "g50", "g100", "dp4", "pts")
SETS: Final = ("BeijingTaxiE", "cabspottingE", "twitter", "Adult_2D", "uber", "crime", "earthquakes")
SIDES: Final = ("side 0.24 %", "side 0.5 %", "side 1 %", "side 2 %")
OURS: Final = "Adaptive"
GOALS: Final = {
    "0.1": {"dp6": 11.0, "pts": 19.0, "g20": 1.6, "g50": 3.3, "g100": 6.5},
    "0.5": {"dp6": 4.8, "pts": 8.6},
}
"""Geometric means of the four kinds of query that the default was to reach."""
GRIDS: Final = ("UG", "Singular")
"""Uniform grids: one as fine as the number of points bears, and the finest."""
CONTROLS: Final = (
    "HTF 5e-4",
    "HTF 1e-3",
    f"HTF 5e-4, best height{STAR}",
    "HTF midpoints",
    "HTF random cuts",
    "PrivTree",
    "Adaptive",
)


def chosen(rows: Rows, epsilon: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The rows of a budget by method and column."""
    return {(row["method"], row["data"]): row for row in rows if row["epsilon"] == epsilon}


def banded(row: Mapping[str, Any] | None, of: str) -> str:
    """A mean with the least and the most of single runs."""
    if row is None:
        return ""
    if row["runs"] == 1:
        return number(row[of])
    return f"{number(row[of])} ({number(row[f'{of}_least'])} to {number(row[f'{of}_most'])})"


def methods_of(rows: Rows) -> list[str]:
    """In the order of their error on public points at epsilon .1, the largest first; Adaptive is where it comes."""
    found = {row["method"]: row["large"] for row in rows if (row["data"], row["epsilon"]) == ("pts", "0.1")}
    found |= {row["method"]: row["large"] for row in rows if row["method"] not in found}
    return sorted(found, key=lambda method: -float(found[method]))


def emphasised(method: str) -> str:
    """The default in bold."""
    return f"**{method}**" if method == OURS else method


def by_column(rows: Rows, epsilon: str, of: str, columns: Sequence[str], methods: Sequence[str]) -> str:
    """A table of methods by columns."""
    here = chosen(rows, epsilon)
    return table(
        ["method", *columns],
        (
            [emphasised(method), *(banded(here.get((method, each)), of) for each in columns)]
            for method in methods
            if any((method, each) in here for each in columns)
        ),
    )


def large(results: Mapping[str, Results]) -> str:
    """Squares of 2, 6 and 10 % and random rectangles at all budgets."""
    rows = results["places_accuracy"]["rows"]
    methods = methods_of(rows)
    parts = [
        f"ε = {epsilon}:\n\n{by_column(rows, epsilon, 'large', COLUMNS, methods)}"
        for epsilon in dict.fromkeys(row["epsilon"] for row in rows)
    ]
    return "\n\n".join([*parts, _runs(results["places_accuracy"])])


def _runs(result: Results) -> str:
    settings = result["settings"]
    many, fewer = settings["runs"], settings["runs_at_other_budgets"]
    others = f"{settings['runs_of_others']} and {settings['runs_of_others_at_other_budgets']}"
    return (
        f"Means of {many} runs at ε = 0.1 and 0.5 and of {fewer} or more at others for HTF, AG, PrivTree and Adaptive, of {others} for the "
        f"others; in brackets the least and the most of single runs. {made(result)}"
    )


def sets(results: Mapping[str, Results]) -> str:
    """Each real data set at epsilon .1."""
    rows = results["places_accuracy"]["rows"]
    return by_column(rows, "0.1", "large", SETS, methods_of(rows))


def small(results: Mapping[str, Results]) -> str:
    """Small squares by their side, on DPBench's grids and public points."""
    rows = results["places_accuracy"]["rows"]
    parts = []
    for epsilon in ("0.1", "0.5"):
        here = chosen(rows, epsilon)
        lines = [
            [
                emphasised(method),
                *(
                    number(here[method, column][side]) if (method, column) in here else ""
                    for column in ("dp4", "pts")
                    for side in SIDES
                ),
                banded(here.get((method, "g100")), "small"),
            ]
            for method in methods_of(rows)
        ]
        sides = [side.removeprefix("side ") for side in SIDES]
        head = ["method", *(f"dp4, {side}" for side in sides), *(f"pts, {side}" for side in sides), "g100"]
        parts.append(f"ε = {epsilon}:\n\n{table(head, lines)}")
    return "\n\n".join(parts)


def more(results: Mapping[str, Results]) -> str:
    """Bias, earth mover's distance, CPU seconds, sure intervals at epsilon .1."""
    rows = results["places_accuracy"]["rows"]
    here = chosen(rows, "0.1")
    lines = [
        [
            emphasised(method),
            *(f"{here[method, column][of]:+.2g} %" for column in ("dp4", "pts") for of in ("bias_large", "bias_small")),
            *(number(100 * here[method, column]["emd"]) for column in ("dp4", "pts")),
            number(here[method, "pts"]["seconds"]),
            f"{here[method, 'pts']['sure']:.1%}" if "sure" in here[method, "pts"] else "",
        ]
        for method in methods_of(rows)
        if (method, "pts") in here
    ]
    head = [
        "method",
        "bias, dp4, large",
        "small",
        "bias, pts, large",
        "small",
        "EMD, dp4, % of a side",
        "EMD, pts",
        "CPU seconds, pts",
        "sure intervals hold, pts",
    ]
    return table(head, lines)


def wins(results: Mapping[str, Results]) -> str:
    """In how many cells each method is the best."""
    settings = results["places_accuracy"]["settings"]
    least, far = settings["least"], settings["by_far"]
    lines = [
        [emphasised(name), str(least[name]), str(far[name])] for name in sorted(least, key=lambda name: -least[name])
    ]
    first = table(
        ["method", f"least mean error, of {settings['cells']} cells", "and its worst run is better than any of others"],
        lines,
    )
    held = results["places_held_out"]["settings"]
    others = ", ".join(
        f"{name} {many}" for name, many in sorted(held["least"].items(), key=lambda one: -one[1]) if many
    )
    return f"{first}\n\nOn the data that were held out, of {held['cells']} cells: {others}."


def held_out(results: Mapping[str, Results]) -> str:
    """What came out on the data that were held out."""
    result = results["places_held_out"]
    rows = result["rows"]
    methods = methods_of([{**row, "data": "pts"} for row in rows if row["data"] == "checkin"])
    parts = [
        f"{title}, ε = {epsilon}:\n\n{by_column(rows, epsilon, of, ('checkin', 'Stroke_2D', 'storms'), methods)}"
        for epsilon in ("0.1", "0.5")
        for title, of in (("Squares of 2, 6, 10 % and random rectangles", "large"), ("Small squares", "small"))
    ]
    return "\n\n".join([*parts, _runs(result)])


def goals(results: Mapping[str, Results]) -> str:
    """What the default was to reach, and what it and the best other private method reached; dp6 takes in what was held out."""
    lines = []
    for epsilon, wanted in GOALS.items():
        main, held = (chosen(results[name]["rows"], epsilon) for name in ("places_accuracy", "places_held_out"))

        def figure(method: str, column: str) -> float | None:
            if column != "dp6":
                return main[method, column]["large"] if (method, column) in main else None  # noqa: B023 - called at once
            if (method, "dp4") not in main or (method, "dp2") not in held:  # noqa: B023
                return None
            four, two = main[method, "dp4"]["large"], held[method, "dp2"]["large"]  # noqa: B023
            return exp((4 * log(four) + 2 * log(two)) / 6)

        names = list(dict.fromkeys(method for method, _ in main))
        for column, goal in wanted.items():
            reached = {name: value for name in names if (value := figure(name, column)) is not None}
            others = {name: value for name, value in reached.items() if name != OURS and not name.endswith(STAR)}
            best = min(others, key=lambda name: others[name])
            ours = reached[OURS]
            verdict = "reached" if ours <= goal else "**missed**"
            lines.append([epsilon, column, number(goal), number(ours), verdict, f"{best}: {number(others[best])}"])
    return table(["ε", "data", "goal", "Adaptive", "", "best other"], lines)


def search(results: Mapping[str, Results]) -> str:
    """What HTF's search and height are worth: controls at epsilon .1."""
    return by_column(results["places_accuracy"]["rows"], "0.1", "large", COLUMNS, CONTROLS)


def paper_wins(results: Mapping[str, Results]) -> str:
    """How often HTF is better than each rival of the paper."""
    result = results["places_paper"]
    lines = [
        [
            f"{row['rival']}, best height{STAR}" if row["rival"].startswith(("kd", "Quad")) else row["rival"],
            *(str(row[name]) for name in ("better", "surely_better", "surely_worse")),
        ]
        for row in against(result["rows"])
    ]
    cells = against(result["rows"])[0]["cells"]
    head = [
        "HTF 5e-4 against",
        f"better, of {cells}",
        "its worst run beats the other's best",
        "its best run loses to the other's worst",
    ]
    return f"{table(head, lines)}\n\nAt ε = 0.1, at least {result['settings']['runs']} runs each. {untimed(result)}"


def other_budgets(results: Mapping[str, Results]) -> str:
    """How often HTF is better at other budgets, from the study of all methods."""
    rows = results["places_accuracy"]["rows"]
    kinds = ("2 %", "6 %", "10 %", "rand")
    columns = ("g20", "g50", "g100", *SETS)
    rivals = [name for name in methods_of(rows) if not name.startswith(("HTF", "Adaptive"))]
    lines = []
    for rival in rivals:
        line = [rival]
        for epsilon in ("0.1", "0.3", "0.5", "1"):
            here = chosen(rows, epsilon)
            pairs = [
                (here["HTF 5e-4", column][kind], here[rival, column][kind])
                for column in columns
                for kind in kinds
                if ("HTF 5e-4", column) in here and (rival, column) in here
            ]
            line.append(f"{sum(one < other for one, other in pairs)} of {len(pairs)}")
        lines.append(line)
    return table(["HTF 5e-4 is better than", *(f"ε = {each}" for each in ("0.1", "0.3", "0.5", "1"))], lines)


def scale(results: Mapping[str, Results]) -> str:
    """Time and memory of a release against points and against cells."""
    result = results["places_scale"]
    head = ["points", "cells", "s", "CPU s", "GB", "release, GB", "GROUP BY alone, s", "times of it"]
    lines = [
        [
            f"{row['points']:,}",
            f"{row['rows']:,} x {row['columns']:,}" + (", sparse" if row["sparse"] else ""),
            *(number(row[name]) for name in ("seconds", "cpu_seconds", "gigabytes", "release_gb")),
            *(number(row[name]) for name in ("group_by_seconds", "times_of_group_by")),
        ]
        for row in result["rows"]
    ]
    return f"{table(head, lines)}\n\nAt ε = {result['settings']['epsilon']}. {made(result)}"


def flows(results: Mapping[str, Results]) -> str:
    """Time and memory of a release of flows against the number of trips."""
    result = results["places_flows"]
    head = ["trips", "s", "CPU s", "GB", "GROUP BY alone, s", "CPU s of it", "GB of it"]
    names = ("seconds", "cpu_seconds", "gigabytes", "group_by_seconds", "group_by_cpu_seconds", "group_by_gigabytes")
    lines = [[f"{row['trips']:,}", *(number(row[name]) for name in names)] for row in result["rows"]]
    settings = result["settings"]
    return f"{table(head, lines)}\n\n{settings['zones']} zones, at ε = {settings['epsilon']}. {made(result)}"


def areas(results: Mapping[str, Results]) -> str:
    """Points a CPU second that are assigned to areas."""
    result = results["places_areas"]
    head = ["areas", "corners of each", "points", "million a CPU s", "by STRtree alone", "CPU s to make the raster"]
    lines = [
        [
            f"{row['areas']:,}",
            number(row["corners"]),
            f"{row['points']:,}",
            spread(row["million_a_cpu_second"]),
            spread(row["million_a_cpu_second_of_shapely"]),
            number(row["made_cpu_seconds"]),
        ]
        for row in result["rows"]
    ]
    return f"{table(head, lines)}\n\n{made(result)}"


def answers(results: Mapping[str, Results]) -> str:
    """CPU seconds of questions to a released grid, and seconds by the clock where several threads work."""
    result = results["places_answers"]
    clocks = {row["what"]: spread(row["seconds"]) for row in result["rows"] if "seconds" in row}
    rows = [
        [row["what"], spread(row["cpu_seconds"]), clocks.get(row["what"], "")]
        for row in result["rows"]
        if "cpu_seconds" in row
    ]
    return f"{table(['asked', 'CPU s', 's by the clock'], rows)}\n\n{made(result)}"


def small_goals(results: Mapping[str, Results]) -> str:
    """Small squares beside the better of both uniform grids, for each side."""
    rows = results["places_accuracy"]["rows"]
    lines = []
    for epsilon in GOALS:
        here = chosen(rows, epsilon)
        for column in COLUMNS:
            cells = []
            for side in SIDES:
                best = min(GRIDS, key=lambda name: here[name, column][side])
                ours, theirs = here[OURS, column][side], here[best, column][side]
                cells.append(f"{number(ours)} / {number(theirs)} {best}")
            lines.append([epsilon, column, *cells])
    return table(["ε", "data", *(side.removeprefix("side ") for side in SIDES)], lines)


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "places_goals": goals,
    "places_small_goals": small_goals,
    "places_large": large,
    "places_sets": sets,
    "places_small": small,
    "places_more": more,
    "places_wins": wins,
    "places_held_out": held_out,
    "places_search": search,
    "places_paper_wins": paper_wins,
    "places_other_budgets": other_budgets,
    "places_scale": scale,
    "places_areas": areas,
    "places_flows": flows,
    "places_answers": answers,
}

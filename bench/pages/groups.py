"""Tables of bench/results/groups-figures.md: what the paper on group sizes shows, measured again, and what its chain costs."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.groups_pictures import EPSILONS, PAPER, STYLES, WORLDS
from bench.markdown import number, table
from bench.pages.core import audited
from bench.pages.origin import Results, made, untimed

LEVELS: Final = (1, 2, 3)
SPOKEN: Final = {"1/10": "0.1", "1/2": "0.5", "1": "1"}
SHOWN: Final = (10, 20, 50, 100, 1_000, 13_282)
"""The N of Figure 7 that the table has."""


def _rows(results: Mapping[str, Results], **wanted: str) -> dict[tuple[str, str], Any]:
    rows = (row for row in results["groups_paper"]["rows"] if wanted.items() <= row.items())
    return {(row["epsilon"], row["method"]): row for row in rows}


def _errors(row: Mapping[str, Any] | None) -> list[str]:
    """L1 of each level in thousands, with the least and the most of the runs."""
    if row is None:
        return [""] * len(LEVELS)
    return [
        f"{number(row[f'l1_{level}'] / 1000)} ({number(row[f'l1_{level}_low'] / 1000)} to {number(row[f'l1_{level}_high'] / 1000)})"
        for level in LEVELS
    ]


def _table7(data: str) -> Callable[[Mapping[str, Results]], str]:
    def made_of(results: Mapping[str, Results]) -> str:
        found = _rows(results, figure="9", data=data, noise="proven")
        rows = []
        for epsilon in EPSILONS:
            for method in STYLES:
                if (row := found.get((epsilon, method))) is not None:
                    paper = PAPER.get((data, epsilon, method))
                    printed = [""] * 4 if paper is None else [*map(str, paper[:3]), f"{paper[3]:,.0f}"]
                    broken = number(row["broken"]) if row["broken"] else "0"
                    rows.append([method, SPOKEN[epsilon], *printed, *_errors(row), broken])
        paper_head = [f"paper, level {level}" for level in LEVELS] + ["violations"]
        head = ["method", "ε", *paper_head, *(f"here, level {level}" for level in LEVELS), "violations"]
        runs = results["groups_paper"]["settings"]["runs"]
        return (
            f"{table(head, rows)}\n\nMeans of {runs} runs, with the least and the most. {made(results['groups_paper'])}"
        )

    return made_of


def half(results: Mapping[str, Results]) -> str:
    """The paper's Census figures beside half of the noise and all of it."""
    proven, halved = (_rows(results, figure="9", data="census", noise=noise) for noise in ("proven", "half"))
    rows = []
    for epsilon in EPSILONS:
        for method in STYLES:
            if (paper := PAPER.get(("census", epsilon, method))) is not None:
                ours = (found[epsilon, method] for found in (proven, halved))
                leaves = (number(each["l1_3"] / 1000) for each in ours)
                rows.append([method, SPOKEN[epsilon], str(paper[2]), *leaves])
    return table(["method", "ε", "paper, level 3", "all of the noise", "half of it"], rows)


def times(results: Mapping[str, Results]) -> str:
    """Figure 7: seconds by N."""
    rows = [row for row in results["groups_paper"]["rows"] if row["figure"] == "7"]
    seconds = {(row["method"], row["sizes"]): row["seconds"] for row in rows}
    sizes = [1, *SHOWN]
    lines = [
        [method, *(number(seconds[method, size]) if (method, size) in seconds else "" for size in sizes)]
        for method in STYLES
        if any(name == method for name, _ in seconds)
    ]
    return f"{table(['CPU seconds', *(f'N = {size:,}' for size in sizes)], lines)}\n\n{made(results['groups_paper'])}"


def structure(results: Mapping[str, Results]) -> str:
    """Seconds of the paper's program without the structure of its costs."""
    rows = [row for row in results["groups_paper"]["rows"] if row["figure"] == "7, structure"]
    seconds = {(row["method"], row["groups"]): row["seconds"] for row in rows}
    groups = sorted({row["groups"] for row in rows})
    methods = dict.fromkeys(row["method"] for row in rows)
    lines = [[method, *(number(seconds[method, many]) for many in groups)] for method in methods]
    return table(["CPU seconds", *(f"G = {many:,}" for many in groups)], lines)


def relaxed(results: Mapping[str, Results]) -> str:
    """What the relaxed program loses, on the Census-like data at epsilon 1."""
    found = _rows(results, figure="9", data="census", noise="proven")
    loose, exact = found["1", "h_relaxed"], found["1", "h"]
    apart = max(abs(loose[f"l1_{level}"] / exact[f"l1_{level}"] - 1) for level in LEVELS)
    return (
        f"On the Census-like data at ε = 1 it breaks {number(loose['broken'])} sums, and its errors are within {100 * apart:.1f} % of "
        "those of `h` on every level."
    )


def largest(results: Mapping[str, Results]) -> str:
    """The largest error on the taxis that adds up."""
    rows = [
        row
        for row in results["groups_paper"]["rows"]
        if row.get("data") == "taxi" and not row["method"].endswith("_relaxed")
    ]
    most = max(row["over"] for row in rows)
    return f"Of all runs here of methods that add up, the largest error is {100 * most:.1f} % of 2 G."


def chain(results: Mapping[str, Results]) -> str:
    """What chains cost, certified."""
    result = results["groups_chain"]
    rows = [
        [row["mechanism"], f"{row['claim']:g}", f"{row['truth']:g}", f"{row['bound']:.2f}"] for row in result["rows"]
    ]
    head = ["mechanism", "states ε", "costs ε on this pair", "certified, 95 %"]
    return f"{table(head, rows)}\n\n{result['settings']['draws']:,} releases of each neighbour. {untimed(result)}"


def audit(results: Mapping[str, Results]) -> str:
    """How often the falsifier rejects broken mechanisms for group sizes, and right ones."""
    return audited(results["groups_audit"])


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    **{f"groups_table7_{data}": _table7(data) for data in WORLDS},
    "groups_half": half,
    "groups_times": times,
    "groups_structure": structure,
    "groups_relaxed": relaxed,
    "groups_largest": largest,
    "groups_chain": chain,
    "groups_audit": audit,
}

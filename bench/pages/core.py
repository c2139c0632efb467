"""Tables of the benchmarks of noise, selection, audit and the command line."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, made

LIBRARIES: Final = {
    "guided": "Starling, guided",
    "fixed": "Starling, fixed steps",
    "guided_large": "guided, 10⁷ a call",
    "starling": "Starling",
    "opendp": "OpenDP",
    "diffprivlib": "diffprivlib",
    "tmlt": "tmlt.core",
}


def noise(results: Mapping[str, Results]) -> str:
    """Rates, then ratios."""
    rows = results["noise"]["rows"]
    rivals = list(rows[0]["million_draws_per_second"])
    peers = [rival for rival in rivals if rival in rows[0]["times_faster"]]
    rates = table(
        ["million draws a second", *(LIBRARIES[rival] for rival in rivals)],
        ([_law(row), *(spread(row["million_draws_per_second"][rival]) for rival in rivals)] for row in rows),
    )
    times = table(
        ["guided search, times the rate of", *(LIBRARIES[peer] for peer in peers), "first draw, ms"],
        (
            [
                _law(row),
                *(spread(row["times_faster"][peer]) for peer in peers),
                number(row["first_draw_seconds"]["median"] * 1e3),
            ]
            for row in rows
        ),
    )
    return f"{rates}\n\n{times}\n\n{made(results['noise'])}"


def _law(row: Mapping[str, Any]) -> str:
    """The distribution of a row in words."""
    if row["law"] == "laplace":
        return f"discrete Laplace, scale {row['parameter']:,}"
    return f"discrete Gaussian, sigma {row['parameter']:,}"


def noise_fit(results: Mapping[str, Results]) -> str:
    """How far each distribution is from rejection, and from hiding a wrong scale."""
    result = results["noise_fit"]
    names = {"laplace": "discrete Laplace, scale", "gaussian": "discrete Gaussian, sigma²"}
    rows = (
        [
            f"{names[row['law']]} {row['parameter']}",
            row["search"],
            f"{row['bins']}",
            f"{row['statistic_over_threshold']:.3f}",
            f"{row['p']:.2g}",
            f"{row['power']:.6g}",
            number(row["seconds"]),
        ]
        for row in result["rows"]
    )
    head = ["distribution", "search", "bins", "statistic / threshold", "p", "power", "s"]
    return f"{table(head, rows)}\n\n{made(result)}"


def audit(results: Mapping[str, Results]) -> str:
    """How often the falsifier rejects broken mechanisms, and right ones."""
    return audited(results["audit"])


def audited(result: Results) -> str:
    """The rows of an audit."""
    rows = (
        [
            f"{row['mechanism']}{': ' if row['flaw'] else ''}{row['flaw']}",
            row["claim"],
            f"{float(row['truth']):.4g}",
            spread(row["bound"]),
            f"{row['rejected']} of {row['audits']}",
        ]
        for row in result["rows"]
    )
    return f"{table(['mechanism', 'claimed', 'true', 'certified bound', 'rejected'], rows)}\n\n{made(result)}"


def selection(results: Mapping[str, Results]) -> str:
    """Times of one choice."""
    result = results["selection"]
    rivals = list(result["rows"][0]["milliseconds"])

    def row(found: Mapping[str, Any]) -> list[str]:
        times = [spread(found["milliseconds"][rival]) if rival in found["milliseconds"] else "" for rival in rivals]
        faster = found["times_faster"]
        return [f"{found['mechanism']}: {found['scores']}", *times, spread(faster["opendp"]) if faster else ""]

    head = ["milliseconds", *(LIBRARIES[rival] for rival in rivals), "times faster"]
    return f"{table(head, map(row, result['rows']))}\n\n{made(result)}"


def reconstruction(results: Mapping[str, Results]) -> str:
    """How often the attacker was right, beside the most that anybody can be."""
    result = results["reconstruction"]
    rows = (
        [
            row["cost"],
            *(f"{100 * row[key]:.1f} %" for key in ("exact", "record", "record_bound", "group", "group_bound")),
        ]
        for row in result["rows"]
    )
    head = ["cost of the release", "record, exact tables", "record, release", "at most", "group, release", "at most"]
    chosen = result["settings"]
    what = f"{chosen['towns']:,} persons a budget, each with one of {chosen['candidates']} records in {chosen['groups']} groups."
    return f"{table(head, rows)}\n\n{what} {made(result)}"


def startup(results: Mapping[str, Results]) -> str:
    """How soon the command line answers."""
    result = results["startup"]
    units = {"milliseconds": "ms", "seconds": "s"}
    rows = (
        [row["command"], spread(row[key]), unit] for row in result["rows"] for key, unit in units.items() if key in row
    )
    times = spread(result["settings"]["times_of_an_empty_python"])
    return (
        f"{table(['command', 'median (least to most)', 'unit'], rows)}\n\n`starling --help` takes {times} times as long as "
        f"`python -c pass`. {made(result)}"
    )


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "noise": noise,
    "noise_fit": noise_fit,
    "audit": audit,
    "selection": selection,
    "reconstruction": reconstruction,
    "startup": startup,
}

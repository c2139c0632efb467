"""Tables of the benchmarks of group sizes: against other libraries, and at the scale of a nation."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, made


def inf_tda(results: Mapping[str, Results]) -> str:
    """Errors by level, and seconds, of InfTDA and of Starling's methods."""
    result = results["groups_inf_tda"]
    levels = ("level 1", "level 2", "level 3")
    head = ("groups", "method", *(f"{level}, L1" for level in levels), "seconds")
    rows = (
        [row["data"], row["method"], *(spread(row[level]) for level in levels), spread(row["seconds"])]
        for row in result["rows"]
    )
    return f"{table(head, rows)}\n\n{made(result)}"


def histogram(results: Mapping[str, Results]) -> str:
    """CPU seconds of the exact optimum on histograms, of solvers, and of the paper's tables."""
    result = results["groups_histogram"]
    head = ("counties x sizes", "cells", "by", "CPU seconds", "times ours")
    rows = (
        [
            f"{row['counties']:,} x {row['sizes']:,}",
            f"{row['cells']:,}",
            name,
            spread(seconds),
            spread(row["times_faster"][name]) if name in row["times_faster"] else "",
        ]
        for row in result["rows"]
        for name, seconds in row["cpu_seconds"].items()
    )
    return f"{table(head, rows)}\n\n{made(result)}"


def rho(results: Mapping[str, Results]) -> str:
    """The rho that each takes from the same epsilon and delta."""
    settings = results["groups_inf_tda"]["settings"]
    return (
        f"At epsilon {settings['epsilon']} and delta {settings['delta']} InfTDA takes rho {number(settings['rho of InfTDA'])} and "
        f"Starling {number(settings['rho'])}."
    )


def national(results: Mapping[str, Results]) -> str:
    """Households of the nation: each process, and what it was asked to do."""
    result = results["groups_national"]
    keys = ("seconds", "cpu_seconds", "gigabytes")
    rows = ([row["run"], *(number(row[key]) for key in keys)] for row in result["rows"])
    sizes = result["settings"]
    what = (
        f"{sizes['groups']:,} households of {sizes['members']:,} persons over {sizes['leaves']:,} counties, sizes 0 to "
        f"{sizes['largest']:,}. Households as Parquet, one row each, {number(sizes['records_gb'])} GB; "
        f"the release {number(sizes['release_gb'])} GB."
    )
    return f"{table(['run', 'seconds', 'CPU seconds', 'most memory, GB'], rows)}\n\n{what} {made(result)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "groups_inf_tda": inf_tda,
    "groups_histogram": histogram,
    "groups_rho": rho,
    "groups_national": national,
}

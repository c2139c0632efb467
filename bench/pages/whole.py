"""Tables over all benchmarks: their limits, and their machines."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.markdown import number, table
from bench.pages.core import LIBRARIES
from bench.pages.origin import Results

MAIN: Final = {
    "noise": ("guided draws on one thread", "times the rate of OpenDP"),
    "noise_fit": ("largest chi-square",),
    "audit": ("rejected, of the broken", "rejected, of the right"),
    "selection": ("exponential mechanism",),
    "tables_own": ("10 million records to a release",),
    "tables_national": ("national release",),
    "tables_tmlt": ("tables of a state",),
    "genome_kernels": ("tables of 2,000 x 100,000 from the file, times as fast as plink2",),
    "genome_hapsample": ("explore finds both",),
    "genome_audit": ("rejected, of the broken", "rejected, of the right"),
    "groups_national": ("national release",),
    "groups_audit": ("rejected, of the broken", "rejected, of the right"),
    "places_scale": ("100 million points",),
    "places_sure": ("part of sure intervals",),
    "places_typical": ("part of errors",),
    "places_answers": ("1,000,000 rectangles",),
    "server_load": ("SQLite: 99 of 100", "PostgreSQL: 99 of 100"),
    "startup": ("starling --help", "starling demo"),
}
"""By benchmark, how the names of the main figures begin."""


def limits(results: Mapping[str, Results]) -> str:
    """Every figure that has a bound."""
    return _bounds(results, lambda _, __: True)


def main_limits(results: Mapping[str, Results]) -> str:
    """The main figures of every part."""
    return _bounds(results, lambda name, limit: limit["what"].startswith(MAIN.get(name, ())))


def missed_limits(results: Mapping[str, Results]) -> str:
    """Every figure that is beyond its bound."""
    return _bounds(results, lambda _, limit: not limit["kept"])


def _bounds(results: Mapping[str, Results], is_shown: Callable[[str, Mapping[str, Any]], bool]) -> str:
    """The figures with a bound that are shown."""

    def row(name: str, limit: Mapping[str, Any]) -> list[str]:
        measured, best, bound = (
            f"{number(limit[key])} {limit['unit']}".strip() for key in ("measured", "best", "bound")
        )
        kept = "kept" if limit["kept"] else "**missed**"
        return [limit["what"], measured, best, f"at {limit['kind']} {bound}", kept, f"`bench.{name}`"]

    rows = [row(name, each) for name, result in results.items() for each in result["limits"] if is_shown(name, each)]
    return table(["figure", "median", "best round", "bound", "", "by"], rows)


def machine(results: Mapping[str, Results]) -> str:
    """The machines of the results, one line each: usually one."""
    lines: dict[str, list[str]] = {}
    for name, result in results.items():
        found = result["machine"]
        packages = ", ".join(f"{package} {version}" for package, version in found["packages"].items())
        text = (
            f"{found['processor']}, {found['cores']} cores, {number(found['memory_gb'])} GB"
            f"{', virtual' if found['virtual'] else ''}, {found['system']}, Python {found['python']}; {packages}."
        )
        lines.setdefault(text, []).append(f"`{name}`")
    peers = [
        f"{LIBRARIES[name]}: {', '.join(f'{package} {version}' for package, version in versions.items())}."
        for name, versions in results["noise"]["peers"].items()
    ]
    return "\n".join(f"- {', '.join(names)}: {text}" for text, names in lines.items()) + "".join(
        f"\n- {peer}" for peer in peers
    )


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "limits": limits,
    "main_limits": main_limits,
    "missed_limits": missed_limits,
    "machine": machine,
}

"""Tables over all benchmarks: their limits, and their machines."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.markdown import number, table
from bench.pages.core import LIBRARIES
from bench.pages.origin import Results

MAIN: Final = {
    "noise": ("guided draws on one thread", "times the rate of OpenDP"),
    "audit": ("rejected, of the broken", "rejected, of the right"),
    "tables_own": ("10 million records to a release",),
    "cross_rivals": ("93 tables, variance of tmlt",),
    "tables_national": ("national release",),
    "genome_kernels": ("tables of 2,000 x 100,000 from the file, times as fast as plink2",),
    "genome_hapsample": ("explore finds both",),
    "groups_national": ("national release of group sizes",),
    "places_scale": ("100 million points to a released grid of",),
    "places_sure": ("part of sure intervals",),
    "places_answers": ("1,000,000 rectangles",),
    "server_load": ("SQLite: 99 of 100",),
    "startup": ("starling --help", "starling demo"),
}
"""By benchmark, how the names of the main figures begin."""


def limits(results: Mapping[str, Results]) -> str:
    """Every figure that has a bound."""

    def row(name: str, limit: Mapping[str, Any]) -> list[str]:
        measured, best, bound = (_amount(limit, key) for key in ("measured", "best", "bound"))
        kept = "kept" if limit["kept"] else "**missed**"
        return [limit["what"], measured, best, f"at {limit['kind']} {bound}", kept, f"`bench.{name}`"]

    rows = [row(name, limit) for name, result in results.items() for limit in result["limits"]]
    return table(["figure", "median", "best round", "bound", "", "by"], rows)


def main_limits(results: Mapping[str, Results]) -> str:
    """The main figures of every part; those that are beyond their bound are in bold."""
    return _bounds(results, lambda name, limit: limit["what"].startswith(MAIN.get(name, ())))


def missed_limits(results: Mapping[str, Results]) -> str:
    """Every figure that is beyond its bound."""
    return _bounds(results, lambda _, limit: not limit["kept"])


def _bounds(results: Mapping[str, Results], is_shown: Callable[[str, Mapping[str, Any]], bool]) -> str:
    """The figures with a bound that are shown, briefly."""
    rows = [
        [
            limit["what"],
            _amount(limit, "measured") if limit["kept"] else f"**{_amount(limit, 'measured')}**",
            f"at {limit['kind']} {_amount(limit, 'bound')}",
            f"`{name}`",
        ]
        for name, result in results.items()
        for limit in result["limits"]
        if is_shown(name, limit)
    ]
    return table(["figure", "median", "bound", "by `bench.`"], rows)


def _amount(limit: Mapping[str, Any], key: str) -> str:
    """A number of a limit with its unit."""
    return f"{number(limit[key])} {limit['unit']}".strip()


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

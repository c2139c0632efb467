"""Tables over all benchmarks: their limits, and their machines."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.markdown import number, table
from bench.pages.core import LIBRARIES
from bench.pages.origin import Results


def limits(results: Mapping[str, Results]) -> str:
    """Every figure that has a bound."""

    def row(name: str, limit: Mapping[str, Any]) -> list[str]:
        measured, best, bound = (
            f"{number(limit[key])} {limit['unit']}".strip() for key in ("measured", "best", "bound")
        )
        kept = "kept" if limit["kept"] else "**missed**"
        return [limit["what"], measured, best, f"at {limit['kind']} {bound}", kept, f"`bench.{name}`"]

    rows = [row(name, limit) for name, result in results.items() for limit in result["limits"]]
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
    "machine": machine,
}

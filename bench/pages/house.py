"""Tables of the size of the house: by package, before and after, and its longest functions."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import table
from bench.pages.origin import Results, exact

REASONS: Final = {
    "places/postprocess/occupancy_kernels.py: _messages": "one kernel: calls with arrays in its inner loops cost time",
    "places/postprocess/occupancy_kernels.py: _divide": "one kernel, as the first",
    "groups/optimise/flow_kernels.py: move_units": "one kernel: a depth-first search, its stack in arrays",
    "groups/optimise/flow_kernels.py: distances": "one kernel: passes up and down the tree until nothing changes",
    "release/crate.py: _entities": "a list of what a crate says, entity after entity",
    "tables/export/sdmx.py: _artefacts": "a list of what SDMX asks for, one after the other",
    "genome/domain.py: _preview": "half are options and imports; then a table of the questions",
    "genome/session.py: plan": "an argument for each key of a plan, and its checks",
    "tables/evaluate/page.py: _of_counts": "four sections of a page, text and table, one after the other",
    "cli/tables_init.py: init": "half are options and imports; then the choice between groups and cross tables",
}
"""Why each of the longest functions is not cut."""
_COLUMNS: Final = ("files", "code", "docstring", "tests", "test lines")


def house(results: Mapping[str, Results]) -> str:
    """What each package has, before and after, and all of them together."""
    result = results["house"]
    rows = result["rows"]
    lines = [[row["package"], *(_pair(*(row[when][key] for when in _WHEN)) for key in _COLUMNS)] for row in rows]
    own = [row for row in rows if row["package"] != "bench"]
    for name, chosen in (("all but bench", own), ("all", rows)):
        sums = [[sum(row[when][key] for row in chosen) for when in _WHEN] for key in _COLUMNS]
        lines.append([f"**{name}**", *(_pair(*each) for each in sums)])
    words = result["settings"]["words"]
    said = f"Words of the documentation: {_pair(*(words[when] for when in _WHEN))}."
    return f"{table(['package', *_COLUMNS], lines)}\n\n{said} {exact(result)}"


def longest(results: Mapping[str, Results]) -> str:
    """The longest functions, and why they are not cut."""
    listed = results["house"]["settings"]["longest"]
    return table(
        ["function", "lines", "reason"],
        [[f"`{each['place']}`", f"{each['lines']}", REASONS[each["place"]]] for each in listed],
    )


_WHEN: Final = ("before", "after")


def _pair(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {"house": house, "longest_functions": longest}

"""Table of the search for inputs that make counting raise."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import table
from bench.pages.origin import Results, made

_COLUMNS: Final = ("counted", "refused", "failed")


def fuzz(results: Mapping[str, Results]) -> str:
    """How many inputs of each domain and form were counted, refused before a charge, or failed."""
    result = results["fuzz"]
    sums: Counter[tuple[str, str, str]] = Counter()
    for row in result["rows"]:
        for column in _COLUMNS:
            sums[row["source"].partition("-")[0], row["format"].partition("+")[0], column] += row[column]
    lines = [
        [domain, form, *(f"{sums[domain, form, column]:,}" for column in _COLUMNS)]
        for domain, form in sorted({(domain, form) for domain, form, _ in sums})
    ]
    settings = result["settings"]
    what = f"An input is {settings['input']}. Seeds {settings['first_seed']:,} to {settings['last_seed']:,}, {settings['seconds']:,} s."
    return f"{table(['domain', 'form', *_COLUMNS], lines)}\n\n{what} {made(result)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {"fuzz": fuzz}

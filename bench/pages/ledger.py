"""Table of the benchmark of the ledger."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import spread, table
from bench.pages.origin import Results, made


def ledger(results: Mapping[str, Results]) -> str:
    """What a charge costs in each store, and what a long ledger adds."""
    result = results["ledger"]
    kinds = {
        "raw_ms": "a raw commit, ms",
        "charge_ms": "a charge, ms",
        "charge_in_raw_commits": "a charge, in raw commits",
        "charges_in_a_flush": "charges in a flush, 64 waiting",
        "charges_a_second": "charges a second, 64 waiting",
        "events": "events of the long ledger",
        "show_more_ms": "show of the long ledger, more than of a new one, ms",
        "charge_more_ms": "a charge to the long ledger, more than to a new one, ms",
        "verified_a_second": "events verified a second",
    }
    rows = (
        [what, *(f"{row[key]:,}" if key == "events" else spread(row[key]) for row in result["rows"])]
        for key, what in kinds.items()
    )
    return f"{table(['', *(row['store'] for row in result['rows'])], rows)}\n\n{made(result)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "ledger": ledger,
}

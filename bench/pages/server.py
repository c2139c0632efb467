"""Tables of the benchmarks of the server."""

from collections.abc import Mapping
from typing import Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, made


def server_load(results: Mapping[str, Results]) -> str:
    """200 analysts at once, on each store of the ledger."""
    result = results["server_load"]
    columns = {
        "charges_in_a_flush": "charges in a flush",
        "answered_a_second": "answered a second",
        "paced_p50_ms": "half within, ms",
        "paced_p99_ms": "99 % within, ms",
        "web_megabytes": "web process, MB",
    }
    rows = ([row["store"], *(number(row[key]) for key in columns)] for row in result["rows"])
    pace = result["settings"]["pace"] * result["rows"][0]["analysts"]
    what = (
        f"{result['rows'][0]['analysts']} analysts. Answered a second, as fast as they can ask for what the store answers; within so many "
        f"milliseconds, at {number(pace)} requests a second."
    )
    return f"{table(['store', *columns.values()], rows)}\n\n{what} {made(result)}"


def server_pages(results: Mapping[str, Results]) -> str:
    """Every kind of page of a server."""
    result = results["server_pages"]
    columns = {
        "slowest_page_ms": "half of the times within, ms",
        "processor_ms": "processor, ms",
        "first_ms": "the first time, ms",
        "usable_ms": "in Chromium, ms",
        "kilobytes": "compressed, kB",
    }
    rows = (
        [f"`{row['route']}`", *(number(row[key]) if key in row else "" for key in columns)] for row in result["rows"]
    )
    what = "Of each route the slowest of up to four pages, the largest; usable when it is loaded, with an empty cache."
    return f"{table(['route', *columns.values()], rows)}\n\n{what} {made(result)}"


def server_questions(results: Mapping[str, Results]) -> str:
    """Fresh questions to a genome study."""
    result = results["server_questions"]
    (row,) = result["rows"]
    columns = {
        "first_seconds": "the first, s",
        "median_seconds": "half of the others within, s",
        "longest_seconds": "all of the others within, s",
        "longest_charge_seconds": "charged within, s",
    }
    what = (
        f"{row['questions']} questions of num_sig on {row['snps']:,} SNPs of {row['people']:,} people, each a new one, with a deadline of "
        f"{result['settings']['deadline']} s: from the ask over HTTP to the answer that has left."
    )
    return f"{table([*columns.values()], [[number(row[key]) for key in columns]])}\n\n{what} {made(result)}"


def table_pages(results: Mapping[str, Results]) -> str:
    """Pages of a table of national size, and of a small one."""
    result = results["table_pages"]
    columns = {"small": "small table, ms", "large": "large table, ms", "times": "times"}
    rows = ([row["page"], *(spread(row[key]) for key in columns), number(row["processor"])] for row in result["rows"])
    settings = result["settings"]
    opening, peak = settings["milliseconds_of_opening"], settings["peak_megabytes"]
    what = (
        f"A table of {settings['rows']['large']:,} rows beside one of {settings['rows']['small']:,}, in the process that shows pages to a "
        f"server, turn by turn. The first page compares all of the release with its signature: {number(opening['large'] / 1e3)} s and "
        f"{number(opening['small'] / 1e3)} s. Most memory: {number(peak['large'])} MB and {number(peak['small'])} MB."
    )
    return f"{table(['page', *columns.values(), 'processor time, ms'], rows)}\n\n{what} {made(result)}"


TABLES: Final = {
    "server_load": server_load,
    "server_pages": server_pages,
    "server_questions": server_questions,
    "table_pages": table_pages,
}

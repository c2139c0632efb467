"""Write the tables of docs/benchmarks.md and docs/better-numbers.md from the result files: `python -m bench.page`. A test holds them.

A table stands between `<!-- NAME -->` and `<!-- end -->`, where NAME is a key of `TABLES`; the words around are written by hand.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from bench.markdown import number, spread, table
from bench.peers import ROOT
from bench.record import RESULTS, load

PAGE: Final = ROOT / "docs" / "benchmarks.md"
PAGES: Final = (PAGE, ROOT / "docs" / "better-numbers.md")
NAMES: Final = (
    "noise",
    "noise_fit",
    "audit",
    "reconstruction",
    "selection",
    "tables_state",
    "tables_tmlt",
    "tables_national",
    "tables_scale",
    "verify",
    "ledger",
    "genome_distance",
    "genome_kernels",
    "startup",
    "thresholds",
)
LIBRARIES: Final = {
    "guided": "Starling, guided",
    "fixed": "Starling, fixed steps",
    "guided_large": "guided, 10⁷ a call",
    "starling": "Starling",
    "opendp": "OpenDP",
    "diffprivlib": "diffprivlib",
    "tmlt": "tmlt.core",
}
BLOCK: Final = re.compile(r"(<!-- ([a-z_]+) -->\n).*?(<!-- end -->)", re.DOTALL)

Results = Mapping[str, Any]


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
    return f"{rates}\n\n{times}\n\n{_run(results['noise'])}"


def _law(row: Mapping[str, Any]) -> str:
    """The law of a row in words."""
    if row["law"] == "laplace":
        return f"discrete Laplace, scale {row['parameter']:,}"
    return f"discrete Gaussian, sigma {row['parameter']:,}"


def noise_fit(results: Mapping[str, Results]) -> str:
    """How far each law is from rejection, and from hiding a wrong scale."""
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
    head = ["law", "search", "bins", "statistic / threshold", "p", "power", "s"]
    return f"{table(head, rows)}\n\n{_run(result)}"


def audit(results: Mapping[str, Results]) -> str:
    """How often the falsifier rejects broken mechanisms, and right ones."""
    result = results["audit"]
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
    return f"{table(['mechanism', 'claimed', 'true', 'certified bound', 'rejected'], rows)}\n\n{_run(result)}"


def selection(results: Mapping[str, Results]) -> str:
    """Times of one choice."""
    result = results["selection"]
    rivals = list(result["rows"][0]["milliseconds"])

    def row(found: Mapping[str, Any]) -> list[str]:
        times = [spread(found["milliseconds"][rival]) if rival in found["milliseconds"] else "" for rival in rivals]
        faster = found["times_faster"]
        return [f"{found['mechanism']}: {found['scores']}", *times, spread(faster["opendp"]) if faster else ""]

    head = ["milliseconds", *(LIBRARIES[rival] for rival in rivals), "times faster"]
    return f"{table(head, map(row, result['rows']))}\n\n{_run(result)}"


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
    return f"{table(head, rows)}\n\n{what} {_run(result)}"


def tables_state(results: Mapping[str, Results]) -> str:
    """One state: seconds, gigabytes, and how far from the machine's own limit."""
    result = results["tables_state"]
    units = {"seconds": "s", "gigabytes": "GB", "times": "times"}
    rows = ([row["run"], spread(row[key]), unit] for row in result["rows"] for key, unit in units.items() if key in row)
    sizes = result["settings"]
    what = (
        f"{sizes['persons']:,} persons ({number(sizes['persons_gb'])} GB of text), definitions {sizes['definitions']}; T1 has "
        f"{sizes['t1_rows']:,} rows, T2 {sizes['t2_rows']:,}."
    )
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{what} {_run(result)}"


def tables_tmlt(results: Mapping[str, Results]) -> str:
    """One state against tmlt.analytics."""
    result = results["tables_tmlt"]
    compared = [row for row in result["rows"] if "seconds" in row]
    rates = table(
        ["run", "s", "persons a second"],
        ([row["run"], spread(row["seconds"]), spread(row["persons_per_second"])] for row in compared),
    )
    times = table(["", "times"], ([row["run"], spread(row["times"])] for row in result["rows"] if "times" in row))
    chosen = result["settings"]
    what = (
        f"{chosen['persons']:,} persons, {chosen['iterations']:,} iterations of {chosen['definitions']}, rho {chosen['rho']:g}; "
        f"Spark {chosen['spark']}; {', '.join(f'{name} {version}' for name, version in result['peers']['tmlt_analytics'].items())}."
    )
    return f"{rates}\n\n{times}\n\n{what} {_run(result)}"


def tables_national(results: Mapping[str, Results]) -> str:
    """The nation: each process, and what it was asked to do."""
    result = results["tables_national"]
    keys = ("seconds", "cpu_seconds", "gigabytes")
    rows = ([row["run"], *(number(row[key]) if key in row else "" for key in keys)] for row in result["rows"])
    sizes = result["settings"]
    what = (
        f"{sizes['persons']:,} persons in {sizes['blocks']:,} blocks, {sizes['tracts']:,} tracts, {sizes['counties']:,} counties, "
        f"{sizes['places']:,} places and {sizes['aiannh_areas']:,} AIANNH areas; definitions {sizes['definitions']}: "
        f"{sizes['groups']:,} population groups, each measured. T1 has {sizes['t1_rows']:,} rows, T2 {sizes['t2_rows']:,}. "
        f"Persons as {'Parquet' if sizes['format'] == 'parquet' else 'text'}, {number(sizes['persons_gb'])} GB; "
        f"the release {number(sizes['release_gb'])} GB."
    )
    return f"{table(['run', 'seconds', 'CPU seconds', 'most memory, GB'], rows)}\n\n{what} {_run(result)}"


def tables_scale(results: Mapping[str, Results]) -> str:
    """Time and memory against records."""
    result = results["tables_scale"]
    rows = (
        [f"{row['persons']:,}", number(row["seconds"]), number(row["cpu_seconds"]), number(row["gigabytes"])]
        for row in result["rows"]
    )
    chosen = result["settings"]
    what = (
        f"Slope of log time against log records: {chosen['slope']:.2f} over all, {chosen['slope_of_the_last_three']:.2f} over the last "
        f"three. Memory grows by {number(chosen['bytes_per_record'])} bytes a record. Definitions {chosen['definitions']}."
    )
    return f"{table(['persons', 'seconds', 'CPU seconds', 'most memory, GB'], rows)}\n\n{what} {_run(result)}"


def verify(results: Mapping[str, Results]) -> str:
    """What verifying takes, and what of it is computing again."""
    result = results["verify"]
    rows = (
        [row["run"], spread(row[key]), {"seconds": "s", "times": "times"}[key]]
        for row in result["rows"]
        for key in ("seconds", "times")
        if key in row
    )
    chosen = result["settings"]
    size = f"{chosen['tracts']:,} tracts, definitions {chosen['definitions']}; {number(chosen['release_gb'])} GB"
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{size}. {_run(result)}"


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
    return f"{table(['', *(row['store'] for row in result['rows'])], rows)}\n\n{_run(result)}"


def genome_distance(results: Mapping[str, Results]) -> str:
    """Distances a second."""
    result = results["genome_distance"]
    names = {"g": "G", "chi2": "Pearson", "fisher": "Fisher"}
    rows = (
        [names[row["test"]], f"{row['patients']:,}", spread(row["million_snps_per_second"])] for row in result["rows"]
    )
    return f"{table(['test', 'patients', 'million SNPs a second'], rows)}\n\n{_run(result)}"


def genome_kernels(results: Mapping[str, Results]) -> str:
    """Tables from packed genotypes, and scores of blocks."""
    result = results["genome_kernels"]
    units = {"milliseconds": "ms", "seconds": "s", "megabytes": "MB", "times": "times"}
    rows = ([row["run"], spread(row[key]), unit] for row in result["rows"] for key, unit in units.items() if key in row)
    chosen = result["settings"]
    size = f"{chosen['people']:,} people x {chosen['snps']:,} SNPs, {number(chosen['bed_megabytes'])} MB"
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{size}. {_run(result)}"


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
        f"`python -c pass`. {_run(result)}"
    )


def gains(results: Mapping[str, Results]) -> str:
    """What using the stage-1 total again gains."""
    rows = (
        [
            f"{row['noise']}, {row['branch']}",
            row["weight"],
            number(row["factor"]),
            number(row["drawn"]),
            f"± {row['margin_before']}",
            f"± {row['margin_after']}",
        ]
        for row in results["thresholds"]["rows"]
        if "factor" in row
    )
    head = ["", "weight of the first total", "variance: times less", "of drawn noise", "margin before", "after"]
    return f"{table(head, rows)}\n\n{_exact(results['thresholds'])}"


def thresholds(results: Mapping[str, Results]) -> str:
    """What the choice of the branch does to totals near a threshold."""
    found = results["thresholds"]
    rows = (
        [
            f"{row['noise']}, {row['branch']}",
            f"{row['distance']:+g}",
            f"{row['chance']:.1%}",
            f"{row['bias']:+.1f}",
            f"{row['covered']:.1%}",
            f"{row['covered_given']:.1%}",
        ]
        for row in found["rows"]
        if row.get("distance") in (-2, -1, 0, 1, 2)
    )
    head = [
        "noise and detail",
        "distance",
        "chance of this detail",
        "bias, persons",
        "plain interval",
        "given what is published",
    ]
    return f"{table(head, rows)}\n\n{_exact(found)}"


def _exact(result: Results) -> str:
    """Where exact figures come from."""
    return f"*`{result['command']}`, {result['date']}, source {result['source']}; exact, nothing is timed.*"


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


def _run(result: Results) -> str:
    """When and under what load a result was made."""
    return (
        f"*`{result['command']}`, {result['date']}, source {result['source']}; load {result['load_before']:g} before, others kept "
        f"{result['others_share']:.0%} of the machine busy during the run.*"
    )


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "limits": limits,
    "machine": machine,
    "noise": noise,
    "noise_fit": noise_fit,
    "audit": audit,
    "reconstruction": reconstruction,
    "selection": selection,
    "tables_state": tables_state,
    "tables_tmlt": tables_tmlt,
    "tables_national": tables_national,
    "tables_scale": tables_scale,
    "verify": verify,
    "ledger": ledger,
    "genome_distance": genome_distance,
    "genome_kernels": genome_kernels,
    "startup": startup,
    "gains": gains,
    "thresholds": thresholds,
}


def render(text: str, results: Mapping[str, Results]) -> str:
    """The page with every table made anew from `results`; raises KeyError for a table that is not known."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{TABLES[block[2]](results)}\n\n{block[3]}", text)


def main(folder: Path = RESULTS) -> None:
    """Write the pages."""
    results = {name: load(name, folder) for name in NAMES}
    for page in PAGES:
        page.write_text(render(page.read_text(), results))


if __name__ == "__main__":
    main()

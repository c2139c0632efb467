"""Tables of the benchmarks of the tables domain."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, exact, made

NAMES: Final = {
    "starling": "Starling",
    "diffprivlib": "diffprivlib",
    "opendp": "OpenDP",
    "pipeline_dp": "PipelineDP",
    "tmlt": "Tumult Analytics",
}


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
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{what} {made(result)}"


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
    return f"{rates}\n\n{times}\n\n{what} {made(result)}"


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
    return f"{table(['run', 'seconds', 'CPU seconds', 'most memory, GB'], rows)}\n\n{what} {made(result)}"


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
    return f"{table(['persons', 'seconds', 'CPU seconds', 'most memory, GB'], rows)}\n\n{what} {made(result)}"


def tables_own(results: Mapping[str, Results]) -> str:
    """Records of one's own: reading them, and a release."""
    result = results["tables_own"]
    keys = ("seconds", "cpu_seconds", "gigabytes")
    rows = ([row["what"], f"{row['persons']:,}", *(number(row[key]) for key in keys)] for row in result["rows"])
    header = ["process", "persons", "seconds", "CPU seconds", "most memory, GB"]
    return f"{table(header, rows)}\n\n{result['settings']['districts']:,} districts. {made(result)}"


def five_libraries(results: Mapping[str, Results]) -> str:
    """One job in five libraries."""
    result = results["five_libraries"]
    rows = (
        [
            f"{NAMES[row['library']]} {row.get('version', '')}".strip(),
            number(row["lines"]),
            f"{row['groups']} of 6",
            "yes" if row["interval"] else "no",
            "yes" if row["whole"] else "no",
            number(row["seconds"]),
        ]
        for row in result["rows"]
    )
    header = ["library", "lines", "groups", "intervals", "whole numbers", "seconds"]
    sizes = result["settings"]
    return f"{table(header, rows)}\n\n{sizes['people']:,} people, the best of {sizes['runs']} processes. {made(result)}"


def tables_rivals(results: Mapping[str, Results]) -> str:
    """Counts, sums, means and medians beside three other libraries: errors at one epsilon, and seconds."""
    result = results["tables_rivals"]
    found = {(row["records"], row["query"], row["library"]): row for row in result["rows"]}
    libraries = dict.fromkeys(row["library"] for row in result["rows"])
    header = [
        "records",
        "query",
        *(f"{library}: error" for library in libraries),
        *(f"{each}: s" for each in libraries),
    ]
    rows = []
    for records, query in dict.fromkeys(key[:2] for key in found):
        of = [found.get((records, query, library)) for library in libraries]
        errors = [
            "" if row is None else f"{number(row['mean_absolute_error'])} ± {number(row['standard_error'])}"
            for row in of
        ]
        rows.append([records, query, *errors, *("" if row is None else number(row["seconds"]) for row in of)])
    settings = result["settings"]
    what = f"Epsilon {settings['epsilon']} for each query; invented are {settings['persons']:,} records."
    return f"{table(header, rows)}\n\n{what} {made(result)}"


def tables_better(results: Mapping[str, Results]) -> str:
    """What totals that add up and a top-up take beside a release as measured."""
    result = results["tables_better"]
    keys = ("seconds", "cpu_seconds", "gigabytes", "release_gb")
    rows = ([row["run"], *(number(row[key]) for key in keys)] for row in result["rows"])
    sizes = result["settings"]
    what = (
        f"{sizes['persons']:,} persons in {sizes['blocks']:,} blocks, {sizes['tracts']:,} tracts and {sizes['counties']:,} counties of "
        f"{sizes['states']} states; definitions {sizes['definitions']}: {sizes['groups']:,} population groups."
    )
    return (
        f"{table(['run', 'seconds', 'CPU seconds', 'most memory, GB', 'release, GB'], rows)}\n\n{what} {made(result)}"
    )


def cross_tables(results: Mapping[str, Results]) -> str:
    """Errors of cross tables beside what is stated, and what they cost."""
    result = results["cross_tables"]
    rows = (
        [
            row["what"],
            f"{row['numbers']:,}",
            number(row["stated"]),
            number(row["drawn"]),
            f"{row['covered']:.1%}",
            f"{row['held']:.1%}" if "held" in row else "",
        ]
        for row in result["rows"]
    )
    sizes = result["settings"]
    what = (
        f"{sizes['records']:,} records; {sizes['tables']} tables, {sizes['cells']:,} cells: rho {sizes['rho']:g}, bound"
        f" {sizes['bound']:g}, tables by themselves {sizes['rho_of_tables_by_themselves']:g}; to replace one costs"
        f" {number(sizes['replace_one_times_rho'])} times rho."
    )
    head = [
        "",
        "numbers",
        "stated deviation",
        "drawn deviation",
        "covered by 1.96 deviations",
        "by published intervals",
    ]
    return f"{table(head, rows)}\n\n{what} {made(result)}"


def cross_scale(results: Mapping[str, Results]) -> str:
    """Ten million records by 500 districts."""
    result = results["cross_scale"]
    (row,) = result["rows"]
    columns = {
        "seconds": "seconds",
        "cpu_seconds": "CPU seconds",
        "gigabytes": "most memory, GB",
        "gigabytes_of_release": "release, GB",
        "union_ms": "a union and its interval, ms",
    }
    what = (
        f"{row['records']:,} records of {len(result['settings']['sizes'])} columns to all tables of up to three of them in"
        f" {result['settings']['districts']} districts, {row['cells']:,} cells. Planning {row['tables_planned']} tables for one margin:"
        f" {number(row['planning_seconds'])} s."
    )
    return f"{table([*columns.values()], [[number(row[key]) for key in columns]])}\n\n{what} {made(result)}"


def cross_rivals(results: Mapping[str, Results]) -> str:
    """Cross tables beside three other libraries: errors at one rho, whether tables agree, and seconds."""
    result = results["cross_rivals"]
    rows = []
    for row in result["rows"]:
        name, of = row["library"], result["peers"].get(row["library"], {})
        versions = ", ".join(f"{package} {version}" for package, version in of.items() if package != "python")
        figures = [*row["errors"], row["mean_square"], row["apart"], row["seconds"], row["cpu_seconds"]]
        rows.append([f"{name} ({versions})" if versions else name, *map(number, figures)])
    sizes = result["settings"]
    columns = [f"error, {many} columns" for many in range(len(result["rows"][0]["errors"]))]
    head = ["library", *columns, "mean square of all cells", "totals differ by", "s", "CPU s"]
    what = f"{sizes['records']:,} records; {sizes['tables']} tables, {sizes['cells']:,} cells; rho {sizes['rho']:g}."
    return f"{table(head, rows)}\n\n{what} {made(result)}"


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
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{size}. {made(result)}"


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
    return f"{table(head, rows)}\n\n{exact(results['thresholds'])}"


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
    return f"{table(head, rows)}\n\n{exact(found)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "tables_state": tables_state,
    "tables_tmlt": tables_tmlt,
    "tables_national": tables_national,
    "tables_scale": tables_scale,
    "tables_better": tables_better,
    "tables_own": tables_own,
    "cross_tables": cross_tables,
    "cross_scale": cross_scale,
    "cross_rivals": cross_rivals,
    "five_libraries": five_libraries,
    "tables_rivals": tables_rivals,
    "verify": verify,
    "gains": gains,
    "thresholds": thresholds,
}

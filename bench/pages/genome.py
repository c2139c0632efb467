"""Tables of the benchmarks of the genome domain."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from bench.markdown import number, spread, table
from bench.pages.core import audited
from bench.pages.origin import Results, exact, made, untimed


def genome_distance(results: Mapping[str, Results]) -> str:
    """Distances a second."""
    result = results["genome_distance"]
    deltas = result["settings"]["delta_c"]
    names = {
        "g": "G",
        "chi2": "Pearson",
        "fisher": "Fisher",
        "r2": f"r² above {deltas['r2']}",
        "dprime": f"D' above {deltas['dprime']}",
        "score": f"score, with {result['settings'].get('covariates')} covariates, from packed calls",
    }
    rows = (
        [names[row["test"]], f"{row['patients']:,}", spread(row["million_snps_per_second"])] for row in result["rows"]
    )
    return f"{table(['test, or correlation of pairs', 'patients', 'million a second'], rows)}\n\n{made(result)}"


def genome_kernels(results: Mapping[str, Results]) -> str:
    """Tables from packed genotypes, and scores of blocks."""
    result = results["genome_kernels"]
    units = {"milliseconds": "ms", "seconds": "s", "megabytes": "MB", "times": "times"}
    rows = ([row["run"], spread(row[key]), unit] for row in result["rows"] for key, unit in units.items() if key in row)
    chosen = result["settings"]
    size = f"{chosen['people']:,} people x {chosen['snps']:,} SNPs, {number(chosen['bed_megabytes'])} MB"
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{size}. {made(result)}"


def genome_figure3(results: Mapping[str, Results]) -> str:
    """Figure 3 at the sizes that the paper speaks of: probabilities with their intervals over studies."""
    result = results["genome_figure3"]
    keys = ("one_block", "first_of_three", "three_blocks", "nearly_all", "half")
    rows = (
        [
            f"{float(Fraction(row['delta_c'])):g}, {row['selection']}",
            f"{row['people']:,}",
            *(f"{row[key]['mean']:.2f} ({row[key]['low']:.2f} to {row[key]['high']:.2f})" for key in keys),
        ]
        for row in sorted(result["rows"], key=lambda row: (Fraction(row["delta_c"]), row.get("selection", "")))
        if row.get("people") in (1_000, 2_500, 5_000)
    )
    head = [
        "correlation above, selection",
        "people",
        "one block is the best, ε = 1",
        "the same, ε = ⅓",
        "three blocks, ε = 3 × ⅓: largest value",
        "95 % of it",
        "half of it",
    ]
    chosen = result["settings"]
    covered = "; ".join(
        f"above {float(Fraction(row['delta_c'])):g}: {row['covered']:.2f} (random choices {row['picks']['min']:.2f} to "
        f"{row['picks']['max']:.2f}, median {row['picks']['median']:.2f}, over half in {row['picks']['over_half']:.0%})"
        for row in result["rows"]
        if "covered" in row
    )
    return (
        f"{table(head, rows)}\n\nMeans over {chosen['studies']} studies with their 95 % intervals; one block by its exact law, "
        f"three blocks by {chosen['draws']} draws in each study. What the three longest blocks that lie apart cover of the "
        f"{chosen['snps']} SNPs, {covered}; {chosen['picks']} random choices. {untimed(result)}"
    )


def genome_hapsample(results: Mapping[str, Results]) -> str:
    """The chance to find two causal SNPs, by what it costs."""
    result = results["genome_hapsample"]
    kinds = ("permute-and-flip", "exponential")
    here = {(row["epsilon"], row["selection"]): row for row in result["rows"]}
    rows = (
        [
            f"{epsilon:g}",
            *(f"{100 * here[epsilon, kind][key]:.1f} %" for kind in kinds for key in ("number_right", "both_followed")),
        ]
        for epsilon in sorted({epsilon for epsilon, _ in here})
    )
    head = ["epsilon", "number right", "both followed up", "as published: number right", "both followed up"]
    return f"{table(head, rows)}\n\n{exact(result)}"


def homer(results: Mapping[str, Results]) -> str:
    """How often the attacker knew who took part, beside the most that anybody can."""
    result = results["homer"]
    rows = (
        [
            row["published"],
            "none: exact" if row["epsilon"] is None else f"{row['epsilon']:g}",
            f"{100 * row['right']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})",
            f"{100 * row['bound']:.1f} %",
            f"{100 * (2 * row['right'] - 1):.1f} %",
            f"{100 * (2 * row['bound'] - 1):.1f} %",
            f"{row['games']:,}",
        ]
        for row in result["rows"]
    )
    head = ["published", "epsilon", "right: AUC (95 % interval)", "at most", "advantage", "at most", "studies"]
    chosen = result["settings"]
    return f"{table(head, rows)}\n\n{chosen['people']:,} people, {chosen['snps']:,} SNPs. {untimed(result)}"


def genome_audit(results: Mapping[str, Results]) -> str:
    """How often the falsifier rejects broken genome mechanisms, and right ones."""
    return audited(results["genome_audit"])


def genome_scale(results: Mapping[str, Results]) -> str:
    """Time and memory against SNPs, what was predicted of the largest study, and the extrapolation."""
    result = results["genome_scale"]
    rows = (
        [
            f"{row['people']:,} x {row['snps']:,}",
            number(row["bed_gb"]),
            " / ".join(number(each) for each in row["seconds"]),
            number(row["num_sig_seconds"]),
            number(row["loc_sig_seconds"]),
            number(row["megabytes"]),
        ]
        for row in result["rows"]
    )
    head = ["people x SNPs", "GB", "both releases, s", "num_sig", "loc_sig", "most memory, MB"]
    chosen = result["settings"]
    line, held_out, whole = chosen["line"], chosen["held_out"], chosen["extrapolated"]
    seconds, low, high = number(held_out["predicted_seconds"]), *map(number, held_out["interval"])
    found = " / ".join(number(each) for each in held_out["seconds"])
    told = (
        f"**Predicted** from the smaller studies ({number(line['fixed_seconds'])} s and {number(1e6 * line['seconds_per_snp'])} µs a SNP): "
        f"{held_out['snps']:,} SNPs in {seconds} s, with {chosen['confidence']:.0%} between {low} and {high}. Then run: {found} s.\n\n"
        f"**Extrapolated, not run**: {whole['snps']:,} SNPs, {number(whole['bed_gb'])} GB, in {number(whole['seconds'])} s, with "
        f"{chosen['confidence']:.0%} between {number(whole['interval'][0])} and {number(whole['interval'][1])}."
    )
    last = (
        f"Each further SNP takes {number(chosen['bytes_per_snp'])} bytes of memory. Such a study is made at "
        f"{number(chosen['generated_snps_per_second'])} SNPs a second."
    )
    return f"{table(head, rows)}\n\n{told}\n\n{last} {made(result)}"


def genome_scan(results: Mapping[str, Results]) -> str:
    """Scans of flipped phenotypes beside PLINK's of the phenotypes, and what they cost."""
    result = results["genome_scan"]
    chosen = result["settings"]
    scans = [row for row in result["rows"] if "phenotypes" in row]
    rows = (
        [
            row["phenotypes"],
            row["adjusted_for"],
            f"{row['lambda']:.2f}",
            f"{100 * row['false_alarms']:.1f} %",
            f"{100 * row['found']:.1f} %",
            *(f"{row[key]:.3f}" if key in row else "" for key in ("share", "formula")),
        ]
        for row in scans
    )
    head = [
        "phenotypes",
        "adjusted for",
        "lambda",
        "false alarms at 5 %",
        "causal SNPs found",
        "share left",
        "by the formula",
    ]
    real = (
        [row["real"], f"{100 * row['found']:.1f} %", f"{row['others']:.2f}", f"{row['lambda']:.2f}"]
        for row in result["rows"]
        if "real" in row
    )
    real_head = ["real genotypes, phenotypes", "causal SNPs found", "other SNPs found", "lambda"]
    units = {"seconds": "s", "cpu_seconds": "processor s", "megabytes": "MB"}
    costs = (
        [row["run"], number(row[key]) if key == "megabytes" else spread(row[key]), unit]
        for row in result["rows"]
        for key, unit in units.items()
        if key in row
    )
    size = (
        f"Means of {chosen['seeds']} studies of {chosen['people']:,} people and {chosen['snps']:,} SNPs, {chosen['causal']} of them "
        f"with an odds ratio of {chosen['odds_ratio']}; prevalences {' and '.join(map(str, chosen['prevalences']))}."
    )
    costs_head = ["run", "median (least to most)", "unit"]
    parts = (table(head, rows), size, table(real_head, real), table(costs_head, costs), made(result))
    return "\n\n".join(parts)


def genome_scan_scale(results: Mapping[str, Results]) -> str:
    """Scans of 500,000 people by number of SNPs, what was predicted of the largest, and the disk."""
    result = results["genome_scan_scale"]
    rows = (
        [f"{row['snps']:,}", spread(row["seconds"]), spread(row["cpu_seconds"]), number(row["megabytes"])]
        for row in result["rows"]
        if "snps" in row
    )
    head = ["SNPs", "seconds", "processor seconds", "memory, MB"]
    lines = []
    for kind, what in (
        ("predicted", "**Predicted** from the smaller studies"),
        ("extrapolated", "**Extrapolated, not run**"),
    ):
        times = [
            f"{number(row[key])} {unit} (95 %: {number(row['least'])} to {number(row['most'])})"
            for row in result["rows"]
            for key, unit in (("seconds", "s"), ("cpu_seconds", "processor s"))
            if kind in row and key in row
        ]
        size = next(row[kind] for row in result["rows"] if kind in row)
        lines.append(f"{what}: {size:,} SNPs in {' and '.join(times)}.")
    disk = next(row for row in result["rows"] if "read" in row)
    lines.append(f"Reading the file of {disk['read']:,} SNPs alone: {spread(disk['seconds'])} s.")
    told = "\n\n".join(lines)
    return f"{table(head, rows)}\n\n{told}\n\n{made(result)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "genome_distance": genome_distance,
    "genome_figure3": genome_figure3,
    "genome_hapsample": genome_hapsample,
    "genome_kernels": genome_kernels,
    "genome_scale": genome_scale,
    "genome_scan": genome_scan,
    "genome_scan_scale": genome_scan_scale,
    "homer": homer,
    "genome_audit": genome_audit,
}

"""Tables of the benchmarks of the genome domain."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.markdown import number, spread, table
from bench.pages.origin import Results, made


def genome_distance(results: Mapping[str, Results]) -> str:
    """Distances a second."""
    result = results["genome_distance"]
    names = {"g": "G", "chi2": "Pearson", "fisher": "Fisher"}
    rows = (
        [names[row["test"]], f"{row['patients']:,}", spread(row["million_snps_per_second"])] for row in result["rows"]
    )
    return f"{table(['test', 'patients', 'million SNPs a second'], rows)}\n\n{made(result)}"


def genome_kernels(results: Mapping[str, Results]) -> str:
    """Tables from packed genotypes, and scores of blocks."""
    result = results["genome_kernels"]
    units = {"milliseconds": "ms", "seconds": "s", "megabytes": "MB", "times": "times"}
    rows = ([row["run"], spread(row[key]), unit] for row in result["rows"] for key, unit in units.items() if key in row)
    chosen = result["settings"]
    size = f"{chosen['people']:,} people x {chosen['snps']:,} SNPs, {number(chosen['bed_megabytes'])} MB"
    return f"{table(['run', 'median (least to most)', 'unit'], rows)}\n\n{size}. {made(result)}"


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {
    "genome_distance": genome_distance,
    "genome_kernels": genome_kernels,
}

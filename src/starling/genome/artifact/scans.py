"""The files and tables of a scan: what was drawn, as Parquet beside two numbers, and the rows that follow from it."""

from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError
from starling.genome.inference.medians import Median
from starling.genome.inference.scans import Region, ScanRows
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.plan import Plan, Question, Scan
from starling.genome.plan.snps import MOST_SNPS, Snps
from starling.release import public_json
from starling.release.codec import Json, refuse
from starling.release.datapackage import Sheet
from starling.release.encrypted import Create
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.table_files import column

SCORES: Final = "measurements/scores.parquet"
SCORE_COLUMNS: Final = {
    "U": (pa.float64(), "Score of the response, x'r: x the column of the SNP, r the response, without covariates"),
    "V": (pa.float64(), "Variance of U, the sum of x^2 r^2; 0 where covariates explain the SNP"),
    "XX": (pa.float64(), "x'x"),
    "OBS_CT": (pa.int64(), "People with a call, exact"),
    "A1_FREQ": (pa.float64(), "Frequency of A1 among the calls, exact"),
}
"""In the order of the plan's list."""
SCORES_SCHEMA: Final = pa.schema([(name, kind) for name, (kind, _) in SCORE_COLUMNS.items()])
SCAN: Final = {
    "CHR": (pa.string(), ""),
    "SNP": (pa.string(), ""),
    "BP": (pa.int64(), ""),
    "A1": (pa.string(), ""),
    "A2": (pa.string(), ""),
    "A1_FREQ": (pa.float64(), "Frequency of A1 among the calls, exact: genotypes are not protected"),
    "OBS_CT": (pa.int64(), "People with a call, exact"),
    "BETA": (pa.float64(), "Log odds ratio of one more A1, or of carrying it, to first order"),
    "SE": (pa.float64(), "Standard error of BETA, sampling and coins together"),
    "OR": (pa.float64(), "Odds ratio, e^BETA"),
    "L95": (pa.float64(), "Lower end of the 95 % interval of OR, sampling and coins together"),
    "U95": (pa.float64(), "Upper end of it"),
    "Z": (pa.float64(), "Score over its standard error"),
    "P": (pa.float64(), "Two-sided p-value of Z, not corrected for the number of SNPs"),
    "LOG10_P": (pa.float64(), "log10 of P, where P itself may be too small to write"),
}
"""The columns of every SNP; those without words are the list's."""
SCAN_OPTIONAL: Final = ("BETA", "SE", "OR", "L95", "U95", "Z", "P", "LOG10_P")
"""Missing where covariates explain the SNP, or where an odds ratio cannot be told."""
REGIONS: Final = {
    "CHR": (pa.string(), ""),
    "FROM_BP": (pa.int64(), "Position of the first significant SNP of the region"),
    "TO_BP": (pa.int64(), "Position of the last one"),
    "SIGNIFICANT": (pa.int64(), "SNPs of the region with a p-value at or below the plan's threshold"),
    "LEAD": (pa.string(), "Id of the one with the smallest p-value"),
    "LEAD_LOG10_P": (pa.float64(), "log10 of its p-value"),
    "LEAD_OR": (pa.float64(), "Its odds ratio, too far from 1 on average: it was selected"),
    "LEAD_OR_CORRECTED": (pa.float64(), "The same, given that the SNP is significant: too large as often as too small"),
    "LEAD_L95": (pa.float64(), "Lower end of its 95 % interval, which holds of SNPs that are significant"),
    "LEAD_U95": (pa.float64(), "Upper end of it"),
}
TRAIT_SCAN: Final = {name: value for name, value in SCAN.items() if name != "OR"} | {
    "BETA": (
        pa.float64(),
        "Change of the interval's score with one more A1, or with carrying it, in the unit of the phenotype; not the phenotype's own slope",
    ),
    "L95": (pa.float64(), "Lower end of the 95 % interval of BETA, sampling and coins together"),
}
"""The same of a quantitative phenotype."""
TRAIT_REGIONS: Final = {
    name.replace("_OR", "_BETA"): (kind, words)
    for name, (kind, words) in (
        REGIONS | {"LEAD_OR": (pa.float64(), "Its BETA, too far from 0 on average: it was selected")}
    ).items()
}
REGIONS_OPTIONAL: Final = ("LEAD_OR", "LEAD_OR_CORRECTED", "LEAD_L95", "LEAD_U95", "LEAD_BETA", "LEAD_BETA_CORRECTED")
"""Missing where an odds ratio cannot be told, or lies too far away."""


def scan_of(plan: Plan) -> dict[str, tuple[pa.DataType, str]]:
    """The columns of every SNP of a plan's scan."""
    return SCAN if plan.between is None else TRAIT_SCAN


def regions_of(plan: Plan) -> dict[str, tuple[pa.DataType, str]]:
    """The columns of regions of a plan's scan."""
    return REGIONS if plan.between is None else TRAIT_REGIONS


def write_scan(create: Create, summary: str, drawn: Scanned) -> None:
    """Write both files; `create` makes them, `summary` names the first."""
    with create(summary) as file:
        above: dict[str, Json] = {"above": list[Json](drawn.above)} if drawn.above else {}
        above |= {} if drawn.median is None else {"median": drawn.median}
        file.write(public_json.form({"ones": drawn.ones, "adjusted": drawn.tests.adjusted, **above}).encode())
    tests = drawn.tests
    columns = (tests.scores, tests.variances, tests.squares, tests.calls, tests.frequencies)
    table = pa.table(dict(zip(SCORE_COLUMNS, columns, strict=True)), schema=SCORES_SCHEMA)
    content = BytesIO()
    pq.write_table(table, content, compression="zstd")
    with create(SCORES) as file:
        file.write(content.getbuffer())


def read_scan(folder: Path, summary: str) -> Scanned:
    """What `write_scan` wrote. Raises IntegrityError where it is not."""
    numbers: dict[str, Any] = public_json.read(folder, summary, _summary, dict)
    table = read_columns(folder, SCORES, SCORES_SCHEMA)
    scores, variances, squares, calls, frequencies = (column.to_numpy() for column in table.columns)
    tests = SnpScores(numbers["adjusted"], scores, variances, squares, calls, frequencies)
    return Scanned(numbers["ones"], tests, tuple(numbers.get("above", ())), numbers.get("median"))


def read_columns(folder: Path, name: str, schema: pa.Schema, *, row_bytes: int = 0) -> pa.Table:
    """A Parquet file of these columns, from one SNP to MOST_SNPS, nothing missing, each of so many bytes at least. Raises IntegrityError
    where it is none.
    """
    table, path = None, folder / name
    with suppress(OSError, pa.ArrowException), pq.ParquetFile(path) as file:
        rows = file.metadata.num_rows
        if file.schema_arrow.equals(schema) and 1 <= rows <= MOST_SNPS and rows * row_bytes <= path.stat().st_size:
            table = file.read()
    if table is None or any(column.null_count for column in table.columns):
        raise IntegrityError(name, "is not as Starling writes it", DOWNLOAD_AGAIN)
    return table


def _summary(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict) or data.keys() - {"above", "median"} != {"ones", "adjusted"}:
        refuse()
    above = data.get("above", [0])
    if not isinstance(above, list) or not above:
        refuse()
    numbers = (data["ones"], data["adjusted"], data.get("median", 0), *above)
    if any(type(value) is not int or not 0 <= value < 2**31 for value in numbers):
        refuse()
    return data


def place_columns(snps: Snps) -> dict[str, Any]:
    """Where SNPs are, and their alleles."""
    return {
        "CHR": snps.chromosomes,
        "SNP": snps.ids,
        "BP": snps.positions,
        "A1": snps.carried,
        "A2": snps.other,
    }


def scan_columns(plan: Plan, rows: ScanRows) -> dict[str, Any]:
    """The rows of the table of all SNPs."""
    columns = {"BETA": rows.beta, "SE": rows.se, "OR": rows.odds_ratio, "L95": rows.low, "U95": rows.high, "Z": rows.z}
    columns |= {"P": rows.p, "LOG10_P": rows.log10_p}
    return {
        **place_columns(plan.snps),
        "A1_FREQ": rows.frequencies,
        "OBS_CT": rows.calls,
        # NaN is missing.
        **{name: pa.array(values, from_pandas=True) for name, values in columns.items()},
    }


def region_columns(regions: Sequence[Region]) -> dict[str, Any]:
    """The rows of the table of regions; the effect of the strongest SNP by both its names, of which a table has one."""
    corrected = [each.corrected or (None, None, None) for each in regions]
    return {
        "CHR": [each.chromosome for each in regions],
        "FROM_BP": [each.first for each in regions],
        "TO_BP": [each.last for each in regions],
        "SIGNIFICANT": [each.snps for each in regions],
        "LEAD": [each.lead for each in regions],
        "LEAD_LOG10_P": [each.log10_p for each in regions],
        "LEAD_OR": [each.odds_ratio for each in regions],
        "LEAD_BETA": [each.beta for each in regions],
        **{f"LEAD_{name}_CORRECTED": [effect for effect, _, _ in corrected] for name in ("OR", "BETA")},
        "LEAD_L95": [low for _, low, _ in corrected],
        "LEAD_U95": [high for _, _, high in corrected],
    }


def median_columns(question: Question, median: Median | None) -> dict[str, Sequence[Any]]:
    """The row of a paid median; nothing without one."""
    if median is None or not isinstance(question, Scan):
        return {}
    return {"MEDIAN": [median.value], "OFF_BY": [median.people], "EPSILON": [str(question.median_epsilon)]}


def scores_sheet() -> Sheet:
    """The scores of a scan for the data package."""
    columns = tuple(column(name, kind, words) for name, (kind, words) in SCORE_COLUMNS.items())
    return Sheet(SCORES, "Score tests of the response, in the order of the SNP list", columns)

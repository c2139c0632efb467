"""A scan in the formats of others: the columns of PLINK 2's --glm, and GWAS-SSF 1.0.2. From what was released alone."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from starling.genome.inference.scans import ScanRows
from starling.genome.plan import Plan
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.plan.intervals import divided_in_words
from starling.genome.plan.scanning import Scan
from starling.release.cells import text_cell

GLM_COLUMNS: Final = (
    "#CHROM",
    "POS",
    "ID",
    "REF",
    "ALT",
    "A1",
    "A1_FREQ",
    "TEST",
    "OBS_CT",
    "OR",
    "LOG(OR)_SE",
    "L95",
    "U95",
    "Z_STAT",
    "P",
    "ERRCODE",
)
"""As PLINK 2 writes them with `cols=+a1freq` and `--ci 0.95`; A1 stands as ALT."""
LINEAR: Final = {"OR": "BETA", "LOG(OR)_SE": "SE", "Z_STAT": "T_STAT"}
"""What PLINK 2 calls these columns of a linear regression."""
TESTS: Final = {"additive": "ADD", "dominant": "DOM", "recessive": "REC"}
NA: Final = "NA"


def glm(plan: Plan, rows: ScanRows) -> Iterator[str]:
    """Lines in the columns of PLINK 2's --glm of a logistic regression, of a quantitative phenotype of a linear one. P below what a double
    holds is 0 there, and so here.
    """
    snps, test = plan.snps, TESTS[plan.model]
    linear = plan.between is not None
    yield "\t".join(LINEAR.get(name, name) if linear else name for name in GLM_COLUMNS) + "\n"
    numbers = (rows.beta if linear else rows.odds_ratio, rows.se, rows.low, rows.high, rows.z, rows.p)
    columns = (column.tolist() for column in (rows.frequencies, rows.calls, *numbers))
    listed = zip(snps.chromosomes, snps.positions.tolist(), snps.ids, snps.other, snps.carried, strict=True)
    for place, (frequency, calls, *values) in zip(listed, zip(*columns, strict=True), strict=True):
        chromosome, position, name, other, carried = place
        texts = [NA if np.isnan(value) else f"{value:z.6g}" for value in values]
        code = "." if not np.isnan(values[-1]) else "CONST_ALLELE"
        head = (chromosome, str(position), text_cell(name), other, carried, carried)
        yield "\t".join((*head, f"{frequency:z.6g}", test, str(calls), *texts, code)) + "\n"


def note(plan: Plan, question: Scan, median: int | None) -> str:
    """What whoever reads the numbers must know; `median` is that of the answer."""
    effects, of = "odds ratios", "Odds ratios are of first order (score test), not of a logistic regression."
    if plan.between is not None:
        effects, of = "effects", divided_in_words(plan, question.values, median)
    paid = "" if question.median_epsilon is None else f", of which {question.median_epsilon} paid for its median"
    return (
        f"{UNPROTECTED}: allele frequencies and numbers of calls are exact. Each person's phenotype is protected: p-values, {effects} and"
        f" standard errors are made of one randomized response at epsilon {question.epsilon}{paid}, and hold sampling and coins together."
        f" {of} p-values are not corrected for the"
        f" {len(plan.snps):,} SNPs. Adjusted for: {plan.adjusted}. Genome build: {plan.build or 'not stated'}."
    )

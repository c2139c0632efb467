"""A scan or effects in the formats of others: the columns of PLINK 2's --glm, and GWAS-SSF 1.0.2. From what was released alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Float64
from starling.genome.inference.effects import effect_rows
from starling.genome.inference.scans import ScanRows
from starling.genome.inference.slopes import slope_rows
from starling.genome.measurements import Drawn, ExploredEffects, NoisyMoments, NoisyScores, Scanned
from starling.genome.plan import ExploreEffects, Plan, SnpEffects
from starling.genome.plan.choices import UNPROTECTED, WHOLE_PERSON
from starling.genome.plan.intervals import divided_in_words
from starling.genome.plan.queries import selecting
from starling.genome.plan.scanning import Scan
from starling.genome.postprocess.effects import ONE_MORE
from starling.planfile.values import exact_text
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


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """What a file tells.

    Attributes:
        plan: Its list has the SNPs of the rows.
        rows: Their numbers.
        linear: Whether effects are slopes, and not odds ratios.
        about: What whoever reads the numbers must know.
    """

    plan: Plan
    rows: ScanRows
    linear: bool
    about: str

    @property
    def effects(self) -> Float64:
        """Odds ratios, or slopes."""
        return self.rows.beta if self.linear else self.rows.odds_ratio


def of_scan(plan: Plan, question: Scan, drawn: Scanned, rows: ScanRows) -> Exported:
    """All SNPs of a scan."""
    return Exported(plan, rows, plan.between is not None, note(plan, question, drawn.median))


def of_effects(plan: Plan, question: SnpEffects | ExploreEffects, drawn: Drawn) -> Exported:
    """The SNPs that effects are of, in the plan's order. Raises ParameterError where an exploration stopped before."""
    if isinstance(drawn, ExploredEffects) and isinstance(question, ExploreEffects):
        question, cases, scores = question.effects(drawn.located.snps), drawn.number.cases, drawn.scores
        if scores is None:
            raise ParameterError("release", "holds no effects: nothing was followed up", "export another one")
        drawn = replace(scores, cases=cases)
    assert isinstance(question, SnpEffects)
    if isinstance(drawn, NoisyMoments):
        return _placed(plan, question, slope_rows(plan, question, drawn), _of_moments(plan, question), linear=True)
    assert isinstance(drawn, NoisyScores)
    linear = drawn.cases is None
    what = "Odds ratios are of first order (score test), not of a logistic regression."
    if linear:
        trait = "the share of cases" if plan.between is None else "the phenotype"
        what = f"BETA is by how much {trait} grows with {ONE_MORE[plan.model]}, by least squares."
    chosen = ""
    if question.chosen:
        chosen = " The same phenotypes named these SNPs: effects are too far from none on average; intervals hold."
    about = (
        f"{UNPROTECTED}: allele frequencies and numbers of calls are exact. Each person's phenotype is protected: scores have Laplace noise"
        f" of epsilon {exact_text(selecting(question))} for all of them together, and standard errors, intervals and p-values hold sampling"
        f" and noise together, by their own distribution, which is not normal. {what}{chosen} p-values are not corrected for the"
        f" {len(plan.snps):,} SNPs of the study. {_shared(plan)}"
    )
    return _placed(plan, question, effect_rows(plan, question, drawn), about, linear=linear)


def _placed(plan: Plan, question: SnpEffects, rows: ScanRows, about: str, *, linear: bool) -> Exported:
    """The rows in the order of the plan's list."""
    places = np.array([plan.snps.index(name) for name in question.snps], dtype=np.int64)
    order = np.argsort(places)
    left = replace(plan, snps=plan.snps.taken(places[order]), regions=())
    return Exported(left, ScanRows._make(column[order] for column in rows), linear, about)


def _of_moments(plan: Plan, question: SnpEffects) -> str:
    return (
        f"{WHOLE_PERSON}. Frequencies, numbers of calls, slopes and p-values are made of moments with Laplace noise of epsilon"
        f" {exact_text(question.epsilon)} for all of them together. Intervals and p-values hold sampling and noise together, by their own"
        f" distribution, which is not normal; a standard error is that of a normal interval as wide. BETA is by how much the phenotype"
        f" grows with one more copy, by least squares. p-values are not corrected for the {len(plan.snps):,} SNPs of the study."
        f" {_shared(plan)}"
    )


def glm(exported: Exported) -> Iterator[str]:
    """Lines in the columns of PLINK 2's --glm of a logistic regression, of slopes of a linear one. P below what a double holds is 0 there,
    and so here.
    """
    plan, rows, linear = exported.plan, exported.rows, exported.linear
    snps, test = plan.snps, TESTS[plan.model]
    yield "\t".join(LINEAR.get(name, name) if linear else name for name in GLM_COLUMNS) + "\n"
    numbers = (exported.effects, rows.se, rows.low, rows.high, rows.z, rows.p)
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
        f" {len(plan.snps):,} SNPs. {_shared(plan)}"
    )


def _shared(plan: Plan) -> str:
    return f"Adjusted for: {plan.adjusted}. Genome build: {plan.build or 'not stated'}."

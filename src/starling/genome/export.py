"""Released p-values in the formats of others: GWAS-SSF 1.0.2 of the GWAS Catalog, and PLINK's .assoc. From what was released alone.

Nothing is filled in that the release does not tell. Under the dominant and recessive models shares are of people, not of alleles, so that
allele frequencies are missing, and PLINK's odds ratio, which is of alleles, too; GWAS-SSF takes any odds ratio of the effect allele, and
the file beside it says that it is of carriers. Of a scan and of effects, whose frequencies are exact, rows that the format has no form for
are left out, so that its validator accepts the file (bench/summary_statistics.py). A standard error holds what the sample and the noise
leave open and is missing where a count is too near to its noise. Columns that GWAS-SSF wants filled and that are missing keep the GWAS
Catalog from taking the file; other readers of the format read it.

Both formats are of exact results. That these are noisy, and by how much, stands in the file beside them and, in GWAS-SSF, in columns of its
own.

The standard error is that of ln of the odds ratio: sample and noise together, to first order. Woolf's variance of the sample is the sum of
1/count over the four cells of the table (as PLINK's --assoc has it, alleles taken as independent). The noise adds its variance through the
gradient of ln OR. Laplace noise is independent in its cells, which are then made to add up to n; lattice noise is exchangeable and adds up
to 0, so that the covariance of two of its m cells is -1/(m - 1) times the variance of one. Where a cell of the table is below FEWEST
deviations of its noise the sum means nothing and is not given.
"""

import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import md5
from math import sqrt
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from starling.distribution import SOFTWARE
from starling.errors import ParameterError
from starling.genome.arrays import Int64
from starling.genome.artifact.scan_formats import Exported, glm, of_effects, of_scan
from starling.genome.inference.adaptive_plan import replay
from starling.genome.inference.answers import OF_ALLELES, two_by_two
from starling.genome.inference.called import called_table
from starling.genome.inference.intervals import Noise, repaired
from starling.genome.measurements import Drawn, Scanned
from starling.genome.plan import Explore, ExploreEffects, Model, Plan, Question, Scan, SnpEffects, SnpPval
from starling.genome.plan.snps import Snps
from starling.genome.postprocess.effects import OF
from starling.genome.postprocess.estimates import Exploration, estimate
from starling.genome.postprocess.p_values import CONFIDENCE, PValue
from starling.genome.postprocess.wording import TESTS
from starling.genome.statistics.association import allele_tables, chi_squared_statistic
from starling.planfile.values import write_new
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling.lattice import cell_variance
from starling.release.cells import text_cell

FEWEST: Final = 4
"""Standard deviations of the noise that each cell of the 2x2 table holds at least, for a standard error to be given."""
_ALLELE: Final = 5
"""Variance of an allele count in that of a cell, but for covariances: one cell once, another twice."""


def standard_error(noisy: Sequence[int], people: int, model: Model, noise: Noise, epsilon: Fraction) -> float | None:
    """Of ln of the odds ratio: sample and noise together; None where a cell is too small for it to mean anything.

    >>> round(standard_error((300, 700, 200, 800), 2000, "dominant", "lattice", Fraction(1)), 4)
    0.1059
    """
    a, b, c, d = two_by_two(noisy, people, model)
    cells: Literal[2, 3] = 3 if model in OF_ALLELES else 2
    variance = (
        cell_variance(epsilon, cells) if noise == "lattice" else standard_deviation(DiscreteLaplace(2 / epsilon)) ** 2
    )
    if min(a, b, c, d) < FEWEST * sqrt(variance * (_ALLELE if model in OF_ALLELES else 1)):
        return None
    gradient = [1 / a, -1 / b, -1 / c, 1 / d]
    if model in OF_ALLELES:
        gradient = [-2 / b, 1 / a - 1 / b, 2 / a, 2 / d, 1 / d - 1 / c, -2 / c]
    return sqrt(1 / a + 1 / b + 1 / c + 1 / d + _added(gradient, variance, noise, repaired(noisy, people)))


def _added(gradient: Sequence[float], variance: float, noise: Noise, counts: Sequence[int]) -> float:
    """What the noise of all cells adds to a variance.

    That of a lattice keeps their sum. With Laplace noise the counts are too large together, or too small, half of the time each: then the
    excess is taken off the largest, or what is missing is shared out evenly (`repaired`). The mean of both squared errors is added.
    """
    size, squares, total = len(gradient), sum(each * each for each in gradient), sum(gradient)
    shared = squares - total * total / size
    if noise == "lattice":
        return variance * shared * size / (size - 1)
    of_largest = gradient[counts.index(max(counts))]
    return variance * (shared + sum((each - of_largest) ** 2 for each in gradient)) / 2


def called_standard_error(plan: Plan, query: SnpPval, noisy: Sequence[int]) -> float | None:
    """As `standard_error`, among people with a call, of plans that count missing calls apart."""
    a, b, c, d = called_table(plan, noisy)
    of_phenotypes = plan.unit == "phenotype"
    if query.noise == "lattice" and not of_phenotypes:
        variance = cell_variance(query.epsilon, 3)
    else:
        variance = standard_deviation(DiscreteLaplace((1 if of_phenotypes else 2) / query.epsilon)) ** 2
    if min(a, b, c, d) < FEWEST * sqrt(variance):
        return None
    if of_phenotypes:
        # One more case of a column is one control less; the noise of each column is its own.
        added = variance * ((1 / a + 1 / c) ** 2 + (1 / b + 1 / d) ** 2)
    else:
        gradient = [1 / a, -1 / b, 0.0, -1 / c, 1 / d, 0.0]
        added = _added(gradient, variance, query.noise, repaired(noisy, plan.people))
    return sqrt(1 / a + 1 / b + 1 / c + 1 / d + added)


Format: TypeAlias = Literal["gwas-ssf", "plink-assoc", "plink-glm"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
SSF_COLUMNS: Final = (
    "chromosome",
    "base_pair_location",
    "effect_allele",
    "other_allele",
    "odds_ratio",
    "standard_error",
    "effect_allele_frequency",
)
"""The first seven, in the order that the standard asks for; the eighth is `p_value` or `neg_log_10_p_value`."""
SSF_MORE: Final = (
    "rsid",
    "n",
    "snp",
    "test",
    "p_value_noise_low",
    "p_value_noise_high",
    "odds_ratio_noise_low",
    "odds_ratio_noise_high",
)
"""After the eight; from `snp` on they are Starling's own."""
ASSOC_COLUMNS: Final = ("CHR", "SNP", "BP", "A1", "F_A", "F_U", "A2", "CHISQ", "P", "OR")
"""As PLINK 1.9 writes them."""
SSF_NA: Final = "#NA"
ASSOC_NA: Final = "NA"
_NUMBERS: Final = {"X": 23, "Y": 24, "MT": 25}
_LAST: Final = 25
_LEAST_LOG: Final = -300.0
"""log10 of a p-value below which a file tells logarithms: a double would lose digits."""


Row: TypeAlias = tuple[SnpPval, PValue]
"""What was asked, and the p-value that was released."""


def export(plan: Plan, question: Question, drawn: Drawn, path: Path, form: Format, *, day: str) -> tuple[Path, ...]:
    """Write the p-values of a release, and a file beside them that says what they are, as `GenomeRelease.export` does; `day` is that of the
    release, such as 2026-01-31.
    """
    if form not in FORMATS:
        raise ParameterError("format", f"is not {', '.join(FORMATS)}", "name one of them")
    of_scores = isinstance(question, Scan | SnpEffects | ExploreEffects)
    # What has no p-values has none in any format.
    rows = [] if of_scores else _rows(plan, question, drawn)
    if (form == "plink-glm") != of_scores and form != "gwas-ssf":
        of = "scans and effects" if form == "plink-glm" else "p-values that were asked for"
        other = "plink-assoc" if form == "plink-glm" else "plink-glm"
        raise ParameterError("format", f"is {form}, which is of {of}", f"take gwas-ssf or {other}")
    if isinstance(question, Scan | SnpEffects | ExploreEffects):
        text, about_rows = _of_scores(_exported(plan, question, drawn), form)
    else:
        text, about_rows = (_ssf if form == "gwas-ssf" else _assoc)(plan, rows), note(plan, rows)
    if form == "gwas-ssf":
        companion, about = path.with_name(f"{path.name}-meta.yaml"), _metadata(plan, about_rows, path.name, text, day)
    else:
        companion, about = path.with_name(f"{path.name}.README.txt"), f"{about_rows}\n"
    if companion.exists():
        # Before anything is written, so that nothing is left half done.
        write_new(companion, about)
    write_new(path, text)
    write_new(companion, about)
    return path, companion


def _exported(plan: Plan, question: Scan | SnpEffects | ExploreEffects, drawn: Drawn) -> Exported:
    if not isinstance(question, Scan):
        return of_effects(plan, question, drawn)
    rows = estimate(plan, question, drawn).rows
    assert isinstance(drawn, Scanned)
    assert rows is not None
    return of_scan(plan, question, drawn, rows)


def _of_scores(exported: Exported, form: Format) -> tuple[str, str]:
    """The text of a scan or of effects, and what whoever reads it must know."""
    plan, about = exported.plan, exported.about
    if form == "plink-glm":
        return "".join(glm(exported)), about
    known, alleles = ~np.isnan(exported.effects), map("".join, zip(plan.snps.carried, plan.snps.other, strict=True))
    chosen = np.flatnonzero(known & np.array([_LETTERS.fullmatch(both) is not None for both in alleles]))
    if not chosen.size:
        problem = "has no SNP with an effect and alleles of A, C, G and T"
        raise ParameterError("release", problem, "export it as plink-glm")
    if chosen.size < known.size:
        left = known.size - chosen.size
        about += f" Left out: {left:,} SNPs without an effect, or with alleles other than A, C, G and T."
    return "".join(_scores_ssf(exported, chosen)), about


def _scores_ssf(exported: Exported, chosen: Int64) -> Iterator[str]:
    """Lines of GWAS-SSF of some SNPs, by number of the chromosome and position."""
    plan, rows, effects = exported.plan, exported.rows, exported.effects
    logarithms = bool(rows.log10_p[chosen].min() < _LEAST_LOG)
    p_column = "neg_log_10_p_value" if logarithms else "p_value"
    columns = ("beta" if exported.linear and name == "odds_ratio" else name for name in SSF_COLUMNS)
    yield "\t".join((*columns, p_column, "ci_lower", "ci_upper", "rsid", "n", "snp")) + "\n"
    snps, numbers = plan.snps, {name: int(_number(name)) for name in plan.snps.chromosome_ranges}
    for at in sorted(chosen.tolist(), key=lambda at: (numbers[snps.chromosomes[at]], int(snps.positions[at]))):
        name = snps.ids[at]
        line = (
            *_site(snps, at),
            f"{effects[at]:z.6g}",
            f"{rows.se[at]:z.4g}",
            f"{rows.frequencies[at]:z.4g}",
            f"{-rows.log10_p[at]:z.6g}" if logarithms else f"{rows.p[at]:z.4g}",
            *(SSF_NA if np.isnan(end) else f"{end:z.6g}" for end in (rows.low[at], rows.high[at])),
            name if re.fullmatch(r"rs[0-9]+", name) else SSF_NA,
            str(int(rows.calls[at])),
            text_cell(name),
        )
        yield "\t".join(line) + "\n"


def note(plan: Plan, rows: Sequence[Row]) -> str:
    """What whoever reads the numbers must know."""
    tests = ", ".join(dict.fromkeys(TESTS[answer.test] for _, answer in rows)) or "none"
    called = " People without a call of a SNP are left out of its row; n is how many are left, with noise where it is protected."
    called = "" if plan.missing is None else called
    return (
        "Released under differential privacy: every p-value, frequency and odds ratio is an estimate from noisy counts, not from the exact"
        f" ones. A range that is given holds the exact value with a probability of at least {float(100 * CONFIDENCE):g} %, each on its own;"
        " it speaks of the noise, not of the sample. Only SNPs that were asked for, or that a noisy selection named, have a row;"
        " p-values of the latter are small by selection."
        f" Model: {plan.model}; odds ratios are {OF[plan.model]}; test: {tests}. p-values are not corrected for the {len(plan.snps):,} SNPs"
        f" of the study. Genome build: {plan.build or 'not stated'}.{called}"
        " What is missing was not released, or cannot be told from noisy counts."
    )


def _rows(plan: Plan, question: Question, drawn: Drawn) -> list[Row]:
    """Every released p-value, by place in the genome."""
    answer = estimate(plan, question, drawn).answer
    if isinstance(question, SnpPval) and isinstance(answer, PValue):
        return [(question, answer)]
    if not (isinstance(question, Explore) and isinstance(answer, Exploration)):
        fix = "export a release of snp-pval, explore, scan, snp-effects or explore-effects"
        raise ParameterError("release", "holds no p-values", fix)
    # mypy takes `Drawn` apart in `tell`; an exploration's answer is answer of an exploration's draw alone.
    queries = [query for query, _ in replay(plan, question, drawn) if isinstance(query, SnpPval)]  # type: ignore[arg-type]
    return sorted(zip(queries, answer.p_values, strict=True), key=lambda row: plan.snps.index(row[1].snp))


def _ssf(plan: Plan, rows: Sequence[Row]) -> str:
    logarithms = any(answer.log10.estimate < _LEAST_LOG for _, answer in rows)
    header = (*SSF_COLUMNS, "neg_log_10_p_value" if logarithms else "p_value", *SSF_MORE)
    lines = [_ssf_row(plan, *row, logarithms=logarithms) for row in rows]
    # By number, which is not the plan's order of chromosomes.
    lines.sort(key=lambda line: (int(line[0]), int(line[1])))
    return "".join("\t".join(line) + "\n" for line in (header, *lines))


def _ssf_row(plan: Plan, query: SnpPval, p_value: PValue, *, logarithms: bool) -> list[str]:
    at, snps = plan.snps.index(p_value.snp), plan.snps
    people = plan.people
    if plan.missing is None:
        error = standard_error(p_value.counts, people, plan.model, query.noise, query.epsilon)
    else:
        error, people = called_standard_error(plan, query, p_value.counts), sum(called_table(plan, p_value.counts))
    frequency: float | None = None
    if plan.model in OF_ALLELES:
        a, b, c, d = two_by_two(p_value.counts, plan.people, plan.model)
        frequency = (a + c) / (a + b + c + d)
    ratio = p_value.effect.odds_ratio
    return [
        *_site(snps, at),
        f"{ratio.estimate:z.6g}",
        SSF_NA if error is None else f"{error:z.4g}",
        SSF_NA if frequency is None else f"{frequency:z.4g}",
        f"{-p_value.log10.estimate:z.6g}" if logarithms else f"{p_value.p:z.4g}",
        p_value.snp if re.fullmatch(r"rs[0-9]+", p_value.snp) else SSF_NA,
        str(people),
        text_cell(p_value.snp),
        p_value.test,
        f"{p_value.low:z.4g}",
        f"{p_value.high:z.4g}",
        f"{ratio.low:z.6g}",
        f"{ratio.high:z.6g}",
    ]


def _number(chromosome: str) -> str:
    """1 to 25, as GWAS-SSF counts chromosomes."""
    written = chromosome.isascii() and chromosome.isdecimal() and len(chromosome) < 10
    number = _NUMBERS.get(chromosome, int(chromosome) if written else 0)
    if not 1 <= number <= _LAST:
        problem, fix = f"has a SNP on {chromosome!a}, which GWAS-SSF has no number for", "export it as plink-assoc"
        raise ParameterError("release", problem, fix)
    return str(number)


_LETTERS: Final = re.compile(r"[ACGTacgt]+")


def _site(snps: Snps, at: int) -> list[str]:
    """Chromosome, position and both alleles of a SNP; of an allele without letters, that it is missing."""
    alleles = (
        letters.upper() if _LETTERS.fullmatch(letters) else SSF_NA for letters in (snps.carried[at], snps.other[at])
    )
    return [_number(snps.chromosomes[at]), str(int(snps.positions[at])), *alleles]


def _metadata(plan: Plan, notes: str, name: str, text: str, day: str) -> str:
    """YAML; a JSON text is one of its scalars. Ancestry and technology are not Starling's to know."""
    digest = md5(text.encode(), usedforsecurity=False).hexdigest()
    pairs = {
        "trait_description": [plan.title],
        "genome_assembly": plan.build or "not stated",
        "coordinate_system": "1-based",
        "genotyping_technology": ["NR"],
        "samples": [
            {"sample_size": plan.people, "sample_ancestry_category": ["NR"], "case_control_study": plan.between is None}
        ],
        "data_file_name": name,
        "file_type": "GWAS-SSF v1.0",
        "data_file_md5sum": digest,
        "date_metadata_last_modified": day,
        "analysis_software": SOFTWARE,
        **({} if plan.adjusted == "nothing" else {"adjusted_covariates": plan.adjusted.split(", ")}),
        "is_harmonised": False,
        "is_sorted": True,
        "author_notes": notes,
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in pairs.items())


def _assoc(plan: Plan, rows: Sequence[Row]) -> str:
    lines = [ASSOC_COLUMNS, *(_assoc_row(plan, answer) for _, answer in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(ASSOC_COLUMNS))]
    return "".join(f" {'  '.join(map(str.rjust, line, widths))}\n" for line in lines)


def _assoc_row(plan: Plan, p_value: PValue) -> tuple[str, ...]:
    at, snps = plan.snps.index(p_value.snp), plan.snps
    cases = controls = ratio = statistic = ASSOC_NA
    if plan.model in OF_ALLELES:
        cases, controls = f"{p_value.effect.cases.estimate:z.4g}", f"{p_value.effect.controls.estimate:z.4g}"
        ratio = f"{p_value.effect.odds_ratio.estimate:z.4g}"
    if plan.model == "allelic" and p_value.test == "chi2":
        clamped = np.array([[max(0, count) for count in p_value.counts]], dtype=np.int64)
        statistic = f"{float(chi_squared_statistic(allele_tables(clamped))[0]):z.4g}"
    place = (snps.chromosomes[at], p_value.snp, str(int(snps.positions[at])), snps.carried[at])
    return (*place, cases, controls, snps.other[at], statistic, f"{p_value.p:z.4g}", ratio)

"""The tables of a genome release: every column, declared once, and the rows that an answer gives.

Columns are called what PLINK calls them where it has them: CHR, SNP, BP, A1, A2, TEST, P of its association files; BP1, BP2, KB, NSNPS,
SNPS of .blocks.det; CHR_A, ..., R2, DP of .ld.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from starling.genome.artifact import missing_calls
from starling.genome.artifact.effects import EFFECTS, OF_CASES, effects_columns, effects_of
from starling.genome.artifact.files import ANSWERS
from starling.genome.artifact.scans import (
    REGIONS,
    REGIONS_OPTIONAL,
    SCAN,
    SCAN_OPTIONAL,
    TRAIT_REGIONS,
    median_columns,
    place_columns,
    region_columns,
    regions_of,
    scan_columns,
    scan_of,
)
from starling.genome.inference.answers import SelectionError
from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.plan import Explore, ExploreEffects, NumSig, Plan, Question, Scan, SnpCorr
from starling.genome.postprocess.estimates import (
    Correlated,
    EffectsAnswer,
    EffectsExploration,
    EffectsExplorationError,
    Estimated,
    Exploration,
    ExplorationError,
    ScanAnswer,
)
from starling.genome.postprocess.p_values import CONFIDENCE, PValue
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text, column

Columns: TypeAlias = Mapping[str, Sequence[Any]]
Selected: TypeAlias = SelectionError | ExplorationError | EffectsExplorationError
"""How far selected answers may be off."""

_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()
_OF: Final = (
    "of people who carry the allele (dominant, recessive model) or of the allele itself (genotypic, allelic model)"
)
_LIKELY: Final = (
    "of a range that holds that of the exact counts with a probability of at least 95 %, each range on its own"
)
_NO_BLOCK: Final = "missing where no block is valid"


def _with_range(name: str, words: str, low: str | None = None, high: str | None = None) -> dict[str, tuple[Any, str]]:
    """A number and the ends of its range."""
    return {
        name: (_NUMBER, words),
        f"{name}_LOW": (_NUMBER, low or f"Lower end {_LIKELY}"),
        f"{name}_HIGH": (_NUMBER, high or f"Upper end {_LIKELY}"),
    }


COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "ROUND": (_WHOLE, "Order of selection, from 1"),
    "CHR": (_TEXT, "Chromosome"),
    "SNP": (_TEXT, "Id of the SNP in the plan's list"),
    "BP": (_WHOLE, "Position on the chromosome, in base pairs from 1"),
    "A1": (_TEXT, "The allele that is carried, public"),
    "A2": (_TEXT, "The other allele, public"),
    "TEST": (_TEXT, "g, chi2, fisher, logistic (likelihood ratio), wald or trend (Cochran-Armitage)"),
    "LOW": (_WHOLE, "The fewest SNPs that the answer stands for"),
    "HIGH": (_WHOLE, "The most SNPs that it stands for"),
    "MEDIAN": (_NUMBER, "Noisy median of the phenotype, in its unit"),
    "CASES": (_WHOLE, "People who are cases, with noise"),
    "SQUARES": (
        _WHOLE,
        "Sum of squares of the phenotypes about their mean, in whole squares of the plan's range, with noise",
    ),
    "CASES_CARRY": (_WHOLE, "Cases who carry the allele, with noise"),
    "CASES_NOT": (_WHOLE, "Cases who do not, with noise"),
    "CONTROLS_CARRY": (_WHOLE, "Controls who carry the allele, with noise"),
    "CONTROLS_NOT": (_WHOLE, "Controls who do not, with noise"),
    **{
        f"{status.upper()}_{number}": (_WHOLE, f"{status} {copies}, with noise")
        for status in ("Cases", "Controls")
        for number, copies in enumerate(("without the allele", "with one copy", "with two copies"))
    },
    **_with_range("P", "p-value of the noisy counts, negative ones taken as 0; not corrected for the number of SNPs"),
    **_with_range(
        "LOG10_P", "log10 of P, where P itself may be too small to write", "log10 of P_LOW", "log10 of P_HIGH"
    ),
    **_with_range("OR", f"Odds ratio {_OF} of the noisy counts, an empty cell counted as 1/2"),
    **_with_range("F_A", f"Share {_OF} among cases, of the noisy counts"),
    **_with_range("F_U", f"Share {_OF} among controls, of the noisy counts"),
    **missing_calls.COLUMNS,
    "BP1": (_WHOLE, "Position of the block's first SNP; missing where the answer is that no block is valid"),
    "BP2": (_WHOLE, f"Position of the block's last SNP; {_NO_BLOCK}"),
    "KB": (_NUMBER, f"Length of the block in thousands of base pairs; {_NO_BLOCK}"),
    "NSNPS": (_WHOLE, "SNPs of the block, ends included; 0 where the answer is that no block is valid"),
    "FIRST": (_TEXT, f"Id of the block's first SNP; {_NO_BLOCK}"),
    "LAST": (_TEXT, f"Id of the block's last SNP; {_NO_BLOCK}"),
    "SNPS": (_TEXT, f"Ids of all SNPs of the block, with | between them; {_NO_BLOCK}"),
    "CHR_A": (_TEXT, "Chromosome of the first SNP"),
    "BP_A": (_WHOLE, "Position of the first SNP on the chromosome"),
    "SNP_A": (_TEXT, "Id of the first SNP"),
    "CHR_B": (_TEXT, "Chromosome of the second SNP"),
    "BP_B": (_WHOLE, "Position of the second SNP on the chromosome"),
    "SNP_B": (_TEXT, "Id of the second SNP"),
    "BOTH": (_WHOLE, "People who carry both, with noise"),
    "A_ONLY": (_WHOLE, "People who carry the first alone, with noise"),
    "B_ONLY": (_WHOLE, "People who carry the second alone, with noise"),
    "NEITHER": (_WHOLE, "People who carry neither, with noise"),
    **_with_range("R2", "r^2 of the noisy counts, negative ones taken as 0"),
    **_with_range("DP", "|D'| of the noisy counts, negative ones taken as 0"),
    "WHAT": (_TEXT, "Which answer was selected"),
    "CANDIDATES": (_WHOLE, "Among how many, at first"),
    "ROUNDS": (_WHOLE, "How many were selected, one after the other"),
    "EPSILON": (_TEXT, "Of all rounds together, an exact ratio"),
    "OFF_BY": (
        _WHOLE,
        "Persons by which the scores of all rounds fall short of the best ones at most, with a probability of at least 95 %",
    ),
}
COLUMNS.update({name: value for name, value in EFFECTS.items() if name not in COLUMNS})
COLUMNS.update({name: value for name, value in (SCAN | REGIONS | TRAIT_REGIONS).items() if name not in COLUMNS})
WORDS: Final = {name: words for name, (_, words) in COLUMNS.items()}
OPTIONAL: Final = ("BP1", "BP2", "KB", "FIRST", "LAST", "SNPS")
"""Missing where no block is valid; a block's CHR too."""


class _Declared(NamedTuple):
    """A table: its title, its key, and the columns that may be missing."""

    title: str
    key: tuple[str, ...] = ()
    missing: tuple[str, ...] = OPTIONAL


TABLES: Final = {
    "number": _Declared("How many SNPs are significant"),
    "cases": _Declared("How many people are cases"),
    "variance": _Declared("How much phenotypes vary"),
    "median": _Declared("Where phenotypes are divided in halves"),
    "snps": _Declared("SNPs that were found or asked for", ("SNP",)),
    "blocks": _Declared("Blocks of correlated SNPs", ("ROUND",), (*OPTIONAL, "CHR")),
    "pairs": _Declared("Correlations of SNPs", ("SNP_A", "SNP_B")),
    "selections": _Declared("How far the selected answers may be off", ("WHAT",)),
    "scan": _Declared("Every SNP: score test and odds ratio", ("SNP",), SCAN_OPTIONAL),
    "regions": _Declared("Regions of significant SNPs", ("LEAD",), REGIONS_OPTIONAL),
    "effects": _Declared("Effects of the SNPs that were found or asked for", ("SNP",), OF_CASES),
}
_MOST_INT64: Final = 2**63 - 1
_PLACE: Final = ("CHR", "SNP", "BP", "A1", "A2")
_RANGES: Final = tuple(_with_range(name, "") for name in ("P", "LOG10_P", "OR", "F_A", "F_U"))
_BLOCK: Final = ("CHR", "BP1", "BP2", "KB", "NSNPS", "FIRST", "LAST", "SNPS")
_PAIR: Final = ("BOTH", "A_ONLY", "B_ONLY", "NEITHER")


def _counts(plan: Plan) -> list[str]:
    """The columns of the noisy counts of a SNP."""
    kinds = ("0", "1", "2") if plan.model in ("genotypic", "allelic") else missing_calls.CELLS[plan.missing]
    return [f"{status}_{each}" for status in ("CASES", "CONTROLS") for each in kinds]


def _measure(question: Question) -> str:
    """The column of the correlation of a pair."""
    return "DP" if isinstance(question, SnpCorr) and question.correlation == "dprime" else "R2"


def schemas(plan: Plan, question: Question) -> dict[str, pa.Schema]:
    """The tables of a release, by name, with their columns: public."""
    ordered = () if question.kind == "snp_pval" else ("ROUND",)
    tested = ("TEST", *_counts(plan), *(name for ends in _RANGES for name in ends), *missing_calls.ranges_of(plan))
    columns = {
        "number": ("TEST", "LOW", "HIGH"),
        "cases": ("CASES", "EPSILON"),
        "variance": ("SQUARES", "EPSILON"),
        "median": ("MEDIAN", "OFF_BY", "EPSILON"),
        "snps": (*ordered, *_PLACE, *(() if question.kind in ("loc_sig", "explore_effects") else tested)),
        "blocks": ("ROUND", *_BLOCK),
        "pairs": ("CHR_A", "BP_A", "SNP_A", "CHR_B", "BP_B", "SNP_B", *_PAIR, *_with_range(_measure(question), "")),
        "selections": ("WHAT", "CANDIDATES", "ROUNDS", "EPSILON", "OFF_BY"),
        "scan": tuple(scan_of(plan)),
        "regions": tuple(regions_of(plan)),
        "effects": (*_PLACE, *effects_of(plan)),
    }
    _, names = ANSWERS[question.kind]
    names += ("cases" if plan.between is None else "variance",) if _paid(question) else ()
    names += ("median",) if isinstance(question, Scan) and question.median_epsilon is not None else ()
    return {name: pa.schema([(column, COLUMNS[column][0]) for column in columns[name]]) for name in names}


def _paid(question: Question) -> Fraction | None:
    """What of epsilon pays for the number of cases, or of squares."""
    return getattr(question, "prevalence_epsilon", None)


def words_of(plan: Plan, name: str) -> dict[str, str]:
    """What the columns of a table mean, where the plan or the table has its own meaning of some."""
    if name in ("scan", "regions"):
        return WORDS | {column: words for column, (_, words) in (scan_of(plan) | regions_of(plan)).items() if words}
    if name == "effects":
        return WORDS | {column: words for column, (_, words) in effects_of(plan).items()}
    return WORDS if plan.unit == "person" else WORDS | {"TEST": "score: the score test, adjusted as the plan says"}


def tables(plan: Plan, question: Question) -> tuple[Table, ...]:
    """The tables of a release as they are declared, each as Parquet and as CSV."""
    return tuple(
        Table(
            name,
            TABLES[name].title if name != "scan" or plan.between is None else "Every SNP: score test and effect",
            schema,
            words_of(plan, name),
            *TABLES[name][1:],
            (Text("csv", {column: column for column in schema.names}),),
        )
        for name, schema in schemas(plan, question).items()
    )


def list_sheet(path: str, schema: pa.Schema) -> Sheet:
    """The plan's SNP list for the data package."""
    columns = tuple(column(field.name, field.type, WORDS[field.name]) for field in schema)
    return Sheet(path, "The public SNP list, in plan order", columns, ("SNP",))


def filled(plan: Plan, question: Question, estimated: Estimated) -> dict[str, pa.Table]:
    """The tables of a release with their rows, by name."""
    answer, error = estimated.answer, estimated.error
    held: dict[str, Columns] = {}
    if isinstance(answer, ScanAnswer):
        assert estimated.rows is not None
        held["scan"], held["regions"] = scan_columns(plan, estimated.rows), region_columns(answer.regions)
        held["median"] = median_columns(question, answer.median)
    elif isinstance(answer, EffectsAnswer):
        held["effects"] = _effects(plan, answer)
    elif isinstance(answer, Number):
        held["number"] = _number(question, answer)
    elif isinstance(answer, SelectedSnps):
        held["snps"] = _places(plan, answer.snps)
    elif isinstance(answer, Block):
        held["blocks"] = _blocks(plan, (answer,))
    elif isinstance(answer, PValue):
        held["snps"] = _places(plan, (answer.snp,)) | _p_values(plan, (answer,))
    elif isinstance(answer, Correlated):
        held["pairs"] = _pair(plan, question, answer)
    elif isinstance(answer, Exploration | EffectsExploration):
        held |= _explored(plan, question, answer)
    number = answer.number if isinstance(answer, EffectsExploration) else answer
    for name, field in (("cases", "cases"), ("variance", "squares")):
        if (value := getattr(number, field, None)) is not None:
            held[name] = {field.upper(): [value], "EPSILON": [str(_paid(question))]}
    if isinstance(error, Selected):
        names, errors = zip(*selections(error), strict=True)
        held["selections"] = {
            "WHAT": names,
            "CANDIDATES": [each.candidates for each in errors],
            "ROUNDS": [each.rounds for each in errors],
            "EPSILON": [str(each.epsilon) for each in errors],
            # No score is off by more than an int64 holds, whatever the budget of a question that was charged before it had a least.
            "OFF_BY": [min(each.within(1 - CONFIDENCE), _MOST_INT64) for each in errors],
        }
    return {
        name: pa.table({column: held[name][column] for column in schema.names}, schema=schema)
        for name, schema in schemas(plan, question).items()
    }


def _explored(plan: Plan, question: Question, answer: Exploration | EffectsExploration) -> dict[str, Columns]:
    held: dict[str, Columns] = {"number": _number(question, answer.number)}
    places = _places(plan, answer.located.snps)
    if isinstance(answer, Exploration):
        return held | {"snps": places | _p_values(plan, answer.p_values), "blocks": _blocks(plan, answer.blocks)}
    return held | {"snps": places, "effects": _effects(plan, answer.effects)}


def _effects(plan: Plan, answer: EffectsAnswer) -> Columns:
    return _places(plan, [each.snp for each in answer.effects]) | effects_columns(answer)


def _number(question: Question, answer: Number) -> Columns:
    assert isinstance(question, NumSig | Explore | ExploreEffects)
    return {"TEST": [question.test], "LOW": [answer.low], "HIGH": [answer.high]}


def _places(plan: Plan, ids: Sequence[str]) -> dict[str, Sequence[Any]]:
    at = np.array([plan.snps.indices[snp] for snp in ids], dtype=np.int64)
    return {"ROUND": range(1, len(at) + 1), **place_columns(plan.snps.taken(at))}


def _p_values(plan: Plan, p_values: Sequence[PValue]) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {"TEST": [each.test for each in p_values]}
    columns |= {name: [each.counts[cell] for each in p_values] for cell, name in enumerate(_counts(plan))}
    columns |= _ends("P", [Interval(each.p, each.low, each.high) for each in p_values])
    columns |= _ends("LOG10_P", [each.log10 for each in p_values])
    columns |= _ends("OR", [each.effect.odds_ratio for each in p_values]) | missing_calls.missing_columns(p_values)
    columns |= _ends("F_A", [each.effect.cases for each in p_values])
    return columns | _ends("F_U", [each.effect.controls for each in p_values])


def _ends(name: str, intervals: Sequence[Interval]) -> dict[str, Sequence[Any]]:
    """Values and the ends of their ranges, as three columns."""
    values = zip(*((each.estimate, each.low, each.high) for each in intervals), strict=True)
    return dict(zip(_with_range(name, ""), values if intervals else ((), (), ()), strict=True))


def _blocks(plan: Plan, blocks: Sequence[Block]) -> Columns:
    snps, rows = plan.snps, []
    for block in blocks:
        row: dict[str, Any] = dict.fromkeys(_BLOCK) | {"NSNPS": block.snps}
        if block.first is not None and block.last is not None:
            first, last = snps.indices[block.first], snps.indices[block.last]
            begin, end = int(snps.positions[first]), int(snps.positions[last])
            row |= {"CHR": snps.chromosomes[first], "BP1": begin, "BP2": end, "KB": (end - begin + 1) / 1000}
            row |= {"FIRST": block.first, "LAST": block.last, "SNPS": "|".join(snps.ids[first : last + 1])}
        rows.append(row)
    return {"ROUND": range(1, len(blocks) + 1), **{name: [row[name] for row in rows] for name in _BLOCK}}


def _pair(plan: Plan, question: Question, answer: Correlated) -> Columns:
    columns: dict[str, Sequence[Any]] = {name: [count] for name, count in zip(_PAIR, answer.counts, strict=True)}
    for end, snp in (("A", answer.first), ("B", answer.second)):
        place = plan.snps.indices[snp]
        columns[f"CHR_{end}"], columns[f"SNP_{end}"] = [plan.snps.chromosomes[place]], [snp]
        columns[f"BP_{end}"] = [int(plan.snps.positions[place])]
    return columns | _ends(_measure(question), [answer.value])


def selections(error: Selected) -> list[tuple[str, SelectionError]]:
    """Each selected answer by a name, with how far it may be off."""
    if isinstance(error, SelectionError):
        return [("answer", error)]
    located = [] if error.located is None else [("snps", error.located)]
    blocks = error.blocks if isinstance(error, ExplorationError) else ()
    return [("number", error.number), *located, *((f"block {at}", each) for at, each in enumerate(blocks, 1))]

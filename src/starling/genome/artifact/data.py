"""The tables of a genome release, made of what is told."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from starling.genome.artifact.columns import schemas
from starling.genome.inference.answers import SelectionError
from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.plan import Explore, NumSig, Plan, Question
from starling.genome.postprocess import Correlated, Estimated, Exploration, ExplorationError, PValue
from starling.genome.postprocess.estimates import CONFIDENCE


def tables(plan: Plan, question: Question, told: Estimated) -> dict[str, pa.Table]:
    """Every table of a release, by name."""
    made: dict[str, Mapping[str, Sequence[Any]]] = {}
    answer, error = told.answer, told.error
    if isinstance(answer, Number):
        made["number"] = _number(question, answer)
    elif isinstance(answer, SelectedSnps):
        made["snps"] = _places(plan, answer)
    elif isinstance(answer, Block):
        made["blocks"] = _blocks(plan, (answer,))
    elif isinstance(answer, PValue):
        made["snps"] = _places(plan, SelectedSnps((answer.snp,))) | _p_values(plan, question, (answer,))
    elif isinstance(answer, Correlated):
        made["pairs"] = _pair(plan, question, answer)
    elif isinstance(answer, Exploration):
        made["number"] = _number(question, answer.number)
        made["snps"] = _places(plan, answer.located) | _p_values(plan, question, answer.p_values)
        made["blocks"] = _blocks(plan, answer.blocks)
    if isinstance(error, SelectionError | ExplorationError):
        made["selections"] = _selections(error)
    return {
        name: pa.table({column: made[name][column] for column in schema.names}, schema=schema)
        for name, schema in schemas(plan, question).items()
    }


def _number(question: Question, answer: Number) -> dict[str, Sequence[Any]]:
    assert isinstance(question, NumSig | Explore)
    return {"TEST": [question.test], "LOW": [answer.low], "HIGH": [answer.high]}


def _places(plan: Plan, answer: SelectedSnps) -> dict[str, Sequence[Any]]:
    snps = plan.snps
    places = [snps.indices[snp] for snp in answer.snps]
    return {
        "ROUND": range(1, len(places) + 1),
        "CHR": [snps.chromosomes[place] for place in places],
        "SNP": answer.snps,
        "BP": [int(snps.positions[place]) for place in places],
        "A1": [snps.carried[place] for place in places],
        "A2": [snps.other[place] for place in places],
    }


def _p_values(plan: Plan, question: Question, found: Sequence[PValue]) -> dict[str, Sequence[Any]]:
    names = [name for name in schemas(plan, question)["snps"].names if name.startswith(("CASES", "CONTROLS"))]
    return {
        "TEST": [each.test for each in found],
        **{name: [each.counts[cell] for each in found] for cell, name in enumerate(names)},
        "P": [each.p for each in found],
        "P_LOW": [each.low for each in found],
        "P_HIGH": [each.high for each in found],
        "LOG10_P": [each.log10.estimate for each in found],
        "LOG10_P_LOW": [each.log10.low for each in found],
        "LOG10_P_HIGH": [each.log10.high for each in found],
        **_ends("OR", [each.effect.odds_ratio for each in found]),
        **_ends("F_A", [each.effect.cases for each in found]),
        **_ends("F_U", [each.effect.controls for each in found]),
    }


def _ends(name: str, found: Sequence[Interval]) -> dict[str, Sequence[Any]]:
    """A value and the ends of its range, as three columns."""
    return {
        name: [each.estimate for each in found],
        f"{name}_LOW": [each.low for each in found],
        f"{name}_HIGH": [each.high for each in found],
    }


def _blocks(plan: Plan, found: Sequence[Block]) -> dict[str, Sequence[Any]]:
    rows = [_block(plan, block) for block in found]
    made: dict[str, Sequence[Any]] = {name: [row[name] for row in rows] for name in _block(plan, Block(None, None, 0))}
    return {"ROUND": range(1, len(found) + 1), **made}


def _block(plan: Plan, block: Block) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("CHR", "BP1", "BP2", "KB", "FIRST", "LAST", "SNPS"))
    row["NSNPS"] = block.snps
    if block.first is not None and block.last is not None:
        snps, first, last = plan.snps, plan.snps.indices[block.first], plan.snps.indices[block.last]
        begin, end = int(snps.positions[first]), int(snps.positions[last])
        row |= {"CHR": snps.chromosomes[first], "BP1": begin, "BP2": end, "KB": (end - begin + 1) / 1000}
        row |= {"FIRST": block.first, "LAST": block.last, "SNPS": "|".join(snps.ids[first : last + 1])}
    return row


def _pair(plan: Plan, question: Question, answer: Correlated) -> dict[str, Sequence[Any]]:
    made: dict[str, Sequence[Any]] = {}
    for end, snp in (("A", answer.first), ("B", answer.second)):
        place = plan.snps.indices[snp]
        made |= {
            f"CHR_{end}": [plan.snps.chromosomes[place]],
            f"BP_{end}": [int(plan.snps.positions[place])],
            f"SNP_{end}": [snp],
        }
    counts = zip(("BOTH", "A_ONLY", "B_ONLY", "NEITHER"), answer.counts, strict=True)
    value, low, high = schemas(plan, question)["pairs"].names[-3:]
    ends = {value: [answer.value.estimate], low: [answer.value.low], high: [answer.value.high]}
    return made | {name: [count] for name, count in counts} | ends


def selections(error: SelectionError | ExplorationError) -> list[tuple[str, SelectionError]]:
    """Each selected answer by a name, with how far it may be off."""
    if isinstance(error, SelectionError):
        return [("answer", error)]
    found = [("number", error.number)]
    if error.located is not None:
        found.append(("snps", error.located))
    return found + [(f"block {number}", each) for number, each in enumerate(error.blocks, 1)]


def _selections(error: SelectionError | ExplorationError) -> dict[str, Sequence[Any]]:
    named = selections(error)
    return {
        "WHAT": [name for name, _ in named],
        "CANDIDATES": [each.candidates for _, each in named],
        "ROUNDS": [each.rounds for _, each in named],
        "EPSILON": [str(each.epsilon) for _, each in named],
        "OFF_BY": [each.within(1 - CONFIDENCE) for _, each in named],
    }

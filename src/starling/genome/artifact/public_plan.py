"""What is public of a release, in its folder: the plan, its SNP list, and the question, without the files that they came from.

`plan/plan.json` has the plan's choices and the digest of the list, `plan/snps.parquet` the list in plan order, `plan/question.json`
what was asked. The JSON files are canonical: one plan gives one text.
"""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError
from starling.genome.plan import QUESTIONS, Plan, Question, Region, Snps, kind
from starling.genome.plan.snps import MOST_SNPS, in_plan_order
from starling.planfile.spelling import LONGEST_NAME
from starling.release import public_json
from starling.release.arithmetic import rational
from starling.release.manifest import AGAIN
from starling.release.public_json import refuse, text, truth, whole
from starling.release.request import plain
from starling.release.statement import Json

PLAN: Final = "plan/plan.json"
SNPS: Final = "plan/snps.parquet"
QUESTION: Final = "plan/question.json"
FORMAT: Final = "starling-genome-plan/1"
QUESTION_FORMAT: Final = "starling-genome-question/1"

SNP_COLUMNS: Final = {
    "CHR": pa.string(),
    "SNP": pa.string(),
    "BP": pa.int64(),
    "A1": pa.string(),
    "A2": pa.string(),
}
"""Of the list; A1 is the allele whose copies are counted."""


def write_public(folder: Path, plan: Plan, question: Question) -> None:
    """Write the three files below `folder`."""
    (folder / "plan").mkdir()
    public_json.write(folder, PLAN, plan_json(plan))
    public_json.write(folder, QUESTION, question_json(question))
    pq.write_table(snps_table(plan.snps), folder / SNPS, compression="zstd")


def read_public(folder: Path) -> tuple[Plan, Question]:
    """What `write_public` wrote.

    Raises:
        IntegrityError: a file is not what it writes.
        PlanError, ParameterError: they state a plan or a question that cannot be.
    """
    snps = read_snps(folder)
    plan = public_json.read(folder, PLAN, lambda data: _plan(data, snps), plan_json)
    question = public_json.read(folder, QUESTION, _question, question_json)
    question.check(plan)
    return plan, question


def plan_json(plan: Plan) -> dict[str, Json]:
    """A plan, its SNP list by number and digest."""
    return {
        "format": FORMAT,
        "title": plan.title,
        "people": plan.people,
        "snps": len(plan.snps),
        "snps_sha256": plan.snps.digest,
        "build": plan.build,
        "model": plan.model,
        "tests": list[Json](plan.tests),
        "alpha": str(plan.alpha),
        "case": plan.case,
        "phenotype": plan.phenotype,
        "ids": plan.ids,
        "regions": [plain(region) for region in plan.regions],
    }


def question_json(question: Question) -> dict[str, Json]:
    """A question, amounts as exact rationals."""
    return {"format": QUESTION_FORMAT, "ask": kind(question), **plain(question)}


def snps_table(snps: Snps) -> pa.Table:
    """The list in plan order."""
    columns = (snps.chromosomes, snps.ids, snps.positions, snps.carried, snps.other)
    return pa.table(dict(zip(SNP_COLUMNS, columns, strict=True)), schema=pa.schema(list(SNP_COLUMNS.items())))


def read_snps(folder: Path) -> Snps:
    """The list of a release.

    Raises:
        IntegrityError: it is none.
    """
    try:
        table = _read_table(folder / SNPS)
    except (OSError, pa.ArrowException):
        table = None
    if table is None:
        raise IntegrityError(field=SNPS, problem="is not as Starling writes it", fix=AGAIN)
    chromosomes, ids, carried, other = (tuple(table[name].to_pylist()) for name in ("CHR", "SNP", "A1", "A2"))
    # All at once: a list may have many million names, and one look at them together is fast.
    for names in (chromosomes, ids, carried, other):
        if not "".join(names).isprintable() or max(map(len, names)) > LONGEST_NAME or not all(map(str.strip, names)):
            raise IntegrityError(field=SNPS, problem="holds a name that cannot be shown", fix=AGAIN)
    snps = Snps(ids, chromosomes, table["BP"].to_numpy(), carried, other)
    if not in_plan_order(snps):
        raise IntegrityError(field=SNPS, problem="is no SNP list in plan order", fix=AGAIN)
    return snps


def _read_table(path: Path) -> pa.Table | None:
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        if schema.names != list(SNP_COLUMNS) or schema.types != list(SNP_COLUMNS.values()):
            return None
        # Ids are all different, so that each takes a byte at least, however it is packed: a small file does not become a large list.
        if not 1 <= file.metadata.num_rows <= min(MOST_SNPS, path.stat().st_size):
            return None
        table = file.read()
    return None if any(column.null_count for column in table.columns) else table


def _plan(data: Any, snps: Snps) -> Plan:
    regions = tuple(
        Region(text(each["name"]), text(each["chromosome"]), whole(each["low"]), whole(each["high"]))
        for each in data["regions"]
    )
    if not regions:
        refuse()
    return Plan(
        title=text(data["title"]),
        people=whole(data["people"]),
        snps=snps,
        model=data["model"],
        tests=tuple(map(text, data["tests"])),
        alpha=rational(data["alpha"]),
        regions=regions,
        case=text(data["case"]),
        phenotype=_or_none(text)(data["phenotype"]),
        build=data["build"],
        ids=data["ids"],
    )


def _question(data: Any) -> Question:
    made = QUESTIONS[data["ask"]]
    found: Question = made(**{field.name: _FIELDS[field.name](data[field.name]) for field in fields(made)})
    return found


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(text, value)) if isinstance(value, list) else refuse()


def _stretches(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((text(first), text(last)) for first, last in value)


_FIELDS: Final[dict[str, Callable[[Any], Any]]] = {
    "test": text,
    "k": whole,
    "epsilon": rational,
    "selection": text,
    "regions": _or_none(_texts),
    "excluding": _stretches,
    "correlation": text,
    "delta_c": rational,
    "snps": _texts,
    "longest": _or_none(whole),
    "snp": text,
    "first": text,
    "second": text,
    "noise": text,
    "most": whole,
    "independent": truth,
}
"""How each field of a question is read; fields of one name say the same in all of them."""

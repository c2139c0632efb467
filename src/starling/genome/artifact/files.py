"""What a release holds as files: what is public of it, without the files that it came from, and the noisy answer as it was drawn.

`plan/plan.json` has the plan's choices and the digest of the SNP list, `plan/snps.parquet` the list in plan order, `plan/question.json`
what was asked, `measurements/drawn.json` the noisy answer; all that is told is a function of these. The JSON files are canonical: one plan
gives one text.
"""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError
from starling.genome.artifact.scans import place_columns, read_columns, read_scan, write_scan
from starling.genome.measurements import (
    Block,
    Cells,
    Drawn,
    Explored,
    ExploredEffects,
    NoisyMoments,
    NoisyScores,
    Number,
    Scanned,
    SelectedSnps,
)
from starling.genome.plan import Plan, Question, Snps
from starling.genome.plan.snps import in_plan_order
from starling.planfile.spelling import LONGEST_NAME
from starling.release import public_json
from starling.release.codec import Json, decode, encode
from starling.release.encrypted import Create
from starling.release.manifest import DOWNLOAD_AGAIN

PLAN: Final = "plan/plan.json"
SNPS: Final = "plan/snps.parquet"
QUESTION: Final = "plan/question.json"
DRAWN: Final = "measurements/drawn.json"
ANSWERS: Final[dict[str, tuple[Any, tuple[str, ...]]]] = {
    "num_sig": (Number, ("number", "selections")),
    "loc_sig": (SelectedSnps, ("snps", "selections")),
    "loc_block": (Block, ("blocks", "selections")),
    "snp_pval": (Cells, ("snps",)),
    "snp_corr": (Cells, ("pairs",)),
    "explore": (Explored, ("number", "snps", "blocks", "selections")),
    "snp_effects": (NoisyScores, ("effects",)),
    "explore_effects": (ExploredEffects, ("number", "snps", "effects", "selections")),
    "scan": (Scanned, ("scan", "regions")),
}
"""What each kind of question is answered by, and the tables of its release."""

SNP_SCHEMA: Final = pa.schema(
    [(name, pa.int64() if name == "BP" else pa.string()) for name in ("CHR", "SNP", "BP", "A1", "A2")]
)
"""The columns of the list; A1 is the allele whose copies are counted."""


def write_public(folder: Path, plan: Plan, question: Question) -> None:
    """Write the three files below `folder`."""
    write_plan(folder, plan)
    public_json.write(folder, QUESTION, encode(Question, question))


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan and its list below `folder`."""
    (folder / "plan").mkdir()
    public_json.write(folder, PLAN, encode(Plan, plan, _list_json(plan.snps)))
    pq.write_table(pa.table(place_columns(plan.snps), schema=SNP_SCHEMA), folder / SNPS, compression="zstd")


def read_public(folder: Path) -> tuple[Plan, Question]:
    """What `write_public` wrote. Raises IntegrityError where a file is not what it writes, and PlanError or ParameterError where they state
    a plan or a question that cannot be.
    """
    plan = read_plan(folder)
    question: Question = public_json.read(folder, QUESTION, partial(decode, Question), partial(encode, Question))
    question.check(plan)
    return plan, question


def read_plan(folder: Path) -> Plan:
    """What `write_plan` wrote. Raises IntegrityError where a file is not what it writes, and PlanError where they state a plan that cannot
    be.
    """
    snps = read_snps(folder)
    listed = _list_json(snps)
    read, written = partial(decode, Plan, instead={"snps": snps}), partial(encode, Plan, instead=listed)
    plan: Plan = public_json.read(folder, PLAN, read, written)
    return plan


def _list_json(snps: Snps) -> dict[str, Json]:
    """What stands for the SNP list in the plan: its length and its digest."""
    return {"snps": {"number": len(snps), "sha256": snps.digest}}


def read_snps(folder: Path) -> Snps:
    """The list of a release. Raises IntegrityError where it is none."""
    # Ids are all different, so that each takes a byte at least, however it is packed: a small file does not become a large list.
    table = read_columns(folder, SNPS, SNP_SCHEMA, row_bytes=1)
    chromosomes, ids, carried, other = (tuple(table[name].to_pylist()) for name in ("CHR", "SNP", "A1", "A2"))
    # All at once: a list may have many million names, and one look at them together is fast.
    for names in (chromosomes, ids, carried, other):
        if not "".join(names).isprintable() or max(map(len, names)) > LONGEST_NAME or not all(map(str.strip, names)):
            raise IntegrityError(SNPS, "holds a name that cannot be shown", DOWNLOAD_AGAIN)
    snps = Snps(ids, chromosomes, table["BP"].to_numpy(), carried, other)
    if not in_plan_order(snps):
        raise IntegrityError(SNPS, "is no SNP list in plan order", DOWNLOAD_AGAIN)
    return snps


def write_drawn(create: Create, drawn: Drawn) -> None:
    """Write the file, of a scan both files; `create` makes them."""
    if isinstance(drawn, Scanned):
        write_scan(create, DRAWN, drawn)
        return
    with create(DRAWN) as file:
        file.write(public_json.form(encode(type(drawn), drawn)).encode())


def read_drawn(folder: Path, question: Question, *, moments: bool = False) -> Drawn:
    """What `write_drawn` wrote for a question of this kind, of plans `by_moments` their answer; whether the answer fits it,
    `inference.answer_validation` says. Raises IntegrityError where it is no such file.
    """
    if question.kind == "scan":
        return read_scan(folder, DRAWN)
    answer = NoisyMoments if moments else ANSWERS[question.kind][0]
    drawn: Drawn = public_json.read(folder, DRAWN, partial(decode, answer), partial(encode, answer))
    return drawn

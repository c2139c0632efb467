"""What is wrong with the records of a VCF or BCF: another reading of the file, for its custodian."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from starling.errors import SHOWN, Problem
from starling.genome.plan import Plan
from starling.genome.plan.sites import chromosome
from starling.genome.source.vcf import alleles_of, carried_index, name_of, records
from starling.planfile.spelling import shown

_FIX = {
    "malformed records": "write them again; bcftools view names them",
    "records": "keep one record of each SNP; the first counts",
    "place": "use one build of the genome; its calls count until then",
    "alleles": "write the carried allele; until then nobody carries it",
    "calls": "write GT; until then all calls are missing",
    "SNPs of the list": "nothing to do if nobody carries them; until then it counts so",
}
_PROBLEM = {
    "malformed records": "cannot be parsed, and are passed over",
    "records": "are several of one SNP",
    "place": "is another one than in the plan's list",
    "alleles": "do not have the carried one among them",
    "calls": "are not in the record",
    "SNPs of the list": "have no record",
}


class Records(NamedTuple):
    """What is wrong with the records of a file.

    Attributes:
        decisive: What is wrong with the file as a whole.
        faults: The field of each kind of fault, with the first problems and how many there are.
    """

    decisive: list[Problem]
    faults: list[tuple[str, list[Problem], int]]


def check_records(path: Path, plan: Plan, most: int = SHOWN) -> Records:
    """Read a file; `most`: how many problems of each kind are listed."""
    counts: Counter[str] = Counter()
    first: dict[str, list[str]] = {field: [] for field in _FIX}

    def fault(field: str, name: str) -> None:
        counts[field] += 1
        if len(first[field]) < most:
            first[field].append(name)

    seen: set[int] = set()
    number = 0
    for record in records(path, lambda: fault("malformed records", "")):
        number += 1
        at = plan.snps.indices.get(name_of(record))
        if at is None:
            continue
        for field in _faults(record, plan, at, twice=at in seen):
            fault(field, plan.snps.ids[at])
        seen.add(at)
    for at, name in enumerate(plan.snps.ids):
        if at not in seen:
            fault("SNPs of the list", name)
    decisive = []
    if not number:
        fix = "give the file that holds them"
        decisive.append(Problem("records", "are none that can be read: nobody carries any SNP", fix, path.name))
    elif not seen:
        problem = f"are {number:,}, and none is of the plan's list: nobody carries any SNP"
        fix = f"look at the ids (the first of the list is {shown(plan.snps.ids[0])}) and at the genome build"
        decisive.append(Problem("records", problem, fix, path.name))
    faults = []
    for field, total in counts.items():
        problems = [
            Problem(f"{field} of {shown(name)}" if name else field, _PROBLEM[field], _FIX[field], path.name)
            for name in first[field]
        ]
        faults.append((field, problems, total))
    return Records(decisive, faults)


def _faults(record: Any, plan: Plan, at: int, *, twice: bool) -> Iterator[str]:
    snps = plan.snps
    if twice:
        yield "records"
        return
    if (chromosome(record.CHROM), record.POS) != (snps.chromosomes[at], snps.positions[at]):
        yield "place"
    if carried_index(record, snps.carried[at]) > len(record.ALT):
        yield "alleles"
    if alleles_of(record) is None:
        yield "calls"

"""What is wrong with the records of a study, for their custodian's eyes: never part of a release, never told by one.

A query reads what is wrong by stated rules, silently. Here every broken rule is counted and the first places are named; a call or a
phenotype is never repeated. The records pass `trust.inspect`, so the answer is marked NotPrivate.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from starling.errors import SHOWN, Found, Problem
from starling.genome.plan import Plan
from starling.genome.source.calls import Calls, Int8, Int64, code_counts, copies
from starling.genome.source.genotypes import Genotypes, read
from starling.genome.source.people import PeopleFile
from starling.genome.source.relatives import DUPLICATE, FIRST_DEGREE, LEAST_SPAN, MOST_PEOPLE, kin, span, spread
from starling.planfile.spelling import shown
from starling.privacy.trust import Confidential, NotPrivate, inspect

MISSING_WORDS: Final = (b"", b"-9", b"0", b"NA", b"nan", b"NaN", b"N/A", b".")
"""Phenotypes that say that there is none."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What `validate` found.

    Attributes:
        people: n.
        cases: People who count as cases.
        missing: Share of all calls that are missing.
        problems: What a query reads otherwise than the file may have meant it, or not at all.
        notes: What is in order but should be known: people who are duplicates or relatives, SNPs that nobody or everybody carries.
    """

    people: int
    cases: int
    missing: float
    problems: Found
    notes: Found

    def refuse(self) -> None:
        """Raises RecordsInvalid, with the first problems and how many there are, if there are any."""
        self.problems.refuse()


class _Tally:
    """Counts faults by field and keeps the first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, list[Problem]] = {}

    def add(self, field: str, problems: Iterable[Problem], total: int) -> None:
        """`total` faults of one field, of which `problems` are the first."""
        if total:
            self._counts[field] += total
            self._first.setdefault(field, []).extend(problems)

    def found(self) -> Found:
        each = max(1, SHOWN // max(1, len(self._first)))
        first = [problem for problems in self._first.values() for problem in problems[:each]]
        return Found(sum(self._counts.values()), dict(self._counts), tuple(first[:SHOWN]))


def validate(plan: Plan, genotypes: Genotypes) -> NotPrivate[Validation]:
    """Read all records and tell the custodian what is wrong with them.

    Args:
        plan: Says what is expected.
        genotypes: The files, whose public shape fitted the plan.

    Raises:
        SourceError: when a file is no longer the one that was checked.
    """
    return inspect(Confidential(partial(_validation, plan, genotypes)))


def _validation(plan: Plan, genotypes: Genotypes) -> Validation:
    problems, notes = _Tally(), _Tally()
    cases = genotypes.people.cases(plan.people)
    _phenotypes(genotypes, plan, int(cases.sum()), problems)
    _people(genotypes, problems)
    counts, sample = _calls(plan, genotypes)
    _snps(plan, counts, problems, notes)
    if genotypes.kind == "vcf":
        from starling.genome.source.vcf_validation import check_records

        for field, some, total in check_records(genotypes.path, plan):
            problems.add(field, some, total)
    _relatives(sample, plan, notes)
    missing = float(counts[:, 0].sum() / (plan.people * len(plan.snps)))
    return Validation(plan.people, int(cases.sum()), missing, problems.found(), notes.found())


def _phenotypes(genotypes: Genotypes, plan: Plan, cases: int, problems: _Tally) -> None:
    people = genotypes.people
    file = people.phenotypes or people.file
    assert file is not None  # what names no people has a file of phenotypes
    words = people.words()
    absent = [row for row, word in enumerate(words) if word in MISSING_WORDS]
    some = [
        Problem("phenotype", f"of person {row + 1} is missing", "such a person is a control", file.path.name)
        for row in absent[:SHOWN]
    ]
    problems.add("phenotype", some, len(absent))
    known = {word for word in words if word not in MISSING_WORDS}
    if len(known - {plan.case.encode()}) > 1:
        fix = "code cases and controls by two words; everybody but the plan's case is a control"
        problems.add("phenotype", [Problem("phenotype", "has more than two values", fix, file.path.name)], 1)
    if cases in (0, plan.people):
        who = "nobody is a case" if cases == 0 else "everybody is a case"
        fix = f"look at the coding: a case is {shown(plan.case)} in the plan"
        problems.add("phenotype", [Problem("phenotype", f"is constant: {who}", fix, file.path.name)], 1)


def _people(genotypes: Genotypes, problems: _Tally) -> None:
    """Lines that are too short, and people who are named twice."""
    people = genotypes.people
    for file in (people.file, people.phenotypes):
        if file is not None:
            _lines(file, problems)
    if people.phenotypes is not None:
        file = people.phenotypes
        given = Counter(file.key(fields, family=file.has_families) for fields in file.lines())
        several = sum(1 for number in given.values() if number > 1)
        fix = "keep one line of each person; the first counts"
        problems.add("person", [Problem("person", "has several lines", fix, file.path.name)], several)
    keys = Counter(people.keys(family=people.file is not None and people.file.has_families))
    where = genotypes.path.name if people.file is None else people.file.path.name
    twice = [row for row, number in enumerate(keys.values()) if number > 1]
    fix = "give every person an id, and take out one who is there twice"
    problems.add("people", [Problem("people", "have an id twice", fix, where) for _ in twice[:1]], len(twice))


def _lines(file: PeopleFile, problems: _Tally) -> None:
    needed = max(file.phenotype + 1, len(file.columns) if file.phenotype < 0 else 0)
    short = [line for line, fields in file.numbered() if len(fields) < needed]
    some = [
        Problem("line", f"does not have {needed} fields", "write them all", file.path.name, line)
        for line in short[:SHOWN]
    ]
    problems.add("line", some, len(short))


def _calls(plan: Plan, genotypes: Genotypes) -> tuple[Int64, Int8]:
    """Missing calls and copies of the carried allele of each SNP, int64 (m, 2); and copies of A1 for `relatives.kin`."""
    counts = np.zeros((len(plan.snps), 2), dtype=np.int64)
    chosen = spread(len(plan.snps)) if plan.people <= MOST_PEOPLE else np.empty(0, dtype=np.int64)
    sample = np.zeros((len(chosen), plan.people), dtype=np.int8)

    def look(calls: Calls) -> None:
        two, missing, one, none = code_counts(calls.packed, plan.people).T
        counts[calls.snps, 0] = missing
        counts[calls.snps, 1] = one + 2 * np.where(calls.second, none, two)
        mine = np.isin(calls.snps, chosen)
        sample[np.searchsorted(chosen, calls.snps[mine])] = copies(calls.packed[mine], plan.people)

    for _ in read(genotypes, plan, look):
        pass
    return counts, sample


def _snps(plan: Plan, counts: Int64, problems: _Tally, notes: _Tally) -> None:
    def told(which: Int64, problem: str, fix: str) -> list[Problem]:
        return [Problem(shown(plan.snps.ids[at]), problem, fix) for at in which[:SHOWN].tolist()]

    empty = np.flatnonzero(counts[:, 0] == plan.people)
    fix = "nobody carries it then; take it out of the plan's list, or look at the file"
    problems.add("all calls missing", told(empty, "has nothing but missing calls", fix), len(empty))
    called = plan.people - counts[:, 0]
    nobody = np.flatnonzero((counts[:, 1] == 0) & (called > 0))
    fix = "nothing to do; if there are many, look at the carried alleles and the build"
    notes.add("carried by nobody", told(nobody, "is carried by nobody", fix), len(nobody))
    everybody = np.flatnonzero((counts[:, 1] == 2 * called) & (called > 0))
    notes.add("one allele", told(everybody, "has the carried allele alone", fix), len(everybody))


def _relatives(sample: Int8, plan: Plan, notes: _Tally) -> None:
    if not len(sample):
        return
    positions = (plan.snps.positions[start:stop] for start, stop in plan.snps.chromosome_ranges.values())
    fix = "a guarantee for one person is weaker for two who are one or kin: keep one of them"
    pairs = kin(sample, FIRST_DEGREE if span(positions) >= LEAST_SPAN else DUPLICATE)
    for field, which in (
        ("duplicates", [pair for pair in pairs if pair.kinship >= DUPLICATE]),
        ("relatives", [pair for pair in pairs if pair.kinship < DUPLICATE]),
    ):
        some = [
            Problem(field, f"are likely: people {one.first + 1} and {one.second + 1}", fix) for one in which[:SHOWN]
        ]
        notes.add(field, some, len(which))

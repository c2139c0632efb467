"""What is wrong with the records of a study, for their custodian's eyes: never part of a release, never shown by one.

A query reads what is wrong by stated rules, silently. Here every broken rule is counted and the first people, SNPs or lines are named; a
call or a person's phenotype is never repeated. What is wrong with the study as a whole (nobody is a case, nobody of one file is in
the other) is stated before all else. The records pass `trust.inspect`, so the answer is marked NotPrivate.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from starling.errors import SHOWN, Findings, Problem
from starling.genome.arrays import Flags, Float64, Int8, Int64
from starling.genome.plan import Plan
from starling.genome.plan.quantitative import missing_in_words
from starling.genome.plan.sites import chromosome
from starling.genome.source.calls import NO_ALLELE, Calls, Variant, copies
from starling.genome.source.counting import by_allele, genotype_tables, missing_calls, status_masks
from starling.genome.source.covariates import raw_covariates
from starling.genome.source.genotypes import Genotypes, read
from starling.genome.source.missingness import missingness_words
from starling.genome.source.people import named, repeated
from starling.genome.source.relatives import (
    DUPLICATE,
    FIRST_DEGREE,
    LEAST_SPAN,
    MOST_PEOPLE,
    duplicates,
    kin,
    not_looked_for,
    span,
    spread,
)
from starling.genome.source.sexes import XCalls, contradicted, sex_linked, stated_sexes
from starling.genome.source.vcf import unreadable, variants
from starling.genome.statistics.association import log10_p_values
from starling.planfile.spelling import shown
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.codec import Json
from starling.release.domain import Validated

MISSING_WORDS: Final = (b"", b"-9", b"0", b"NA", b"nan", b"NaN", b"N/A", b".")
"""Phenotypes that say that there is none, as far as the plan's word for a case does not make them one."""
_COPIES: Final = np.array([0, 1, 2, 0, 1, 2])
"""Of the people of each cell of a table."""
_TILE: Final = 64
"""SNPs on X that are taken apart at once."""
MOST_WORDS: Final = 5
"""Different phenotypes of a file that a message has, where all people are alike."""


class _Tally:
    """Counts faults by field, keeps the first of each, and what is decisive; lists `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._counts: Counter[str] = Counter()
        self._first: dict[str, list[Problem]] = {}
        self._decisive: list[Problem] = []

    def add(self, field: str, problems: Iterable[Problem], total: int = 1) -> None:
        """`total` faults of one field, which `problems` gives in order; no more are taken than are listed."""
        if total:
            self._counts[field] += total
            first = self._first.setdefault(field, [])
            first.extend(islice(problems, self.most - len(first)))

    def decide(self, *problems: Problem) -> None:
        """What is wrong with the study as a whole."""
        self._decisive += problems

    def findings(self) -> Findings:
        # Of each field the same number where not all fit.
        each = self.most if self._counts.total() <= self.most else max(1, self.most // max(1, len(self._first)))
        first = [problem for problems in self._first.values() for problem in problems[:each]]
        return Findings(self._counts.total(), dict(self._counts), tuple(first[: self.most]), tuple(self._decisive))


def validate(plan: Plan, genotypes: Genotypes, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what a query reads otherwise than the file may have meant it, or not at all.

    Notes are people who are duplicates or relatives, or whose stated sex is not that of their X chromosome, SNPs that nobody or everybody
    carries, and SNPs whose calls are missing more often in cases than in controls, or less often.

    Args:
        plan: Says what is expected.
        genotypes: The files, whose public shape fitted the plan.
        most: How many faults are listed, and how many notes; all are counted.

    Raises:
        SourceError: when a file is no longer the one that was checked.
    """
    return inspect(Confidential(partial(_validated, plan, genotypes, most)))


def _validated(plan: Plan, genotypes: Genotypes, most: int) -> Validated:
    problems, notes = _Tally(most), _Tally(most)
    names = genotypes.people.names()
    cases = genotypes.people.cases(plan.people)
    _phenotypes(genotypes, plan, names, int(cases.sum()), problems)
    _covariates(genotypes, plan, names, problems)
    _people(genotypes, names, problems)
    if genotypes.kind == "vcf":
        _records(genotypes.path, plan, problems)
    x_calls = XCalls(plan.people)
    counts, sample = _calls(plan, genotypes, cases, x_calls, problems)
    _snps(plan, genotypes, counts, problems, notes)
    _missingness(plan, genotypes, counts, int(cases.sum()), notes)
    base_pairs = span(plan.snps.positions[start:stop] for start, stop in plan.snps.chromosome_ranges.values())
    _relatives(sample, base_pairs, names, notes)
    _sexes(genotypes, x_calls, names, notes)
    silent = not_looked_for(len(plan.snps), plan.people, base_pairs)
    missing = float(counts[:, 0].sum() / (plan.people * len(plan.snps)))
    read = f"{plan.people:,} people, {cases.sum():,} of them {_sides(plan)[0]}, {100 * missing:z.3g} % of the"
    read += f" {missingness_words(plan).share}"
    if sites := plan.snps.split_sites[1]:
        read += f"; {plan.snps.split_sites[0]:,} SNPs are alleles of {sites:,} sites, each counted by its own copies"
    read += f" ({silent})" if silent else ""
    values: dict[str, Json] = {"people": plan.people, "cases": int(cases.sum()), "missing_calls": missing}
    return Validated(problems.findings(), notes.findings(), read, values)


def _phenotypes(genotypes: Genotypes, plan: Plan, names: list[str], cases: int, problems: _Tally) -> None:
    people = genotypes.people
    file = people.phenotypes or people.file
    assert file is not None  # what names no people has a file of phenotypes
    phenotypes, case = people.phenotype_words(), plan.case.encode()
    missing = {*MISSING_WORDS} - {case, *((b"0",) if case == b"1" else ())}
    if plan.between is not None:
        missing -= {b"0"}
    elif plan.above is not None:
        missing -= {word for word in missing if people.is_case(word) or word == b"0"}
    unlisted = people.unlisted()
    away = set(unlisted)
    absent = [row for row, word in enumerate(phenotypes) if word in missing and row not in away]
    for rows, problem in ((unlisted, "has no line"), (absent, "has no phenotype")):
        fix = f"such a person is {missing_in_words(plan)}"
        some = (Problem("phenotype", f"of {names[row]}: {problem}", fix, file.path.name) for row in rows)
        problems.add("phenotype", some, len(rows))
    if people.phenotypes is not None and len(unlisted) == plan.people:
        example = next((named(file.key(fields, family=people.by_family)) for fields in file.lines()), "nobody")
        problem = f"names nobody of the genotypes: {names[0]} is the first there, {example} here; everybody is {missing_in_words(plan)}"
        problems.decide(Problem("person", problem, "give the phenotypes of this study, with its ids", file.path.name))
    elif plan.between is not None:
        if len(set(people.levels(plan.people).tolist())) == 1:
            fix = "look at the column, and at the ends of the plan's range"
            problems.decide(Problem("phenotype", "is constant: everybody is in one step", fix, file.path.name))
    elif cases in (0, plan.people):
        status = "nobody is a case" if cases == 0 else "everybody is a case"
        coding = ", ".join(
            f"{number:,} times {shown(word.decode('utf-8', 'backslashreplace')) or 'nothing'}"
            for word, number in Counter(phenotypes).most_common(MOST_WORDS)
        )
        stated = shown(plan.case) if plan.above is None else plan.case_in_words
        fix = f"look at the coding: a case is {stated} in the plan, the file says {coding}"
        problems.decide(Problem("phenotype", f"is constant: {status}", fix, file.path.name))
    if plan.above is None and plan.between is None and len({*phenotypes} - missing - {case}) > 1:
        fix = "code cases and controls by two phenotypes; everybody but the plan's case is a control"
        problems.add("phenotype", [Problem("phenotype", "has more than two values", fix, file.path.name)])


def _sides(plan: Plan) -> tuple[str, str]:
    """The two groups whose missing calls are compared."""
    if plan.between is None:
        return "cases", "controls"
    return "in the upper half of the range", "in the lower"


def _covariates(genotypes: Genotypes, plan: Plan, names: list[str], problems: _Tally) -> None:
    """People without a number, and columns that are constant or words."""
    file = genotypes.covariates
    if file is None:
        return
    values = raw_covariates(file, genotypes.people, plan.covariates, plan.people)
    for name, column in zip(plan.covariates, values.T, strict=True):
        there = column[~np.isnan(column)]
        if not there.size or there.min() == there.max():
            status = "is constant" if len(there) else "holds no number for anybody of the genotypes"
            problem = f"{shown(name)}: {status}; it adjusts for nothing"
            fix = "write numbers, such as 1 and 2 for two kinds, with the ids of this study"
            problems.decide(Problem("covariates", problem, fix, file.path.name))
            continue
        absent = np.flatnonzero(np.isnan(column)).tolist()
        fix = "such a person has the mean of all others"
        some = (
            Problem("covariates", f"{shown(name)} of {names[row]}: is no number", fix, file.path.name) for row in absent
        )
        problems.add("covariates", some, len(absent))


def _people(genotypes: Genotypes, names: list[str], problems: _Tally) -> None:
    """Lines that are too short, and people who are named twice."""
    people = genotypes.people
    for file in filter(None, (people.file, people.phenotypes, genotypes.covariates)):
        needed = max(file.phenotype + 1, len(file.columns) if file.phenotype < 0 else 0)
        short = [line for line, fields in file.numbered() if len(fields) < needed]
        problem, where = f"does not have {needed} fields", file.path.name
        problems.add("line", (Problem("line", problem, "write them all", where, at) for at in short), len(short))
    for file in filter(None, (people.phenotypes, genotypes.covariates)):
        several, where = file.repeated(), file.path.name
        fix = "keep one line of each person; the first counts"
        some = (Problem("person", f"{name} has several lines", fix, where) for name in several)
        problems.add("person", some, len(several))
    where, repeats = (genotypes.path if people.file is None else people.file.path).name, repeated(names)
    fix = "give every person an id, and take out one who is there twice"
    some = (Problem("people", f"have the id {name} twice", fix, where) for name in repeats)
    problems.add("people", some, len(repeats))


def _calls(plan: Plan, genotypes: Genotypes, cases: Flags, x_calls: XCalls, problems: _Tally) -> tuple[Int64, Int8]:
    """Missing calls, copies of the carried allele and missing calls of cases of each SNP, int64 (m, 3); copies of A1 for `relatives`."""
    counts = np.zeros((len(plan.snps), 3), dtype=np.int64)
    chosen = spread(len(plan.snps), plan.people)
    among = status_masks(cases)
    sample = np.zeros((len(chosen), plan.people), dtype=np.int8)
    linked = sex_linked(plan)

    def look(calls: Calls) -> None:
        missing = missing_calls(calls.packed, among)
        counts[calls.snps, 0], counts[calls.snps, 2] = missing.sum(axis=1), missing[:, 0]
        for rows, bed, allele in by_allele(calls):
            counts[calls.snps[rows], 1] = genotype_tables(bed, among, allele) @ _COPIES
        sampled = np.isin(calls.snps, chosen)
        sample[np.searchsorted(chosen, calls.snps[sampled])] = copies(calls.packed[sampled], plan.people)
        on_x = calls.packed[np.isin(calls.snps, linked)]
        for start in range(0, len(on_x), _TILE):
            x_calls.add(copies(on_x[start : start + _TILE], plan.people))

    def lost(snps: Int64) -> None:
        fix = "write it again from its source; until then all calls are missing"
        some = (
            Problem(f"malformed records of {shown(plan.snps.ids[at])}", "cannot be read", fix, genotypes.path.name)
            for at in snps
        )
        problems.add("malformed records", some, len(snps))

    for _ in read(genotypes, plan, look, lost=lost):
        pass
    return counts, sample


def _snps(plan: Plan, genotypes: Genotypes, counts: Int64, problems: _Tally, notes: _Tally) -> None:
    def named_snps(which: Int64, problem: str, fix: str) -> Iterator[Problem]:
        return (Problem(shown(plan.snps.ids[at]), problem, fix) for at in which[: problems.most].tolist())

    empty = np.flatnonzero(counts[:, 0] == plan.people)
    words = missingness_words(plan)
    problems.add(words.all_field, named_snps(empty, f"has {words.all_have}", words.all_fix), len(empty))
    called = plan.people - counts[:, 0]
    nobody = np.flatnonzero((counts[:, 1] == 0) & (called > 0))
    fix = "nothing to do; if there are many, look at the carried alleles and the build"
    notes.add("carried by nobody", named_snps(nobody, "is carried by nobody", fix), len(nobody))
    everybody = np.flatnonzero((counts[:, 1] == 2 * called) & (called > 0))
    notes.add("one allele", named_snps(everybody, "has the carried allele alone", fix), len(everybody))
    for which, what in ((empty, words.all_have), (nobody, "nobody who carries its allele")):
        if 2 * len(which) > len(plan.snps):
            problem = f"have {what}: {len(which):,} of the {len(plan.snps):,} of the list"
            fix = "look at the file, the carried alleles and the genome build"
            problems.decide(Problem("SNPs", problem, fix, genotypes.path.name))


def _missingness(plan: Plan, genotypes: Genotypes, counts: Int64, cases: int, notes: _Tally) -> None:
    which, p_values = different(counts[:, 2], counts[:, 0], cases, plan.people)
    upper, lower = _sides(plan)
    words = missingness_words(plan)
    some = (
        Problem(
            f"{words.field} of {shown(plan.snps.ids[at])}",
            f"are {counts[at, 2]:,} of {cases:,} {upper} and {counts[at, 0] - counts[at, 2]:,} of {plan.people - cases:,} {lower}, p"
            f" {10**log10:z.2g} by Fisher's test",
            words.fix,
            genotypes.path.name,
        )
        for at, log10 in zip(which.tolist(), p_values.tolist(), strict=True)
    )
    notes.add(words.field, some, len(which))


def _relatives(sample: Int8, base_pairs: int, names: list[str], notes: _Tally) -> None:
    if not len(sample):
        return
    fix = "a guarantee for one person is weaker for two who are one or kin: keep one of them"
    least = FIRST_DEGREE if base_pairs >= LEAST_SPAN else DUPLICATE
    pairs = kin(sample, least) if len(names) <= MOST_PEOPLE else duplicates(sample)
    for field, which in (
        ("duplicates", [pair for pair in pairs if pair.kinship >= DUPLICATE]),
        ("relatives", [pair for pair in pairs if pair.kinship < DUPLICATE]),
    ):
        some = (Problem(field, f"are likely: {names[one.first]} and {names[one.second]}", fix) for one in which)
        notes.add(field, some, len(which))


def _sexes(genotypes: Genotypes, x_calls: XCalls, names: list[str], notes: _Tally) -> None:
    stated, file = stated_sexes(genotypes.people), genotypes.people.file
    rows = contradicted(stated, x_calls.inbreeding())
    fix = "look at the sample: who was swapped has another's phenotype"
    problems = {"man": "is stated as a man's, and X is a woman's", "woman": "is stated as a woman's, and X is a man's"}
    where = None if file is None else file.path.name
    notes.add("sex", (Problem(f"sex of {names[row]}", problems[stated[row]], fix, where) for row in rows), len(rows))


_FAULTS: Final = {
    "malformed records": (
        "cannot be parsed, and are passed over",
        "write them again, with as many fields as the header and a position",
    ),
    "records": ("are several of one SNP", "keep one record of each SNP; the first counts"),
    "place": ("is another one than in the plan's list", "use one build of the genome; its calls count until then"),
    "alleles": ("do not have the carried one among them", "write the carried allele; until then nobody carries it"),
    "calls": ("are not in the record", "write GT; until then all calls are missing"),
    "malformed calls": ("cannot be read", "write alleles as numbers apart by / or |; until then they are missing"),
    "dosages": ("are not in the record", "write DS, GP or GT; until then all are missing"),
    "malformed dosages": (
        "cannot be read",
        "write DS from 0 to 2, or GP that add up to 1; until then they are missing",
    ),
    "SNPs of the list": ("have no record", "nothing to do if nobody carries them; until then it counts so"),
}
"""Each kind of fault of a record, with what is wrong and what to do."""


def _records(path: Path, plan: Plan, problems: _Tally) -> None:
    """What is wrong with the records of a VCF or BCF: another reading of the file."""

    def fault(field: str, name: str) -> None:
        problems.add(field, [Problem(f"{field} of {shown(name)}" if name else field, *_FAULTS[field], path.name)])

    seen: set[int] = set()
    number = 0
    for variant in variants(path, plan.people, lambda: fault("malformed records", "")):
        number += 1
        for at in plan.snps.of_record(variant.name, variant.alleles, variant.place):
            for field in _faults(variant, plan, at, repeated=at in seen):
                fault(field, plan.snps.ids[at])
            seen.add(at)
    for at, name in enumerate(plan.snps.ids):
        # With a cell of their own they are told as SNPs without a call.
        if at not in seen and plan.missing is None:
            fault("SNPs of the list", name)
    if not number:
        fix = "give the file that holds them"
        problems.decide(Problem("records", "are none that can be read: nobody carries any SNP", fix, path.name))
    elif not seen:
        problem = f"are {number:,}, and none is of the plan's list: nobody carries any SNP"
        fix = f"look at the ids (the first of the list is {shown(plan.snps.ids[0])}) and at the genome build"
        problems.decide(Problem("records", problem, fix, path.name))


def _faults(variant: Variant, plan: Plan, at: int, *, repeated: bool) -> Iterator[str]:
    snps = plan.snps
    if repeated:
        yield "records"
        return
    if (chromosome(variant.chromosome), variant.position) != (chromosome(snps.chromosomes[at]), snps.positions[at]):
        yield "place"
    if (carried := variant.allele_index(snps.carried[at])) == NO_ALLELE:
        yield "alleles"
    if variant.calls is None and (plan.genotypes == "calls" or variant.dosages is None):
        yield plan.genotypes
    elif unreadable(variant, carried, plan):
        yield f"malformed {plan.genotypes}"


ALPHA: Final = 0.05
"""The chance that any SNP is named where calls are missing alike in both."""


def different(missing_cases: Int64, missing: Int64, cases: int, people: int) -> tuple[Int64, Float64]:
    """The SNPs that differ, the surest first, and log10 of the p-value of each, from missing calls of cases and of all, int64 (m,).

    As PLINK's --test-missing: Fisher's exact test of each SNP that lacks calls, and Bonferroni's correction for how many do.
    """
    some = np.flatnonzero(missing)
    if not len(some):
        return some, np.empty(0)
    lacking = missing[some] - missing_cases[some]
    tables = np.stack([missing_cases[some], cases - missing_cases[some], lacking, people - cases - lacking], axis=1)
    p_values = log10_p_values(tables, "fisher")
    order = np.argsort(p_values, kind="stable")
    order = order[p_values[order] <= np.log10(ALPHA / len(some))]
    return some[order], p_values[order]

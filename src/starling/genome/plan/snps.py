"""The public SNP list of a study: ids, places, alleles, and which allele counts. It is never taken from the genotypes.

Privacy. Everything here is the same for neighbouring studies because it is read from public files alone. Two things that look public are
often not. A list that was filtered by frequency, Hardy-Weinberg or missingness of the confidential genotypes tells of them; take a list
that others published (of an array, of a reference panel). And PLINK makes the rarer allele of the data its A1 whenever it writes
a .bim; so the allele that is carried comes from the public list as given, or from a file of alleles, and the genotype file may
have its two alleles either way round.

Order: by chromosome, then position, then as listed, so that a region is a range of the list.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError, PlanError, Problem
from starling.genome.plan.alleles import MOST_ALTERNATES, Fault, allele_id, record_id, split, wrong_record
from starling.genome.plan.sites import (
    MOST_POSITION,
    UNKNOWN,
    UNPLACED,
    Listing,
    Site,
    Sites,
    chromosome,
    chromosome_order,
    plain_chromosome,
)
from starling.planfile.spelling import did_you_mean, shown

MOST_SNPS: Final = 1 << 26
"""SNPs of a list, at most."""
MOST_IDS: Final = 8
"""Ids of a record of a genotype file by which its alleles are looked up."""
MOST_SHOWN: Final = 100
"""Ids of an extract list that are told one by one."""
Row: TypeAlias = tuple[str, str, int, str, str]
"""A row of a SNP list: id, chromosome, position, carried allele, other allele."""
_LIST: Final = "snps"
"""What messages call a list that comes from no file."""
_SIMILAR: Final = 10_000
"""Ids of which the nearest to an unknown one is looked for."""


@dataclass(frozen=True, eq=False)
class Snps:
    """A public list of m SNPs, m >= 1, in plan order: ids are all different, chromosomes named as `sites.chromosome` does, positions int64
    (m,) base pairs, and `carried` is the allele whose copies are counted, `other` the other one.
    """

    ids: tuple[str, ...] = field(repr=False)
    chromosomes: tuple[str, ...] = field(repr=False)
    positions: npt.NDArray[np.int64] = field(repr=False)
    carried: tuple[str, ...] = field(repr=False)
    other: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def taken(self, at: npt.NDArray[np.int64]) -> "Snps":
        """Some of these SNPs, by their positions in the list; a list that is a plan's has one at least, ascending."""
        ids, chromosomes, carried, other = (
            tuple(column[index] for index in at.tolist())
            for column in (self.ids, self.chromosomes, self.carried, self.other)
        )
        return Snps(ids, chromosomes, self.positions[at], carried, other)

    def rows_of(self, at: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int64]:
        """By positions in the list, the row of each SNP among those at some positions, in their order, int64 (m,); of all where None."""
        rows = np.arange(len(self), dtype=np.int64)
        if at is not None:
            rows[at] = np.arange(len(at), dtype=np.int64)
        return rows

    @cached_property
    def indices(self) -> dict[str, int]:
        """The position in the list of each id."""
        return {name: index for index, name in enumerate(self.ids)}

    @cached_property
    def _other_names(self) -> dict[str, int]:
        """The position of each SNP by what else its id says: the ids in one of several, and a place with alleles."""
        names: dict[str, int] = {}
        for index, name in enumerate(self.ids):
            for part in _parts(name):
                names.setdefault(part, index)
        return names

    def find(self, name: str) -> int | None:
        """The position of the SNP that an id of a genotype file names; None if there is none.

        An id may be several, apart by semicolons, and the first that is known counts. One that says chromosome, position and alleles is the
        same whichever way the chromosome is written and the alleles stand.
        """
        if (index := self.indices.get(name)) is not None:
            return index
        for part in (name, *_parts(name)):
            for names in (self.indices, self._other_names):
                if (index := names.get(part)) is not None:
                    return index
        return None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole list, hexadecimal."""
        state = hashlib.sha256()
        for column in (self.ids, self.chromosomes, self.carried, self.other):
            state.update("\n".join(column).encode() + b"\n\n")
        state.update(self.positions.astype("<i8").tobytes())
        return state.hexdigest()

    def of_record(self, name: str, alleles: Iterable[str], place: tuple[str, int] | None = None) -> tuple[int, ...]:
        """The positions of the SNPs that a record of a genotype file is: that which its id names, or each that is one of its alleles.

        Args:
            name: Its id, or its place with its alleles where it has none. The first MOST_IDS ids of several are looked up.
            alleles: All of them, of which the first MOST_ALTERNATES + 1 are looked up.
            place: Chromosome and position of a record without an id: then it is each SNP there whose two alleles it has, whatever that is
                called.
        """
        alleles = tuple(islice(alleles, MOST_ALTERNATES + 1))
        if (index := self.indices.get(name)) is not None:
            return (index,)
        if self._names_alleles:
            by_allele: dict[int, None] = {}
            parts = name.split(";", MOST_IDS)[:MOST_IDS]
            for allele in alleles:
                for part in parts:
                    row = allele_id(part, allele)
                    if (index := self.indices.get(row, self._other_names.get(row))) is not None:
                        by_allele[index] = None
            if by_allele:
                return tuple(by_allele)
        if (index := self.find(name)) is not None:
            return (index,)
        return () if place is None else self._at(*place, {allele.upper() for allele in alleles})

    def _at(self, chromosome: str, position: int, alleles: set[str]) -> tuple[int, ...]:
        """The SNPs at a place whose two alleles are among those."""
        there = range(*self.within(chromosome, position, position))
        return tuple(at for at in there if {self.carried[at].upper(), self.other[at].upper()} <= alleles)

    @cached_property
    def _names_alleles(self) -> bool:
        """Whether any id may be that of an allele of a record."""
        return any(":" in name for name in self.ids)

    @cached_property
    def split_sites(self) -> tuple[int, int]:
        """How many SNPs of the list are one of several alleles of a site by their ids, and how many such sites there are."""
        alleles = sites = 0
        rows = zip(self.chromosomes, self.positions.tolist(), self.ids, self.carried, self.other, strict=True)
        for (*_, record), run in groupby(rows, lambda row: (row[0], row[1], record_id(*row[2:]))):
            number = sum(1 for _ in run)
            if record and number > 1:
                alleles, sites = alleles + number, sites + 1
        return alleles, sites

    def index(self, name: str, *, field: str = "snp") -> int:
        """The position in the list of the SNP `name`. Raises ParameterError, of that field, when it is not in the list."""
        if name in self.indices:
            return self.indices[name]
        fix = did_you_mean(name, islice(self.ids, _SIMILAR)).replace("remove it", "take one of the plan's SNP list")
        raise ParameterError(field, f"{shown(name)} is not in the SNP list of the plan", fix)

    @cached_property
    def chromosome_ranges(self) -> dict[str, tuple[int, int]]:
        """The range of each chromosome in the list, half-open, in plan order."""
        ranges: dict[str, tuple[int, int]] = {}
        start = 0
        for name, run in groupby(self.chromosomes):
            stop = start + sum(1 for _ in run)
            ranges[name] = (start, stop)
            start = stop
        return ranges

    def within(self, chromosome: str, low: int, high: int) -> tuple[int, int]:
        """The range of SNPs of a chromosome at base pairs low to high, both included; half-open, empty where there are none."""
        start, stop = self.chromosome_ranges.get(chromosome, (0, 0))
        inside = self.positions[start:stop]
        ends = (np.searchsorted(inside, low, side="left"), np.searchsorted(inside, high, side="right"))
        return start + int(ends[0]), start + int(ends[1])


_PLACE: Final = re.compile(r"(.+)[:_]([0-9]{1,10})[:_]([^:_]+)[:_]([^:_]+)")
"""An id that is a place with its alleles."""


def _parts(name: str) -> list[str]:
    """The ids in an id of several; each place with alleles in one form."""
    parts = name.split(";") if ";" in name else []
    for part in parts.copy() or [name]:
        if (match := _PLACE.fullmatch(part)) is not None:
            alleles = sorted((match[3].upper(), match[4].upper()))
            parts.append(":".join((chromosome(match[1]), str(int(match[2])), *alleles)))
    return parts


def in_plan_order(snps: Snps) -> bool:
    """Whether a list that was written down is one: ids all different, two alleles, ascending places."""
    ranges = snps.chromosome_ranges
    names = list(ranges)
    return (
        len(snps.indices) == len(snps) == sum(stop - start for start, stop in ranges.values())
        and names == sorted(names, key=chromosome_order)
        and all(name == plain_chromosome(name) != UNPLACED for name in names)
        and all((np.diff(snps.positions[start:stop]) >= 0).all() for start, stop in ranges.values())
        and int(snps.positions.min()) > 0
        and int(snps.positions.max()) <= MOST_POSITION
        and all(first != other for first, other in zip(snps.carried, snps.other, strict=True))
        and not {*UNKNOWN} & {*snps.ids, *snps.carried}
    )


def chosen(
    listed: Sites,
    *,
    extract: frozenset[str] | None,
    ranges: list[tuple[str, int, int]] | None,
    carriers: dict[str, str] | None,
    problems: list[Problem],
) -> Snps | None:
    """The SNPs of a list that the plan keeps, in plan order; None when something is wrong, which is appended to `problems`.

    Without `extract`, ids, or `ranges`, chromosome, first and last base pair, all are kept, and without `carriers` the first allele as
    listed is carried. A record of several alternate alleles is a SNP for each; the id of the record extracts all of them. SNPs of
    chromosome 0, or at a negative position, are left out, as PLINK leaves them out.
    """
    before = len(problems)

    def fault(line: int | None, field: str, problem: str, fix: str) -> None:
        problems.append(Problem(shown(field), problem, fix, listed.file, line))

    listed, records = split(listed, fault)
    if extract is not None and records:
        extract = frozenset(name for each in extract for name in records.get(each, (each,)))
    selected = _selected(listed, extract, records, None if ranges is None else _Spans(ranges), fault)
    sites = [listed.sites[at] for at in selected]
    carried = [_carried(listed, at, carriers, fault) for at in selected]
    if not selected:
        fault(None, "list", "keeps no SNP", "extract SNPs that have a chromosome and a position")
    elif len(selected) > MOST_SNPS:
        fault(None, "list", f"keeps more than {MOST_SNPS} SNPs", "keep fewer")
    if len(problems) > before:
        return None
    return Snps(
        tuple(site.id for site in sites),
        tuple(site.chromosome for site in sites),
        np.array([site.position for site in sites], dtype=np.int64),
        tuple(carried),
        tuple(site.second if allele == site.first else site.first for site, allele in zip(sites, carried, strict=True)),
    )


def _selected(
    listed: Sites, extract: frozenset[str] | None, records: Iterable[str], spans: "_Spans | None", fault: Fault
) -> list[int]:
    """Rows of the SNPs that the plan keeps, in plan order; none may have the id of a record of several."""
    selected: list[int] = []
    seen = {*records}
    for at, site in enumerate(listed.sites):
        if site.id in UNKNOWN:
            fault(listed.lines[at], "id", "is missing", "give every SNP an id, as plink2 --set-all-var-ids does")
        elif site.id in seen:
            fault(listed.lines[at], site.id, "is there twice", "give every SNP an id of its own")
        seen.add(site.id)
        if (
            site.chromosome != UNPLACED
            and site.position > 0
            and (extract is None or site.id in extract)
            and (spans is None or spans.hold(site.chromosome, site.position))
        ):
            selected.append(at)
    for name in sorted((extract or frozenset()) - seen)[:MOST_SHOWN]:
        fault(None, name, "is to be extracted and is not in the list", "remove it there, or add the SNP to the list")
    selected.sort(key=lambda at: (chromosome_order(listed.sites[at].chromosome), listed.sites[at].position, at))
    return selected


def _carried(listed: Sites, at: int, carriers: dict[str, str] | None, fault: Fault) -> str:
    """The carried allele of one SNP; any text after a refusal."""
    site, line = listed.sites[at], listed.lines[at]
    allele = site.first if carriers is None else carriers.get(site.id)
    if "," in site.first and (wrong := wrong_record(site)) is not None:
        fault(line, site.id, *wrong)
    elif allele is None or allele in UNKNOWN:
        fix = "give a file of carried alleles" if carriers is None else "name it in the file of carried alleles"
        fault(line, site.id, "has no carried allele", fix)
    elif allele not in (site.first, site.second):
        fault(line, site.id, "does not have the allele that is to be carried", "name one of its two alleles")
    elif site.first == site.second:
        fault(line, site.id, "has one allele twice", "give both alleles")
    return allele or ""


class _Spans:
    """Ranges of base pairs by chromosome, merged, so that a lookup is one search."""

    def __init__(self, ranges: list[tuple[str, int, int]]) -> None:
        self._spans: dict[str, tuple[list[int], list[int]]] = {}
        for place, low, high in sorted(ranges):
            starts, ends = self._spans.setdefault(place, ([], []))
            if ends and low <= ends[-1] + 1:
                ends[-1] = max(ends[-1], high)
            else:
                starts.append(low)
                ends.append(high)

    def hold(self, chromosome: str, position: int) -> bool:
        starts, ends = self._spans.get(chromosome, ([], []))
        at = bisect_right(starts, position) - 1
        return at >= 0 and position <= ends[at]


def read_extract(path: Path, problems: list[Problem]) -> frozenset[str]:
    """Ids apart by white space, any number on a line, as PLINK's --extract takes them."""
    return frozenset(name for _, fields in Listing(path, problems).records(-1) for name in fields)


def read_carriers(path: Path, problems: list[Problem]) -> dict[str, str]:
    """Id and carried allele on each line."""
    listing = Listing(path, problems)
    carried: dict[str, str] = {}
    for line, fields in listing.records(2):
        if len(fields) != 2:
            listing.refuse("line", "does not have 2 fields", "write an id and an allele", line)
        elif carried.setdefault(fields[0], fields[1]) != fields[1]:
            listing.refuse(fields[0], "is there with two alleles", "keep one", line)
    return carried


def snps_of(rows: Iterable[Row]) -> Snps:
    """A SNP list from its rows, in plan order whatever theirs is; raises PlanError with every problem."""
    problems: list[Problem] = []
    sites, lines = [], []
    for line, row in enumerate(rows, start=1):
        if not _is_row(row):
            fix = "give id, chromosome, position, carried allele and other allele"
            problems.append(Problem("row", "is not the five values of a SNP", fix, _LIST, line))
            continue
        name, place, position, carried, other = row
        sites.append(Site(chromosome(place), position, name, carried, other))
        lines.append(line)
    if not problems:
        snps = chosen(Sites(_LIST, sites, lines), extract=None, ranges=None, carriers=None, problems=problems)
        if snps is not None:
            return snps
    raise PlanError(problems=problems)


def _is_row(row: object) -> bool:
    if not isinstance(row, tuple | list) or len(row) != len(Site._fields):
        return False
    name, place, position, *alleles = row
    texts = [name, place, *alleles]
    whole = isinstance(position, int) and not isinstance(position, bool)
    return whole and all(isinstance(text, str) and text.isprintable() and text.split() == [text] for text in texts)

"""Where SNPs are and which alleles they have: the site columns of a .bim or .pvar, in the order of the file. And public regions: BED files,
gene lists, and the named regions of a plan. A region lies within one chromosome.

Chromosomes are named as PLINK understands them: "chr9" and "9" are one, 23 to 26 are X, Y, XY and MT.

All of these are public text files as PLINK's users have them: a line a record, fields apart by white space, no quoting. What is wrong with
one is told with its line. A UTF-8 byte order mark at the start is passed over: as part of the first field it would make a chromosome or an
id of its own.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from starling.errors import Problem
from starling.planfile.foreign import opened
from starling.planfile.spelling import LONGEST_NAME, name_problem, shown
from starling.planfile.unchanged import Unchanged
from starling.privacy.budget import check_int

LONGEST_FILE: Final = 4 << 30
"""Bytes of a public list; that of 50 million SNPs has about 1.5 GB."""
LONGEST_LINE: Final = 1 << 16
"""Bytes of a line that is looked at; a .pvar may hold much after its first columns, which is skipped."""
_MARK: Final = b"\xef\xbb\xbf"
_UNUSUAL: Final = re.compile(rb"[^\t\n\r -~]")
"""Whatever is no plain letter or sign; most lines have none, and need no closer look."""
MOST_PROBLEMS: Final = 1000
"""Problems of one file that are listed; after so many it is not read on."""


class Listing:
    """A public text file, read line by line; what is wrong is appended to `problems`."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path, self._problems = path, problems
        self._most = len(problems) + MOST_PROBLEMS

    def refuse(self, field: str, problem: str, fix: str, line: int | None = None) -> None:
        """Collect one problem."""
        self._problems.append(Problem(shown(field), problem, fix, self.path.name, line))

    def records(self, columns: int) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of each line that is not empty; at most `columns` fields and one of what is left.

        Ends early after MOST_PROBLEMS problems.
        """
        try:
            with opened(self.path, LONGEST_FILE) as file:
                for line, content in enumerate(_lines(file), start=1):
                    if len(self._problems) >= self._most:
                        return
                    if b"\r" in content.rstrip(b"\r\n"):
                        fix = "save it with the line ends of Linux or Windows"
                        self.refuse("file", "ends its lines by a carriage return alone", fix, line)
                        return
                    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and line == 1:
                        self.refuse("file", "is UTF-16", "save it as UTF-8", line)
                        return
                    if b"\0" in content:
                        # What follows may be as long as a disk.
                        self.refuse("file", "is not text", "check what it is", line)
                        return
                    try:
                        text = content.removeprefix(_MARK if line == 1 else b"")
                        fields = text.decode("utf-8").rstrip().split(None, columns)
                    except UnicodeDecodeError:
                        self.refuse("line", "is not UTF-8", "save the file as UTF-8", line)
                        continue
                    if _UNUSUAL.search(content) or len(content) > LONGEST_NAME:
                        named = fields if columns < 0 else fields[:columns]
                        problem = next(filter(None, map(name_problem, named)), None)
                        if problem is not None:
                            self.refuse("line", f"has a field that {problem}", "correct it or leave the line out", line)
                            continue
                    if fields:
                        yield line, fields
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
            self.refuse("file", f"cannot be read ({reason})", "check the path")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The first LONGEST_LINE bytes of each line; what comes after them is read and forgotten."""
    while content := file.readline(LONGEST_LINE):
        yield content
        while len(content) == LONGEST_LINE and not content.endswith(b"\n"):
            content = file.readline(LONGEST_LINE)


MOST_POSITION: Final = 2**31 - 1
"""Base pairs; the longest chromosome of PLINK and VCF."""
UNKNOWN: Final = ("0", ".")
"""What PLINK and VCF write for an allele that they do not know."""
UNPLACED: Final = "0"
"""PLINK's chromosome of SNPs without a place."""

_CODES: Final = {"23": "X", "24": "Y", "25": "XY", "26": "MT", "M": "MT"}
_OTHER_CODES: Final = {
    "0X": "X",
    "0Y": "Y",
    "0M": "MT",
    "PAR1": "XY",
    "PAR2": "XY",
    "NC_012920.1": "MT",
    "J01415.2": "MT",
}
"""PLINK's codes of two characters, its pseudo-autosomal regions, and the accessions of the human mitochondrion."""
_ACCESSION: Final = re.compile(r"(?:NC_0000(\d\d)|CM000(\d\d\d))\.\d+")
"""RefSeq's and GenBank's names of human chromosomes."""
_BEFORE_FIRST: Final = 662
"""GenBank's chromosome 1 is CM000663."""
_MOST_ACCESSION: Final = 24
_LATE: Final = {"X": 1, "Y": 2, "XY": 3, "MT": 4}
_BIM_COLUMNS: Final = 6
_PVAR: Final = ("#CHROM", "POS", "ID", "REF", "ALT")


class Site(NamedTuple):
    """One line of a list.

    Attributes:
        chromosome: The name of its chromosome, as the function `chromosome` gives it.
        position: Base pairs, from 1.
        first: .bim: A1; .pvar: ALT, several of them apart by commas. The allele that is carried unless the plan says otherwise.
        second: .bim: A2; .pvar: REF.
    """

    chromosome: str
    position: int
    id: str
    first: str
    second: str

    @property
    def name(self) -> str:
        """The id, or chromosome, position and both alleles."""
        return self.id if self.id not in UNKNOWN else f"{self.chromosome}:{self.position}:{self.second}:{self.first}"

    @property
    def place(self) -> tuple[str, int] | None:
        """Chromosome and position of a site without an id; None where it has one."""
        return (self.chromosome, self.position) if self.id in UNKNOWN else None


@dataclass(frozen=True)
class Sites:
    """All sites of a file in its order, those without a place included, with the line of each."""

    file: str
    sites: list[Site] = field(repr=False)
    lines: list[int] = field(repr=False)


@lru_cache(maxsize=4096)
def chromosome(name: str) -> str:
    """One name for the ways to write a chromosome: PLINK's, UCSC's, Ensembl's, and accessions of the human genome.

    >>> [chromosome(name) for name in ("chr09", "9", "NC_000009.12", "CM000671.2")]
    ['9', '9', '9', '9']
    >>> [chromosome(name) for name in ("23", "chrX", "0X", "NC_000023.11", "chrM", "NC_012920.1", "PAR1")]
    ['X', 'X', 'X', 'X', 'MT', 'MT', 'XY']
    """
    plain = plain_chromosome(name)
    if (match := _ACCESSION.fullmatch(plain)) is not None:
        number = int(match[1]) if match[1] else int(match[2]) - _BEFORE_FIRST
        return plain_chromosome(str(number)) if 1 <= number <= _MOST_ACCESSION else plain
    return _OTHER_CODES.get(plain.upper(), plain)


def plain_chromosome(name: str) -> str:
    """As `chromosome`, for PLINK's numbers and UCSC's prefix alone; lists in releases of old are written so."""
    short = name[3:] if name[:3].lower() == "chr" else name
    if short.isdecimal() and short.isascii():
        short = str(int(short)) if len(short) < 10 else short
    short = short.upper() if len(short) <= 2 else short
    return _CODES.get(short, short)


@lru_cache(maxsize=4096)
def chromosome_order(name: str) -> tuple[int, int, str]:
    """Sorts chromosomes: numbers, then X, Y, XY, MT, then others by name."""
    if name.isdecimal() and name.isascii() and len(name) < 10:
        return (0, int(name), "")
    return (1, _LATE[name], "") if name in _LATE else (2, 0, name)


_READ: Final = Unchanged[tuple[Sites, list[Problem]]]()


def read_sites(path: Path, problems: list[Problem]) -> Sites:
    """The sites of a .pvar (by its ending) or a .bim (any other); what is wrong is appended to `problems`. Nobody may change them."""

    def read() -> tuple[Sites, list[Problem]]:
        faults: list[Problem] = []
        return _read_sites(path, faults), faults

    sites, faults = _READ.value(path, read, keep=lambda result: not result[1])
    problems += faults
    return sites


def _read_sites(path: Path, problems: list[Problem]) -> Sites:
    read = _pvar if path.suffix == ".pvar" else _bim
    sites = Sites(path.name, [], [])
    listing = Listing(path, problems)
    for line, site in read(listing):
        sites.sites.append(site)
        sites.lines.append(line)
    if not sites.sites and not problems:
        listing.refuse("file", "holds no SNP", "give one line for each SNP")
    return sites


def _bim(listing: Listing) -> Iterator[tuple[int, Site]]:
    for line, fields in listing.records(_BIM_COLUMNS):
        if len(fields) != _BIM_COLUMNS:
            fix = "write chromosome, id, centimorgans, position, allele 1, allele 2, as PLINK does"
            listing.refuse("line", f"does not have {_BIM_COLUMNS} fields", fix, line)
            continue
        place, name, _, position, first, second = fields
        if (number := _position(listing, position, line)) is not None:
            yield line, Site(chromosome(place), number, name, first, second)


def _pvar(listing: Listing) -> Iterator[tuple[int, Site]]:
    headed = False
    for line, fields in listing.records(len(_PVAR)):
        if fields[0].startswith("##"):
            continue
        if not headed:
            if tuple(fields[: len(_PVAR)]) != _PVAR:
                listing.refuse("header", f"does not begin with {' '.join(_PVAR)}", "write it by plink2", line)
                return
            headed = True
        elif len(fields) < len(_PVAR):
            listing.refuse("line", f"does not have {len(_PVAR)} fields", f"write {' '.join(_PVAR[1:])}", line)
        elif (number := _position(listing, fields[1], line)) is not None:
            yield line, Site(chromosome(fields[0]), number, fields[2], fields[4], fields[3])


def _position(listing: Listing, text: str, line: int) -> int | None:
    """Base pairs; None after a refusal. PLINK marks a SNP to be ignored by a negative one."""
    if text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= 11:
        number = int(text)
        if -MOST_POSITION <= number <= MOST_POSITION:
            return number
    listing.refuse("position", f"is not a whole number up to {MOST_POSITION}", "write base pairs", line)
    return None


_HEADERS: Final = ("browser", "track")
"""How the lines begin with which a BED file may speak to a genome browser."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of one chromosome, named as `sites.chromosome` does, from its first to its last base pair, both included, from 1."""

    name: str
    chromosome: str
    low: int
    high: int

    def __post_init__(self) -> None:
        check_int(self.low, field="low")
        check_int(self.high, field="high")


def read_bed_regions(path: Path, problems: list[Problem]) -> list[Region]:
    """A BED file: chromosome, start, end, name; base pairs are counted from 0 and the end is not included."""
    return _read(path, problems, first=0, fix="write chromosome, start (from 0) and end (not included)")


def read_gene_list(path: Path, problems: list[Problem]) -> list[Region]:
    """A gene list as PLINK's --gene-report takes it: chromosome, first and last base pair from 1, name."""
    return _read(path, problems, first=1, fix="write chromosome, first and last base pair (from 1) and the gene's name")


def _read(path: Path, problems: list[Problem], *, first: int, fix: str) -> list[Region]:
    listing = Listing(path, problems)
    regions: list[Region] = []
    for line, fields in listing.records(4):
        if fields[0].startswith("#") or fields[0] in _HEADERS:
            continue
        if len(fields) < 3 + first:
            listing.refuse("line", "has too few fields", fix, line)
            continue
        ends = [int(text) for text in fields[1:3] if text.isdecimal() and text.isascii() and len(text) <= 10]
        if len(ends) != 2 or not first <= ends[0] <= ends[1] - 1 + first <= MOST_POSITION:
            listing.refuse("region", "does not end after its start", fix, line)
            continue
        name = fields[3] if len(fields) > 3 else f"{fields[0]}:{ends[0] + 1 - first}-{ends[1]}"
        regions.append(Region(name, chromosome(fields[0]), ends[0] + 1 - first, ends[1]))
    if not regions and not problems:
        listing.refuse("file", "holds no region", fix)
    return regions

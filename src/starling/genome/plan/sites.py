"""Where SNPs are and which alleles they have: the site columns of a .bim or .pvar, in the order of the file. And public regions: BED files,
gene lists, and the named regions of a plan. A region lies within one chromosome.

Chromosomes are named as PLINK understands them: "chr9" and "9" are one, 23 to 26 are X, Y, XY and MT.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from starling.errors import Problem
from starling.genome.plan.listing import Listing
from starling.privacy.budget import check_int

MOST_POSITION: Final = 2**31 - 1
"""Base pairs; the longest chromosome of PLINK and VCF."""
UNKNOWN: Final = ("0", ".")
"""What PLINK and VCF write for an allele that they do not know."""
UNPLACED: Final = "0"
"""PLINK's chromosome of SNPs without a place."""

_CODES: Final = {"23": "X", "24": "Y", "25": "XY", "26": "MT", "M": "MT"}
_LATE: Final = {"X": 1, "Y": 2, "XY": 3, "MT": 4}
_BIM_COLUMNS: Final = 6
_PVAR: Final = ("#CHROM", "POS", "ID", "REF", "ALT")


class Site(NamedTuple):
    """One line of a list.

    Attributes:
        chromosome: The name of its chromosome, as the function `chromosome` gives it.
        position: Base pairs, from 1.
        id: The name of the SNP.
        first: .bim: A1; .pvar: ALT. The allele that is carried unless the plan says otherwise.
        second: .bim: A2; .pvar: REF.
    """

    chromosome: str
    position: int
    id: str
    first: str
    second: str


@dataclass(frozen=True)
class Sites:
    """The sites of a file.

    Attributes:
        file: Its name.
        sites: In the order of the file, those without a place included.
        lines: The line of each.
    """

    file: str
    sites: list[Site] = field(repr=False)
    lines: list[int] = field(repr=False)


@lru_cache(maxsize=4096)
def chromosome(name: str) -> str:
    """One name for the ways to write a chromosome.

    >>> chromosome("chr09"), chromosome("23"), chromosome("chrM"), chromosome("9")
    ('9', 'X', 'MT', '9')
    """
    short = name[3:] if name[:3].lower() == "chr" else name
    if short.isdecimal() and short.isascii():
        short = str(int(short)) if len(short) < 10 else short
    short = short.upper() if len(short) <= 2 else short
    return _CODES.get(short, short)


@lru_cache(maxsize=4096)
def chromosome_order(name: str) -> tuple[int, int, str]:
    """Sorts chromosomes: numbers, then X, Y, XY, MT, then others by name."""
    if name.isdecimal() and name.isascii():
        return (0, int(name), "")
    return (1, _LATE[name], "") if name in _LATE else (2, 0, name)


def read_sites(path: Path, problems: list[Problem]) -> Sites:
    """The sites of a .pvar (by its ending) or a .bim (any other); what is wrong is appended to `problems`."""
    read = _pvar if path.suffix == ".pvar" else _bim
    found = Sites(path.name, [], [])
    listing = Listing(path, problems)
    for line, site in read(listing):
        found.sites.append(site)
        found.lines.append(line)
    if not found.sites and not problems:
        listing.refuse("file", "holds no SNP", "give one line for each SNP")
    return found


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
        elif "," in fields[4]:
            fix = "split it by plink2 --make-pgen --split-multiallelic, or bcftools norm -m"
            listing.refuse(fields[2], "has more than two alleles", fix, line)
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
    """A stretch of one chromosome.

    Attributes:
        name: For people, and to ask for it.
        chromosome: As `sites.chromosome` gives it.
        low: First base pair, from 1.
        high: Last base pair, included.
    """

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

"""Public regions of the genome: BED files, gene lists, and the named regions of a plan. A region lies within one chromosome."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starling.errors import Problem
from starling.genome.plan.listing import Listing
from starling.genome.plan.sites import MOST_POSITION, chromosome
from starling.privacy.budget import check_int

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

"""Finding the plan's SNPs among the sites of a .bim or .pvar: by id, at the same place, with the same alleles in either order.

The sites of a genotype file are as public as the plan's list (plan/snps.py says when), so what does not fit is told before the charge. One
thing in a .bim may come from the genotypes: where PLINK saw one allele alone, it writes 0 for the other. Nothing is refused
for that: an unknown allele fits every one.
"""

from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import Problem, SourceError
from starling.genome.plan import Plan
from starling.genome.plan.sites import UNKNOWN, Site, read_sites
from starling.planfile.spelling import shown

Int64: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

MOST_TOLD: Final = 1000
"""SNPs that do not fit, told one by one."""


def match_sites(path: Path, plan: Plan) -> tuple[Int64, Flags, int]:
    """Where the SNPs of the plan are in a file.

    Args:
        path: .bim or .pvar.
        plan: Its SNP list.

    Returns:
        For each SNP of the list its row in the file, int64 (m,), and whether the carried allele is the second of the file's
        two, bool (m,); the number of rows of the file.

    Raises:
        SourceError: when the file cannot be read as sites, or SNPs are missing, twice there, elsewhere, or have other alleles.
    """
    problems: list[Problem] = []
    found = read_sites(path, problems)
    if problems:
        raise SourceError(problems=problems)
    snps = plan.snps
    positions = snps.positions.tolist()
    # Lists, because a million single numbers are read and written.
    rows, second = [-1] * len(snps), [False] * len(snps)
    for row, site in enumerate(found.sites):
        at = snps.places.get(site.id)
        if at is None:
            continue
        if len(problems) >= MOST_TOLD:
            break
        wrong = _misfit(site, plan, at, positions[at])
        if rows[at] >= 0:
            wrong = "is there twice", "give every SNP an id of its own"
        if wrong is not None:
            problems.append(Problem(shown(site.id), *wrong, path.name, found.lines[row]))
        rows[at], second[at] = row, is_second(site, snps.carried[at], snps.other[at])
    found_rows = np.array(rows, dtype=np.int64)
    for at in np.flatnonzero(found_rows < 0)[: MOST_TOLD - len(problems)].tolist():
        fix = "take it out of the plan's list, or give genotypes that have it"
        problems.append(Problem(shown(snps.ids[at]), "of the plan's list is not there", fix, path.name))
    if problems:
        raise SourceError(problems=problems)
    return found_rows, np.array(second, dtype=np.bool_), len(found.sites)


def _misfit(site: Site, plan: Plan, at: int, position: int) -> tuple[str, str] | None:
    """Problem and fix of a site that is not the SNP of the list with its id; None if it is."""
    snps = plan.snps
    if site.position != position or site.chromosome != snps.chromosomes[at]:
        return "is at another place than in the plan's list", "use one build of the genome"
    known = (snps.carried[at], snps.other[at], *UNKNOWN)
    if site.first not in known or site.second not in known:
        return "has other alleles than in the plan's list", "write the alleles of one strand"
    return None


def is_second(site: Site, carried: str, other: str) -> bool:
    """Whether the carried allele is the second of a site whose known alleles are among the two.

    >>> [is_second(Site("1", 1, "rs1", *both), "A", "C") for both in ("AC", "CA", "0C", "0A", "A0", "C0", "00")]
    [False, True, False, True, False, True, False]
    """
    return site.second == carried or site.first == other

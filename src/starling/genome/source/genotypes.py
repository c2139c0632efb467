"""The confidential files of a study: opened by their public shape before the charge, read after it as one stream of packed calls.

The plan's SNPs are found among the sites of a .bim or .pvar by id, at the same position, with the same alleles in either order; a site of
several alternate alleles may be several of them (plan/alleles.py). The sites of a genotype file are as public as the plan's list
(plan/snps.py says when), so what does not fit is told before the charge. One thing in a .bim may come from the genotypes: where PLINK saw
one allele alone, it writes 0 for the other. Nothing is refused for that: an unknown allele fits every one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Never, TypeAlias, TypeVar

import numpy as np

from starling.errors import Problem, SourceError
from starling.genome.arrays import Flags, Int64
from starling.genome.plan import Plan
from starling.genome.plan.missing import needs_sites
from starling.genome.plan.sites import UNKNOWN, Site, Sites, chromosome, read_sites
from starling.genome.source.bed import check_bed, read_bed
from starling.genome.source.calls import CHUNK, Calls
from starling.genome.source.covariates import open_covariates
from starling.genome.source.dosages import Dosages, nearest_calls
from starling.genome.source.input_checks import refuse
from starling.genome.source.people import People, PeopleFile, open_people
from starling.genome.source.sexes import states_sexes
from starling.planfile.spelling import shown

if TYPE_CHECKING:
    from starling.genome.source.bgen import Bgen
    from starling.genome.source.pgen import PgenCalls

MOST_LISTED: Final = 1000
"""SNPs that do not fit, told one by one."""


class Matched(NamedTuple):
    """Where the SNPs of a plan are in a file.

    Attributes:
        rows: The row of each SNP of the list, int64 (m,).
        second: Whether its carried allele is A2 of a .bim, REF of a .pvar, bool (m,).
        carried: Which allele of a .pvar is carried, 0 being REF, int64 (m,).
        alleles: How many alleles each row of the file has, int64.
    """

    rows: Int64
    second: Flags
    carried: Int64
    alleles: Int64


def match_sites(path: Path, plan: Plan) -> Matched:
    """Where the SNPs of the plan are in a .bim or .pvar. Raises SourceError when the file cannot be read as sites, or SNPs are missing,
    twice there, elsewhere, or have other alleles.
    """
    problems: list[Problem] = []
    listed = read_sites(path, problems)
    SourceError.check(problems)
    return match_listed(listed, plan)


def match_listed(listed: Sites, plan: Plan) -> Matched:
    """As `match_sites`, of sites that were read."""
    problems: list[Problem] = []
    snps = plan.snps
    positions = snps.positions.tolist()
    # Lists, because a million single numbers are read and written.
    rows, carried, exact = [-1] * len(snps), [1] * len(snps), [False] * len(snps)
    for row, site in enumerate(listed.sites):
        indices = snps.of_record(site.name, (*site.first.split(","), site.second), site.place)
        # A2 and A1, REF and each ALT.
        letters = [site.second.upper(), *site.first.upper().split(",")] if indices else []
        for at in indices:
            if len(problems) >= MOST_LISTED:
                break
            same = site.id == snps.ids[at]
            if rows[at] >= 0 and exact[at] != same:
                # Who has the id as the plan writes it comes before who has another way to write it.
                if exact[at]:
                    continue
                rows[at] = -1
            exact[at] = same
            wrong = _mismatch(site, letters, plan, at, positions[at])
            if rows[at] >= 0:
                wrong = "is there twice", "give every SNP an id of its own"
            if wrong is not None:
                line = listed.lines[row] if listed.lines else None
                problems.append(Problem(shown(site.id), *wrong, listed.file, line))
            rows[at], carried[at] = row, _carried(letters, snps.carried[at], snps.other[at])
    row_numbers = np.array(rows, dtype=np.int64)
    for at in np.flatnonzero(row_numbers < 0)[: MOST_LISTED - len(problems)].tolist():
        fix = "take it out of the plan's list, or give genotypes that have it"
        problems.append(Problem(shown(snps.ids[at]), "of the plan's list is not there", fix, listed.file))
    SourceError.check(problems)
    counted = np.array(carried, dtype=np.int64)
    alleles = np.array([2 + site.first.count(",") for site in listed.sites], dtype=np.int64)
    return Matched(row_numbers, counted == 0, counted, alleles)


def _mismatch(site: Site, letters: list[str], plan: Plan, at: int, position: int) -> tuple[str, str] | None:
    """Problem and fix of a site that is not the SNP of the list with its id; None if it is."""
    snps = plan.snps
    if site.position != position or site.chromosome != chromosome(snps.chromosomes[at]):
        return "is at another place than in the plan's list", "use one build of the genome"
    wanted = {snps.carried[at].upper(), snps.other[at].upper()}
    if not (wanted <= {*letters} if len(letters) > 2 else {*letters} <= wanted.union(UNKNOWN)):
        return "has other alleles than in the plan's list", "write the alleles of one strand"
    return None


def _carried(letters: list[str], carried: str, other: str) -> int:
    """Which of a site's alleles, which has the two, as far as they are known, is carried: 0 for A2 or REF.

    >>> [_carried([*letters], "A", "C") for letters in ("CA", "AC", "C0", "A0", "0A", "0C", "00", "CTA")]
    [1, 0, 1, 0, 1, 0, 1, 2]
    """
    if carried.upper() in letters:
        return letters.index(carried.upper())
    return 0 if letters[1] == other.upper() else 1


R = TypeVar("R")

Kind: TypeAlias = Literal["bed", "pgen", "vcf", "bgen"]

_VCF: Final = (".vcf", ".vcf.gz", ".vcf.bgz", ".bcf")
_BGEN: Final = ".bgen"
_SAMPLE: Final = ".sample"
_PACKED: Final[dict[str, Kind]] = {".bed": "bed", ".pgen": "pgen"}
_COMPANIONS: Final[dict[Kind, tuple[str, str]]] = {"bed": (".bim", ".fam"), "pgen": (".pvar", ".psam")}


@dataclass(frozen=True, slots=True, eq=False)
class Genotypes:
    """Genotype and phenotype files that fit a plan. Holds nothing of any call or phenotype.

    Attributes:
        kind: What the file is; BCF is "vcf" too.
        files: All files of the study, that of the phenotypes included.
        size: Its bytes: a file that has another size when it is read is not the one that was checked.
        people: Who the calls are of, and where their phenotypes are.
        matched: .bed, .pgen and BGEN: where the SNPs of the plan's list are; None for a VCF, which is not read before the charge.
        pgen: .pgen: the process that reads it, which ends with the last use of this value.
        bgen: BGEN: where its variants are.
        covariates: The file of the covariates that the plan adjusts for; None where it adjusts for none.
    """

    kind: Kind
    files: tuple[Path, ...] = field(repr=False)
    path: Path
    size: int = field(repr=False)
    people: People = field(repr=False)
    matched: Matched | None = field(default=None, repr=False)
    pgen: "PgenCalls | None" = field(default=None, repr=False)
    covariates: PeopleFile | None = field(default=None, repr=False)
    bgen: "Bgen | None" = field(default=None, repr=False)


def open_genotypes(
    path: str | Path,
    plan: Plan,
    phenotype: str | Path | None = None,
    covariates: str | Path | None = None,
    sample: str | Path | None = None,
) -> Genotypes:
    """Check the public shape of a study's files.

    Args:
        path: PLINK's prefix of .bed, .bim, .fam or of .pgen, .pvar, .psam; or a .bed, .pgen, .vcf, .vcf.gz, .bcf or .bgen.
        plan: Says how many people there are and which SNPs.
        phenotype: File of phenotypes; needed for VCF, BCF and BGEN, else it takes the place of what .fam or .psam say.
        covariates: File of covariates; needed where the plan adjusts for some.
        sample: The .sample of a BGEN that does not name its people; without it the one that is beside it (`sample_of`).

    Raises:
        SourceError: when a file is missing or not of its kind, does not have as many people or bytes as public numbers say, or lacks a SNP
            of the plan's list; or when a .sample is given and the genotypes are no BGEN without names.
    """
    phenotype_path = None if phenotype is None else Path(phenotype).absolute()
    path = Path(path).absolute()
    files = study_files(path, phenotype_path, covariates, sample)
    if plan.x_model == 1 and path.name.endswith(_VCF):
        _refuse_sexes(path)
    if path.name.endswith(_VCF) and needs_sites(plan):
        problem = "is a VCF or BCF, which may leave out a SNP that nobody carries, and the plan counts who lacks a call"
        refuse(path, problem, "convert it by plink2 --make-pgen, which states its SNPs in a .pvar")
    adjusted = None if covariates is None else open_covariates(files[-1], plan)
    if plan.covariates and adjusted is None:
        names = ", ".join(map(shown, plan.covariates))
        raise SourceError("covariates", "are missing", f"give covariates: a file with {names} in PLINK's form")
    if path.name.endswith((*_VCF, _BGEN)) and phenotype_path is None:
        refuse(path, "has no phenotypes", "give a phenotype file beside it", field="phenotype")
    if path.name.endswith(_BGEN):
        from starling.genome.source.bgen import open_bgen

        if plan.genotypes != "dosages":
            fix = 'write genotypes = "dosages", or convert it by plink2 --make-pgen'
            refuse(path, "has probabilities, and the plan counts calls", fix)
        bgen = open_bgen(path)
        people_of = _people_of_bgen(path, bgen, plan, phenotype_path, None if sample is None else files[1])
        matched = match_listed(bgen.sites, plan)
        return Genotypes("bgen", files, path, bgen.size, people_of, matched, covariates=adjusted, bgen=bgen)
    if path.name.endswith(_VCF):
        from starling.genome.source.vcf import check_vcf

        size, samples = check_vcf(path)
        people_of = open_people(plan, phenotype_path, samples=samples)
        return Genotypes("vcf", files, path, size, people_of, covariates=adjusted)
    kind, _ = _prefix(path)
    calls, sites, people = files[:3]
    if kind == "pgen" and not sites.exists() and Path(f"{sites}.zst").exists():
        refuse(sites, "is there compressed only", "write it by plink2 --make-pgen without vzs")
    persons = open_people(plan, phenotype_path, file=people)
    if plan.x_model == 1 and not states_sexes(persons):
        _refuse_sexes(people)
    matched = match_sites(sites, plan)
    if kind == "bed":
        _check_two_alleles(sites, plan, matched)
        if plan.genotypes == "dosages":
            fix = 'give the .pgen, BGEN or VCF of the imputation, or write genotypes = "calls"'
            refuse(calls, "has calls, and the plan counts dosages", fix)
        size = check_bed(calls, plan.people, len(matched.alleles))
        return Genotypes(kind, files, calls, size, persons, matched, covariates=adjusted)
    from starling.genome.source.pgen import open_pgen

    size, reader = open_pgen(calls, plan.people, matched.alleles, dosages=plan.genotypes == "dosages")
    return Genotypes(kind, files, calls, size, persons, matched, reader, adjusted)


def _people_of_bgen(path: Path, bgen: "Bgen", plan: Plan, phenotype: Path | None, stated: Path | None) -> People:
    """Whom a BGEN names, or else the .sample that is given, or the one beside it."""
    if bgen.samples is not None:
        if stated is not None:
            refuse(stated, f"is given, and {path.name} names its people itself", "leave it out", field="sample")
        people = open_people(plan, phenotype, samples=bgen.samples)
    elif (sample := stated or sample_of(path)) is not None:
        people = open_people(plan, phenotype, file=sample, genotyped=bgen.people)
    else:
        own = path.with_suffix(_SAMPLE).name
        fix = f"put its .sample beside it as {own}, give it as sample, or write it again by plink2 --export bgen-1.2"
        refuse(path, "does not name its people", fix)
    if plan.x_model == 1 and not states_sexes(people):
        _refuse_sexes(path if people.file is None else people.file.path)
    return people


def sample_of(path: Path) -> Path | None:
    """The .sample of a BGEN: the one of its stem; else, where it names nobody, the one whose name begins with its stem, as x_s487.sample of
    x.bgen, or the only one in its folder. None where there is none; raises SourceError where several could be it.
    """
    from starling.genome.source.bgen import has_names

    own = path.with_suffix(_SAMPLE)
    if own.exists():
        return own
    if has_names(path):
        return None
    # Of chr1.bgen none of chr10.
    for pattern in (f"{escape(path.stem)}[!0-9A-Za-z]*{_SAMPLE}", f"*{_SAMPLE}"):
        there = list(path.parent.glob(pattern))
        if len(there) == 1:
            return there[0]
        if there:
            fix = f"call its own {own.name}, or give it as sample"
            refuse(path, f"has {len(there)} .sample beside it, and none is {own.name}", fix)
    return None


def _check_two_alleles(path: Path, plan: Plan, matched: Matched) -> None:
    """Refuse SNPs whose site has more than two alleles, which the two bits of a .bed do not tell apart."""
    several = np.flatnonzero(matched.alleles[matched.rows] > 2)[:MOST_LISTED].tolist()
    fix = "give the .pgen, VCF or BGEN that has them all, or name two alleles of each"
    problem = "has more than two alleles, which a .bed does not tell apart"
    SourceError.check(Problem(shown(plan.snps.ids[at]), problem, fix, path.name) for at in several)


def _refuse_sexes(path: Path) -> Never:
    fix = (
        "give a .fam, .psam or .sample with sexes, beside a .bed, a .pgen or a BGEN without names, or write x-model = 2"
    )
    refuse(path, "states no sex, and the plan counts a man's copy on X as one", fix)


def study_files(
    path: str | Path,
    phenotype: str | Path | None,
    covariates: str | Path | None = None,
    sample: str | Path | None = None,
) -> tuple[Path, ...]:
    """All files of a study, as `open_genotypes` would take them, none of them opened: calls, sites, people, phenotypes, covariates. Raises
    SourceError when the path is neither a VCF, BCF or BGEN nor the prefix of a .bed or .pgen, several .sample could be a BGEN's, or one is
    given that is not a BGEN's.
    """
    path = Path(path).absolute()
    others = tuple(Path(each).absolute() for each in (phenotype, covariates) if each is not None)
    if sample is not None and not (path.name.endswith(_BGEN) and Path(sample).suffix == _SAMPLE):
        problem = "is given, and the genotypes are no BGEN"
        if path.name.endswith(_BGEN):
            problem = f"is not the {_SAMPLE} of a BGEN"
        fix = f"give a file that ends in {_SAMPLE} and was written with a BGEN, or leave it out"
        refuse(Path(sample), problem, fix, field="sample")
    if path.name.endswith(_BGEN) and (own := sample_of(path) if sample is None else Path(sample).absolute()):
        return (path, own, *others)
    if path.name.endswith((*_VCF, _BGEN)):
        return (path, *others)
    kind, prefix = _prefix(path)
    return (*(Path(f"{prefix}{ending}") for ending in (f".{kind}", *_COMPANIONS[kind])), *others)


def _prefix(path: Path) -> tuple[Kind, str]:
    """Kind of the packed calls, and the path without its ending."""
    if path.suffix in _PACKED:
        return _PACKED[path.suffix], str(path)[: -len(path.suffix)]
    there: list[Kind] = [kind for ending, kind in _PACKED.items() if Path(f"{path}{ending}").exists()]
    if len(there) > 1:
        refuse(path, "is the prefix of a .bed and of a .pgen", "name one of the two files")
    if not there:
        fix = "give the prefix of .bed, .bim and .fam or .pgen, .pvar and .psam, or a .vcf, .vcf.gz, .bcf or .bgen"
        refuse(path, "is not the prefix of a .bed or .pgen", fix)
    return there[0], str(path)


def read(
    genotypes: Genotypes,
    plan: Plan,
    work: Callable[[Calls], R],
    indices: Int64 | None = None,
    lost: Callable[[Int64], None] = lambda _: None,
    *,
    chunk: int = CHUNK,
) -> Iterator[R]:
    """`work` of chunks of SNPs, of all or of those at `indices`, which differ; done by several threads in the file's order, and each chunk
    names its SNPs. `lost` is called with SNPs of a .pgen that could not be read, and count as missing. A chunk of a .bed has `chunk` bytes.
    Of a plan that counts dosages, the calls are those that they are near to.

    Raises SourceError when a file is no longer the one that was checked with the plan. Never because of what a call says.
    """
    if plan.genotypes == "dosages":
        return read_dosages(genotypes, plan, lambda dosages: work(nearest_calls(dosages)), indices, lost)
    chosen = np.arange(len(plan.snps), dtype=np.int64) if indices is None else indices
    path, size = genotypes.path, genotypes.size
    matched = genotypes.matched
    if matched is None:
        from starling.genome.source.vcf import read_vcf

        return read_vcf(path, size, plan, chosen, work)
    rows = matched.rows[chosen]
    if genotypes.pgen is not None:
        from starling.genome.source.pgen import read_pgen

        return read_pgen(path, size, genotypes.pgen.chunks(chosen, rows, matched.carried[chosen]), work, lost)
    return read_bed(path, size, plan.people, chosen, rows, matched.second[chosen], work, chunk)


def read_dosages(
    genotypes: Genotypes,
    plan: Plan,
    work: Callable[[Dosages], R],
    indices: Int64 | None = None,
    lost: Callable[[Int64], None] = lambda _: None,
) -> Iterator[R]:
    """As `read`, of the dosages of a plan that counts them."""
    chosen = np.arange(len(plan.snps), dtype=np.int64) if indices is None else indices
    path, size, matched = genotypes.path, genotypes.size, genotypes.matched
    if matched is None:
        from starling.genome.source.vcf import read_vcf_dosages

        return read_vcf_dosages(path, size, plan, chosen, work)
    rows, carried = matched.rows[chosen], matched.carried[chosen]
    if genotypes.pgen is not None:
        from starling.genome.source.pgen import read_pgen

        return read_pgen(path, size, genotypes.pgen.dosages(chosen, rows, carried), work, lost)
    from starling.genome.source.bgen import read_bgen

    assert genotypes.bgen is not None  # a .bed has no dosages
    return read_bgen(path, genotypes.bgen, plan.people, chosen, rows, carried, work, lost)


def read_counted(
    genotypes: Genotypes,
    plan: Plan,
    work: Callable[[Calls | Dosages], R],
    indices: Int64 | None = None,
    *,
    chunk: int = CHUNK,
) -> Iterator[R]:
    """As `read`, of dosages where the plan counts those."""
    if plan.genotypes == "dosages":
        return read_dosages(genotypes, plan, work, indices)
    return read(genotypes, plan, work, indices, chunk=chunk)

"""The plan file of a study: TOML that names the public lists beside it.

title = "Type 2 diabetes, 2,000 people"

[privacy]
unit = "person"                # whose data the guarantee hides: all genotypes and the phenotype
neighbours = "replace-one"     # n is public

[study]
people = 2000
case = "2"                     # optional; PLINK's word for a case
phenotype = "T2D"              # optional; column of a phenotype file with a header
build = "GRCh38"               # optional; reference genome of the list's positions: NCBI36, GRCh37, GRCh38 or T2T-CHM13v2.0
ids = "confidential"           # optional; "public" where everybody may know who takes part

[snps]
list = "array.bim"             # public: .bim or .pvar
carriers = "risk-alleles.txt"  # optional: id and allele on each line
extract = "independent.txt"    # optional: ids to keep
ranges = "exome.bed"           # optional: BED regions to keep
gene-list = "glist-hg19"       # optional: chromosome, first, last, name
genes = ["IL23R"]              # optional: genes to keep, of the gene list
around = 20000                 # optional: base pairs kept on both sides of a gene

[analysis]
model = "dominant"
tests = ["g", "fisher"]
alpha = "0.05"                 # optional

[[regions]]                    # optional; without any, each chromosome is one
name = "9q"
chromosome = "9"
from = 49000000
to = 138000000
"""

import warnings
from bisect import bisect_left
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import PlanError, Problem, StarlingWarning
from starling.genome.plan.choices import ALPHA, BUILDS, IDS, LEAST_PEOPLE, TESTS, Model
from starling.genome.plan.sites import (
    MOST_POSITION,
    Region,
    Sites,
    chromosome,
    read_bed_regions,
    read_gene_list,
    read_sites,
)
from starling.genome.plan.snps import Snps, chosen, read_carriers, read_extract
from starling.planfile.spelling import did_you_mean, shown
from starling.planfile.toml import Section, read_file

MOST_PEOPLE: Final = 1 << 24
_TOP: Final = ("title", "privacy", "study", "snps", "analysis", "regions")
_LISTS: Final = ("list", "carriers", "extract", "ranges", "gene-list")
_CALLS_OF: Final = {".bim": ".bed", ".pvar": ".pgen"}
"""Endings of sites, and of the genotypes that they lie beside."""
_MODELS: Final[dict[str, Model]] = {name: name for name in TESTS}


def plan_file(path: Path) -> Section:
    """What a plan file says.

    Raises:
        PlanError: it is no TOML file.
    """
    if path.suffix != ".toml":
        problem, fix = f"{ascii(path.name)[1:-1]} is not a TOML file", "give a .toml file"
        raise PlanError("plan", problem, fix)
    return read_file(path)


def read_choices(top: Section, folder: Path) -> dict[str, Any]:
    """The fields of the plan that a file, or values of Python, say, with the public lists that are named.

    Warns where the SNP list lies beside genotypes as their .bim or .pvar.

    Args:
        top: What is said; in place of the table `snps` there may be a `Snps`.
        folder: Where the files that it names are looked for.

    Raises:
        PlanError: with every problem found.
    """
    top.only(_TOP)
    title = top.text("title", "say what the study is")
    _privacy(top.table("privacy"))
    people, options = _study(top.table("study"))
    model, tests, alpha = _analysis(top.table("analysis"))
    listed = top.values.get("snps")
    snps = listed if isinstance(listed, Snps) else _snps(top.table("snps"), folder)
    regions = _regions(top)
    if top.problems or snps is None:
        raise PlanError(problems=top.problems)
    chosen = {"title": title, "people": people, "snps": snps, "model": model, "tests": tests, "alpha": alpha}
    return {**chosen, "regions": regions, **options}


def _privacy(section: Section) -> None:
    section.only(("unit", "neighbours"))
    section.choice("unit", ("person",), 'write unit = "person": whose data the guarantee hides')
    fix = 'write neighbours = "replace-one": the number of people is public, so none can be added or removed'
    section.choice("neighbours", ("replace-one",), fix)


def _study(section: Section) -> tuple[int, dict[str, Any]]:
    """n, and what has a default."""
    section.only(("people", "case", "phenotype", "build", "ids"))
    people = section.whole("people", LEAST_PEOPLE, MOST_PEOPLE)
    fixes = {"case": 'write the word for a case, such as "2"', "phenotype": "name the column of the phenotype file"}
    options: dict[str, Any] = {key: section.text(key, fix) for key, fix in fixes.items() if key in section.values}
    if "build" in section.values:
        options["build"] = section.choice("build", BUILDS, f"write one of {', '.join(BUILDS)}, or leave it out")
    if "ids" in section.values:
        options["ids"] = section.choice("ids", IDS, 'write "public" only where everybody may know who takes part')
    return people, options


def _analysis(section: Section) -> tuple[Model, tuple[str, ...], Fraction]:
    section.only(("model", "tests", "alpha"))
    model = _MODELS[section.choice("model", tuple(TESTS), f"write one of {', '.join(TESTS)}")]
    fix = f"write some of {', '.join(TESTS[model])}"
    tests = tuple(section.texts("tests", fix))
    if "tests" in section.values and not tests:
        section.refuse("tests", "are none", fix)
    for test in tests:
        if test not in TESTS[model]:
            near = did_you_mean(test, TESTS[model])
            section.refuse("tests", f"hold one that the {model} model has not", fix if near == "remove it" else near)
    alpha: Fraction | None = ALPHA
    if "alpha" in section.values:
        alpha = section.number("alpha", 'write a chance such as "0.05"')
        if alpha is not None and not 0 < alpha < 1:
            section.refuse("alpha", "is not above 0 and below 1", 'write a chance such as "0.05"')
    return model, tests, alpha or ALPHA


def _snps(section: Section, folder: Path) -> Snps | None:
    """The SNP list; None after a refusal."""
    section.only((*_LISTS, "genes", "around"))
    before = len(section.problems)
    paths = {key: folder / section.text(key, "name a public file") for key in _LISTS if key in section.values}
    if "list" not in section.values:
        section.refuse("list", "is missing", "name a public .bim or .pvar")
    ranges: list[Region] | None = read_bed_regions(paths["ranges"], section.problems) if "ranges" in paths else None
    genes: list[Region] = []
    if "genes" in section.values:
        genes = _genes(section, paths)
        ranges = (ranges or []) + genes
    elif "gene-list" in paths or "around" in section.values:
        section.refuse("genes", "are missing", "name genes of the gene list")
    if len(section.problems) > before:
        return None
    listed = read_sites(paths["list"], section.problems)
    _warn_of_genotypes(paths["list"], section.file)
    extract = read_extract(paths["extract"], section.problems) if "extract" in paths else None
    carriers = read_carriers(paths["carriers"], section.problems) if "carriers" in paths else None
    if len(section.problems) > before:
        return None
    _check_genes(section, genes, listed)
    if len(section.problems) > before:
        return None
    spans = None if ranges is None else [(region.chromosome, region.low, region.high) for region in ranges]
    return chosen(listed, extract=extract, ranges=spans, carriers=carriers, problems=section.problems)


def _warn_of_genotypes(listed: Path, file: str) -> None:
    """Warn where the list and the sites of some genotypes are one file: PLINK writes those from the genotypes (plan/snps.py)."""
    calls = listed.resolve().with_suffix(_CALLS_OF.get(listed.suffix, ""))
    if calls.suffix and calls.exists():
        problem = f"is the {listed.suffix} of {calls.name}: such a list tells of those genotypes"
        fix = "take a list that others published, of an array or a panel, unless these genotypes are public"
        # Of whoever asked for the plan: this function, _snps, read_choices and two methods of Plan lie between.
        warnings.warn(StarlingWarning(str(Problem("snps.list", problem, fix, file))), stacklevel=6)


def _genes(section: Section, paths: dict[str, Path]) -> list[Region]:
    """Regions of the genes that are named, with what is around them."""
    names = section.texts("genes", "write a list of names")
    around = section.whole("around", 0, MOST_POSITION) if "around" in section.values else 0
    if "gene-list" not in paths:
        section.refuse("gene-list", "is missing", "name a public file of genes")
        return []
    listed = read_gene_list(paths["gene-list"], section.problems)
    known = {region.name for region in listed}
    for name in names:
        if known and name not in known:
            section.refuse("genes", "hold a name that is not in the gene list", did_you_mean(name, known))
    return [
        Region(gene.name, gene.chromosome, max(gene.low - around, 1), min(gene.high + around, MOST_POSITION))
        for gene in listed
        if gene.name in names
    ]


def _check_genes(section: Section, genes: list[Region], listed: Sites) -> None:
    """Refuse genes that hold no SNP of the list: they would be left out in silence, as by a gene list of another genome build."""
    places: dict[str, list[int]] = {}
    for site in listed.sites:
        places.setdefault(site.chromosome, []).append(site.position)
    for inside in places.values():
        inside.sort()
    holding = {gene.name for gene in genes if _holds(places.get(gene.chromosome, []), gene)}
    for name in dict.fromkeys(gene.name for gene in genes):
        if name not in holding:
            fix = "take a gene list of the SNP list's genome build, add around, or leave the gene out"
            section.refuse("genes", f"hold {shown(name)}, which holds no SNP of the list", fix)


def _holds(positions: list[int], region: Region) -> bool:
    at = bisect_left(positions, region.low)
    return at < len(positions) and positions[at] <= region.high


def _regions(top: Section) -> tuple[Region, ...]:
    if "regions" not in top.values:
        return ()
    regions: list[Region] = []
    for section in top.tables("regions"):
        section.only(("name", "chromosome", "from", "to"))
        name = section.text("name", "say how to ask for it")
        place = chromosome(section.text("chromosome", 'write it in quotes, such as "9"'))
        low, high = section.whole("from", 1, MOST_POSITION), section.whole("to", 1, MOST_POSITION)
        if low > high and {"from", "to"} <= set(section.values):
            section.refuse("to", "is before from", "write the last base pair, included")
        regions.append(Region(name, place, low, high))
    return tuple(regions)

"""The grammar of the plan file of a study: every key, what it states, and what is refused; with the public lists that it names."""

import warnings
from bisect import bisect_left
from pathlib import Path
from typing import Final

from starling.errors import Problem, StarlingWarning
from starling.genome.plan.choices import (
    ALPHA,
    BUILDS,
    CASE,
    COUNTED,
    IDS,
    LEAST_PEOPLE,
    MODELS,
    MOMENT_TESTS,
    MOST_ABOVE,
    MOST_COMPONENTS,
    TESTS_OF,
    UNITS,
    Model,
    tests_of,
)
from starling.genome.plan.missing import MISSING_FIX, MISSINGS
from starling.genome.plan.quantitative import ENDS_FIX, MOST_STEPS, STEPS
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
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXTS, choice, exact, fixed, flag, numbers, table, tables, text, texts, whole
from starling.planfile.spelling import did_you_mean, shown
from starling.planfile.toml import Section

MOST_PEOPLE: Final = 1 << 24
_CALLS_OF: Final = {".bim": ".bed", ".pvar": ".pgen"}
"""Endings of sites, and of the genotypes that they lie beside."""
_FILE: Final = text("name a public file")
_POSITION: Final = whole(1, MOST_POSITION)
_NEIGHBOURS: Final = 'write neighbours = "replace-one": the number of people is public, so none can be added or removed'
OF_PHENOTYPES: Final = (
    "have no proof where all of a person is protected: who is replaced changes covariates and components of all"
)
OF_PHENOTYPES_FIX: Final = 'write unit = "phenotype", which protects phenotypes alone, or leave it out'
OF_DOSAGES: Final = (
    "are dosages, which are no numbers of people to count: the additive model of phenotypes alone takes them"
)
DOSAGES_FIX: Final = 'write unit = "phenotype" and model = "additive", or genotypes = "calls"'
OF_MEN: Final = "is not 2, or 1 in the additive model of phenotypes"
OF_MEN_FIX: Final = "write 1 where a man's copy on X counts as one, and 2 where it counts as two"
_CHANCE: Final = 'write a chance such as "0.05"'
_PLACE: Final = text('write it in quotes, such as "9"')
_SNPS: Final = Table(
    {
        "list": Key(
            "The SNPs, their places and alleles: a public .bim or .pvar, never the one beside the genotypes unless that is public.",
            text("name a public .bim or .pvar"),
        ),
        "carriers": Key(
            "The allele that counts: an id and an allele on each line. The first of a .bim, ALT of a .pvar without it.",
            _FILE,
            default=None,
        ),
        "extract": Key("A file of ids: keep these SNPs.", _FILE, default=None),
        "ranges": Key("A BED file: keep the SNPs in its ranges.", _FILE, default=None),
        "gene-list": Key("A file of genes, as PLINK's `--gene-report` takes it.", _FILE, default=None),
        "genes": Key(
            "Genes of it: keep their SNPs; each holds one of the list.", texts("write a list of names"), default=None
        ),
        "around": Key("Base pairs kept on both sides of a gene.", whole(0, MOST_POSITION), default=0),
    }
)


def _read_snps(top: Section, key: str, values: Values) -> Snps | None:
    """The SNP list, which values of Python may state as a `Snps`; None after a refusal."""
    stated = top.values.get(key)
    if isinstance(stated, Snps):
        return stated
    section = top.table(key)
    before = len(section.problems)
    names = _SNPS.parse(section)
    files = ("list", "carriers", "extract", "ranges", "gene_list")
    paths: dict[str, Path] = {name: values["folder"] / names[name] for name in files if names[name]}
    ranges = read_bed_regions(paths["ranges"], section.problems) if "ranges" in paths else None
    genes: list[Region] = []
    if names["genes"] is not None:
        genes = _genes(section, names["genes"], names["around"], paths.get("gene_list"))
        ranges = (ranges or []) + genes
    elif "gene_list" in paths or "around" in section.values:
        section.refuse("genes", "are missing", "name genes of the gene list")
    if len(section.problems) > before:
        return None
    listed = read_sites(paths["list"], section.problems)
    _warn_of_genotypes(paths["list"], section.file)
    extract = read_extract(paths["extract"], section.problems) if "extract" in paths else None
    carriers = read_carriers(paths["carriers"], section.problems) if "carriers" in paths else None
    if len(section.problems) == before:
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
        # At the call of `Plan`: this function, _read_snps, two of the table, two of Plan and the check of arguments lie between.
        warnings.warn(StarlingWarning(str(Problem("snps.list", problem, fix, file))), stacklevel=8)


def _genes(section: Section, names: tuple[str, ...], around: int, path: Path | None) -> list[Region]:
    """Regions of the genes that are named, with what is around them."""
    if path is None:
        section.refuse("gene-list", "is missing", "name a public file of genes")
        return []
    listed = read_gene_list(path, section.problems)
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
    for site in sorted(listed.sites, key=lambda site: site.position):
        places.setdefault(site.chromosome, []).append(site.position)

    def holds(gene: Region) -> bool:
        inside = places.get(gene.chromosome, [])
        at = bisect_left(inside, gene.low)
        return at < len(inside) and inside[at] <= gene.high

    holding = {gene.name for gene in genes if holds(gene)}
    for name in dict.fromkeys(gene.name for gene in genes if gene.name not in holding):
        fix = "take a gene list of the SNP list's genome build, add around, or leave the gene out"
        section.refuse("genes", f"hold {shown(name)}, which holds no SNP of the list", fix)


def _tests_of(values: Values) -> dict[Model, tuple[str, ...]]:
    """The models that go with unit and phenotype, each with its tests."""
    return tests_of(values["unit"], quantitative=values.get("between") is not None)


def _read_tests(section: Section, key: str, values: Values) -> tuple[str, ...]:
    known = _tests_of(values).get(values["model"])
    if known is None:  # The table says so of the model.
        return ()
    fix = f"write some of {', '.join(known)}"
    tests = tuple(section.texts(key, fix))
    if key in section.values and not tests:
        section.refuse(key, "are none", fix)
    for test in (each for each in tests if each not in known):
        near = did_you_mean(test, known)
        elsewhere = any(test in of_models.get(values["model"], ()) for of_models in TESTS_OF.values())
        lack = f"plans with unit = {values['unit']!r} have" if elsewhere else f"the {values['model']} model has"
        section.refuse(key, f"hold one that {lack} not", fix if near == "remove it" else near)
    return tests


def _check_region(section: Section, values: Values) -> None:
    if values["low"] > values["high"] and {"from", "to"} <= set(section.values):
        section.refuse("to", "is before from", "write the last base pair, included")


def _check_analysis(section: Section, values: Values) -> None:
    """Refuse what only plans of the other unit have."""
    unit, model = values["unit"], values["model"]
    if model not in (known := _tests_of(values)):
        fix = f"write one of {', '.join(known)}"
        which = f"unit = {unit!r}{' and between' if known is MOMENT_TESTS else ''}"
        section.refuse("model", f"is {model}, which plans with {which} have not", fix)
    for key in ("covariates", "components", "chromosome-out"):
        if unit == "person" and values[key.replace("-", "_")]:
            section.refuse(key, OF_PHENOTYPES, OF_PHENOTYPES_FIX)
    if values["genotypes"] == "dosages" and (model != "additive" or unit == "person"):
        section.refuse("genotypes", OF_DOSAGES, DOSAGES_FIX)
    if values["x_model"] == 1 and (model != "additive" or unit == "person"):
        section.refuse("x-model", OF_MEN, OF_MEN_FIX)


_PRIVACY: Final = Table(
    {
        "unit": Key(
            "`person`: all genotypes and the phenotype of one person. `phenotype`: one person's phenotype alone; genotypes, covariates and"
            " who takes part are not protected.",
            choice(UNITS, 'write "person" or "phenotype": whose data the guarantee hides'),
        ),
        "neighbours": Key("The number of people is public.", fixed("replace-one", _NEIGHBOURS)),
    }
)


def _check_study(section: Section, values: Values) -> None:
    for key in ("above", "between"):
        if values[key] is not None and "case" in section.values:
            section.refuse("case", f"stands beside {key}", f"keep {key} of a quantitative phenotype, and else case")
    if values["between"] is None and "steps" in section.values:
        section.refuse("steps", "stand without between", "write between, the ends of a quantitative phenotype")


_STUDY: Final = Table(
    {
        "people": Key("n; a file with more or fewer people is refused.", whole(LEAST_PEOPLE, MOST_PEOPLE)),
        "case": Key(
            "The phenotype of a case; everybody else, a missing phenotype included, is a control.",
            text('write the word for a case, such as "2"'),
            default=CASE,
            value=lambda plan: plan.case if plan.above is None and plan.between is None else None,
        ),
        "above": Key(
            "In place of `case`, of a quantitative phenotype: numbers above this public one are cases.",
            exact(
                'write a public number such as "25.5"', lambda above: abs(above) > MOST_ABOVE, f"is beyond {MOST_ABOVE}"
            ),
            default=None,
        ),
        "between": Key(
            "In place of `case`, of a quantitative phenotype as it is: the public ends to which it is clipped, the middle"
            ' where it is missing (or -9); with `unit = "person"` left out.',
            numbers(2, "are not two", ENDS_FIX),
            default=None,
            value=lambda plan: plan.between or None,
        ),
        "steps": Key(
            "How many equal steps are between these ends; a phenotype is rounded to the nearest.",
            whole(1, MOST_STEPS),
            default=STEPS,
            value=lambda plan: None if plan.between is None else plan.steps,
        ),
        "phenotype": Key(
            "Column of a phenotype file that has a header; the first after the ids without it.",
            text("name the column of the phenotype file"),
            default=None,
        ),
        "build": Key(
            "The reference genome of the list's positions, stated in every release and export.",
            choice(BUILDS, f"write one of {', '.join(BUILDS)}, or leave it out"),
            default=None,
        ),
        "ids": Key(
            "Whether everybody may know who takes part. Then ids that do not join are refused before a charge, and the guarantee"
            " hides what is known of a person, not that the person takes part.",
            choice(IDS, 'write "public" only where everybody may know who takes part'),
            default="confidential",
        ),
    },
    check=_check_study,
)
_ANALYSIS: Final = Table(
    {
        "model": Key(
            "People with a copy (dominant), with two (recessive), by number of copies (genotypic), or copies (allelic). Of phenotypes"
            " dominant, recessive, or the number of copies (additive, also of persons with `between`).",
            choice(MODELS, f"write one of {', '.join(MODELS)}"),
        ),
        "tests": Key(
            "Those that the model has: `g`, `chi2`, and `trend` if genotypic, else `fisher`, `logistic` and `wald`. Of phenotypes `score`.",
            Kind("list of texts", TEXTS, _read_tests, list),
        ),
        "alpha": Key(
            "A SNP is significant when its p-value is at or below alpha/m, m the number of SNPs that are kept.",
            exact(_CHANCE, lambda alpha: not 0 < alpha < 1, "is not above 0 and below 1"),
            default=ALPHA,
        ),
        "covariates": Key(
            "Columns of the covariate file that the score test adjusts for; only of phenotypes.",
            texts('write a list of columns, such as ["age", "sex"]'),
            default=(),
            value=lambda plan: plan.covariates or None,
        ),
        "components": Key(
            "Principal components of the plan's SNPs that it adjusts for; only of phenotypes.",
            whole(0, MOST_COMPONENTS),
            default=0,
            value=lambda plan: plan.components or None,
        ),
        "chromosome-out": Key(
            "Whether a SNP's test is adjusted for components of the SNPs on other chromosomes alone, so that its neighbours do not take"
            " from it. Takes about ten times as long as components do.",
            flag(),
            default=False,
            value=lambda plan: plan.chromosome_out or None,
        ),
        "genotypes": Key(
            "`dosages`: expected copies, 0 to 2, as imputation gives them (.pgen, BGEN, DS or GP of a VCF); only of phenotypes, additive.",
            choice(COUNTED, f"write one of {', '.join(COUNTED)}"),
            default="calls",
            value=lambda plan: None if plan.genotypes == "calls" else plan.genotypes,
        ),
        "x-model": Key(
            "How many copies a man's single one on X counts as, by the sex in .fam, .psam or .sample, as PLINK's `--xchr-model`; 1 only of"
            " phenotypes, additive.",
            whole(1, 2),
            default=2,
            value=lambda plan: None if plan.x_model == 2 else plan.x_model,
        ),
        "missing": Key(
            "`cell`: who lacks a call is counted in a cell of their own, cases and controls, and tests compare the others; for `num-sig`,"
            " `loc-sig` and `snp-pval`, dominant or recessive, of a .bed or .pgen. Where phenotypes are protected, for `snp-pval` alone: a"
            " scan takes the mean. Without it: no copy, or of phenotypes the mean.",
            choice(MISSINGS, MISSING_FIX),
            default=None,
        ),
    },
    check=_check_analysis,
)
_REGION: Final = Table(
    {
        "name": Key("How it is asked for.", text("say how to ask for it")),
        "chromosome": Key("Where it lies.", Kind("text", _PLACE.schema, lambda *at: chromosome(_PLACE.read(*at)))),
        "from": Key("The first base pair.", _POSITION, field="low"),
        "to": Key("The last one, included.", _POSITION, field="high"),
    },
    make=Region,
    check=_check_region,
)
PLAN: Final = Table(
    {
        "title": Key("For people; stands on the reports.", text("say what the study is")),
        "privacy": Key("What is promised.", table(_PRIVACY)),
        "study": Key("The people.", table(_STUDY)),
        "snps": Key("The public SNP list.", Kind("table", _SNPS.schema(), _read_snps, inside=_SNPS)),
        "analysis": Key("What is compared, and how.", table(_ANALYSIS)),
        "regions": Key("Where questions may look; each chromosome is one without it.", tables(_REGION), default=()),
    }
)

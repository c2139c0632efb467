"""An invented case-control study as .bed, .bim and .fam with a plan, from a public seed: for demonstrations, tests and benchmarks.

The plan's SNP list is a file of its own, as that of an array is: what lies beside genotypes is often written from them (plan/snps.py).

Nothing here is about anybody. The same numbers and seed give the same bytes on any number of cores, because SNPs are made in runs of fixed
size, each with its own random stream, and are written in order. (With the same NumPy and msprime: GENERATED.json names them.)

Cases and controls. A causal SNP multiplies the odds of disease by its odds ratio for each copy of the carried allele. In a study that
samples cases and controls, that is the same as drawing the alleles of controls from the population and those of cases with weight
odds ratio: an allele of frequency p has p r / (1 - p + p r) in cases. Effects of several SNPs multiply.

Memory holds a few runs of SNPs, so the size is limited by the disk alone: 500,000 people x 1,000,000 SNPs are 125 GB.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.genome.generate.runs import Design, independent
from starling.genome.plan.snps import MOST_SNPS
from starling.planfile.invented import NOTE, PLAN, write_note
from starling.release.described import Generated

Linkage: TypeAlias = Literal["independent", "coalescent"]

NAME: Final = "study"
LIST: Final = "array.bim"
NOTICE: Final = (
    "Invented data. No person is described: every genotype and phenotype was drawn from the public seed below, and which SNPs are causal "
    "says nothing about any disease."
)
MOST_PEOPLE: Final = 1 << 24
MOST_CAUSAL: Final = 1000
MOST_POPULATIONS: Final = 10
POPULATIONS: Final = "populations.txt"
"""The file that says who is of which population, as a covariate."""
MAGIC: Final = b"\x6c\x1b\x01"


def generate(
    *,
    people: int,
    snps: int,
    seed: int,
    out: Path,
    cases: int | None = None,
    causal: Mapping[int, float] | None = None,
    linkage: Linkage = "independent",
    populations: int = 1,
    workers: int | None = None,
) -> Generated:
    """Invent a study and write it to the folder `out`.

    Args:
        people: n, 2 to 2^24.
        snps: m, 1 to 2^26. They are called s1 to sm, in the order of the genome.
        seed: Public; 0 or more.
        out: Folder to make; must not exist.
        cases: How many people are cases, 1 to n - 1; half of them without it.
        causal: Number of each causal SNP, 1 to m, and its odds ratio, 0.01 to 100.
        linkage: "independent": SNPs of carried-allele frequency .05 to .5, each drawn alone, for scale; "coalescent": SNPs of minor-allele
            frequency .05 or more from simulated genealogies with recombination, for real linkage (needs msprime: the extra `demo`).
        populations: 1 to 10, of eight people or more on average. Several differ in frequencies and prevalence, have independent SNPs, and
            are listed in populations.txt; the plan then protects phenotypes, and adjusts for a component fewer than they are.
        workers: Threads; as many as there are cores without it. Changes the time it takes, never a byte.

    Raises:
        ParameterError: for a number out of range, or without msprime where it is needed.
        OutputError: when `out` exists or cannot be written.
    """
    half = people // 2 if cases is None else cases
    design = _checked(Design(people, half, snps, seed, dict(causal or {}), populations), linkage)
    with new_folder(out) as folder:
        _write(folder, design, linkage, workers or os.cpu_count() or 1)
    sizes = {"people": people, "SNPs": snps, "causal_SNPs": len(causal or {})}
    return Generated({"genotypes": out / NAME}, out / NOTE, sizes, out / PLAN)


def check_causal(causal: Mapping[Any, float]) -> None:
    """Raises ParameterError for too many causal SNPs, or an odds ratio that is too far from 1."""
    if len(causal) > MOST_CAUSAL:
        raise ParameterError("causal", f"are more than {MOST_CAUSAL}", "name fewer")
    if any(not 0.01 <= ratio <= 100 for ratio in causal.values()):
        raise ParameterError("causal", "has an odds ratio not from 0.01 to 100", "give one such as 1.5")


def _checked(design: Design, linkage: str) -> Design:
    people, snps, causal = design.people, design.snps, design.causal
    known = people if type(people) is int else 0
    # Every one has some people, and the plan asks for fewer components than people.
    populations = max(1, min(MOST_POPULATIONS, known // 8))
    whole = {
        "people": (people, 2, MOST_PEOPLE, "say how many to invent"),
        "snps": (snps, 1, MOST_SNPS, "say how many to invent"),
        "seed": (design.seed, 0, 2**63, "give a public seed such as 1"),
        "cases": (design.cases, 1, max(1, known - 1), "leave some people as controls"),
        "populations": (design.populations, 1, populations, "give a number such as 2"),
    }
    for field, (value, low, high, fix) in whole.items():
        if type(value) is not int or not low <= value <= high:
            raise ParameterError(field, f"is not a whole number from {low} to {high}", fix)
    if any(type(number) is not int or not 1 <= number <= snps for number in causal):
        raise ParameterError("causal", f"are not numbers from 1 to {snps}", "number SNPs from 1")
    check_causal(causal)
    if linkage not in ("independent", "coalescent"):
        raise ParameterError("linkage", "is not independent or coalescent", 'give "independent"')
    if design.populations > 1 and linkage != "independent":
        raise ParameterError("populations", "are several, of SNPs with linkage", 'give linkage "independent"')
    return design


def _write(folder: Path, design: Design, linkage: Linkage, workers: int) -> None:
    """Everything, into an existing empty folder."""
    versions = {"numpy": np.__version__}
    if linkage == "independent":
        runs = independent(design, workers)
    else:
        from starling.genome.generate import coalescent

        runs = coalescent.runs(design, workers)
        versions["msprime"] = coalescent.library().__version__
    causal: list[dict[str, object]] = []
    number = 0
    with (
        (folder / f"{NAME}.bed").open("wb") as bed,
        (folder / f"{NAME}.bim").open("w", encoding="ascii") as bim,
        (folder / LIST).open("w", encoding="ascii") as listed,
    ):
        bed.write(MAGIC)
        for run in runs:
            bed.write(run.calls.data)
            for (chromosome, position, first, second), frequency in zip(run.sites, run.frequencies, strict=True):
                number += 1
                for sites in (bim, listed):
                    sites.write(f"{chromosome}\ts{number}\t0\t{position}\t{first}\t{second}\n")
                if number in design.causal:
                    effect = {"odds_ratio": design.causal[number], "frequency": frequency}
                    causal.append({"snp": f"s{number}", **effect})
    with (folder / f"{NAME}.fam").open("w", encoding="ascii") as fam:
        # PLINK ignores the phenotype of people without a sex.
        fam.writelines(
            f"p{row} p{row} 0 0 {1 + row % 2} {2 if row <= design.cases else 1}\n"
            for row in range(1, design.people + 1)
        )
    note = {
        "seed": design.seed,
        "people": design.people,
        "cases": design.cases,
        "snps": design.snps,
        "linkage": linkage,
        **({"populations": design.populations} if design.populations > 1 else {}),
        "causal": causal,
        "versions": versions,
    }
    write_note(folder, NOTICE, note)
    unit, analysis = "person", _OF_PERSONS
    if design.populations > 1:
        unit, analysis = "phenotype", _OF_PHENOTYPES.format(components=design.populations - 1)
        with (folder / POPULATIONS).open("w", encoding="ascii") as file:
            file.write("FID IID population\n")
            rows = enumerate(design.members().tolist(), 1)
            file.writelines(f"p{row} p{row} {population + 1}\n" for row, population in rows)
    plan = _PLAN.format(unit=unit, people=design.people, snps=design.snps, listed=LIST, analysis=analysis)
    (folder / PLAN).write_text(plan, encoding="utf-8")


_OF_PERSONS: Final = """model = "dominant"
tests = ["g"]"""
_OF_PHENOTYPES: Final = """model = "additive"
tests = ["score"]
components = {components}"""
_PLAN: Final = """title = "Invented study of {people:,} people and {snps:,} SNPs"

[privacy]
unit = "{unit}"
neighbours = "replace-one"

[study]
people = {people}

[snps]
list = "{listed}"

[analysis]
{analysis}
"""

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
from typing import Final, Literal, TypeAlias

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
        workers: Threads; as many as there are cores without it. Changes the time it takes, never a byte.

    Raises:
        ParameterError: for a number out of range, or without msprime where it is needed.
        OutputError: when `out` exists or cannot be written.
    """
    half = people // 2 if cases is None else cases
    design = _checked(people, snps, seed, half, dict(causal or {}), linkage)
    with new_folder(out) as folder:
        _write(folder, design, linkage, workers or os.cpu_count() or 1)
    sizes = {"people": people, "SNPs": snps, "causal_SNPs": len(causal or {})}
    return Generated({"genotypes": out / NAME}, out / NOTE, sizes, out / PLAN)


def _checked(people: int, snps: int, seed: int, cases: int, causal: dict[int, float], linkage: str) -> Design:
    whole = {
        "people": (people, 2, MOST_PEOPLE, "say how many to invent"),
        "snps": (snps, 1, MOST_SNPS, "say how many to invent"),
        "seed": (seed, 0, 2**63, "give a public seed such as 1"),
        "cases": (cases, 1, max(1, people - 1) if type(people) is int else 1, "leave some people as controls"),
    }
    for field, (value, low, high, fix) in whole.items():
        if type(value) is not int or not low <= value <= high:
            raise ParameterError(field, f"is not a whole number from {low} to {high}", fix)
    if len(causal) > MOST_CAUSAL or any(type(number) is not int or not 1 <= number <= snps for number in causal):
        problem, fix = f"are not at most {MOST_CAUSAL} numbers from 1 to {snps}", "number SNPs from 1"
        raise ParameterError("causal", problem, fix)
    if any(not 0.01 <= ratio <= 100 for ratio in causal.values()):
        problem, fix = "has an odds ratio not from 0.01 to 100", "give one such as 1.5"
        raise ParameterError("causal", problem, fix)
    if linkage not in ("independent", "coalescent"):
        raise ParameterError("linkage", "is not independent or coalescent", 'give "independent"')
    return Design(people, cases, snps, seed, causal)


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
        "causal": causal,
        "versions": versions,
    }
    write_note(folder, NOTICE, note)
    (folder / PLAN).write_text(_PLAN.format(people=design.people, snps=design.snps, listed=LIST), encoding="utf-8")


_PLAN: Final = """title = "Invented study of {people:,} people and {snps:,} SNPs"

[privacy]
unit = "person"
neighbours = "replace-one"

[study]
people = {people}

[snps]
list = "{listed}"

[analysis]
model = "dominant"
tests = ["g"]
"""

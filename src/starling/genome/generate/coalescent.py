"""SNPs of simulated genealogies with recombination (msprime): linkage as in a population of constant size.

A stretch of the genome is simulated for a pool of chromosomes, more than the study has people. Controls are the first of them. Cases take
theirs from the rest without replacement, with weights that are the products of the odds ratios of the causal alleles on a chromosome;
the rest is CHOICE times what they take, so that it is hardly depleted. Stretches are independent of each other.
"""

from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Final

import numpy as np

from starling.distribution import install
from starling.engine.machine import in_order
from starling.errors import ParameterError
from starling.genome.arrays import Flags, UInt64
from starling.genome.generate.runs import AUTOSOMES, Design, Run, bed_rows, stream, two_bases, words_of

STRETCH: Final = 2_000_000
"""Base pairs simulated at once: some 2,000 SNPs."""
PER_STRETCH: Final = 1000
"""SNPs taken of one, evenly spread."""
RARE: Final = 0.05
"""Least frequency of the rarer allele in the pool."""
CHOICE: Final = 4
POPULATION, RECOMBINATION, MUTATION = 10_000, 1e-8, 1e-8
"""Effective size of human populations in diploids, and rates for each base pair and generation."""
_GAP: Final = 500_000
"""Base pairs between stretches of one chromosome."""


def runs(design: Design, workers: int) -> Iterator[Run]:
    """All SNPs, in order. Raises ParameterError without msprime."""
    msprime = library()
    count = (design.snps + PER_STRETCH - 1) // PER_STRETCH
    return in_order(partial(_run, design, msprime), range(count), workers)


def library() -> ModuleType:
    """msprime; raises ParameterError where it is not installed."""
    try:
        import msprime
    except ImportError:
        problem, fix = "is coalescent, which needs msprime", f"{install('demo')}, or take independent SNPs"
        raise ParameterError("linkage", problem, fix) from None
    return msprime  # type: ignore[no-any-return]


def _run(design: Design, msprime: ModuleType, index: int) -> Run:
    start = index * PER_STRETCH
    number = min(PER_STRETCH, design.snps - start)
    random = stream(design.seed, index)
    controls = design.people - design.cases
    positions, derived = _simulated(msprime, random, number, 2 * (controls + CHOICE * design.cases))
    weights = np.ones(derived.shape[1] - 2 * controls)
    for row in range(number):
        ratio = design.causal.get(start + row + 1)
        if ratio is not None:
            weights *= np.where(derived[row, 2 * controls :], ratio, 1.0)
    chosen = random.choice(len(weights), 2 * design.cases, replace=False, p=weights / weights.sum())
    sampled = derived[:, np.concatenate((2 * controls + chosen, np.arange(2 * controls)))]
    bases = two_bases(random, number)
    # The autosomes have equal shares of the stretches.
    share = -(-design.snps // (PER_STRETCH * AUTOSOMES))
    chromosome, offset = 1 + index // share, 1 + index % share * (STRETCH + _GAP)
    sites = [(chromosome, offset + place, *pair) for place, pair in zip(positions, bases, strict=True)]
    frequencies = derived[:, : 2 * controls].mean(axis=1).tolist()
    return Run(bed_rows(_by_person(sampled, design.people), design.people), sites, frequencies)


def _simulated(
    msprime: ModuleType, random: np.random.Generator, number: int, chromosomes: int
) -> tuple[list[int], Flags]:
    """Positions of `number` common sites, and who of the chromosomes has the derived allele, bool (number, chromosomes).

    A stretch with fewer common sites is simulated again, twice as dense in mutations.
    """
    trees = msprime.sim_ancestry(
        samples=chromosomes // 2,
        sequence_length=STRETCH,
        recombination_rate=RECOMBINATION,
        population_size=POPULATION,
        random_seed=int(random.integers(1, 2**31)),
    )
    rate = MUTATION
    while True:
        mutated = msprime.sim_mutations(
            trees, rate=rate, random_seed=int(random.integers(1, 2**31)), model=msprime.BinaryMutationModel()
        )
        common: list[tuple[int, Flags]] = []
        for site in mutated.variants():
            derived = site.genotypes == 1
            if RARE <= derived.mean() <= 1 - RARE:
                common.append((int(site.site.position), derived))
        if len(common) >= number:
            break
        rate *= 2
    chosen = [common[at] for at in np.linspace(0, len(common) - 1, number).astype(np.int64)]
    return [position for position, _ in chosen], np.array([derived for _, derived in chosen])


def _by_person(chromosomes: Flags, people: int) -> UInt64:
    """Two chromosomes a person, uint64 (c, 2, words), from bool (c, 2n) of neighbours."""
    bits = np.zeros((len(chromosomes), 2, 64 * words_of(people)), dtype=np.uint8)
    bits[:, :, :people] = chromosomes.reshape(len(chromosomes), people, 2).transpose(0, 2, 1)
    return np.packbits(bits, axis=2, bitorder="little").view("<u8").astype(np.uint64)

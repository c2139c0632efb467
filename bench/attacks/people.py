"""Invented people for attacks on our own releases, from a public seed. Nobody in them exists."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]


def towns(number: int, kinds: int, mean: float, seed: int) -> tuple[Int64, Int64]:
    """Persons by kind of record in each town, int64 (number, kinds), and the kind of one person more, int64 (number,).

    Args:
        number: Of towns.
        kinds: Of records.
        mean: Persons of a kind in a town; counts are independent Poisson draws.
        seed: The same gives the same people.
    """
    rng = np.random.default_rng(seed)
    return rng.poisson(mean, (number, kinds)).astype(np.int64), rng.integers(0, kinds, number)


def genomes(people: int, snps: int, seed: int) -> npt.NDArray[np.bool_]:
    """Who carries which SNP, bool (people, snps): independent SNPs, each of an allele with a frequency from .02 to .5.

    Args:
        people: How many.
        snps: How many.
        seed: The same gives the same people.
    """
    rng = np.random.default_rng(seed)
    frequencies = rng.uniform(0.02, 0.5, snps)
    carried: npt.NDArray[np.bool_] = rng.random((people, snps)) < 1 - (1 - frequencies) ** 2
    return carried


def deals(people: int, games: int, seed: int) -> Iterator[tuple[Int64, bool]]:
    """For each game an order of the people, int64 (people,), and the fall of a fair coin."""
    rng = np.random.default_rng(seed)
    for _ in range(games):
        yield rng.permutation(people), bool(rng.integers(2))

"""Invented people for attacks on our own releases, from a public seed. Nobody in them exists."""

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

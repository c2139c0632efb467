"""diffprivlib's integer noise: one call a draw, which is all it offers.

Its Geometric inverts the distribution function in floating point: not the exact law, and faster for it.
"""

from functools import lru_cache
from time import perf_counter
from typing import Any

from diffprivlib.mechanisms import GaussianDiscrete, Geometric

from bench.peers.answering import answer


@lru_cache
def mechanism(law: str, parameter: int) -> Any:
    """The mechanism of `law`; `parameter` is its scale or sigma."""
    if law == "laplace":
        return Geometric(epsilon=1 / parameter)
    # It takes (epsilon, delta) and works sigma out; here sigma is given.
    gaussian = GaussianDiscrete(epsilon=1.0, delta=1e-6)
    gaussian._scale = float(parameter)  # noqa: SLF001
    return gaussian


def measure(law: str, parameter: int, draws: int) -> float:
    """Seconds for `draws` draws."""
    randomise = mechanism(law, parameter).randomise
    began = perf_counter()
    for _ in range(draws):
        randomise(0)
    return perf_counter() - began


if __name__ == "__main__":
    answer(("diffprivlib", "numpy", "scikit-learn"), measure)

"""Tumult Core's integer noise: one call a draw. Its measurements on series and data frames make that same call for each row."""

from functools import lru_cache
from time import perf_counter
from typing import Any

from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise, AddGeometricNoise
from tmlt.core.utils.exact_number import ExactNumber

from bench.peers.answering import answer


@lru_cache
def measurement(law: str, parameter: int) -> Any:
    """The measurement of `law`; `parameter` is its scale or sigma."""
    if law == "laplace":
        return AddGeometricNoise(ExactNumber(parameter))
    return AddDiscreteGaussianNoise(ExactNumber(parameter**2))


def measure(law: str, parameter: int, draws: int) -> float:
    """Seconds for `draws` draws."""
    add = measurement(law, parameter)
    began = perf_counter()
    for _ in range(draws):
        add(0)
    return perf_counter() - began


if __name__ == "__main__":
    answer(("tmlt.core", "numpy"), measure)

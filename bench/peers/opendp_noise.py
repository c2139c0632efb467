"""OpenDP's integer noise, through its measurements on a vector of zeros: one call for all draws, the fastest way it offers."""

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Any

import opendp.prelude as dp

from bench.peers.answering import answer

dp.enable_features("contrib")


@lru_cache
def ways(law: str, parameter: int) -> tuple[Callable[[list[int]], Any], ...]:
    """The measurements that add noise of `law`; `parameter` is its scale or sigma."""
    domain = dp.vector_domain(dp.atom_domain(T=dp.i64))
    if law == "gaussian":
        return (dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(parameter)),)
    metric = dp.l1_distance(T=dp.i64)
    return (
        dp.m.make_laplace(domain, metric, scale=float(parameter)),
        dp.m.make_geometric(domain, metric, scale=float(parameter)),
    )


def measure(law: str, parameter: int, draws: int) -> float:
    """Seconds for `draws` draws, of the measurement that was faster."""
    zeros = [0] * draws
    seconds = []
    for way in ways(law, parameter):
        began = perf_counter()
        way(zeros)
        seconds.append(perf_counter() - began)
    return min(seconds)


if __name__ == "__main__":
    answer(("opendp", "numpy"), measure)

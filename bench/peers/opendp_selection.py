"""OpenDP's selection of the best of many scores, at epsilon 1 (rho 1/8) and sensitivity 1.

`make_noisy_max` with Gumbel noise draws what the exponential mechanism draws; with exponential noise, what permute-and-flip draws.
"""

from functools import lru_cache
from time import perf_counter
from typing import Any

import opendp.prelude as dp

from bench.peers.answering import answer
from bench.shapes import scores

dp.enable_features("contrib")
SCALE = 2.0
"""2 sensitivity / epsilon."""


@lru_cache
def measurement(kind: str) -> Any:
    """The measurement that draws what our mechanism `kind` draws."""
    measure = dp.zero_concentrated_divergence() if kind == "exponential mechanism" else dp.max_divergence()
    domain = dp.vector_domain(dp.atom_domain(T=dp.i64))
    return dp.m.make_noisy_max(domain, dp.linf_distance(T=dp.i64), measure, scale=SCALE)


def measure(kind: str, shape: str, candidates: int) -> float:
    """Seconds for one selection."""
    choose, among = measurement(kind), scores(shape, candidates)
    began = perf_counter()
    choose(among)
    return perf_counter() - began


if __name__ == "__main__":
    answer(("opendp", "numpy"), measure)

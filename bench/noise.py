"""Exact integer noise: draws a second on one thread, against OpenDP, diffprivlib and tmlt.core in the same run.

What is timed is the public call, `discrete_laplace(scale, size)`: the AES key stream, the search and the result array. The table of the
distribution is made before (its time is a column of its own), as are the others' objects. Calls of 10^6 draws find the memory of the one
before; the array of 10^7 draws is memory fresh from the system, which clears it first.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from bench.measure import Json, Spread, enough, in_turn, ratios, timed
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from starling.privacy.sampling.inversion import Search, inversion
from starling.privacy.sampling.noise import discrete_gaussian, discrete_laplace, geometric_digits
from starling.privacy.sampling.wide_gaussian import wide_gaussian

SCRIPTS: Final = {"opendp": "opendp_noise", "diffprivlib": "diffprivlib_noise", "tmlt": "tmlt_noise"}
TABLES: Final = (1, 10, 100, 1000)
"""Scales and sigmas that the limits speak of; one table each."""
WIDE: Final = 10**6
"""A scale and a sigma beyond the tables."""
OURS: Final[dict[str, tuple[Search, int]]] = {
    "guided": ("guided", 10**6),
    "fixed": ("fixed", 10**6),
    "guided_large": ("guided", 10**7),
}
"""Our rivals: the search, and the draws of one call."""
MOST: Final = 10**8
"""Draws of one measurement."""


@dataclass(frozen=True, slots=True)
class Case:
    """One distribution.

    Attributes:
        law: "laplace" or "gaussian".
        parameter: Scale or sigma.
    """

    law: Literal["laplace", "gaussian"]
    parameter: int

    def draw(self, draws: int, search: Search) -> None:
        """Draw that many by the public function."""
        if self.law == "laplace":
            discrete_laplace(self.parameter, draws, search=search)
        else:
            discrete_gaussian(self.parameter**2, draws, search=search)

    def seconds(self, search: Search, at_once: int, draws: int) -> float:
        """The time of that many draws, in calls of `at_once`."""

        def calls() -> None:
            for start in range(0, draws, at_once):
                self.draw(min(at_once, draws - start), search)

        return timed(calls)


CASES: Final = [
    *(Case("laplace", scale) for scale in (*TABLES, WIDE)),
    *(Case("gaussian", sigma) for sigma in (*TABLES, WIDE)),
]


@dataclass(frozen=True, slots=True)
class Row:
    """What was found of one distribution.

    Attributes:
        case: The distribution.
        first: Seconds until its first draw.
        draws: Of one measurement, by rival.
        rates: Million draws a second, by rival.
        faster: How many times the rate of each peer the guided search has.
    """

    case: Case
    first: Spread
    draws: dict[str, int]
    rates: dict[str, Spread]
    faster: dict[str, Spread]

    def to_json(self) -> Json:
        """As it stands in the result file."""
        return {
            "law": self.case.law,
            "parameter": self.case.parameter,
            "first_draw_seconds": self.first.to_json(),
            "draws": dict(self.draws),
            "million_draws_per_second": {name: found.to_json() for name, found in self.rates.items()},
            "times_faster": {name: found.to_json() for name, found in self.faster.items()},
        }


def rate(seconds: Callable[[int], float], draws: int) -> float:
    """Million draws a second."""
    return draws / seconds(draws) / 1e6


def first_draw(case: Case) -> float:
    """Seconds until the first draw of a distribution: its table is made and certified. Kernels are compiled by then."""
    for kept in (inversion, geometric_digits, wide_gaussian):
        kept.cache_clear()
    return case.seconds("guided", 1, 1)


def measure(case: Case, peers: dict[str, Peer], *, rounds: int, aim: float) -> Row:
    """The row of one distribution: rates in million draws a second, and how many times each peer's rate the guided search has."""
    for search, _ in OURS.values():
        case.draw(1, search)
    table = Spread.of(first_draw(case) for _ in range(min(rounds, 3)))
    calls: dict[str, Callable[[int], float]] = {name: partial(case.seconds, *how) for name, how in OURS.items()}
    for name, peer in peers.items():
        calls[name] = partial(_asked, peer, case)
    draws = {name: enough(call, aim, MOST) for name, call in calls.items()}
    rates = in_turn({name: partial(rate, call, draws[name]) for name, call in calls.items()}, rounds)
    print(case.law, case.parameter, {name: f"{Spread.of(found).median:g}" for name, found in rates.items()}, flush=True)
    return Row(
        case,
        table,
        draws,
        {name: Spread.of(found) for name, found in rates.items()},
        {name: ratios(rates["guided"], rates[name]) for name in peers},
    )


def _asked(peer: Peer, case: Case, draws: int) -> float:
    return peer.seconds(law=case.law, parameter=case.parameter, draws=draws)


def limits(rows: list[Row]) -> list[Limit]:
    """The worst distribution of those that the limits speak of."""
    spoken = [row for row in rows if row.case.parameter in TABLES]
    slowest = min((row.rates["guided"] for row in spoken), key=lambda found: found.median)
    what = "guided draws on one thread, slowest of the scales and sigmas up to 1000"
    found = [Limit.of(what, slowest, 250, "million/s", least=True)]
    if all("opendp" in row.faster for row in spoken):
        fewest = min((row.faster["opendp"] for row in spoken), key=lambda found: found.median)
        what = "times the rate of OpenDP in the same run, fewest of them"
        found.append(Limit.of(what, fewest, 1000, "times", least=True))
    return found


def main() -> None:
    """Measure all laws and write the result."""
    recorder = Recorder("noise", "Exact integer noise against other libraries.", peers=True)
    chosen: argparse.Namespace = recorder.begin()
    rounds, aim = (1, 0.001) if chosen.quick else (15, 0.1)
    with running(SCRIPTS, chosen.peers) as peers:
        rows = [measure(case, peers, rounds=rounds, aim=aim) for case in CASES]
    recorder.end(
        settings={
            "rounds": rounds,
            "seconds_per_call": aim,
            "draws_per_call": {name: at_once for name, (_, at_once) in OURS.items()},
            "threads": 1,
        },
        rows=[row.to_json() for row in rows],
        limits=limits(rows),
        peers=[*peers.values()],
    )


if __name__ == "__main__":
    main()

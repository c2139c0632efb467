"""Exact integer noise: draws a second on one thread, against OpenDP, diffprivlib and tmlt.core in the same run.

What is timed is the public call, `discrete_laplace(scale, size)`: the AES key stream, the search and a fresh result array. The
table of the law is made before (its time is a column of its own), as are the others' objects.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from bench.measure import Json, Spread, enough, in_turn, ratios, timed
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from starling.privacy import inversion
from starling.privacy.inversion import Search
from starling.privacy.noise import discrete_gaussian, discrete_laplace

SCRIPTS: Final = {"opendp": "opendp_noise", "diffprivlib": "diffprivlib_noise", "tmlt": "tmlt_noise"}
SEARCHES: Final[tuple[Search, ...]] = ("guided", "fixed")
TABLES: Final = (1, 10, 100, 1000)
"""Scales and sigmas that the limits speak of; one table each."""
WIDE: Final = 10**6
"""A scale and a sigma beyond the tables."""
MOST: Final = 10**7
"""Draws of one call."""


@dataclass(frozen=True, slots=True)
class Case:
    """One law.

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

    def seconds(self, search: Search, draws: int) -> float:
        """The time of that many draws."""
        return timed(lambda: self.draw(draws, search))


CASES: Final = [
    *(Case("laplace", scale) for scale in (*TABLES, WIDE)),
    *(Case("gaussian", sigma) for sigma in (*TABLES, WIDE)),
]


def rate(seconds: Callable[[int], float], draws: int) -> float:
    """Million draws a second."""
    return draws / seconds(draws) / 1e6


def first_draw(case: Case) -> float:
    """Seconds until the first draw of a law: its table is made and certified. Kernels are compiled by then."""
    inversion.inversion.cache_clear()
    return case.seconds("guided", 1)


def measure(case: Case, peers: dict[str, Peer], *, rounds: int, aim: float) -> dict[str, Json]:
    """The row of one law: rates in million draws a second, and how many times each peer's rate the guided search has."""
    for search in SEARCHES:
        case.draw(1, search)
    table = Spread.of(first_draw(case) for _ in range(min(rounds, 3)))
    calls: dict[str, Callable[[int], float]] = {search: partial(case.seconds, search) for search in SEARCHES}
    for name, peer in peers.items():
        calls[name] = partial(_asked, peer, case)
    draws = {name: enough(call, aim, MOST) for name, call in calls.items()}
    rates = in_turn({name: partial(rate, call, draws[name]) for name, call in calls.items()}, rounds)
    print(case.law, case.parameter, {name: f"{Spread.of(found).median:g}" for name, found in rates.items()}, flush=True)
    return {
        "law": case.law,
        "parameter": case.parameter,
        "first_draw_seconds": table.to_json(),
        "draws": dict(draws),
        "million_draws_per_second": {name: Spread.of(found).to_json() for name, found in rates.items()},
        "times_faster": {name: ratios(rates["guided"], rates[name]).to_json() for name in peers},
    }


def _asked(peer: Peer, case: Case, draws: int) -> float:
    return peer.seconds(law=case.law, parameter=case.parameter, draws=draws)


def limits(rows: list[dict[str, Json]]) -> list[Limit]:
    """The worst law of those that the limits speak of."""
    spoken = [row for row in rows if row["parameter"] in TABLES]
    found = [
        Limit(
            "guided draws on one thread, slowest of the scales and sigmas up to 1000",
            min(_median(row, "million_draws_per_second", "guided") for row in spoken),
            250,
            "million/s",
            least=True,
        )
    ]
    if all("opendp" in str(row["times_faster"]) for row in spoken):
        fewest = min(_median(row, "times_faster", "opendp") for row in spoken)
        found.append(
            Limit("times the rate of OpenDP in the same run, fewest of them", fewest, 1000, "times", least=True)
        )
    return found


def _median(row: dict[str, Json], figure: str, name: str) -> float:
    figures = row[figure]
    assert isinstance(figures, dict)
    spread = figures[name]
    assert isinstance(spread, dict)
    middle = spread["median"]
    assert isinstance(middle, float)
    return middle


def main() -> None:
    """Measure all laws and write the result."""
    recorder = Recorder("noise", "Exact integer noise against other libraries.", peers=True)
    chosen: argparse.Namespace = recorder.begin()
    rounds, aim = (1, 0.001) if chosen.quick else (9, 0.2)
    with running(SCRIPTS, chosen.peers) as peers:
        rows = [measure(case, peers, rounds=rounds, aim=aim) for case in CASES]
    recorder.end(
        settings={"rounds": rounds, "seconds_per_call": aim, "draws_per_call_at_most": MOST, "threads": 1},
        rows=[*rows],
        limits=limits(rows),
        peers=[*peers.values()],
    )


if __name__ == "__main__":
    main()

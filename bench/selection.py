"""One choice among a million scores: milliseconds, whatever the scores, against OpenDP in the same run."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from bench.shapes import SHAPES, scores
from starling.privacy.selection import exponential_mechanism, permute_and_flip

SCRIPTS: Final = {"opendp": "opendp_selection"}
EPSILON: Final = 1
CALLS: Final = 5
"""Calls of ours for one of a peer's, which takes far longer; the median of them counts."""

Choice = Callable[[npt.NDArray[np.int64]], object]
KINDS: Final[dict[str, Choice]] = {
    "exponential mechanism": lambda among: exponential_mechanism(among, EPSILON),
    "permute-and-flip": lambda among: permute_and_flip(among, EPSILON),
}
TOP: Final = 10
"""Rounds of the exponential mechanism in the row of many choices."""


def ours(choose: Choice, among: npt.NDArray[np.int64]) -> float:
    """Milliseconds for one selection, the median of some."""
    return Spread.of(timed(lambda: choose(among)) for _ in range(CALLS)).median * 1e3


def theirs(peer: Peer, kind: str, shape: str, candidates: int) -> float:
    """The same of a peer."""
    return peer.seconds(kind=kind, shape=shape, candidates=candidates) * 1e3


def measure(kind: str, shape: str, candidates: int, peers: dict[str, Peer], rounds: int) -> dict[str, Json]:
    """The row of one mechanism and one shape of scores."""
    among = scores(shape, candidates)
    choose = KINDS[kind]
    choose(among)
    calls: dict[str, Callable[[], float]] = {"starling": partial(ours, choose, among)}
    for name, peer in peers.items():
        calls[name] = partial(theirs, peer, kind, shape, candidates)
    found = in_turn(calls, rounds)
    print(kind, shape, {name: f"{Spread.of(times).median:g} ms" for name, times in found.items()}, flush=True)
    return {
        "mechanism": kind,
        "scores": shape,
        "milliseconds": {name: Spread.of(times).to_json() for name, times in found.items()},
        "times_faster": {name: ratios(found[name], found["starling"]).to_json() for name in peers},
    }


def top(candidates: int, rounds: int) -> dict[str, Json]:
    """The row of TOP choices at once."""
    among = scores("normal", candidates)
    times = [ours(lambda scored: exponential_mechanism(scored, EPSILON, k=TOP), among) for _ in range(rounds)]
    return {
        "mechanism": f"exponential mechanism, the best {TOP}",
        "scores": "normal",
        "milliseconds": {"starling": Spread.of(times).to_json()},
        "times_faster": {},
    }


def slowest(rows: list[dict[str, Json]]) -> float:
    """The median of the exponential mechanism on the scores that it is slowest on."""
    medians = []
    for row in rows:
        times = row["milliseconds"]
        if row["mechanism"] == "exponential mechanism" and isinstance(times, dict):
            spread = times["starling"]
            if isinstance(spread, dict) and isinstance(spread["median"], float):
                medians.append(spread["median"])
    return max(medians)


def main() -> None:
    """Measure all shapes and write the result."""
    recorder = Recorder("selection", "Selection among a million scores, against OpenDP.", peers=True)
    chosen = recorder.begin()
    rounds, candidates = (1, 1000) if chosen.quick else (7, 10**6)
    with running(SCRIPTS, chosen.peers) as peers:
        rows = [measure(kind, shape, candidates, peers, rounds) for kind in KINDS for shape in SHAPES]
        rows.append(top(candidates, rounds))
    recorder.end(
        settings={
            "rounds": rounds,
            "calls_per_round": CALLS,
            "candidates": candidates,
            "epsilon": EPSILON,
            "threads": 1,
        },
        rows=[*rows],
        limits=[Limit("exponential mechanism, on the scores that it is slowest on", slowest(rows), 5, "ms")],
        peers=[*peers.values()],
    )


if __name__ == "__main__":
    main()

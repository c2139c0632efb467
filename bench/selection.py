"""One choice among a million scores: milliseconds, whatever the scores, against OpenDP in the same run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from bench.shapes import SHAPES, scores
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip

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


@dataclass(frozen=True, slots=True)
class Row:
    """What was found of one mechanism on one shape of scores.

    Attributes:
        mechanism: In words.
        shape: Of the scores.
        milliseconds: By rival.
        faster: How many times as long each peer takes.
    """

    mechanism: str
    shape: str
    milliseconds: dict[str, Spread]
    faster: dict[str, Spread]

    def to_json(self) -> Json:
        """As it stands in the result file."""
        return {
            "mechanism": self.mechanism,
            "scores": self.shape,
            "milliseconds": {name: found.to_json() for name, found in self.milliseconds.items()},
            "times_faster": {name: found.to_json() for name, found in self.faster.items()},
        }


def measure(kind: str, candidates: int, peers: dict[str, Peer], rounds: int) -> list[Row]:
    """One mechanism on all shapes of scores; shapes take turns as rivals do, so that their rows can be compared."""
    calls: dict[tuple[str, str], Callable[[], float]] = {}
    for shape in SHAPES:
        among = scores(shape, candidates)
        KINDS[kind](among)
        calls[shape, "starling"] = partial(ours, KINDS[kind], among)
        for name, peer in peers.items():
            calls[shape, name] = partial(theirs, peer, kind, shape, candidates)
    found = in_turn(calls, rounds)
    return [
        Row(
            kind,
            shape,
            {name: Spread.of(found[shape, name]) for name in ("starling", *peers)},
            {name: ratios(found[shape, name], found[shape, "starling"]) for name in peers},
        )
        for shape in SHAPES
    ]


def top(candidates: int, rounds: int) -> Row:
    """TOP choices at once."""
    among = scores("normal", candidates)
    times = [ours(lambda scored: exponential_mechanism(scored, EPSILON, k=TOP), among) for _ in range(rounds)]
    return Row(f"exponential mechanism, the best {TOP}", "normal", {"starling": Spread.of(times)}, {})


def slowest(rows: list[Row]) -> Limit:
    """The limit of the exponential mechanism, on the scores that it is slowest on."""
    times = [row.milliseconds["starling"] for row in rows if row.mechanism == "exponential mechanism"]
    what = "exponential mechanism over a million candidates, slowest of the shapes"
    return Limit.of(what, max(times, key=lambda found: found.median), 5, "ms")


def main() -> None:
    """Measure all shapes and write the result."""
    recorder = Recorder("selection", "Selection among a million scores, against OpenDP.", peers=True)
    chosen = recorder.begin()
    rounds, candidates = (1, 1000) if chosen.quick else (7, 10**6)
    with running(SCRIPTS, chosen.peers) as peers:
        rows = [row for kind in KINDS for row in measure(kind, candidates, peers, rounds)]
        rows.append(top(candidates, rounds))
    for row in rows:
        print(row.mechanism, row.shape, {name: f"{found.median:g} ms" for name, found in row.milliseconds.items()})
    recorder.end(
        settings={
            "rounds": rounds,
            "calls_per_round": CALLS,
            "candidates": candidates,
            "epsilon": EPSILON,
            "threads": 1,
        },
        rows=[row.to_json() for row in rows],
        limits=[slowest(rows)],
        peers=[*peers.values()],
    )


if __name__ == "__main__":
    main()

"""Verifying a release against what it cannot go below: hashing its bytes, and computing its numbers again.

The release is of an invented nation with half as many tracts as the United States, under the production definitions of the 2020
Census. All is timed in one process, after imports. Computing again: the cost from its laws, the plan, the tables from the shipped
measurements, their text. Whatever verification does besides (hashing, the signature, reading what was published and comparing) has
twice the time of hashing.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import numpy as np

import starling
from bench.measure import Spread, ratios
from bench.peers import ROOT
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.release import statement
from starling.release import verify as release_verify
from starling.tables import verify as tables_verify
from starling.tables.artifact import data
from starling.tables.plan import Plan, load

SEED: Final = 1
BLOCKS: Final = "TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE"
PERSONS: Final = "|".join(
    (
        *("QAGE", "QSEX", "HOUSEHOLDER", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "CENRACE"),
        *(f"QRACE{number}" for number in range(1, 9)),
        "QSPAN",
    )
)

AGAIN = (
    (release_verify, "check_cost"),
    (tables_verify, "read_plan"),
    (tables_verify, "tabulate"),
    (data.Text, "write"),
)
"""Where a release is computed again: its cost, its plan, its tables (which reads the measurements), their text."""


@contextmanager
def clocked() -> Iterator[list[float]]:
    """Seconds of each call of these, while the block runs."""
    spent: list[float] = []

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            began = perf_counter()
            result = work(*args, **named)
            spent.append(perf_counter() - began)
            return stepped(result) if isinstance(result, Iterator) else result

        def stepped(parts: Iterator[Any]) -> Iterator[Any]:
            while True:
                began = perf_counter()
                part = next(parts, None)
                spent.append(perf_counter() - began)
                if part is None:
                    return
                yield part

        return call

    plain = [getattr(place, name) for place, name in AGAIN]
    for (place, name), work in zip(AGAIN, plain, strict=True):
        setattr(place, name, timed(work))
    try:
        yield spent
    finally:
        for (place, name), work in zip(AGAIN, plain, strict=True):
            setattr(place, name, work)


def hashing(folder: Path) -> float:
    """Seconds to hash every byte, one file after the other."""
    began = perf_counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                hashlib.file_digest(file, "sha256")
    return perf_counter() - began


def verifying(folder: Path) -> tuple[float, float]:
    """Seconds of `starling.verify`, which must find nothing, and what of it is computing again."""
    statement.epsilon.cache_clear()
    with clocked() as spent:
        began = perf_counter()
        starling.verify(folder).refuse()
        return perf_counter() - began, sum(spent)


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("verify", "Verifying a release against hashing its bytes and computing it again.")
    recorder.parser.add_argument(
        "--tracts", type=int, default=40_000, help="of the invented nation; the United States have 85,000"
    )
    recorder.parser.add_argument("--release", type=Path, help="a release that is there, instead of an invented one")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 2 GB; the system's if not given")
    chosen = recorder.begin()
    plan = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "tables" / "NMFv7-2020"
    if not plan.is_dir() and not chosen.release:
        sys.exit("no production definitions: set STARLING_DATA to the folder that holds tables/NMFv7-2020")
    tracts, persons, rounds = (100, 1_000, 1) if chosen.quick else (chosen.tracts, 1_000_000, 3)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        folder = chosen.release or released(plan, scratch, tracts, persons)
        verifying(folder)
        hashed, verified = [], []
        for _ in range(rounds):
            # Right after one another: what slows the machine slows both.
            hashed.append(hashing(folder))
            verified.append(verifying(folder))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    beyond = [whole - again for whole, again in verified]
    times = ratios(beyond, hashed)
    recorder.end(
        settings={
            "tracts": None if chosen.release else tracts,
            "definitions": plan.name,
            "rounds": rounds,
            "release_gb": round(size / 1e9, 3),
        },
        rows=[
            {"run": "hash every byte", "seconds": Spread.of(hashed).to_json()},
            {"run": "verify", "seconds": Spread.of(whole for whole, _ in verified).to_json()},
            {"run": "of it, computing again", "seconds": Spread.of(again for _, again in verified).to_json()},
            {"run": "of it, the rest", "seconds": Spread.of(beyond).to_json()},
            {"run": "the rest over hashing", "times": times.to_json()},
        ],
        limits=[Limit.of("verify beyond computing again, times hashing", times, 2, "times")],
    )


def national(plan: Plan, folder: Path, tracts: int, persons: int) -> tuple[Path, Path]:
    """Files of invented blocks and persons: as many tracts as asked for over all states, a block each, and a person here and there.

    How large a release is, and what it takes to verify, follows from its groups, of which each tract has a thousand; persons hardly
    matter.
    """
    folder.mkdir()
    draw = np.random.default_rng(SEED)
    states = [*sorted(plan.states), "72"] if plan.puerto_rico else sorted(plan.states)
    places = sorted(
        (
            states[number % len(states)],
            f"{1 + 2 * (index % 60):03d}",
            f"{100 + index:06d}",
            "1000",
            f"{10_000 + index % 500}",
        )
        for number in range(tracts)
        for index in [number // len(states)]
    )
    blocks = ["|".join((*place, "9999")) for place in places]
    (folder / "GRF-C.txt").write_text("\n".join([BLOCKS, *blocks, ""]))
    race = sorted({code for each in plan.definitions.iterations if each.kind == "race" for code in each.codes})
    numbers = (draw.integers(0, most, persons).tolist() for most in (100, 2, tracts, len(race)))
    lines = [
        "|".join((f"{age:03d}", f"{1 + sex}", "False", *places[block][:4], "01", race[code], *["Null"] * 8))
        for age, sex, block, code in zip(*numbers, strict=True)
    ]
    (folder / "persons.txt").write_text("\n".join([PERSONS, *lines, ""]))
    return folder / "persons.txt", folder / "GRF-C.txt"


def released(definitions: Path, scratch: Path, tracts: int, persons: int) -> Path:
    """A release of them."""
    records, blocks = national(load(definitions), scratch / "made", tracts, persons)
    files: list[str | Path] = ["--persons", records, "--geography", blocks, "--out", scratch / "release", "--yes"]
    run([STARLING, "tables", "release", definitions, *files], {"STARLING_HOME": str(scratch / "home")})
    return scratch / "release"


if __name__ == "__main__":
    main()

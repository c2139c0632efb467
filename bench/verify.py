"""Verifying a release against what it cannot go below: hashing its bytes, and computing its numbers again.

The release is of an invented nation with half as many tracts as the United States, under the production definitions of the 2020
Census. All is timed in one process, after imports. Computing again: the cost from its laws, the plan, the tables from the shipped
measurements, their text. Verification may take twice the time of hashing longer than that, for whatever it does besides: hashing, the
signature, reading what was published and comparing.
"""

import hashlib
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import numpy as np

import starling
from bench.measure import Spread, ratios
from bench.peers import ROOT
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.release import claims, statement
from starling.release.arithmetic import check_cost
from starling.release.table_files import TextWriter
from starling.tables.artifact.columns import tables
from starling.tables.artifact.measured import read_measurements
from starling.tables.artifact.public_plan import read_plan
from starling.tables.plan import Plan
from starling.tables.plan.census_records import census_records
from starling.tables.postprocess import tabulate

SEED: Final = 1
BLOCKS: Final = "TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE"
PERSONS: Final = "|".join(
    (
        *("QAGE", "QSEX", "HOUSEHOLDER", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "CENRACE"),
        *(f"QRACE{number}" for number in range(1, 9)),
        "QSPAN",
    )
)


def computing(folder: Path) -> float:
    """Seconds to compute a release again: its cost, its plan, its tables from its measurements, their text."""
    claims.claim.cache_clear()
    began = perf_counter()
    check_cost(json.loads((folder / statement.FILE).read_text()))
    plan, geography = read_plan(folder)
    with Path(os.devnull).open("wb") as nowhere:
        texts = [
            (table.name, TextWriter(nowhere, text))
            for table in tables(plan)
            for text in table.texts
            if (folder / table.text_path(text)).exists()
        ]
        for part in tabulate(plan, geography, read_measurements(folder, plan, geography)):
            for name, text in texts:
                text.write(getattr(part, name))
    return perf_counter() - began


def hashing(folder: Path) -> float:
    """Seconds to hash every byte, one file after the other."""
    began = perf_counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                hashlib.file_digest(file, "sha256")
    return perf_counter() - began


def verifying(folder: Path) -> float:
    """Seconds of `starling.verify`, which must find nothing."""
    claims.claim.cache_clear()
    began = perf_counter()
    starling.verify(folder).refuse()
    return perf_counter() - began


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
    tracts, persons, rounds = (100, 1_000, 1) if chosen.quick else (chosen.tracts, 1_000_000, 9)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        folder = chosen.release or released(plan, scratch, tracts, persons)
        verifying(folder)
        hashed, computed, verified = [], [], []
        for _ in range(rounds):
            # Right after one another: what slows the machine slows all of them.
            hashed.append(hashing(folder))
            computed.append(computing(folder))
            verified.append(verifying(folder))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    beyond = [whole - again for whole, again in zip(verified, computed, strict=True)]
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
            {"run": "verify", "seconds": Spread.of(verified).to_json()},
            {"run": "compute again", "seconds": Spread.of(computed).to_json()},
            {"run": "verify beyond computing again", "seconds": Spread.of(beyond).to_json()},
            {"run": "that over hashing", "times": times.to_json()},
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
    states = (
        [*sorted(census_records(plan).states), "72"]
        if census_records(plan).puerto_rico
        else sorted(census_records(plan).states)
    )
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
    records, blocks = national(Plan.load(definitions), scratch / "made", tracts, persons)
    files: list[str | Path] = [
        "--persons",
        records,
        "--geography",
        blocks,
        "--out",
        scratch / "release",
        "--yes",
        "--unvalidated",
    ]
    run([STARLING, "tables", "release", definitions, *files], {"STARLING_HOME": str(scratch / "home")})
    return scratch / "release"


if __name__ == "__main__":
    main()

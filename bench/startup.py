"""How soon the command line answers: `starling --help`, and the whole `starling demo` right after an install."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.measure import Json, Spread, in_turn, ratios
from bench.process import STARLING, nothing_kept, run
from bench.record import Limit, Recorder

EMPTY: Final = "python -c pass"
HELP: Final = "starling --help"


def cold_demo(persons: int) -> float:
    """Seconds of the demo with nothing kept from earlier runs: kernels compile."""
    with nothing_kept() as settings:
        return demo(persons, settings)


def demo(persons: int, settings: dict[str, str] | None = None) -> float:
    """Seconds of the demo."""
    with TemporaryDirectory() as scratch:
        out = Path(scratch, "demo")
        return run([STARLING, "demo", "--out", out, "--persons", str(persons)], settings).seconds


def main() -> None:
    """Measure both and write the result."""
    recorder = Recorder("startup", "How soon the command line answers.")
    chosen = recorder.begin()
    rounds, demos, persons = (2, 1, 2000) if chosen.quick else (20, 3, 1_000_000)
    commands: dict[str, Callable[[], float]] = {
        EMPTY: lambda: run([sys.executable, "-c", "pass"]).seconds * 1e3,
        HELP: lambda: run([STARLING, "--help"]).seconds * 1e3,
    }
    # The first calls leave the bytecode of the package and the system's memory of its files, as an install does.
    in_turn(commands, 2)
    soon = in_turn(commands, rounds)
    shows: dict[str, Callable[[], float]] = {
        "starling demo, kernels to be compiled": lambda: cold_demo(persons),
        "starling demo, kernels kept": lambda: demo(persons),
    }
    demo(2000)
    shown = in_turn(shows, demos)
    rows: list[Json] = [
        *({"command": name, "milliseconds": Spread.of(times).to_json()} for name, times in soon.items()),
        *({"command": name, "seconds": Spread.of(times).to_json()} for name, times in shown.items()),
    ]
    cold, _ = shown.values()
    recorder.end(
        settings={
            "rounds": rounds,
            "rounds_of_the_demo": demos,
            "persons": persons,
            "times_of_an_empty_python": ratios(soon[HELP], soon[EMPTY]).to_json(),
        },
        rows=rows,
        limits=[
            Limit.of("starling --help", Spread.of(soon[HELP]), 100, "ms"),
            Limit.of("starling demo, kernels to be compiled", Spread.of(cold), 60, "s"),
        ],
    )


if __name__ == "__main__":
    main()

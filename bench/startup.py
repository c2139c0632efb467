"""How soon the command line answers: `starling --help`, the whole `starling demo` right after an install, and `starling serve --demo`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
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


def cold_listening() -> float:
    """Seconds until a served demo listens, with nothing kept from earlier runs."""
    with nothing_kept() as settings:
        return listening(settings)


def listening(settings: dict[str, str] | None = None) -> float:
    """Seconds until a served demo listens, from the start of its process; raises RuntimeError where it ends before."""
    began = perf_counter()
    line: list[str | Path] = [STARLING, "serve", "--demo", "--workers", "0"]
    environment = os.environ | (settings or {})
    with subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as served:
        assert served.stderr is not None
        listens = any("listening on" in each for each in served.stderr)
        seconds = perf_counter() - began
        served.terminate()
        served.stderr.read()
    if not listens:
        raise RuntimeError("it ended before it listened")
    return seconds


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
    begins: dict[str, Callable[[], float]] = {
        "starling serve --demo listens, kernels to be compiled": cold_listening,
        "starling serve --demo listens, kernels kept": listening,
    }
    demo(2000)
    shown = in_turn(shows, demos)
    begun = in_turn(begins, demos)
    rows: list[Json] = [
        *({"command": name, "milliseconds": Spread.of(times).to_json()} for name, times in soon.items()),
        *({"command": name, "seconds": Spread.of(times).to_json()} for name, times in (shown | begun).items()),
    ]
    cold, _ = shown.values()
    cold_serving, _ = begun.values()
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
            Limit.of("starling serve --demo listens, kernels to be compiled", Spread.of(cold_serving), 10, "s"),
        ],
    )


if __name__ == "__main__":
    main()

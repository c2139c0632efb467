"""`python -m bench.fuzz`: any number of inputs from a seed; processes that die or hang are failures too."""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.fuzz.search import SOURCES, Batch, batches, one_round, run_batches, save
from bench.measure import Json
from bench.record import Limit, Recorder

STINT: Final = 300
"""Batches that a process tries, before the next one begins with fresh memory."""
HANG: Final = 600.0
"""Seconds that a batch may take."""
PARTS: Final = ("refused", "counted")


def main(arguments: Sequence[str] | None = None) -> int:
    """Search until the time or the inputs are used up; 1 where anything failed."""
    recorder = Recorder("fuzz", "values and bytes that make counting raise, hang or die")
    add = recorder.parser.add_argument
    add("--seconds", type=float, default=None, help="stop after so many seconds, and write no result")
    add("--round", action="store_true", help="try each form of each source once, without Spark, and write no result")
    add("--inputs", type=int, default=10_000_000, help="stop after so many inputs")
    add("--rows", type=int, default=2000, help="records of a file")
    add("--seed", type=int, default=1, help="of the first batch")
    add("--only", default="", help="names of sources begin like this")
    add("--failures", type=Path, default=Path("fuzz-failures"), help="folder for the files of failures")
    add("--again", nargs=3, metavar=("SOURCE", "FORMAT", "SEED"), help="make one batch again, and let it raise")
    add("--stint", nargs=2, type=int, metavar=("FIRST", "MANY"), help="what a process of the search runs")
    chosen = recorder.begin(arguments)
    if chosen.again:
        name, form, seed = chosen.again
        batch = Batch(next(source for source in SOURCES if source.name == name), form, int(seed), chosen.rows)
        print(batch.run())
        return 0
    if chosen.stint:
        first, many = chosen.stint
        tried = batches(first, many, chosen.only, chosen.rows)
        if chosen.round:
            tried = iter(one_round(chosen.only, chosen.rows)[first - 1 : first - 1 + many])
        run_batches(tried, chosen.failures)
        return 0
    if chosen.quick:
        chosen.inputs = 1
    last = inf
    if chosen.round:
        chosen.seed, last = 1, len(one_round(chosen.only, chosen.rows))
    began, seed, failures, inputs = time.monotonic(), chosen.seed, 0, Counter[tuple[str, str, str]]()
    while (
        inputs.total() < chosen.inputs
        and seed <= last
        and (chosen.seconds is None or time.monotonic() - began < chosen.seconds)
    ):
        left = None if chosen.seconds is None else chosen.seconds - (time.monotonic() - began)
        many, failed = _stint(chosen, seed, inputs, left)
        seed, failures = seed + many, failures + failed
    seconds = time.monotonic() - began
    print(f"{inputs.total():,} inputs in {seconds:,.0f} s from seed {chosen.seed}: {failures} failures")
    if chosen.seconds is None and not chosen.round:
        _record(recorder, chosen.seed, seed, inputs, failures, seconds)
    return int(failures > 0)


def _stint(
    chosen: argparse.Namespace, seed: int, inputs: Counter[tuple[str, str, str]], left: float | None
) -> tuple[int, int]:
    """Batches from a seed on, in a process of their own; how many were tried, and how many failed."""
    words = ["--stint", str(seed), str(STINT), "--only", chosen.only, "--rows", str(chosen.rows)]
    words += ["--round"] if chosen.round else []
    command = [sys.executable, "-m", "bench.fuzz", *words, "--failures", str(chosen.failures)]
    tried = failed = 0
    with TemporaryDirectory(prefix="starling-fuzz-") as scratch:
        log = Path(scratch, "log")
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=sys.stderr)
            ended = _wait(process, log, left)
        started: dict[str, Json] = {}
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            if "outcome" not in entry:
                started, tried = entry, tried + 1
                continue
            started = {}
            inputs[entry["source"], entry["format"], entry["outcome"]] += entry["inputs"]
            failed += entry["outcome"] == "failed"
        if not tried and ended != "stopped":
            raise RuntimeError(f"the process of the search {ended}")
        if started and ended != "stopped":
            failed += 1
            batch = Batch.of(started)
            print(f"FAILED: {batch.again}: the process {ended}; files in {save(batch, chosen.failures)}", flush=True)
            inputs[batch.source.name, batch.form, "failed"] += 1
    return tried, failed


def _wait(process: subprocess.Popen[bytes], log: Path, left: float | None) -> str:
    """How a process ended: its batches done, killed by us when the time was used up, hung, or died."""
    began, size, changed = time.monotonic(), 0, time.monotonic()
    while process.poll() is None:
        time.sleep(0.05)
        now = time.monotonic()
        if log.stat().st_size != size:
            size, changed = log.stat().st_size, now
        if (left is not None and now - began > left) or now - changed > HANG:
            process.kill()
            process.wait()
            return "hung" if now - changed > HANG else "stopped"
    return "ended" if process.returncode == 0 else f"died with {process.returncode}"


def _record(
    recorder: Recorder, first: int, last: int, inputs: Counter[tuple[str, str, str]], failures: int, seconds: float
) -> None:
    names = sorted({(source, form) for source, form, _ in inputs})
    rows: list[Json] = [
        {"source": source, "format": form, **{part: inputs[source, form, part] for part in (*PARTS, "failed")}}
        for source, form in names
    ]
    recorder.end(
        settings={
            "input": "a record with mutated fields, or a whole file with changed bytes",
            "first_seed": first,
            "last_seed": last - 1,
            "seconds": round(seconds),
        },
        rows=rows,
        limits=[
            Limit("inputs that make counting raise, hang or die", failures, 0, "inputs"),
            Limit("inputs tried", inputs.total(), 10_000_000, "inputs", least=True),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())

"""Households of the nation: 118 million invented groups by size over states and counties, released and verified on this machine.

`starling groups generate`, `release` and `verify` as whole processes, time and memory of each. The records are one Parquet row a household
(region, size); the release counts them, draws noise for every region and size, makes consistent numbers by empirical Bayes, and writes all
files. A first release of a small nation leaves the compiled kernels, as an earlier release on the machine would.
"""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Json
from bench.nation import gigabytes
from bench.peers import ROOT
from bench.process import CONSISTENT, STARLING, Run, run
from bench.record import Limit, Recorder
from bench.tables_national import row

COUNTIES: Final = "us_county_households_2010.csv"
SEED: Final = 2021
SECONDS: Final = 60
GIGABYTES: Final = 4


def counties() -> Path:
    """The public table of counties; ends the program where it is missing."""
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "groups" / COUNTIES
    if not data.is_file():
        sys.exit(f"no counties: set STARLING_DATA to the folder that holds groups/{COUNTIES}")
    return data


def generate(folder: Path, kind: str) -> tuple[dict[str, Any], Run]:
    """Invented households, one record each or ready counts: what the command says of them, and what it took."""
    words = ("--counties", counties(), "--seed", str(SEED), "--kind", kind, "--out", folder, "--json")
    took = run([STARLING, "groups", "generate", *words])
    return json.loads(took.output), took


def release(made: dict[str, Any], out: Path) -> Run:
    """A release as a whole process."""
    words = ("--records", made["records"], "--out", out, "--unvalidated", "--yes", "--json")
    return run([STARLING, "groups", "release", made["plan"], *words])


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("groups_national", "Invented households of the nation by size, state and county.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 2 GB")
    chosen = recorder.begin()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        counts, _ = generate(scratch / "counts", "counts")
        release(counts, scratch / "first")
        made, generating = generate(scratch / "made", "counts" if chosen.quick else "groups")
        out = scratch / "release"
        releasing = release(made, out)
        verifying = run([STARLING, "verify", out], right=CONSISTENT)
        settings: dict[str, Json] = {
            **made["sizes"],
            "largest": json.loads((out / "plan" / "plan.json").read_text())["largest"],
            "seed": SEED,
            "records_gb": gigabytes(Path(made["records"])),
            "release_gb": gigabytes(out),
        }
    rows: list[Json] = [row("generate", generating), row("release", releasing), row("verify", verifying)]
    limits = [
        Limit("national release of group sizes", round(releasing.seconds, 1), SECONDS, "s"),
        Limit("national release of group sizes, most memory", round(releasing.peak_gb, 2), GIGABYTES, "GB"),
    ]
    recorder.end(settings=settings, rows=rows, limits=limits)


if __name__ == "__main__":
    main()

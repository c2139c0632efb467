"""One state under the production definitions of the 2020 Census: `starling tables release` as a whole process, time and memory.

Beside it, in the same run, what the machine cannot go below: DuckDB alone, parsing the same file of persons and counting its
rows. Persons and geography are invented (`starling tables generate`); the definitions are the Census Bureau's, found in the
folder of public data that STARLING_DATA names.
"""

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.measure import Json, Spread, in_turn, ratios
from bench.nation import DEFINITIONS, definitions_of, gigabytes
from bench.process import STARLING, Run, forget, nothing_kept, run
from bench.record import Limit, Recorder

PARSE: Final = """
import duckdb, sys
reader = "read_csv(?, delim='|', header=true, all_varchar=true, quote='', escape='')"
select = {"rows": "count(*)", "fields": "count(columns(*))"}[sys.argv[2]]
print(duckdb.connect().execute(f"select {select} from {reader}", [sys.argv[1]]).fetchone())
"""


class State:
    """An invented state, and the ways to go through it.

    Args:
        plan: Folder of the definitions.
        made: Folder with what `starling tables generate` wrote.
        scratch: Folder for releases; each is removed once measured.
    """

    def __init__(self, plan: Path, made: Path, scratch: Path) -> None:
        self.plan = plan
        self.persons = made / "person-records.txt"
        self.geography = made / "GRF-C.txt"
        self.scratch = scratch
        self.peaks: list[float] = []
        self.sizes: dict[str, Json] = {}

    def release(self, *, cold: bool) -> float:
        """Seconds of one release. Cold: kernels are compiled, and both files come from the disk."""
        if cold:
            forget(self.persons)
            forget(self.geography)
        out = self.scratch / "release"
        files: list[str | Path] = ["--persons", self.persons, "--geography", self.geography, "--out", out]
        with nothing_kept() if cold else nullcontext() as settings:
            took = run([STARLING, "tables", "release", self.plan, *files, "--yes", "--unvalidated", "--json"], settings)
        self.peaks.append(took.peak_gb)
        told = json.loads(took.output)
        self.sizes = {"t1_rows": told["rows"]["t1"], "t2_rows": told["rows"]["t2"], "release_gb": gigabytes(out)}
        shutil.rmtree(out)
        return took.seconds

    def parse(self, what: str) -> Run:
        """DuckDB's run over the file of persons: "rows" counts them, "fields" makes a value of every field and counts those."""
        return run([sys.executable, "-c", PARSE, self.persons, what])


def generate(plan: Path, out: Path, persons: int, states: str) -> float:
    """Invent the state; the seconds it took."""
    sizes = ["--persons", str(persons), "--states", states]
    return run([STARLING, "tables", "generate", plan, *sizes, "--out", out]).seconds


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_state", "One state of invented persons under the production definitions.")
    recorder.parser.add_argument("--persons", type=int, default=10_000_000)
    recorder.parser.add_argument("--states", default="37", help="code of the state whose name the invented one bears")
    recorder.parser.add_argument(
        "--made", type=Path, help="folder of an earlier `starling tables generate`, to be used again"
    )
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 2 GB; the system's if not given")
    chosen = recorder.begin()
    persons, rounds = (20_000, 1) if chosen.quick else (chosen.persons, 3)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        plan = definitions_of(chosen.states, scratch / "plan")
        made = chosen.made or scratch / "made"
        generating = None if chosen.made else generate(plan, made, persons, chosen.states)
        state = State(plan, made, scratch)
        # The first ones leave compiled kernels and the files in memory.
        state.release(cold=False)
        state.parse("fields")
        calls: dict[str, Callable[[], float]] = {
            "release, kernels to be compiled, files on disk": lambda: state.release(cold=True),
            "release, kernels kept, files in memory": lambda: state.release(cold=False),
            "DuckDB counts the rows": lambda: state.parse("rows").seconds,
            "DuckDB parses every field": lambda: state.parse("fields").seconds,
        }
        found = in_turn(calls, rounds)
        sizes = {**state.sizes, "persons_gb": gigabytes(state.persons), "geography_gb": gigabytes(state.geography)}
    cold, warm, rows, fields = found.values()
    peak = Spread.of(state.peaks)
    recorder.end(
        settings={
            "persons": persons,
            "states": chosen.states,
            "definitions": DEFINITIONS,
            "rounds": rounds,
            "generate_seconds": None if generating is None else Spread.of([generating]).median,
            **sizes,
        },
        rows=[
            *({"run": name, "seconds": Spread.of(times).to_json()} for name, times in found.items()),
            {"run": "release, most memory", "gigabytes": peak.to_json()},
            {"run": "release over DuckDB counting rows", "times": ratios(warm, rows).to_json()},
            {"run": "release over DuckDB parsing every field", "times": ratios(warm, fields).to_json()},
        ],
        limits=[
            Limit.of("release, kernels kept", Spread.of(warm), 60, "s"),
            Limit.of("release, kernels to be compiled, files on disk", Spread.of(cold), 60, "s"),
            Limit("release, most memory in any run", peak.most, 6, "GB"),
        ],
    )


if __name__ == "__main__":
    main()

"""A page of a table of national size: how long a process that reads the release takes for it, and how much memory.

The table stands for T1 of a national release: a nation, states, counties and tracts by 1,500 groups, with invented numbers, in the place
of the table of a small release that is signed anew. The same addresses of the small release, in the same run, say what a page costs that
has nothing to search.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import Json, Spread, in_turn, ratios
from bench.nation import generate, release
from bench.record import Limit, Recorder
from starling.ledger import keys
from starling.release import datapackage
from starling.release.manifest import SIGNATURE, content, digest, sign
from starling.release.table_files import COMPRESSION, ROW_GROUP
from starling.tables.artifact.public_plan import read_plan
from starling.tables.plan import Geography, Plan

GROUPS: Final = 1_500
"""Groups of a region."""
REGIONS: Final = {"USA": 1, "STATE": 52, "COUNTY": 3_200}
"""Regions of each kind; the rest are tracts."""
WIDTHS: Final = {"USA": 1, "STATE": 2, "COUNTY": 5, "TRACT": 11}
"""Letters of the codes of each kind."""
PERSONS: Final = 20_000
ROWS: Final = 100_000_000
ROUNDS: Final = 9
MOST: Final = 100.0
"""Milliseconds of a page at the server."""
MOST_TIMES: Final = 10.0
"""A page of the national table, in pages of the small one."""
MOST_GROWTH: Final = 2.0
"""Memory of the process with the national table, as a multiple of that with the small one."""
ADDRESSES: Final = {
    "first rows": "",
    "rows in the middle": "first={middle}",
    "a county": "region_type=COUNTY&region_id={county}",
    "a tract": "region_type=TRACT&region_id={tract}",
    "a group of a county": "region_type=COUNTY&region_id={county}&iteration_code={group}",
    "a group of all counties": "region_type=COUNTY&iteration_code={group}",
    "a group of all regions": "iteration_code={group}",
}
MEDIAN: Final = attrgetter("median")
COMMAND: Final = (sys.executable, "-c", "from starling.public.serving import main; main()")
"""The process that shows pages to a server's web process."""


def regions(rows: int, known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """Kind and code of each region, in the order in which a table has them, those that the plan knows among them."""
    left = max(rows // GROUPS, 1)
    for kind, number in (*REGIONS.items(), ("TRACT", left)):
        own = known.get(kind, ())
        more = max(min(number, left) - len(own), 0)
        codes = {*own, *(f"{place:0{WIDTHS[kind]}d}" for place in range(more))}
        yield from ((kind, code) for code in sorted(codes))
        left -= len(codes)


def write_table(path: Path, schema: pa.Schema, rows: int, plan: Plan, geography: Geography) -> None:
    """A table of so many rows, region by region, row group by row group."""
    known = {each.code for level in plan.levels for each in level.iterations}
    codes = pa.array(sorted({*known, *(f"{5000 + place}" for place in range(GROUPS - len(known)))}))
    names = pa.array([f"Group {place} alone or in any combination" for place in range(GROUPS)])
    places = list(regions(rows, {str(kind): list(ids) for kind, ids in geography.regions.items()}))
    kinds, ids = (pa.array(column) for column in zip(*places, strict=True))
    titles = pa.array([f"{kind.title()} {code}" for kind, code in places])
    random = np.random.default_rng(1)
    with pq.ParquetWriter(path, schema, compression=COMPRESSION) as writer:
        for first in range(0, len(places) * GROUPS, ROW_GROUP):
            region, group = np.divmod(np.arange(first, min(first + ROW_GROUP, len(places) * GROUPS)), GROUPS)
            count = random.geometric(0.01, len(region)).astype(np.int64)
            columns = {
                "region_id": ids.take(pa.array(region)),
                "region_type": kinds.take(pa.array(region)),
                "iteration_code": codes.take(pa.array(group)),
                "count": count,
                "standard_deviation": np.full(len(region), 8.5),
                "lower": np.maximum(count - 17, 0),
                "upper": count + 17,
                "post_processed": np.zeros(len(region), dtype=bool),
                "region_name": titles.take(pa.array(region)),
                "iteration_name": names.take(pa.array(group)),
            }
            writer.write_table(pa.table([columns[name] for name in schema.names], schema=schema))


def small_release(folder: Path) -> Path:
    """A release of the plan `demo` of invented persons."""
    made, _ = generate(Path("demo"), folder / "made", "text", persons=str(PERSONS))
    out = folder / "small"
    release(Path("demo"), made, out)
    return out


def swapped(folder: Path, rows: int) -> None:
    """Put a large table in the place of T1, and describe and sign the release anew."""
    plan, geography = read_plan(folder)
    for path in (folder / "data").glob("t1.*"):
        schema = pq.read_schema(path) if path.suffix == ".parquet" else None
        path.unlink()
        if schema is not None:
            write_table(path, schema, rows, plan, geography)
    file = folder / datapackage.FILE
    package = json.loads(file.read_text())
    files = content(folder)
    package["resources"] = [each for each in package["resources"] if each["path"] in files]
    for resource in package["resources"]:
        path = files[resource["path"]]
        resource |= {"bytes": path.stat().st_size, "hash": f"sha256:{digest(path)}"}
    file.write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n")
    (folder / SIGNATURE).unlink()
    sign(folder, keys.load())


class Process:
    """A process that shows pages of a release."""

    def __init__(self, release: Path, into: Path) -> None:
        self._release, self._into = release, into
        self._running = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def page(self, query: str) -> float:
        """Milliseconds of a page, as the web process waits for it; raises RuntimeError where it is none."""
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        frame = {"number": 1, "release": "/releases/1", "user": {"name": "ada", "role": "analyst"}}
        task = {"do": "page", "release": str(self._release), "path": "/tables/t1", "query": query, "frame": frame}
        self._into.write_bytes(b"")
        began = perf_counter()
        self._running.stdin.write(json.dumps({**task, "into": str(self._into), "most": 1}).encode() + b"\n")
        self._running.stdin.flush()
        reply = json.loads(self._running.stdout.readline())
        took = 1e3 * (perf_counter() - began)
        if reply.get("status") != 200 or b'name="pick"' not in self._into.read_bytes():
            raise RuntimeError(f"{query}: {reply}")
        return took

    def processor(self) -> float:
        """Milliseconds of processors that it has taken, all threads together."""
        each = (
            Path(task, "schedstat").read_text().split()[0] for task in Path(f"/proc/{self._running.pid}/task").iterdir()
        )
        return sum(map(int, each)) / 1e6

    def peak_megabytes(self) -> float:
        """The most memory that it held."""
        status = Path(f"/proc/{self._running.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1e3

    def end(self) -> None:
        """End it."""
        assert self._running.stdin is not None
        self._running.stdin.close()
        self._running.wait()


def main() -> None:
    """Measure both tables in turn, and write the result."""
    recorder = Recorder("table_pages", "Pages of a table of national size.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 1 GB")
    chosen = recorder.begin()
    total, rounds = (300_000, 2) if chosen.quick else (ROWS, ROUNDS)
    with TemporaryDirectory(dir=chosen.scratch) as scratch:
        small = small_release(Path(scratch))
        large = Path(scratch, "large")
        shutil.copytree(small, large)
        swapped(large, total)
        plan, geography = read_plan(small)
        regions_of = {str(kind): list(ids) for kind, ids in geography.regions.items()}
        values = {
            "county": regions_of["COUNTY"][len(regions_of["COUNTY"]) // 2],
            "tract": regions_of["TRACT"][-1],
            "group": plan.levels[-1].iterations[0].code,
        }
        processes = {
            each: Process(folder, Path(scratch, f"{each}.html"))
            for each, folder in (("small", small), ("large", large))
        }
        opening = {name: process.page("") for name, process in processes.items()}
        size = {
            name: pq.read_metadata(folder / "data" / "t1.parquet").num_rows
            for name, folder in (("small", small), ("large", large))
        }
        rows: list[Json] = []
        slowest: list[Spread] = []
        slowest_times: list[Spread] = []
        most_work: list[float] = []
        for what, address in ADDRESSES.items():
            queries = {name: address.format(middle=size[name] // 2, **values) for name in processes}
            # The bounds of the row groups are read once.
            for name, process in processes.items():
                process.page(queries[name])
            taken = in_turn({name: partial(process.page, queries[name]) for name, process in processes.items()}, rounds)
            times = ratios(taken["large"], taken["small"])
            began = processes["large"].processor()
            for _ in range(rounds):
                processes["large"].page(queries["large"])
            worked = round((processes["large"].processor() - began) / rounds, 1)
            rows.append(
                {
                    "page": what,
                    **{name: Spread.of(each).to_json() for name, each in taken.items()},
                    "times": times.to_json(),
                    "processor": worked,
                }
            )
            slowest.append(Spread.of(taken["large"]))
            slowest_times.append(times)
            most_work.append(worked)
        memory = {name: round(process.peak_megabytes(), 1) for name, process in processes.items()}
        for process in processes.values():
            process.end()
    recorder.end(
        settings={
            "rows": dict(size),
            "groups_of_a_region": GROUPS,
            "rounds": rounds,
            "milliseconds_of_opening": {name: round(each) for name, each in opening.items()},
            "peak_megabytes": dict(memory),
        },
        rows=rows,
        limits=[
            Limit.of("slowest page of the large table", max(slowest, key=MEDIAN), MOST, "ms"),
            Limit.of(
                "slowest page of the large table, in pages of the small one",
                max(slowest_times, key=MEDIAN),
                MOST_TIMES,
                "times",
            ),
            Limit("most processor time of a page of the large table", max(most_work), MOST, "ms"),
            Limit(
                "memory with the large table, in that with the small one",
                round(memory["large"] / memory["small"], 2),
                MOST_GROWTH,
                "times",
            ),
        ],
    )


if __name__ == "__main__":
    main()

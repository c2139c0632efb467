"""The nation under the production definitions of the 2020 Census: 300 million invented persons, released and verified on this machine.

`starling tables generate`, `release` and `verify` as whole processes, time and memory of each; then verifying in one process, against
hashing the bytes, as `bench.verify` does it. The land is as large as the United States and Puerto Rico, whatever the number of persons.
"""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Json, Spread
from bench.nation import Made, definitions, generate, gigabytes, release
from bench.process import CONSISTENT, STARLING, Run, run
from bench.record import Limit, Recorder
from bench.verify import computing, hashing, verifying
from starling.tables.plan import Plan, read_geography

LAND = 316_000_000
"""Persons for whom the land is made: so it has as many counties, tracts, blocks and places as there were in 2020."""


def row(name: str, took: Run) -> Json:
    """A process as a row."""
    return {
        "run": name,
        "seconds": round(took.seconds, 1),
        "cpu_seconds": round(took.cpu_seconds, 1),
        "gigabytes": round(took.peak_gb, 2),
    }


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_national", "A nation of invented persons under the production definitions.")
    recorder.parser.add_argument("--persons", type=int, default=300_000_000)
    recorder.parser.add_argument(
        "--format", choices=("parquet", "text"), default="parquet", help="of the invented files"
    )
    recorder.parser.add_argument(
        "--made", type=Path, help="folder of an earlier `starling tables generate`, used again"
    )
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 4 GB, or 30 for text")
    chosen = recorder.begin()
    plan = definitions()
    persons, land = (20_000, 1_000_000) if chosen.quick else (chosen.persons, LAND)
    rows: list[Json] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        if chosen.made:
            made = Made(chosen.made, chosen.format)
        else:
            made, took = generate(plan, scratch / "made", chosen.format, persons=str(persons), land_for=str(land))
            rows.append(row("generate", took))
        out = scratch / "release"
        releasing, tables = release(plan, made, out)
        rows.append(row("release", releasing))
        checking = run([STARLING, "verify", out], right=CONSISTENT)
        rows.append(row("verify", checking))
        # The first one finds the laws of the noise for all that come after.
        verifying(out)
        hashed, again, whole = hashing(out), computing(out), verifying(out)
        census = Plan.load(plan)
        settings: dict[str, Json] = {
            "definitions": plan.name,
            "format": chosen.format,
            "persons_gb": gigabytes(made.persons),
            "release_gb": gigabytes(out),
            "groups": census.cells(read_geography(made.geography, census)),
            "t1_rows": tables["t1"],
            "t2_rows": tables["t2"],
            **made.sizes,
        }
    times = Spread.of([(whole - again) / hashed])
    rows += [
        {"run": "hash every byte of the release", "seconds": round(hashed, 2)},
        {"run": "compute the release again from its measurements", "seconds": round(again, 1)},
        {"run": "verify in a running process", "seconds": round(whole, 1)},
    ]
    limits = [
        Limit("national release", round(releasing.seconds, 1), 600, "s"),
        Limit("national release, most memory", round(releasing.peak_gb, 2), 12, "GB"),
        Limit.of("national release: verify beyond computing again, times hashing", times, 2, "times"),
    ]
    recorder.end(settings=settings, rows=rows, limits=limits if settings["persons"] == 300_000_000 else [])


if __name__ == "__main__":
    main()

"""Better numbers at size: a release as measured, the same with totals that add up, and one topped up; time and memory.

Production definitions over land as large as a tenth of the nation, or what is asked for. Persons and geography are invented.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import Json
from bench.nation import Made, definitions, generate, gigabytes, release
from bench.process import CONSISTENT, STARLING, run
from bench.record import Limit, Recorder
from starling.tables import Plan, read_geography
from starling.tables.plan.variants import EVENLY

PERSONS = 30_000_000
ASKED = "[publication]\n"
"""Under which a plan file asks for better numbers."""


def invented(folder: Path, persons: int) -> Made:
    """So many persons, and land for them."""
    made, _ = generate(definitions(), folder, "parquet", persons=str(persons))
    return made


def limits(rows: Sequence[Mapping[str, Any]]) -> list[Limit]:
    """Better numbers cost a release little: CPU time and memory beside one as measured."""
    figures = {row["run"]: row for row in rows}
    plain = figures["release, as measured"]
    return [
        Limit(
            f"release, {name}, over as measured: {what}",
            round(figures[f"release, {name}"][key] / plain[key], 3),
            2,
            "times",
        )
        for name in ("totals add up", "topped up")
        for key, what in (("cpu_seconds", "CPU time"), ("gigabytes", "most memory"))
    ]


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_better", "Time and memory of totals that add up and of a top-up.")
    recorder.parser.add_argument("--persons", type=int, default=PERSONS, help="how many to invent")
    recorder.parser.add_argument("--made", type=Path, help="folder with so many, invented before, as Parquet")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 5 GB")
    chosen = recorder.begin()
    persons = 20_000 if chosen.quick else chosen.persons
    rows: list[dict[str, Any]] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        made = Made(chosen.made, "parquet") if chosen.made else invented(scratch / "made", persons)
        adding = scratch / "adding.toml"
        run([STARLING, "tables", "convert", definitions(), "--out", adding])
        text = adding.read_text("utf-8")
        if ASKED not in text:
            raise RuntimeError("the converted plan has no publication part")
        adding.write_text(text.replace(ASKED, f'{ASKED}add-up = "{EVENLY}"\n'), "utf-8")
        first = scratch / "measured"
        runs = (
            ("as measured", definitions(), first, ()),
            ("totals add up", adding, scratch / "added", ()),
            ("topped up", definitions(), scratch / "topped", ("--top-up", first)),
        )
        land: dict[str, Json] = {**made.sizes}
        for name, plan, out, more in runs:
            took, tables = release(plan, made, out, *more)
            checked = run([STARLING, "verify", out], right=CONSISTENT)
            rows += [
                {
                    "run": f"{what}, {name}",
                    "seconds": round(each.seconds, 1),
                    "cpu_seconds": round(each.cpu_seconds, 1),
                    "gigabytes": round(each.peak_gb, 2),
                    "release_gb": gigabytes(out),
                    "t1_rows": tables["t1"],
                    "t2_rows": tables["t2"],
                }
                for what, each in (("release", took), ("verify", checked))
            ]
        census = Plan.load(definitions())
        groups = census.cells(read_geography(made.geography, census))
    recorder.end(
        settings={"definitions": definitions().name, "groups": groups, **land},
        rows=list[Json](rows),
        limits=limits(rows),
    )


if __name__ == "__main__":
    main()

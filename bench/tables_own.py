"""Records of one's own: time and memory of reading ten million of them, and of releases of 5,000 regions by 100 groups.

Invented persons have one of 5,000 districts, a sex, an age, up to two of 100 languages, up to three of 50 conditions, and what they spent.
Each figure is of a whole process. Reading is what counting waits for: batches of numbers, from Parquet and from CSV. Released are totals;
totals where at most three records of each of three million persons count; sums and means of spending; and quartiles of age, either way.
"""

import sys
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from bench.measure import Json
from bench.process import STARLING, Run, run
from bench.record import Limit, Recorder
from starling.planfile.values import toml_of

SEED: Final = 2026
PERSONS: Final = 10_000_000
PIECE: Final = 1_000_000
"""Persons that are invented at a time, and rows of a row group."""
DISTRICTS: Final = tuple(f"D{number:05d}" for number in range(5_000))
LANGUAGES: Final = tuple(f"l{number}" for number in range(100))
CONDITIONS: Final = tuple(f"c{number}" for number in range(50))
AGES: Final = 110
EPSILON: Final = "1"
READING_SECONDS: Final = 8
READING_GIGABYTES: Final = 1
RELEASE_SECONDS: Final = 15
RELEASE_GIGABYTES: Final = 1.5
READ: Final = """
import sys
from starling.tables.plan.columns import Column, Integers, RecordColumns, codes_of
from starling.tables.source.declared_reading import read_declared
from starling.tables.source.declared_records import open_declared
from bench.tables_own import AGES, CONDITIONS, DISTRICTS, LANGUAGES
languages = Column("languages", codes_of(LANGUAGES), ("first", "second"), most=2)
conditions = Column("conditions", codes_of(CONDITIONS), separator=";", most=3)
detail = (Column("sex", codes_of("FM")), Column("age", Integers(0, AGES)))
columns = RecordColumns(Column("district", codes_of(DISTRICTS)), (languages, conditions), detail)
records = open_declared(sys.argv[1], columns)
print(sum(len(batch.area) for batch in read_declared(records, lambda batch: batch)))
"""


def invent(folder: Path, persons: int) -> tuple[Path, Path]:
    """The records as Parquet and as CSV."""
    rng = np.random.default_rng(SEED)
    said = [";".join(rng.choice(CONDITIONS, rng.integers(0, 4), replace=False)) for _ in range(3_000)]
    parquet, text = folder / "records.parquet", folder / "records.csv"
    with ExitStack() as stack:
        writers: list[Any] = []
        for begin in range(0, persons, PIECE):
            many = min(PIECE, persons - begin)
            table = pa.table(
                {
                    "district": _drawn(rng, DISTRICTS, many),
                    "sex": _drawn(rng, ("F", "M"), many),
                    "age": rng.integers(0, AGES + 1, many, dtype=np.int16),
                    "first": _drawn(rng, LANGUAGES, many),
                    "second": _drawn(rng, (*LANGUAGES, *[""] * 200), many),
                    "conditions": _drawn(rng, said, many),
                    "person": rng.integers(0, max(3 * persons // 10, 1), many),
                    "spent": np.round(rng.lognormal(3.5, 1.2, many), 2),
                }
            )
            if not writers:
                writers = [
                    stack.enter_context(pq.ParquetWriter(parquet, table.schema)),
                    stack.enter_context(pacsv.CSVWriter(text, table.schema)),
                ]
            for writer in writers:
                writer.write_table(table)
    return parquet, text


def _drawn(rng: np.random.Generator, values: tuple[str, ...] | list[str], many: int) -> pa.Array:
    return pa.array(list(values)).take(pa.array(rng.integers(0, len(values), many)))


def plans(folder: Path) -> dict[str, Path]:
    """A plan of each kind: every language, and of totals everybody too, in every district."""
    levels = [{"regions": "district", "groups": name, "budget": "1/2"} for name in ("everybody", "languages")]
    of_languages = {"regions": "district", "groups": "languages", "budget": EPSILON}
    age = of_languages | {"of": "age", "shares": ["0.25", "0.5", "0.75"]}
    kinds: dict[str, dict[str, Any]] = {
        "release Parquet": {"levels": levels},
        "release at most 3 records of a person": {
            "levels": levels,
            "records": {"of-a-person": 3, "person": "person"},
        },
        "release sums": {"sums": [of_languages | {"of": "spent"}]},
        "release quartiles by counts": {"quantiles": [age | {"way": "counts"}]},
        "release quartiles by selection": {"quantiles": [age | {"way": "selection"}]},
    }
    found = {}
    for number, (what, parts) in enumerate(kinds.items()):
        found[what] = folder / f"plan-{number}.toml"
        found[what].write_text(toml_of(_plan() | parts))
    return found


def _plan() -> dict[str, Any]:
    """What all plans say."""
    languages = {"name": "languages", "fields": ["first", "second"], "values": list(LANGUAGES), "most": 2}
    spent = {"name": "spent", "from": 0, "to": 1000, "decimals": 2}
    return {
        "title": "Invented persons",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
        "records": {"of-a-person": 1},
        "publication": {"negative-counts": True},
        "regions": {"column": "district", "levels": ["district"], "rows": [[each] for each in DISTRICTS]},
        "columns": [languages, spent, {"name": "age", "from": 0, "to": AGES}],
        "groups": [{"name": "everybody", "columns": []}, {"name": "languages", "columns": ["languages"]}],
    }


def _row(what: str, took: Run, persons: int) -> dict[str, Json]:
    row: dict[str, Json] = {
        "what": what,
        "persons": persons,
        "seconds": round(took.seconds, 2),
        "cpu_seconds": round(took.cpu_seconds, 2),
        "gigabytes": round(took.peak_gb, 2),
    }
    print(row)
    return row


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_own", "Time and memory of records of one's own: reading, and a release.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 1 GB")
    chosen = recorder.begin()
    persons = 10_000 if chosen.quick else PERSONS
    with TemporaryDirectory(dir=chosen.scratch) as folder:
        scratch = Path(folder)
        (scratch / "few").mkdir()
        first, _ = invent(scratch / "few", 1_000)
        paid = ("--unvalidated", "--yes", "--json")
        parquet, text = invent(scratch, persons)
        took = {
            "read Parquet": run([sys.executable, "-c", READ, parquet]),
            "read CSV": run([sys.executable, "-c", READ, text]),
        }
        for number, (what, plan) in enumerate(plans(scratch).items()):
            # What an earlier release on the machine would leave compiled.
            run([STARLING, "tables", "release", plan, "--persons", first, "--out", scratch / f"first-{number}", *paid])
            out = scratch / "out"
            took[what] = run([STARLING, "tables", "release", plan, "--persons", parquet, "--out", out, *paid])
            rmtree(out)
    rows: list[Json] = [_row(what, each, persons) for what, each in took.items()]
    read, release = took["read Parquet"], took["release Parquet"]
    limits = [
        Limit("10 million records of one's own read from Parquet", round(read.seconds, 1), READING_SECONDS, "s"),
        Limit(
            "10 million records of one's own read from Parquet, most memory",
            round(read.peak_gb, 2),
            READING_GIGABYTES,
            "GB",
        ),
        Limit(
            "10 million records to a release of 5,000 by 101 groups", round(release.seconds, 1), RELEASE_SECONDS, "s"
        ),
        Limit(
            "10 million records to a release of 5,000 by 101 groups, most memory",
            round(release.peak_gb, 2),
            RELEASE_GIGABYTES,
            "GB",
        ),
    ]
    for what in [each for each in took if each.startswith("release ") and each != "release Parquet"]:
        name = f"10 million records, {what}"
        limits.append(Limit(name, round(took[what].seconds, 1), RELEASE_SECONDS, "s"))
        limits.append(Limit(f"{name}, most memory", round(took[what].peak_gb, 2), RELEASE_GIGABYTES, "GB"))
    settings: dict[str, Json] = {"epsilon": EPSILON, "seed": SEED, "districts": len(DISTRICTS)}
    recorder.end(settings=settings, rows=rows, limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()

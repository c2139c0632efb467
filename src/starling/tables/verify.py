"""What only the domain can verify of a tables release: that its laws follow from its plan, and its tables from its measurements.

Everything is read from the folder itself: the public plan, the noisy measurements, the published tables. Post-processing is run
again, piece by piece, and must give every published number bit for bit: the values of the Parquet files, the bytes of the text.
"""

import hashlib
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from io import RawIOBase
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError, PlanError, Problem
from starling.privacy.budget import decimal_up
from starling.release import datapackage, recompute, registry, statement
from starling.release.checks import Check, Findings
from starling.release.difference import first_difference
from starling.release.manifest import AGAIN, OWN_LEDGER, SIGNATURE
from starling.release.report.pages import undrawn
from starling.tables.artifact import REPORT, described, pages, sections
from starling.tables.artifact.data import MOST_CSV_ROWS, census, csv
from starling.tables.artifact.measured import measurements_path, place_of, read_measurements, with_earlier
from starling.tables.artifact.parameters import domain
from starling.tables.artifact.public_plan import PLAN, REGIONS, read_plan
from starling.tables.artifact.summary import Summary
from starling.tables.checks import COLUMNS, ROWS, SAYS, Broken, Wish, differences
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA, Tables, tabulate

SCHEMAS: Final = {"t1": T1_SCHEMA, "t2": T2_SCHEMA}
BATCH: Final = 1 << 18
"""Published rows that are read at a time."""
AHEAD: Final = 2
"""Pieces that wait to be compared."""

REQUIRED: Final = (
    *(f"data/{name}.{suffix}" for name in SCHEMAS for suffix in ("parquet", "txt")),
    *(PLAN, REGIONS, statement.FILE, registry.FILE, datapackage.FILE, REPORT),
)
OPTIONAL: Final = (SIGNATURE, OWN_LEDGER, *(f"data/{name}.csv" for name in SCHEMAS))


def check(folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
    """The desiderata of a tables release (desiderata.py), each a check, beyond hashes, signature and arithmetic.

    Args:
        folder: Of the release; its files are as they were signed.
        stated: Its privacy.json.
        hashes: SHA-256 of each of its files.
    """
    found = Findings(SAYS)
    try:
        plan, geography = read_plan(folder)
    except IntegrityError as error:
        found.add(Wish.FORMS, *error.problems)
        return found.checks()
    except PlanError as error:
        # A plan refuses what would make its guarantee untrue.
        found.add(Wish.PRIVACY, *(Problem(each.field, each.problem, AGAIN, PLAN) for each in error.problems))
        return found.checks()
    _statement(plan, geography, stated, found)
    if _files(plan, hashes, found):
        _tables(folder, plan, geography, stated, hashes, found)
    return (*found.checks(), *_top_up(plan, hashes))


def _earlier(plan: Plan) -> dict[str, str]:
    """SHA-256 of the measurements of the releases that a plan adds to, by their path here."""
    return {
        measurements_path(level, place_of(back)): digest
        for back, each in enumerate(plan.variants.releases, 1)
        for level, digest in zip(plan.levels, each.measurements, strict=True)
    }


def _top_up(plan: Plan, hashes: Mapping[str, str]) -> tuple[Check, ...]:
    """Which releases this one adds to, and whether the earlier values are those that the plan, and so its charge, names."""
    if plan.variants.top_up is None:
        return ()
    other = [name for name, digest in _earlier(plan).items() if hashes.get(name) != digest]
    problem = "is not what the release that the plan adds to published"
    named = "; ".join(
        f"request {each.request_id} of {plan.measure} {decimal_up(each.cost)}, manifest {each.manifest}"
        for each in plan.variants.releases
    )
    says = f"adds to {named}; each charged on its own, {plan.together.cost} together with this one"
    return (Check("top-up", says, tuple(Problem(name, problem, AGAIN) for name in other), True),)


def _statement(plan: Plan, geography: Geography, stated: Mapping[str, Any], found: Findings[Wish]) -> None:
    """What privacy.json states otherwise than the plan in the folder gives it."""
    expected = recompute.stated(plan.guarantee, domain(plan, geography))
    mechanism = expected.pop("mechanism")
    differing = [(field, Wish.PRIVACY) for field, value in expected.items() if stated.get(field) != value]
    differing += differences(mechanism, stated.get("mechanism"), "mechanism")
    for field, wish in differing:
        found.add(wish, recompute.unlike(field))
    found.reached(Wish.PRIVACY)


def _files(plan: Plan, hashes: Mapping[str, str], found: Findings[Wish]) -> bool:
    """Whether a release has the files of a tables release, and only those."""
    required = {*REQUIRED, *map(measurements_path, plan.levels), *_earlier(plan)}
    missing, beyond = sorted(required - hashes.keys()), sorted(hashes.keys() - required - set(OPTIONAL))
    found.add(Wish.FORMS, *(Problem(name, "is missing from the release", AGAIN) for name in missing))
    found.add(Wish.FORMS, *(Problem(name, "is no file of a tables release", AGAIN) for name in beyond))
    return not missing and not beyond


def _tables(
    folder: Path,
    plan: Plan,
    geography: Geography,
    stated: Mapping[str, Any],
    hashes: Mapping[str, str],
    found: Findings[Wish],
) -> None:
    """Post-process the shipped measurements again, piece by piece, and compare."""
    summary = Summary(plan)
    try:
        published = {name: _Published(folder, name, hashes) for name in SCHEMAS}

        def compare(tables: Tables) -> None:
            published["t1"].compare(tables.t1)
            published["t2"].compare(tables.t2)

        waiting: deque[Future[None]] = deque()
        # A thread compares, in order, while the next piece is made.
        with ThreadPoolExecutor(1) as comparing:
            drawn = read_measurements(folder, plan, geography)
            for part in tabulate(plan, geography, with_earlier(folder, plan, geography, drawn)):
                waiting.append(comparing.submit(compare, part.tables))
                summary.add(part)
                if len(waiting) > AHEAD:
                    waiting.popleft().result()
            for each in waiting:
                each.result()
        for table in published.values():
            table.compare_rest()
    except Broken as broken:
        found.add(broken.wish, *broken.problems)
        return
    for table in published.values():
        for wish, problem in table.finish():
            found.add(wish, problem)
    # Of a table with more or fewer rows the columns are not known.
    whole = all(table.whole for table in published.values())
    found.reached(*({*Wish} - {Wish.PAGES} if whole else {Wish.INTEGRALITY, Wish.FORMS}))
    said = [undrawn(section) for section in sections(plan, geography, summary)]
    make = partial(pages, plan, said=said)
    found.add(
        Wish.PAGES,
        *recompute.pages(folder, stated, plan.guarantee, make, plan.together if plan.variants.top_up else None),
    )
    if recompute.by_this_version(stated):
        written = [name for name in SCHEMAS if f"data/{name}.csv" in hashes]
        found.add(Wish.PAGES, *recompute.package(folder, *described(plan, written), hashes))
        found.reached(Wish.PAGES)
    else:
        found.leave_open(Wish.PAGES, recompute.OTHER_VERSION)


class _Published:
    """One published table in its two or three forms, compared in order with what it should be.

    Raises:
        Broken: its Parquet file has other columns, or cannot be read.
    """

    def __init__(self, folder: Path, name: str, hashes: Mapping[str, str]) -> None:
        self._name, self._csv, self._wish = f"data/{name}.parquet", f"data/{name}.csv", ROWS[name]
        self._rows = 0
        self._expected: list[pa.Table] = []
        self._differing: dict[str, int] = {}
        self._hashes = hashes
        schema = SCHEMAS[name]
        words = [field.name for field in schema if pa.types.is_string(field.type)]
        try:
            self._types = _other_types(pq.read_schema(folder / self._name), schema)
            if self._types is None:
                raise self._wrong("has other columns or types than the table has")
            # Text as places in a dictionary: the same few names stand in most rows.
            self._file = pq.ParquetFile(folder / self._name, read_dictionary=words)
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        self._batches = self._file.iter_batches(batch_size=BATCH)
        self._left = pa.RecordBatch.from_pylist([], self._file.schema_arrow)
        self._texts = {
            path: (made, kind(made, schema.names))
            for path, kind in ((f"data/{name}.txt", census), (self._csv, csv))
            if path in hashes
            for made in [_Hash()]
        }

    def _wrong(self, problem: str) -> Broken:
        return Broken(Wish.FORMS, self._name, problem)

    def compare(self, expected: pa.Table) -> None:
        """The next rows should be these."""
        for _, text in self._texts.values():
            text.write(expected)
        # Looking names up has its price for each table, however few its rows: so several pieces at once.
        self._expected.append(expected)
        if sum(map(len, self._expected)) >= BATCH:
            self.compare_rest()

    def compare_rest(self) -> None:
        """What has come together, with as many rows of the file."""
        if not self._expected:
            return
        expected = pa.concat_tables(self._expected).unify_dictionaries().combine_chunks()
        self._expected.clear()
        done = 0
        while done < len(expected) and len(batch := self._next(len(expected) - done)):
            for column in expected.column_names:
                if column not in self._differing:
                    row = first_difference(expected[column].slice(done, len(batch)), batch[column])
                    if row is not None:
                        self._differing[column] = self._rows + done + row
            done += len(batch)
        self._rows += len(expected)

    def _next(self, most: int) -> pa.RecordBatch:
        """Some published rows, up to `most`; none at the end."""
        try:
            while not len(self._left) and (batch := next(self._batches, None)) is not None:
                self._left = batch
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        given = self._left.slice(0, most)
        self._left = self._left.slice(len(given))
        return given

    @property
    def whole(self) -> bool:
        """Whether it has as many rows as it was compared with."""
        return bool(self._file.metadata.num_rows == self._rows)

    def finish(self) -> Iterable[tuple[Wish, Problem]]:
        """What differs, after all rows, and which wish that breaks."""
        for column, kind in (self._types or {}).items():
            yield Wish.INTEGRALITY, Problem(f"column {column}", f"is {kind}, not an integer", AGAIN, self._name)
        if not self.whole:
            problem = f"has {self._file.metadata.num_rows:,} rows where the shipped measurements give {self._rows:,}"
            yield self._wish, Problem(self._name, problem, AGAIN)
        else:
            for column, row in self._differing.items():
                problem = f"is in row {row + 1} not what the shipped measurements give"
                yield COLUMNS[column], Problem(f"column {column}", problem, AGAIN, self._name)
        if (self._rows < MOST_CSV_ROWS) != (self._csv in self._hashes):
            problem = f"is there for a table below {MOST_CSV_ROWS:,} rows, and only then"
            yield Wish.FORMS, Problem(self._csv, problem, AGAIN)
        for path, (made, _) in self._texts.items():
            if made.hexdigest() != self._hashes[path]:
                yield Wish.FORMS, Problem(path, "is not the text that the shipped measurements give", AGAIN)


def _other_types(found: pa.Schema, ours: pa.Schema) -> dict[str, str] | None:
    """Columns of integers that are of another type, with that; None where the tables differ otherwise."""
    if found.names != ours.names:
        return None
    differing = {ours.field(at).name: found.types[at] for at in range(len(ours)) if found.types[at] != ours.types[at]}
    if any(ours.field(name).type != pa.int64() for name in differing):
        return None
    return {name: str(kind) for name, kind in differing.items()}


class _Hash(RawIOBase):
    """A file that keeps nothing but the SHA-256 of what is written."""

    def __init__(self) -> None:
        super().__init__()
        self._hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._hash.update(data)
        return len(data)

    def hexdigest(self) -> str:
        """Of all that was written."""
        return self._hash.hexdigest()

"""One attempt: the files of a source are opened, as before a charge, and counted, as after it."""

import atexit
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from unittest.mock import patch

import pyarrow as pa

from bench.fuzz.declared import section
from bench.fuzz.forms import Form
from bench.fuzz.source import Source
from starling.domains import domain
from starling.engine import delimited
from starling.engine.delimited import Part, fitting, parsed
from starling.engine.duck import Limits
from starling.engine.record_files import Records
from starling.engine.spark import Spark
from starling.errors import SourceError, StarlingError
from starling.privacy.trust import Confidential, inspect
from starling.release.domain import Delivery, Domain
from starling.text_format import PLAIN, TextFormat

Outcome: TypeAlias = Literal["refused", "counted"]

LISTED: Final = 5
"""Findings of `validate` that are listed."""
_PARTS: Final = 9
"""Parts of a file that is counted in small ones."""


def write_public(source: Source, folder: Path, form: TextFormat = PLAIN) -> None:
    """Write the plan, which declares a format of text, and the public files of a source."""
    for name, text in source.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + section(form) if name == source.plan else text)


def opened(source: Source, records: Path | pa.Table, folder: Path) -> Delivery | Confidential[Any]:
    """What is opened before a charge; raises StarlingError where it is refused."""
    plan = str(folder / source.plan)
    if not isinstance(records, Path):
        return HELD[source.domain](plan, records)
    delivering = _domain(source.domain).delivering
    assert delivering is not None
    public = {name: folder / path for name, path in source.public.items()}
    return delivering.open(plan, {source.records: records, **public})


def attempt(source: Source, records: Path | pa.Table, folder: Path, form: Form | None = None) -> Outcome:
    """Open, count and validate records; whatever counting or validation raises is a failure.

    Args:
        source: The source; its public files lie in the folder.
        records: The file, or what a session holds.
        folder: The folder.
        form: How the file is counted: by DuckDB in parts as usual, unless it says otherwise.
    """
    form = form or Form("")
    size = records.stat().st_size if form.parts and isinstance(records, Path) else 0
    with ExitStack() as work, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if size:
            work.enter_context(patch.object(delimited, "CHUNK", max(2, size // _PARTS // 2 * 2)))
            work.enter_context(patch.object(delimited, "LONGEST_RECORD", max(64, size // _PARTS)))
        try:
            delivery = opened(source, records, folder)
            counting = delivery.source.open() if isinstance(delivery, Delivery) else None
        except StarlingError:
            return "refused"
        confidential: Any = delivery
        if isinstance(delivery, Delivery) and (size or form.spark):
            confidential = _count(source.domain, delivery.source, spark() if form.spark else None)
        elif counting:
            confidential = counting(work)
        exact = inspect(confidential).value
        if source.domain == "genome":
            # A study is read when it is asked.
            exact.tables()
        if isinstance(delivery, Delivery):
            if (
                size
                and isinstance(known := getattr(delivery.source, "records", None), Records)
                and known.form == "text"
            ):
                _check_parts(known)
            # Validation refuses a workbook whose sheet ends early.
            with suppress(*[SourceError] if form.kind == "workbook" else []):
                delivery.validate(LISTED)
    return "counted"


def _count(name: str, source: Any, cluster: Spark | None) -> Any:
    """The counts of a source by Spark, or in the parts in which it was opened."""
    if name != "tables":
        return source.count(cluster)
    from starling.tables.counts import count

    return count(source.plan, source.regions, source.records, cluster=cluster)


def _check_parts(records: Records) -> None:
    """The parts of a text have the records that the whole has."""
    if records.parts:
        whole = replace(records.parts[0], begin=records.parts[0].origin, stop=records.sizes[0])
        assert _rows(records, records.parts) == _rows(records, [whole]), "parts have other records than the whole"


def _rows(records: Records, parts: Iterable[Part]) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for part in parts:
        if data := fitting(part, len(records.header), records.format).data:
            table = parsed(data, records.header, records.columns, records.format)
            rows += zip(*(column.to_pylist() for column in table.columns), strict=True)
    return rows


@cache
def spark() -> Spark:
    """The Spark of this process, which ends with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(Spark(None, Limits(1 << 30, None, 2, None)))


def _domain(name: str) -> Domain:
    named = domain(name)
    assert named is not None
    return named


def _held_places(plan: str, data: pa.Table) -> Confidential[Any]:
    from starling.places.kinds import load

    kind, chosen = load(plan)
    steps = kind.from_records
    return steps.count(chosen, steps.open(data, chosen))


def _held_tables(plan: str, data: pa.Table) -> Confidential[Any]:
    from starling.tables.counts import count
    from starling.tables.plan import Plan, read_regions
    from starling.tables.source import open_records

    chosen = Plan.load(plan)
    return count(chosen, read_regions(chosen, None), open_records(data, chosen))


HELD: Final[dict[str, Callable[[str, pa.Table], Confidential[Any]]]] = {"places": _held_places, "tables": _held_tables}
"""How the domains that take what a session holds count it."""

"""One attempt: the files of a source are opened, as before a charge, and counted, as after it."""

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pyarrow as pa

from bench.fuzz.source import Source
from starling.domains import domain
from starling.errors import StarlingError
from starling.privacy.trust import Confidential, inspect
from starling.release.domain import Delivery, Domain

Outcome: TypeAlias = Literal["refused", "counted"]

LISTED: Final = 5
"""Findings of `validate` that are listed."""


def write_public(source: Source, folder: Path) -> None:
    """Write the plan and the public files of a source."""
    for name, text in source.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def opened(source: Source, records: Path | pa.Table, folder: Path) -> Delivery | Confidential[Any]:
    """What is opened before a charge; raises StarlingError where it is refused."""
    plan = str(folder / source.plan)
    if not isinstance(records, Path):
        return HELD[source.domain](plan, records)
    delivering = _domain(source.domain).delivering
    assert delivering is not None
    public = {name: folder / path for name, path in source.public.items()}
    return delivering.open(plan, {source.records: records, **public})


def attempt(source: Source, records: Path | pa.Table, folder: Path) -> Outcome:
    """Open, count and validate records; whatever counting or validation raises is a failure.

    Args:
        source: The source; its public files lie in the folder.
        records: The file, or what a session holds.
        folder: The folder.
    """
    try:
        delivery = opened(source, records, folder)
        counting = delivery.source.open() if isinstance(delivery, Delivery) else lambda _: delivery
    except StarlingError:
        return "refused"
    with ExitStack() as work, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact = inspect(counting(work)).value
        if source.domain == "genome":
            # A study is read when it is asked.
            exact.tables()
    if isinstance(delivery, Delivery):
        delivery.validate(LISTED)
    return "counted"


def _domain(name: str) -> Domain:
    named = domain(name)
    assert named is not None
    return named


def _held_places(plan: str, data: pa.Table) -> Confidential[Any]:
    from starling.places.counts import count
    from starling.places.plan import Plan
    from starling.places.source import open_held

    chosen = Plan.load(plan)
    return count(chosen, open_held(data, chosen))


def _held_tables(plan: str, data: pa.Table) -> Confidential[Any]:
    from starling.tables.counts import count_records
    from starling.tables.plan import Plan, read_regions
    from starling.tables.source import open_records

    chosen = Plan.load(plan)
    return count_records(chosen, read_regions(chosen, None), open_records(data, chosen))


HELD: Final[dict[str, Callable[[str, pa.Table], Confidential[Any]]]] = {"places": _held_places, "tables": _held_tables}
"""How the domains that take what a session holds count it."""

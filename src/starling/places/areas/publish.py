"""A release of areas: from records to a folder that everybody may read."""

from functools import partial
from pathlib import Path

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine
from starling.places.areas.counts import count
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.publication import AreasPublication
from starling.places.areas.source.validation import validate
from starling.places.source import InMemory, open_records
from starling.release.counted import CountedRecords
from starling.release.domain import Delivery
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish


def release(
    plan: AreasPlan,
    records: str | Path | InMemory,
    out: str | Path,
    *,
    engine: str = DUCKDB,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Published:
    """Publish the points of a plan of areas as the folder `out`; arguments and what is raised are as of `places.release`."""
    check_engine(engine)
    opened = open_records(records, plan)
    check_session(opened.files, engine, Path(out))
    source = CountedRecords(opened, partial(count, plan, opened), engine)
    return publish(AreasPublication(plan), source, Path(out).absolute(), payment, listener)


def deliver(plan: AreasPlan, records: Path, engine: str = DUCKDB) -> Delivery:
    """A plan with its records, opened; raises SourceError or ParameterError by public checks."""
    check_engine(engine)
    opened = open_records(records, plan)
    return Delivery(
        AreasPublication(plan),
        CountedRecords(opened, partial(count, plan, opened), engine),
        lambda most: validate(plan, opened, most=most).value,
    )

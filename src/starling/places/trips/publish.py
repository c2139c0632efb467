"""A release of trips on a grid: from records to a folder that everybody may read."""

from functools import partial
from pathlib import Path

from starling.engine.held_records import InMemory, check_session
from starling.engine.spark import DUCKDB, check_engine
from starling.places.trips.counts import count
from starling.places.trips.plan import Plan
from starling.places.trips.publication import TripsPublication
from starling.places.trips.source import open_records
from starling.places.trips.source.validation import validate
from starling.release.counted import CountedRecords
from starling.release.domain import Delivery
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish


def release(
    plan: Plan,
    records: str | Path | InMemory,
    out: str | Path,
    *,
    engine: str = DUCKDB,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Published:
    """Publish the trips of a plan as the folder `out`; arguments, and what is raised, are as of `places.release`."""
    check_engine(engine)
    opened = open_records(records, plan)
    check_session(opened.files, engine, Path(out))
    source = CountedRecords(opened, partial(count, plan, opened), engine)
    return publish(TripsPublication(plan), source, Path(out).absolute(), payment, listener)


def deliver(chosen: Plan, records: Path, engine: str = DUCKDB) -> Delivery:
    """A plan with its records, opened; raises SourceError or ParameterError by public checks."""
    check_engine(engine)
    opened = open_records(records, chosen)
    return Delivery(
        TripsPublication(chosen),
        CountedRecords(opened, partial(count, chosen, opened), engine),
        lambda most: validate(chosen, opened, most=most).value,
    )

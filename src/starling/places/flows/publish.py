"""A release of flows: from records to a folder that everybody may read."""

from functools import partial
from pathlib import Path

from starling.engine.held_records import Held, InMemory, check_session
from starling.engine.record_files import Records
from starling.engine.spark import DUCKDB, check_engine
from starling.places.areas.source.locate import locator_of
from starling.places.flows.counts import count
from starling.places.flows.plan import Plan
from starling.places.flows.plan.levels import Int64
from starling.places.flows.publication import FlowsPublication
from starling.places.flows.source import open_records
from starling.places.flows.source.validation import validate
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
    return publish(FlowsPublication(plan), _counted(plan, opened, engine), Path(out).absolute(), payment, listener)


def deliver(chosen: Plan, records: Path, engine: str = DUCKDB) -> Delivery:
    """A plan with its records, opened; raises SourceError or ParameterError by public checks."""
    check_engine(engine)
    opened = open_records(records, chosen)
    return Delivery(
        FlowsPublication(chosen),
        _counted(chosen, opened, engine),
        lambda most: validate(chosen, opened, most=most).value,
    )


def _counted(plan: Plan, opened: Records | Held, engine: str) -> CountedRecords[Int64]:
    """Records to be counted, by polygons that are prepared now: what public polygons can break breaks before the charge."""
    if plan.columns.coordinates:
        locator_of(plan.areas)
    return CountedRecords(opened, partial(count, plan, opened), engine)

"""A release of areas: from records to a folder that everybody may read."""

from functools import partial
from pathlib import Path

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine
from starling.places.areas.counts import count
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Int64
from starling.places.areas.publication import AreasPublication
from starling.places.areas.source.locate import locator_of
from starling.places.areas.source.validation import validate
from starling.places.source import Held, InMemory, Records, open_records
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
    return publish(AreasPublication(plan), _counted(plan, opened, engine), Path(out).absolute(), payment, listener)


def deliver(plan: AreasPlan, records: Path, engine: str = DUCKDB) -> Delivery:
    """A plan with its records, opened; raises SourceError or ParameterError by public checks."""
    check_engine(engine)
    opened = open_records(records, plan)
    return Delivery(
        AreasPublication(plan),
        _counted(plan, opened, engine),
        lambda most: validate(plan, opened, most=most).value,
    )


def _counted(plan: AreasPlan, opened: Records | Held, engine: str) -> CountedRecords[Int64]:
    """Records to be counted, by polygons that are prepared now: what public polygons can break breaks before the charge."""
    if not plan.columns.area:
        locator_of(plan.areas)
    return CountedRecords(opened, partial(count, plan, opened), engine)

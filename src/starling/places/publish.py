"""A release of points: from records to a folder that everybody may read."""

from functools import partial
from pathlib import Path

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine
from starling.places.counts import count
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.publication import PlacesPublication
from starling.places.source import InMemory, open_records
from starling.places.source.validation import validate
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
    """Publish the points of a plan as the folder `out`.

    Args:
        plan: The public choices.
        records: The confidential records: CSV, Parquet, GeoParquet or GeoJSON; or arrays by column, an Arrow table, or a relation of
            DuckDB, which nobody can accept, so that the payment has to say `unvalidated`.
        out: The folder to make; it must not exist, unless it is the answer of this very request about the same files.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.

    Raises:
        ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    check_engine(engine)
    mechanism_of(plan)
    opened = open_records(records, plan)
    check_session(opened.files, engine, Path(out))
    source = CountedRecords(opened, partial(count, plan, opened), engine)
    return publish(PlacesPublication(plan), source, Path(out).absolute(), payment, listener)


def deliver(plan: Plan, records: Path, engine: str = DUCKDB) -> Delivery:
    """A plan with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    check_engine(engine)
    mechanism_of(plan)
    opened = open_records(records, plan)
    return Delivery(
        PlacesPublication(plan),
        CountedRecords(opened, partial(count, plan, opened), engine),
        lambda most: validate(plan, opened, most=most).value,
    )

"""A release of points: from records to a folder that everybody may read."""

from pathlib import Path
from typing import Final

from starling.engine.spark import DUCKDB
from starling.places.counts import count
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.publication import PlacesPublication
from starling.places.source import InMemory, open_records
from starling.places.source.validation import validate
from starling.release.from_records import FromRecords
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published

POINTS: Final = FromRecords(PlacesPublication, open_records, count, validate, mechanism_of)


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
    return POINTS.release(plan, records, out, engine=engine, payment=payment, listener=listener)

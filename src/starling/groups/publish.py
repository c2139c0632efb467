"""A release of group sizes: from records to a folder that everybody may read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.engine.spark import DUCKDB
from starling.groups.counts import count
from starling.groups.plan import Plan
from starling.groups.publication import GroupsPublication
from starling.groups.source import InMemory, open_records, register
from starling.groups.source.validation import validate
from starling.release.domain import Delivery
from starling.release.from_records import FromRecords
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published

GROUPS: Final = FromRecords(GroupsPublication, open_records, count, validate, public=register)


def release(
    plan: Plan,
    records: str | Path | InMemory,
    out: str | Path,
    *,
    engine: str = DUCKDB,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Published:
    """Publish the group sizes of a plan as the folder `out`.

    Args:
        plan: The public choices.
        records: The confidential records: CSV or Parquet; or arrays by column, an Arrow table, a data frame or a relation of DuckDB.
        out: The folder to make; it must not exist, unless it is the answer of this very request.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.

    Raises:
        ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    return GROUPS.release(plan, records, out, engine=engine, payment=payment, listener=listener)


def deliver(plan: str, files: Mapping[str, Path], engine: str = DUCKDB) -> Delivery:
    """A plan file with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    return GROUPS.deliver(Plan.load(plan), files["records"], engine)

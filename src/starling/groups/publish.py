"""A release of group sizes: from records to a folder that everybody may read."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine
from starling.groups.counts import count
from starling.groups.plan import Plan
from starling.groups.publication import GroupsPublication
from starling.groups.source import InMemory, open_records, register
from starling.groups.source.validation import validate
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
    check_engine(engine)
    opened = open_records(records, plan)
    check_session(opened.files, engine, Path(out))
    source = CountedRecords(opened, partial(count, plan, opened), engine, register(plan))
    return publish(GroupsPublication(plan), source, Path(out).absolute(), payment, listener)


def deliver(plan: str, files: Mapping[str, Path], engine: str = DUCKDB) -> Delivery:
    """A plan file with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    check_engine(engine)
    chosen = Plan.load(plan)
    opened = open_records(files["records"], chosen)
    return Delivery(
        GroupsPublication(chosen),
        CountedRecords(opened, partial(count, chosen, opened), engine, register(chosen)),
        lambda most: validate(chosen, opened, most=most).value,
    )

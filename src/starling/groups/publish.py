"""A release of group sizes: from records to a folder that everybody may read."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine, cluster_for
from starling.groups.counts import count
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.publication import GroupsPublication
from starling.groups.source import Held, InMemory, Records, files_read, open_records
from starling.groups.source.validation import validate
from starling.privacy.trust import Confidential
from starling.release.domain import Delivery
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish


@dataclass(frozen=True, slots=True)
class _Groups:
    """A `release.domain.Source`: the records, and the register that they are joined with.

    Attributes:
        plan: The public choices.
        records: The confidential records, checked when they were opened.
        engine: What counts.
    """

    plan: Plan
    records: Records | Held
    engine: str

    def files(self) -> Iterable[Path]:
        """The files of the records, and the register."""
        return files_read(self.plan, self.records)

    def open(self) -> Callable[[ExitStack], Confidential[Int64]]:
        """The number of groups of each leaf and size; a cluster is started for them where that is asked for."""
        files, sizes = self.records.files, self.records.sizes
        return lambda work: count(
            self.plan, self.records, cluster=work.enter_context(cluster_for(self.engine, files, sizes))
        )


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
    return publish(GroupsPublication(plan), _Groups(plan, opened, engine), Path(out).absolute(), payment, listener)


def deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    """A plan file with its records, opened; raises PlanError or SourceError by public checks."""
    chosen = Plan.load(plan)
    opened = open_records(files["records"], chosen)
    return Delivery(
        GroupsPublication(chosen),
        _Groups(chosen, opened, DUCKDB),
        lambda most: validate(chosen, opened, most=most).value,
    )

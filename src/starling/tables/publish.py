"""A release of tables: from person records to a folder that everybody may read."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine, cluster_for
from starling.errors import ParameterError
from starling.privacy.trust import Confidential
from starling.release.domain import Delivery
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish
from starling.tables.counts import count, count_cross
from starling.tables.cross_publication import CrossPublication, publication_of
from starling.tables.earlier.releases import topping_up
from starling.tables.plan import Geography, Plan, read_regions
from starling.tables.publication import TablesPublication
from starling.tables.source import InMemory, Opened, open_records, validate

ExactT = TypeVar("ExactT")


@dataclass(frozen=True, slots=True)
class _Records(Generic[ExactT]):
    """A `release.domain.Source`: records, checked when they were opened, the public regions, the Census's block file, and what counts."""

    counting: Callable[..., Confidential[ExactT]]
    plan: Plan
    regions: Geography
    geography: Path | None
    records: Opened
    engine: str

    def files(self) -> Iterable[Path]:
        """The files of the records, and the geography."""
        return self.records.files if self.geography is None else (*self.records.files, self.geography)

    def open(self) -> Callable[[ExitStack], Confidential[ExactT]]:
        """The exact counts; a cluster is started for them where that is asked for."""
        cluster = cluster_for(self.engine, self.records.files, self.records.sizes)
        return lambda work: self.counting(self.plan, self.regions, self.records, cluster=work.enter_context(cluster))


def release(
    plan: Plan,
    persons: str | Path | InMemory,
    geography: str | Path | None = None,
    out: str | Path = "release",
    *,
    names: str | Path | None = None,
    top_up: str | Path | None = None,
    engine: str = DUCKDB,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Published:
    """Publish the tables of a plan as the folder `out`.

    Args:
        plan: The public choices.
        persons: The confidential records. Those of the Census are text or Parquet; those of custom tables CSV or Parquet, or arrays by
            column, an Arrow table, a data frame or a relation of DuckDB, which nobody can accept, so that the payment has to say
            `unvalidated`.
        geography: The public geographic reference file of the Census; None for custom tables.
        out: The folder to make; it must not exist, unless it is the answer of this very request.
        names: Optional table of names of regions, published beside their ids (`read_geography`).
        top_up: An earlier release of the same plan but for budgets: spend more on its groups, and combine both. Levels that the
            plan leaves out are measured no further.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.

    Raises:
        ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    check_engine(engine)
    if geography is not None:
        listener.step("reading the public geography")
    if top_up is not None and plan.cross is not None:
        raise ParameterError("top_up", "is of a plan with cross tables", "release anew with the whole budget")
    regions = read_regions(plan, geography, names=names)
    opened = open_records(persons, plan)
    check_session(opened.files, engine, Path(out))
    block_file = None if geography is None else Path(geography).absolute()
    if plan.cross is not None:
        crossed = _Records(count_cross, plan, regions, block_file, opened, engine)
        return publish(CrossPublication(plan, regions), crossed, Path(out).absolute(), payment, listener)
    with ExitStack() as stack:
        earlier = None
        if top_up is not None:
            listener.step("reading the earlier release")
            earlier = stack.enter_context(topping_up(plan, Path(top_up).absolute(), regions, payment.dataset))
        publication = TablesPublication(plan if earlier is None else earlier.plan, regions, earlier)
        source = _Records(count, publication.plan, regions, block_file, opened, engine)
        return publish(publication, source, Path(out).absolute(), payment, listener)


def deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    """A plan with its records, and the geography of the Census where it is about that, opened.

    Raises:
        PlanError, ParameterError, SourceError: by public checks.
    """
    chosen, geography = Plan.load(plan), files.get("geography")
    regions = read_regions(chosen, geography)
    opened = open_records(files["persons"], chosen)
    source: _Records[Any] = _Records(
        count if chosen.cross is None else count_cross, chosen, regions, geography, opened, DUCKDB
    )
    publication = publication_of(chosen, regions)
    return Delivery(publication, source, lambda most: validate(chosen, regions, opened, most=most).value)

"""Plans in a Python session: what `Plan.validate` and `Plan.release` of the domains do with their arguments.

Without a ledger, a release brings one of its own, which limits nothing; without a folder besides, it lies in a temporary one that goes with
the release. With a ledger a folder has to be named: the answer of a charge must outlive the session, since no charge is answered twice.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from starling.engine.held_records import InMemory
from starling.engine.spark import DUCKDB
from starling.errors import SHOWN, ParameterError
from starling.ledger.opening import Ledger
from starling.privacy.guarantee import Guarantee
from starling.release.domain import Validated
from starling.release.from_records import FromRecords
from starling.release.payment import CUSTODIAN, PaymentOptions
from starling.release.pipeline import Published
from starling.release.reading import Release, open_release
from starling.release.session import InSession

ReleaseT = TypeVar("ReleaseT", bound=Release)


def session_payment(
    ledger: Ledger | str | None = None,
    dataset: str = "",
    analyst: str = CUSTODIAN,
    request_id: str | None = None,
    unvalidated: bool | None = None,
) -> PaymentOptions:
    """Who pays for a release of a session: as `PaymentOptions`, but records that nobody accepted are read without a ledger, unless it is
    said. Raises ParameterError where these do not go together.
    """
    payment = PaymentOptions(
        ledger, dataset, analyst, request_id, ledger is None if unvalidated is None else unvalidated
    )
    if ledger is not None and not dataset:
        raise ParameterError("dataset", "is missing: a ledger pays for a dataset", "name it as the ledger does")
    return payment


def released(
    payment: PaymentOptions,
    publish: Callable[..., Published],
    opened: Callable[[Release], ReleaseT],
    out: str | Path | None,
) -> ReleaseT:
    """Publish into the folder `out`, without it into a temporary one that is removed with the release, and open what was published.

    Raises:
        ParameterError: a ledger pays, and no folder is named.
    """
    if out is None and payment.ledger is not None:
        problem = "is missing: the answer of a charge must outlive the session"
        raise ParameterError("out", problem, 'name a folder, as in out="release"')
    with ExitStack() as stack:
        if out is None:
            out = Path(stack.enter_context(TemporaryDirectory(prefix="starling-"))) / "release"
        release = open_release(publish(Path(out).absolute(), payment=payment).folder)
        release.keep_open(stack.pop_all())
    return opened(release)


class OfRecords(NamedTuple):
    """How releases of a kind are made of records, and how one is opened."""

    from_records: FromRecords
    opened: Callable[[Release], Any]


class RecordsPlan(InSession, Generic[ReleaseT]):
    """A plan that is released from records and nothing else."""

    _of_records: ClassVar[OfRecords]

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees at its cost."""
        return self._of_records.from_records.publication(self).guarantee

    def validate(self, records: str | Path | InMemory, *, most: int = SHOWN) -> Validated:
        """What breaks the rules of reading, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: As `release` takes them.
            most: How many faults are listed, and how many notes; all are counted.

        Raises:
            SourceError: they are no records, or are no longer what they were.
        """
        kind = self._of_records.from_records
        return kind.validate(self, kind.open(records, self), most=most).value

    def release(
        self,
        records: str | Path | InMemory,
        out: str | Path | None = None,
        *,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        request_id: str | None = None,
        unvalidated: bool | None = None,
        engine: str = DUCKDB,
    ) -> ReleaseT:
        """Charge the cost, read the records, draw the noise, publish, and open what was published.

        Args:
            records: One file of a form that the domain reads, or a folder of Parquet parts; or a dict of columns, an Arrow table, a frame
                of pandas, polars or Spark, or a relation of DuckDB.
            out: The folder to make. Without it and without a ledger, a temporary one that goes with the release.
            ledger: Pays, opened or as its URL. Without it nothing limits a further release of the same records.
            dataset: The name of the records in the ledger.
            analyst: Who has a grant there.
            request_id: The id under which the charge is found again; a fresh one without it.
            unvalidated: Whether records are read that nobody accepted in the ledger; by default only without a ledger.
            engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        payment = session_payment(ledger, dataset, analyst, request_id, unvalidated)
        publish = partial(self._of_records.from_records.release, self, records, engine=engine)
        opened: Callable[[Release], ReleaseT] = self._of_records.opened
        return released(payment, publish, opened, out)

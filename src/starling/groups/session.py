"""Group sizes in a Python session: a plan that previews, validates and releases.

plan = groups.Plan.load("plan.toml")
plan.preview()
release = plan.release("households.parquet")
release.number("US", 4)
"""

from pathlib import Path

from starling.engine.spark import DUCKDB
from starling.errors import SHOWN
from starling.groups.analysis import GroupsRelease
from starling.groups.plan import Plan as PlanChoices
from starling.groups.plan import PublicShares
from starling.groups.preview import Preview, preview
from starling.groups.publish import release
from starling.groups.source import InMemory, open_records
from starling.groups.source.validation import validate
from starling.ledger.opening import Ledger
from starling.release.domain import Validated
from starling.release.in_session import SessionPayment
from starling.release.payment import CUSTODIAN
from starling.release.session import InSession


class Plan(InSession, PlanChoices):
    """A plan of group sizes, and what a session does with it; read by `Plan.load`. `cost` is what a release costs."""

    def preview(self, shares: PublicShares | None = None) -> Preview:
        """How far numbers will be off, by method and level. Opens no records.

        Args:
            shares: Public shares of the sizes; those of the plan without it, and if it has none, they are assumed.
        """
        return preview(self, shares)

    def validate(self, records: str | Path | InMemory, *, most: int = SHOWN) -> Validated:
        """What breaks the rules of reading, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: A file, a folder of Parquet parts, or what the session holds.
            most: How many faults are listed, and how many notes; all are counted.

        Raises:
            SourceError: they are no records, or are no longer what they were.
        """
        return validate(self, open_records(records, self), most=most).value

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
    ) -> GroupsRelease:
        """Charge the cost, read the records, draw the noise, publish, and open what was published.

        Args:
            records: CSV or Parquet, one file or a folder of parts; or an Arrow table, a data frame or a relation of DuckDB.
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
        payment = SessionPayment(ledger, dataset, analyst, request_id, unvalidated)
        return payment.release(
            lambda folder, paid: release(self, records, folder, engine=engine, payment=paid), GroupsRelease, out
        )

    def _facts(self) -> list[tuple[str, str]]:
        levels = zip(self.regions.levels, self.regions.ids, strict=True)
        return [
            ("plan", self.title),
            ("protects", str(self.relation)),
            ("cost", str(self.cost)),
            ("sizes", f"0 to {self.largest:,}, of {self.groups:,} groups"),
            ("regions", ", ".join(f"{len(ids):,} of level {level}" for level, ids in levels)),
            ("method", self.method),
        ]

"""A budget for one session: counts and releases of the same records, until it is spent.

    with starling.session(frame, epsilon=2) as s:
        s.count(by=["sex"], domains={"sex": ["F", "M"]}, epsilon="0.5")
        s.left

Without a ledger the session brings one of its own, which limits this session and forgets it at its end. With a ledger, that one limits and
remembers everything, and the answers lie in a folder.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol, Self, TypeVar

from starling.errors import ParameterError
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.rules import UNIT
from starling.ledger.witness import Witness
from starling.privacy.budget import Cost, Epsilon, Exact, Rho, exact
from starling.privacy.neighbours import Relation
from starling.release.payment import CUSTODIAN
from starling.release.reading import Release
from starling.release.session import InSession
from starling.tables.analysis import TablesRelease
from starling.tables.session import Values, plan
from starling.tables.source import InMemory

ReleaseT_co = TypeVar("ReleaseT_co", bound=Release, covariant=True)

_OWN: Final = "session"
"""The population and the dataset in a ledger of the session's own."""


class SessionPlan(Protocol[ReleaseT_co]):
    """The plan of any domain, as a session releases it."""

    @property
    def relation(self) -> Relation:
        """Whom a release protects."""
        ...

    @property
    def release(self) -> Callable[..., ReleaseT_co]:
        """Publishes and opens."""
        ...


class BudgetSession(InSession):
    """Records with a budget; made by `starling.session`."""

    def __init__(
        self,
        records: str | Path | InMemory,
        budget: Cost | None,
        ledger: Ledger | str | None,
        dataset: str,
        analyst: str,
        folder: str | Path | None,
    ) -> None:
        # The session may outlive the working folder in which it begins.
        self._records = Path(records).absolute() if isinstance(records, str | Path) else records
        self._budget, self._analyst = budget, analyst
        self._released: list[tuple[tuple[SessionPlan[Any], dict[str, Any]], Any]] = []
        self._stack = ExitStack()
        self._scratch: TemporaryDirectory[str] | None = None
        self._ledger: Ledger | None = None
        self._dataset = dataset or _OWN
        if ledger is None:
            self._scratch = TemporaryDirectory(prefix="starling-session-")
            self._folder = Path(self._scratch.name)
        else:
            self._folder = Path(str(folder)).absolute()
            self._folder.mkdir(parents=True, exist_ok=True)
            self._ledger = open_ledger(ledger) if isinstance(ledger, str) else ledger
            if self._ledger is not ledger:
                self._stack.callback(self._ledger.close)

    def count(
        self, by: Sequence[str] = (), domains: Mapping[str, Values] | None = None, *, epsilon: Exact
    ) -> TablesRelease:
        """Count people by the values of some columns.

        Args:
            by: The columns.
            domains: The public values of each of them.
            epsilon: What it costs.

        Raises:
            ParameterError, PlanError, SourceError: by public checks, before anything is charged.
            BudgetRefused: more than is left; nothing is read.
            RunFailed: after the charge, always with the same words.
        """
        return self.release(plan(by, domains, epsilon=epsilon))

    def release(self, plan: SessionPlan[ReleaseT_co], **options: Any) -> ReleaseT_co:
        """Release a plan; the same plan again gives the same release, at no cost.

        Args:
            plan: Of any domain.
            options: What its `release` takes beside records and payment, such as the question to a study.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused: by the ledger; nothing is read.
            RunFailed: after the charge, always with the same words.
        """
        for known, earlier in self._released:
            if known == (plan, options):
                same: ReleaseT_co = earlier
                return same
        ledger = self._ledger or self._opened(plan.relation)
        out = next(path for number in range(1, 1 << 30) if not (path := self._folder / f"release-{number}").exists())
        released = plan.release(
            self._records,
            out=out,
            ledger=ledger,
            dataset=self._dataset,
            analyst=self._analyst,
            unvalidated=True,
            **options,
        )
        if self._scratch is not None:
            # The folder stays for as long as one of its releases is open.
            with ExitStack() as stack:
                stack.callback(self._scratch.__repr__)
                released.keep_open(stack.pop_all())
        self._released.append(((plan, options), released))
        return released

    def _opened(self, relation: Relation) -> Ledger:
        """A ledger of the session's own, for whom its first release protects."""
        assert self._budget is not None
        ledger = create_ledger(
            f"sqlite:///{self._folder / 'budget.sqlite'}",
            witness=lambda name: Witness(name, self._folder / "head.jsonl"),
        )
        self._stack.callback(ledger.close)
        ledger.custody.add_population(_OWN, self._budget.measure, relation, self._budget.amount)
        ledger.custody.add_dataset(_OWN, _OWN, {})
        ledger.custody.grant(_OWN, self._analyst, self._budget.amount)
        self._ledger = ledger
        return ledger

    @property
    def left(self) -> Cost:
        """What may still be spent: the least that the caps of analyst, dataset and population leave."""
        if self._ledger is None:
            assert self._budget is not None
            return self._budget
        reading = self._ledger.reading
        account = reading.account(reading.population_of(self._dataset))
        scopes = {("analyst", self._analyst), ("dataset", self._dataset), ("population", account.population.name)}
        units = [cap.left for cap in account.caps if (cap.scope, cap.name) in scopes and cap.left is not None]
        kind = Epsilon if account.population.measure == "epsilon" else Rho
        return kind(Fraction(min(units), UNIT))

    def close(self) -> None:
        """End the session; what was released stays open."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _facts(self) -> list[tuple[str, str]]:
        own = "one of the session's own, which ends with it"
        return [
            ("session", f"{len(self._released)} releases"),
            ("left", str(self.left)),
            ("ledger", own if self._scratch is not None else f"of {self._dataset}, in the name of {self._analyst}"),
            ("releases in", str(self._folder)),
        ]


def session(
    records: str | Path | InMemory,
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    ledger: Ledger | str | None = None,
    dataset: str = "",
    analyst: str = CUSTODIAN,
    folder: str | Path | None = None,
) -> BudgetSession:
    """A budget for counts and releases of the same records.

    Args:
        records: A file, a folder of Parquet parts, an Arrow table, a frame of pandas, polars or Spark, or a relation of DuckDB.
        epsilon: What the session may spend, where it has no ledger.
        rho: The same under zero-concentrated differential privacy.
        ledger: Pays instead, opened or as its URL, by its own caps.
        dataset: The name of the records there.
        analyst: Who has a grant there.
        folder: Where releases lie that a ledger pays for.

    Raises:
        ParameterError: neither a budget nor a ledger is named, or both; or a ledger without dataset and folder.
    """
    if (epsilon is not None) + (rho is not None) + (ledger is not None) != 1:
        fix = 'give epsilon=2 for a session of its own, or ledger="sqlite:///FILE" with its dataset'
        raise ParameterError("budget", "is not one of epsilon, rho and ledger", fix)
    if ledger is not None and not (dataset and folder):
        problem = "is missing: a ledger pays for a dataset, and its answers must outlive the session"
        raise ParameterError("folder" if dataset else "dataset", problem, "name both dataset and folder")
    budget: Cost | None = None
    if epsilon is not None:
        budget = Epsilon(exact(epsilon, field="epsilon"))
    elif rho is not None:
        budget = Rho(exact(rho, field="rho"))
    return BudgetSession(records, budget, ledger, dataset, analyst, folder)

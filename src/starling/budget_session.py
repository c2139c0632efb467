"""A budget for one session: counts and releases of the same records, until it is spent.

    with starling.session(frame, epsilon=2) as s:
        s.preview(tables.plan(by=["sex"], domains={"sex": ["F", "M"]}, epsilon="0.5"))
        s.count(by=["sex"], domains={"sex": ["F", "M"]}, epsilon="0.5")
        s.left

Without a ledger the session brings one of its own, which limits this session and forgets it at its end. With a ledger, that one limits and
remembers everything, and the answers lie in a folder; a budget beside it limits this session too.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol, Self, TypeVar

from starling.errors import BudgetRefused, ParameterError, PlanError, PolicyRefused, SourceError
from starling.ledger.charged_noise import amount, noise
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.reading import Account
from starling.ledger.rules import UNIT, Population, check_unit, shown
from starling.ledger.witness import Witness
from starling.privacy.budget import Cost, Epsilon, Exact, Rho, exact
from starling.privacy.neighbours import Relation
from starling.release.payment import CUSTODIAN
from starling.release.reading import Release
from starling.release.session import InSession, Part
from starling.tables.analysis import TablesRelease
from starling.tables.session import Values, plan
from starling.tables.source import InMemory

ReleaseT_co = TypeVar("ReleaseT_co", bound=Release, covariant=True)

_LARGER: Final = "ask for less, or begin a session with a larger budget"
_OWN: Final = "session"
"""The population and the dataset in a ledger of the session's own."""


class SessionPlan(Protocol[ReleaseT_co]):
    """The plan of any domain, as a session releases it."""

    @property
    def relation(self) -> Relation:
        """Whom a release protects."""

    @property
    def preview(self) -> Callable[..., InSession]:
        """Says how far numbers will be off."""

    @property
    def release(self) -> Callable[..., ReleaseT_co]:
        """Publishes and opens."""


@dataclass(frozen=True, slots=True, repr=False)
class SessionPreview(InSession):
    """What a release would be worth, and what it would leave.

    Attributes:
        expected: The preview of the plan.
        cost: What the session would pay: nothing for what it released already.
        left: What may be spent now.
        after: What would be left; None where that is not enough, so that the release would be refused.
    """

    expected: InSession
    cost: Cost
    left: Cost
    after: Cost | None

    def _facts(self) -> list[tuple[str, str]]:
        after = "not enough: it would be refused" if self.after is None else str(self.after)
        costs = [("costs", str(self.cost)), ("left now", str(self.left)), ("left after", after)]
        return [*self.expected._facts(), *costs]  # noqa: SLF001 - it shows that with what it costs

    def _parts(self) -> Sequence[Part]:
        return self.expected._parts()  # noqa: SLF001


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
        self._spent = 0
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
            if budget is not None:
                self._check_measure(budget)

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

    def preview(self, plan: SessionPlan[Release], **options: Any) -> SessionPreview:
        """How far the numbers of a plan will be off, what it costs here, and what would be left. Opens no records, spends nothing.

        Args:
            plan: Of any domain.
            options: What its `preview` takes, such as the question to a study.

        Raises:
            ParameterError, PlanError: as the plan's `preview`.
            PolicyRefused: the plan protects others than the budget, or has no cost in its measure.
        """
        _check_plan(plan)
        expected, left = plan.preview(**options), self.left
        released = any(known == (plan, options) for known, _ in self._released)
        units = 0 if released else self._units(plan, options)
        cost = type(left)(Fraction(units, UNIT))
        after = left.amount - cost.amount
        return SessionPreview(expected, cost, left, None if after < 0 else type(left)(after))

    def release(self, plan: SessionPlan[ReleaseT_co], **options: Any) -> ReleaseT_co:
        """Release a plan; the same plan again gives the same release, at no cost.

        Args:
            plan: Of any domain.
            options: What its `release` takes beside records and payment, such as the question to a study.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused: by the ledger, or more than is left of the session's own budget; nothing is read.
            RunFailed: after the charge, always with the same words.
        """
        _check_plan(plan)
        for known, earlier in self._released:
            if known == (plan, options):
                same: ReleaseT_co = earlier
                return same
        ledger = self._ledger or self._opened(plan.relation)
        out = next(path for number in range(1, 1 << 30) if not (path := self._folder / f"release-{number}").exists())
        units = self._taken(plan, options)
        try:
            released = plan.release(
                self._records,
                out=out,
                ledger=ledger,
                dataset=self._dataset,
                analyst=self._analyst,
                unvalidated=True,
                **options,
            )
        except (ParameterError, PlanError, SourceError, BudgetRefused, PolicyRefused) as error:
            # These come before the charge. After others it may stand, and stays taken.
            self._spent -= units
            if isinstance(error, BudgetRefused) and self._scratch is not None:
                raise BudgetRefused("session", error.problems[0].problem, _LARGER) from None
            raise
        if self._scratch is not None:
            # The folder stays for as long as one of its releases is open.
            with ExitStack() as stack:
                stack.callback(self._scratch.__repr__)
                released.keep_open(stack.pop_all())
        self._released.append(((plan, options), released))
        return released

    @property
    def _account(self) -> Account:
        """What the ledger that pays says now of the population."""
        assert self._ledger is not None
        reading = self._ledger.reading
        return reading.account(reading.population_of(self._dataset))

    def _check_measure(self, budget: Cost) -> None:
        """Close the session and raise ParameterError unless the budget is in the measure of the ledger beside it."""
        with ExitStack() as failed:
            failed.callback(self.close)
            measure = self._account.population.measure
            if budget.measure != measure:
                problem = f"is not the measure of the ledger, which counts {measure} for {self._dataset}"
                raise ParameterError(budget.measure, problem, f"give {measure}, or the ledger alone")
            failed.pop_all()

    @property
    def _limit(self) -> int | None:
        """What is left of the budget beside a ledger, in units; None where one of the two pays alone."""
        if self._budget is None or self._scratch is not None:
            return None
        return int(self._budget.amount * UNIT) - self._spent

    def _taken(self, plan: SessionPlan[Any], options: dict[str, Any]) -> int:
        """Take what a release costs from the budget beside a ledger, in units; raises BudgetRefused where that is more than is left."""
        left = self._limit
        if left is None:
            return 0
        units = self._units(plan, options)
        if units > left:
            problem = f"has {shown(left)} left of {shown(left + self._spent)}, the charge is {shown(units)}"
            raise BudgetRefused("session", problem, _LARGER)
        self._spent += units
        return units

    def _units(self, plan: SessionPlan[Any], options: dict[str, Any]) -> int:
        """What a release takes from who pays, in the ledger's units; of one that tops up another, what the whole plan would."""
        of_plan: Any = plan
        question = options.get("question")
        guarantee = of_plan.guarantee if question is None else question.guaranteed(plan.relation)
        population = self._population(plan.relation)
        check_unit(population, guarantee.relation)
        return amount(population, noise(guarantee).fields)

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

    def _population(self, relation: Relation) -> Population:
        """Who pays; before the first release of a session with a ledger of its own, those whom `relation` protects."""
        if self._ledger is None:
            assert self._budget is not None
            return Population(_OWN, self._budget.measure, relation)
        return self._account.population

    @property
    def left(self) -> Cost:
        """What may still be spent: the least that the session's budget and the caps of analyst, dataset and population leave."""
        if self._ledger is None:
            assert self._budget is not None
            return self._budget
        account = self._account
        scopes = {("analyst", self._analyst), ("dataset", self._dataset), ("population", account.population.name)}
        units = [cap.left for cap in account.caps if (cap.scope, cap.name) in scopes and cap.left is not None]
        if (limit := self._limit) is not None:
            units.append(limit)
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
            ("session", "1 release" if len(self._released) == 1 else f"{len(self._released)} releases"),
            ("left", str(self.left)),
            ("ledger", own if self._scratch is not None else f"of {self._dataset}, in the name of {self._analyst}"),
            ("releases in", str(self._folder)),
        ]


def _check_plan(plan: object) -> None:
    if not hasattr(plan, "release"):
        fix = "give a plan, as tables.plan(...) makes one, or call count"
        raise ParameterError("plan", f"is of type {type(plan).__name__}", fix)


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
        epsilon: What the session may spend. Beside a ledger it limits this session, and the ledger's caps hold too.
        rho: The same under zero-concentrated differential privacy.
        ledger: Pays and remembers, opened or as its URL. Without it nothing is remembered when the session ends.
        dataset: The name of the records there.
        analyst: Who has a grant there.
        folder: Where releases lie that a ledger pays for.

    Raises:
        ParameterError: neither a budget nor a ledger is named, or two budgets, or one in another measure than the ledger's; or a ledger
            without dataset and folder.
    """
    if epsilon is not None and rho is not None:
        raise ParameterError("budget", "is both epsilon and rho", "give one of them")
    if epsilon is None and rho is None and ledger is None:
        fix = 'give epsilon=2 for a session of its own, or ledger="sqlite:///FILE" with its dataset, or both'
        raise ParameterError("budget", "is missing", fix)
    if ledger is not None and not (dataset and folder):
        problem = "is missing: a ledger pays for a dataset, and its answers must outlive the session"
        raise ParameterError("folder" if dataset else "dataset", problem, "name both dataset and folder")
    budget: Cost | None = None
    if epsilon is not None:
        budget = Epsilon(exact(epsilon, field="epsilon"))
    elif rho is not None:
        budget = Rho(exact(rho, field="rho"))
    return BudgetSession(records, budget, ledger, dataset, analyst, folder)

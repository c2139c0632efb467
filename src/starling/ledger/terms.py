"""The terms under which a server's key may charge a dataset: whether the custodian is asked first, and what is kept for them.

A right (delegation.py) lets a key charge a dataset for a time. The custodian may add terms to it:

- *Ask first*: each charge needs the custodian's approval of that very request, by its analyst and its hash, up to an amount and until a
  time. An approval pays for one charge. Another draw for one that was lost needs another.
- *A reserve*: so much of the dataset's cap is left over by whoever charges with another key than the custodian's.

Both are signed events of the ledger. A server holds no key that could sign one, and whoever replays the ledger finds a charge that the
terms in force did not allow. What the custodian's own key charges is under no terms.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from starling.errors import BudgetRefused, PolicyRefused, StarlingError
from starling.ledger.rules import shown

KIND: Final = "terms"
"""The kind of the event that sets terms: `dataset`, `ask_first` (true or false), `reserve` (units of the population's measure)."""

APPROVED: Final = "approved"
"""The kind of the event that approves one request: `dataset`, `analyst`, `hash` (`Request.hash`), `most` (units), `until` (seconds since
1970)."""

MOST_DAYS: Final = 366
"""The longest time for which an approval waits to be used."""


class Terms(NamedTuple):
    """The terms of a dataset: whether each charge of a server needs an approval, and what it leaves of the dataset's cap, in units."""

    ask_first: bool
    reserve: int


FREE: Final = Terms(ask_first=False, reserve=0)
"""The terms of a dataset for which the custodian has set none."""


class Approval(NamedTuple):
    """An approval that was given and not used: what the charge may cost at most, in units, and until when it may be made, in seconds since
    1970.
    """

    most: int
    until: int


class RequestedCharge(NamedTuple):
    """A charge by another key than the custodian's, as the terms look at it: `hash` is `Request.hash`, `amount` is in units."""

    dataset: str
    analyst: str
    hash: str
    amount: int


class AllTerms:
    """The terms and approvals that were given so far: of both, the latest word is the one that holds."""

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self._terms: dict[str, Terms] = {}
        self._approved: dict[tuple[str, str, str], Approval] = {}
        for body in events:
            self.set(body)

    def set(self, body: Mapping[str, Any]) -> None:
        """Take a `terms` event; raises KeyError, TypeError or ValueError where it is none."""
        ask_first, reserve = body["ask_first"], body["reserve"]
        if type(ask_first) is not bool or type(reserve) is not int or reserve < 0:
            raise ValueError("no terms")
        self._terms[str(body["dataset"])] = Terms(ask_first, reserve)

    def approve(self, body: Mapping[str, Any]) -> None:
        """Take an `approved` event; raises KeyError, TypeError or ValueError where it is none."""
        key = str(body["dataset"]), str(body["analyst"]), str(body["hash"])
        self._approved[key] = Approval(int(body["most"]), int(body["until"]))

    def of(self, dataset: str) -> Terms:
        """The terms of a dataset."""
        return self._terms.get(dataset, FREE)

    def approved(self, dataset: str, analyst: str, at: int) -> int:
        """What an analyst may charge by approvals that were not used and hold at the time `at`, in units."""
        approvals = (each for key, each in self._approved.items() if key[:2] == (dataset, analyst))
        return sum(each.most for each in approvals if at < each.until)

    def is_approved(self, dataset: str, analyst: str, request_hash: str, at: int) -> bool:
        """Whether an approval of this very request was not used and holds at the time `at`."""
        approval = self._approved.get((dataset, analyst, request_hash))
        return approval is not None and at < approval.until

    def entries(self) -> list[tuple[str, Terms]]:
        """The terms of all datasets for which some were set, by name."""
        return sorted(self._terms.items())

    def check(self, request: RequestedCharge, left: int | None, at: int) -> None:
        """Raises PolicyRefused or BudgetRefused where the terms in force do not allow a charge at the time `at`, in seconds since 1970.

        `left` is what the dataset's own cap has left before it, in units; None where it has no limit.
        """
        problem = self._problem(request, left, at)
        if problem is not None:
            raise problem

    def use(self, request: RequestedCharge, left: int | None, at: int) -> bool:
        """Whether the terms in force allow a charge; the approval that it needs is used up by it. The arguments are those of `check`."""
        allowed = self._problem(request, left, at) is None
        self._approved.pop(request[:3], None)
        return allowed

    def _problem(self, request: RequestedCharge, left: int | None, at: int) -> StarlingError | None:
        terms = self.of(request.dataset)
        if terms.ask_first:
            approval = self._approved.get(request[:3])
            if approval is None or at >= approval.until:
                fix = "ask for it with a reason: starling remote request"
                return PolicyRefused("dataset", "asks first, and this charge has no approval of the custodian", fix)
            if request.amount > approval.most:
                problem = f"covers {shown(approval.most)}, the charge is {shown(request.amount)}"
                return PolicyRefused("approval", problem, "ask the custodian for another")
        if left is not None and left - request.amount < terms.reserve:
            problem = (
                f"has {shown(max(left - terms.reserve, 0))} left beside what is kept for the custodian, the charge is"
            )
            return BudgetRefused(f"dataset {request.dataset}", f"{problem} {shown(request.amount)}", "ask for less")
        return None

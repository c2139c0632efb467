"""An account for tests: grants one plan's cost, once, in memory."""

from typing import TypeVar

from starling.errors import BudgetRefused
from starling.privacy.budget import Cost
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt

T = TypeVar("T")


class OneCharge:
    """Grants `cap` once; nothing outside this process limits a second release, and the report says so."""

    def __init__(self, cap: Cost, request_id: str) -> None:
        self._left: Cost | None = cap
        self._request_id = request_id

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Grant the one charge, or raise BudgetRefused."""
        """Once; raises BudgetRefused after that, or above the cap."""
        left, cost = self._left, guarantee.cost
        if left is None or type(left) is not type(cost) or cost.amount > left.amount:
            raise BudgetRefused(
                field="account",
                problem="grants one plan once and cannot cover this charge",
                fix="open a new account for a new release, knowing that costs add up",
            )
        self._left = None
        return Receipt(self._request_id, guarantee, "in memory")

    def resume(self) -> None:
        """Nothing is kept."""

    def commit(self, drawn: T, /) -> T:
        """As it is: it never leaves this process."""
        return drawn

"""An account that pays for one request from a ledger: what `privacy.trust.publish` charges."""

from starling.errors import LedgerUnavailable, PolicyRefused
from starling.ledger.charging import Charging
from starling.ledger.rules import Request
from starling.ledger.ticket import Ticket
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt


class RequestAccount:
    """Pays once for `request`.

    Args:
        charging: Of the ledger that pays.
        request: What is asked; its id makes a retry free.
        ledger: The ledger's id, for the receipt.
    """

    def __init__(self, charging: Charging, request: Request, ledger: str) -> None:
        self._charging = charging
        self._request = request
        self._ledger = ledger
        self._ticket: Ticket | None = None

    @property
    def ticket(self) -> Ticket:
        """The charge; raises PolicyRefused before there is one."""
        if self._ticket is None:
            raise PolicyRefused(field="account", problem="has charged nothing yet", fix="publish first")
        return self._ticket

    def earlier(self) -> Ticket | None:
        """The charge that an earlier run of this very request made, or the answer that is stored for it; None where there is none.

        Raises:
            RequestConflict: the id was used for another request.
        """
        return self._charging.find(self._request)

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Durable when it returns. An answered or burned request is never computed again."""
        ticket = self._charging.charge(self._request, guarantee)
        if ticket.state == "burned":
            raise PolicyRefused(
                field="request_id", problem="failed for good", fix="use a new request id, which costs anew"
            )
        if ticket.state == "answered":
            raise LedgerUnavailable(
                field="request_id",
                problem="was answered by another run meanwhile",
                fix="run again with the same request id",
            )
        self._ticket = ticket
        return Receipt(self._request.request_id, guarantee, self._ledger)

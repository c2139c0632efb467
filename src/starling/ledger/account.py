"""An account that pays for one request from a ledger: what `privacy.trust.publish` charges."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeVar

from starling.errors import LedgerUnavailable, PolicyRefused, StarlingError
from starling.ledger import leases
from starling.ledger.charging import Charging
from starling.ledger.responses import Stored
from starling.ledger.rules import AnswerKind, Drawn, Request, Ticket
from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Receipt

T = TypeVar("T")


@dataclass(eq=False)
class RequestAccount:
    """Pays once for `request`.

    Attributes:
        charging: The analyst's side of the ledger that pays.
        request: What is asked; its id makes a retry free.
        ledger: The ledger's id, for the receipt.
        inside: The ledger lies in the release that it pays for.
        charged: Is told the request id that was charged as soon as the charge is durable, or found to be so.
        accepted: The event by which the custodian accepted the files that are read; None where nobody did. The receipt says that they were
            where that was before the charge: what an earlier run of the same charge has read is not known here.
    """

    charging: Charging
    request: Request
    ledger: str
    inside: bool = False
    charged: Callable[[str], None] = lambda _: None
    accepted: int | None = None
    _ticket: Ticket | None = field(default=None, init=False)
    _guarantee: Guarantee | None = field(default=None, init=False)

    @property
    def request_id(self) -> str:
        """The id that was charged: an earlier one where the same request was charged under it; before the charge, the asked one."""
        return self.request.request_id if self._ticket is None else self._ticket.request.request_id

    @property
    def drawn(self) -> Drawn | None:
        """The draw that the charge has committed to; None where there is none."""
        return None if self._ticket is None else self._ticket.drawn

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Durable when it returns. An answered or voided request is never computed again."""
        ticket = self.charging.charge(self.request, guarantee)
        if ticket.state == "voided":
            raise PolicyRefused("request_id", "failed for good", "use a new request id, which costs anew")
        if ticket.state == "answered":
            raise LedgerUnavailable(
                "request_id", "was answered by another run meanwhile", "run the same again: nothing is paid twice"
            )
        self._ticket, self._guarantee = ticket, guarantee
        self.charged(self.request_id)
        entry, at = self.charging.entry(ticket, inside=self.inside)
        day = datetime.fromtimestamp(at, UTC).date().isoformat()
        validated = self.accepted is not None and self.accepted < ticket.seq
        return Receipt(self.request_id, guarantee, self.ledger, entry, day, validated=validated)

    def resume(self) -> None:
        """No draw is kept here: where an earlier run's is what the charge is committed to, it is paid for again; raises BudgetRefused
        where it cannot be paid for again.
        """
        if self._guarantee is not None and self.drawn is not None:
            self.redraw(self._guarantee)

    def commit(self, drawn: T, /) -> T:
        """What is handed over in memory, with nothing that keeps it: the ledger has the hash of its text, and a key that opens nothing."""
        self.draw(sha256(repr(drawn).encode()).hexdigest(), fresh_bytes(32).hex())
        return drawn

    def draw(self, sha256: str, key: str, stored: Stored | None = None) -> None:
        """Commit the charge to a draw before anybody can see it; see `Charging.draw`."""
        self._ticket = self.charging.draw(self._open(), sha256, key, stored)

    def redraw(self, guarantee: Guarantee) -> None:
        """Pay for another draw, since the bytes of the committed one are lost; see `Charging.redraw`."""
        self._ticket = self.charging.redraw(self._open(), guarantee)

    def answer(self, kind: AnswerKind, text: str) -> None:
        """Keep what is about to be sent; raises PolicyRefused before the charge, or when another run took over."""
        self.charging.answer(self._open(), kind, text)

    def _open(self) -> Ticket:
        """The charge; raises PolicyRefused before there is one."""
        if self._ticket is None:
            raise PolicyRefused("account", "has charged nothing yet", "publish first")
        return self._ticket

    @contextmanager
    def working(self) -> Iterator[None]:
        """While the block runs, the lease of its charge is renewed; when it fails, the lease ends, and the charge stands."""
        stopped = threading.Event()
        renewal = threading.Thread(target=self._renew, args=(stopped,), daemon=True)
        renewal.start()
        try:
            yield
        except BaseException:
            stopped.set()
            renewal.join()
            if self._ticket is not None:
                # Otherwise the lease ends by itself; the failure that brought us here is the one to tell.
                with suppress(StarlingError):
                    self.charging.give_up(self._ticket)
            raise
        finally:
            stopped.set()
            renewal.join()

    def _renew(self, stopped: threading.Event) -> None:
        while not stopped.wait(leases.SECONDS / 4):
            if self._ticket is not None:
                # Whether the lease was kept is found when the answer is stored.
                with suppress(StarlingError):
                    self.charging.renew(self._ticket)

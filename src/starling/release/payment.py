"""Who pays for a release, and what happens to it when its run dies: the ledger keeps the manifest, the folder is put in place once."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.errors import PolicyRefused
from starling.ledger.account import RequestAccount
from starling.ledger.leases import Clock
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.rules import UNIT, Request, charge_units
from starling.ledger.witness import Witness
from starling.privacy.guarantee import Guarantee
from starling.release import bundle
from starling.release.manifest import OWN_LEDGER, manifest
from starling.release.signing import sign

DAY: Final = 86_400
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A request of a ledger that pays for one release folder.

    Attributes:
        ledger: Pays.
        request: Its id makes a retry free, its body is what is published.
        inside: The ledger was made for this one release and lies in its folder.
    """

    ledger: Ledger
    request: Request
    inside: bool = False

    @property
    def mark(self) -> str:
        """Of the folder that is this request's answer."""
        return f"{self.ledger.book.id} {self.request.analyst} {self.request.request_id}"

    def finished(self, out: Path) -> bool:
        """Whether an earlier run was answered, with the folder `out`, which is put into place if its run died before it could.

        Raises:
            RequestConflict: the id was used for another request.
            PolicyRefused: it was answered, and the answer is not here; nothing else is ever drawn for it.
        """
        ticket = self._account().earlier()
        if ticket is None or ticket.state == "charged":
            return False
        if ticket.state == "answered" and bundle.recover(
            out, self.mark, lambda folder: manifest(folder) == ticket.answer
        ):
            return True
        raise PolicyRefused(
            field="request",
            problem=f"was answered before (request id {ticket.request.request_id}), and {out.name} is not that answer",
            fix="take a copy of the folder that was published then: the same request never gets a second draw",
        )

    def _account(self) -> RequestAccount:
        return self.ledger.account(self.request, inside=self.inside)

    @contextmanager
    def paying(self) -> Iterator[RequestAccount]:
        """The account to publish with; its lease is renewed while the block runs."""
        account = self._account()
        with account.working():
            yield account


def finish(account: RequestAccount, payment: Payment, folder: Path) -> None:
    """Sign a complete folder and keep its manifest as the answer; see `bundle.seal`.

    The ledger inside a folder goes on until it has kept the manifest, so there the signature, which covers that ledger too, comes
    afterwards (`own_payment`). Elsewhere it comes first: what is sealed may be put into place by another run, as it is.
    """
    if payment.inside:
        # Not sealed: where such a run dies, its ledger goes with its folder.
        account.answer("manifest", manifest(folder))
        return
    sign(folder, payment.ledger.book.key)
    bundle.seal(folder, payment.mark, lambda done: account.answer("manifest", manifest(done)))


def own_request(request_id: str, body: str) -> Request:
    """A request as the ledger inside a release knows it."""
    return Request("custodian", request_id, "records", body)


@contextmanager
def own_payment(folder: Path, guarantee: Guarantee, request_id: str, body: str) -> Iterator[Payment]:
    """A fresh ledger inside the release folder that grants exactly this release; nothing in it limits a second one.

    Its clock stands still, at the beginning of the day: the time from charge to answer is the run's, which may tell of the data.
    """
    today = time.time() // DAY * DAY
    ledger = create_ledger(
        f"sqlite:///{folder / OWN_LEDGER}",
        # Beside the folder, so that it goes with the run: such a ledger is witnessed by the release alone.
        witness=lambda name: Witness(name, folder.parent / "head.jsonl"),
        # And it names no machine or process that worked on it: what lies in a release is published.
        clock=Clock(wall=lambda: today, elapsed=lambda: 0, machine=lambda: ""),
    )
    cost = guarantee.cost
    enough = Fraction(charge_units(cost.amount), UNIT)
    ledger.custody.add_lineage("people", cost.measure, guarantee.relation, enough)
    ledger.custody.add_dataset("records", "people", {})
    ledger.custody.grant("people", "custodian", enough)
    payment = Payment(ledger, own_request(request_id, body), inside=True)
    try:
        yield payment
    finally:
        ledger.close()
    sign(folder, ledger.book.key)

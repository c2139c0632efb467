"""Who pays for a release, and what happens to it when its run dies: one draw for a charge, one answer, put in place once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

from starling.errors import ParameterError, PolicyRefused
from starling.ledger.account import RequestAccount
from starling.ledger.leases import Clock
from starling.ledger.opening import Ledger, create_ledger, open_ledger, whole_url
from starling.ledger.responses import find
from starling.ledger.rules import UNIT, Drawn, Request, charge_units
from starling.ledger.witness import Witness
from starling.privacy.guarantee import Guarantee
from starling.release import bundle
from starling.release.commitment import Commitment, check_home, drawn_files, forget, refuse_elsewhere
from starling.release.manifest import OWN_LEDGER, manifest, sign
from starling.release.responses import Vault

DAY: Final = 86_400
"""Seconds."""

CUSTODIAN: Final = "custodian"
"""The analyst of a ledger who publishes when nobody else is named."""

R = TypeVar("R")

Stage: TypeAlias = Literal["new", "charged", "drawn", "lost", "answered"]
"""How far earlier runs of a request came: never charged; charged, and nothing drawn that anybody could see; committed to a draw that
is here; committed to one that is lost; answered, and in place. A new one and a lost one cost something now."""


@dataclass(frozen=True, slots=True)
class PaymentOptions:
    """Who pays for a release, for which data, under which name: what everybody who releases something may say.

    Attributes:
        ledger: The ledger that pays, opened or as its URL. Without one, a fresh ledger inside the folder of the release grants its cost
            once, and the report says that nothing then limits a second release.
        dataset: The name under which the data are registered in the ledger.
        analyst: The name that has a grant in the ledger.
        request_id: The name under which the charge is found again; a fresh one without it.
        unvalidated: Whether files are read that nobody accepted in the ledger (`starling DOMAIN validate --accept`); the release then says
            so. Needed without a ledger, where nobody keeps that they were looked at.

    Raises:
        ParameterError: a dataset or an analyst is named without a ledger.
    """

    ledger: Ledger | str | None = None
    dataset: str = ""
    analyst: str = CUSTODIAN
    request_id: str | None = None
    unvalidated: bool = False

    def __post_init__(self) -> None:
        for name, stated in (("dataset", self.dataset != ""), ("analyst", self.analyst != CUSTODIAN)):
            if self.ledger is None and stated:
                fix = f'name the ledger, as in ledger="sqlite:///budget.sqlite" (--ledger), or leave the {name} out'
                raise ParameterError(name, "is named without the ledger that knows it", fix)
        if isinstance(self.ledger, str):
            object.__setattr__(self, "ledger", whole_url(self.ledger))

    def opened(self) -> Ledger | None:
        """The ledger that pays, opened; None where each release brings one of its own.

        Raises:
            ParameterError: the URL names no ledger.
        """
        return open_ledger(self.ledger) if isinstance(self.ledger, str) else self.ledger

    @contextmanager
    def opening(self) -> Iterator[Ledger | None]:
        """The ledger that pays while the block runs; one that was named by its URL is closed at the end. Raises as `opened`."""
        ledger = self.opened()
        try:
            yield ledger
        finally:
            if ledger is not None and ledger is not self.ledger:
                ledger.close()


DEFAULT_PAYMENT: Final = PaymentOptions()
"""A ledger of the release's own pays, and only for files that were accepted, which no such ledger knows."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A request of a ledger that pays for one release folder; `inside` is a ledger that lies in it, `accepted` the event by which the
    custodian accepted the files that are read, if one did.
    """

    ledger: Ledger
    request: Request
    inside: bool = False
    accepted: int | None = None

    def mark(self, request_id: str) -> str:
        """The mark of a folder that holds the draw or the answer of this request, which was charged under that id."""
        return f"{self.ledger.book.id} {self.request.analyst} {request_id}"

    def stage(self, out: Path) -> Stage:
        """How far earlier runs came; a folder that was answered is put into place as `out` if its run died before it could.

        Raises:
            RequestConflict: the id was used for another request.
            PolicyRefused: it was answered, and the answer is not here, or it failed for good; nothing else is ever drawn for it.
            OutputError: another run is at it, or its draw lies beside another folder.
        """
        ticket = self.ledger.charging.find(self.request)
        if ticket is None:
            return "new"
        mark = self.mark(ticket.request.request_id)
        if ticket.state == "answered":
            if bundle.recover(out, mark, lambda folder: manifest(folder) == ticket.answer):
                forget(mark)
                return "answered"
            raise PolicyRefused(
                "request",
                f"was answered before (request id {ticket.request.request_id}), and {out.name} is not that answer",
                "take a copy of the folder that was published then: the same request never gets a second draw",
            )
        if ticket.state == "voided":
            raise PolicyRefused("request_id", "failed for good", "use a new request id, which costs anew")
        if ticket.drawn is None:
            return "charged"
        for temporary in bundle.claimed(out, mark):
            if bundle.held(temporary):
                raise bundle.being_written(out)
            if drawn_files(temporary, ticket.drawn):
                return "drawn"
        refuse_elsewhere(mark, ticket.drawn)
        return "lost"

    def drawn(self) -> Drawn | None:
        """What the charge is committed to, as the ledger says now."""
        ticket = self.ledger.charging.find(self.request)
        return None if ticket is None else ticket.drawn

    @contextmanager
    def paying(
        self, folder: Path, read: Callable[[Path], R], charged: Callable[[str], None]
    ) -> Iterator[tuple[RequestAccount, Commitment[R]]]:
        """The account, and what a release in a folder of `bundle.writing` is published with; the lease of its charge is renewed meanwhile.

        `read` gives the measurements of such a folder; `charged` is told the request id as soon as the charge is durable, unless its ledger
        goes with the folder.
        """
        if not self.inside:
            check_home()
        notify = (lambda _: None) if self.inside else charged
        account = self.ledger.account(self.request)
        account = replace(account, inside=self.inside, charged=notify, accepted=self.accepted)
        with account.working():
            lasting = (None, None) if self.inside else (self.mark, Vault(self.ledger.book))
            yield account, Commitment(account, folder, read, *lasting)

    def response(self, charge: int) -> bytes:
        """The response that an earlier charge of these people paid for.

        Raises:
            PolicyRefused: it paid for none that was kept.
            IntegrityError: it is lost or was changed.
        """
        return Vault(self.ledger.book).read(find(self.ledger.charging.responses(self.request.dataset), charge))


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
    bundle.seal(folder, lambda done: account.answer("manifest", manifest(done)))


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
    ledger.custody.add_population("people", cost.measure, guarantee.relation, enough)
    ledger.custody.add_dataset("records", "people", {})
    ledger.custody.grant("people", "custodian", enough)
    payment = Payment(ledger, own_request(request_id, body), inside=True)
    try:
        yield payment
    finally:
        ledger.close()
    sign(folder, ledger.book.key)

"""The publishing pipeline of every domain: who pays, charge, read, draw, commit, write, sign, put into place.

Public checks come first, with full messages. Then the charge, then the read, then the draw, to which the charge is committed
before anybody can see it: `privacy.trust.publish` holds that order. What follows is post-processing of released values. Last,
the ledger keeps the manifest of the finished folder, and the folder is put into place; a run that dies on the way is taken up
by the next one of the same request.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from starling.errors import ParameterError, RequestConflict, StarlingError
from starling.ledger.auditing import events
from starling.ledger.opening import Ledger
from starling.ledger.responses import charge_of
from starling.ledger.rules import Request
from starling.privacy.guarantee import Guarantee
from starling.privacy.least import check_least
from starling.privacy.most import warn_of_large
from starling.privacy.sampling.entropy import fresh_id
from starling.privacy.trust import Receipt, Released
from starling.privacy.trust import publish as draw_once
from starling.release import bundle, contents, records, verify
from starling.release.claims import claim
from starling.release.codec import Json
from starling.release.commitment import drawn_files, forget
from starling.release.datapackage import read_json
from starling.release.domain import Publication, Source
from starling.release.manifest import OWN_LEDGER
from starling.release.payment import Payment, PaymentOptions, Stage, finish, own_payment, own_request
from starling.release.records import Records
from starling.release.report import plainly
from starling.release.responses import ReadsResponses
from starling.release.session import Described, Part
from starling.release.statement import FILE, limits, validation

ExactT = TypeVar("ExactT")
DrawnT = TypeVar("DrawnT")


@dataclass(frozen=True, slots=True, repr=False)
class Published(Described):
    """What a release ended in.

    Attributes:
        request_id: The id under which the release was charged first.
        receipt: The receipt of the charge; None when the request had been answered before, at no cost now.
    """

    folder: Path
    request_id: str
    receipt: Receipt | None
    publication: Publication[Any, Any]

    def _facts(self) -> list[tuple[str, str]]:
        guarantee = self.publication.guarantee
        charged = f"{guarantee.cost} for {guarantee.relation}"
        if (paid := charge_of(guarantee)) is not None:
            charged = f"nothing: event {paid} paid {charged}"
        return [
            ("charged", charged if self.receipt else "nothing: this request was answered before"),
            ("request id", self.request_id),
            *self._outcome(),
            ("report", str(self.folder / "report.html")),
        ]

    def _outcome(self) -> list[tuple[str, str]]:
        """What was published, as names and texts."""
        return self.publication.outcome(self.folder / "data")

    def _parts(self) -> tuple[Part, ...]:
        """What limits a next release."""
        if self.receipt is None:
            return ()
        return (limits(self.receipt) + ("" if self.receipt.validated else f"\n{validation(self.receipt)}"),)

    def as_json(self) -> dict[str, Json]:
        """What was released and paid."""
        receipt = self.receipt
        return {
            "release": str(self.folder),
            "request_id": self.request_id,
            "account": None if receipt is None else receipt.account,
            "charged_now": receipt is not None,
            "validated": None if receipt is None else receipt.validated,
            "cost": claim(self.publication.guarantee).adjacencies(),
            **self.publication.outcome_json(self.folder / "data"),
        }


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be published as which folder, and who pays for it; without a payment, a fresh ledger inside the folder.

    `body` is the request in canonical JSON, `joint` the guarantee of the release and of all that it adds to, and `request_id` that of an
    earlier run, where the same request was charged before.
    """

    out: Path
    body: str
    guarantee: Guarantee
    joint: Guarantee
    request_id: str
    payment: Payment | None
    records: Records

    def stage(self) -> Stage:
        """How far earlier runs of this request came; raises as `Payment.stage`.

        A ledger knows by its dataset whose answer it keeps. Where a release brought its own, the answer belongs to the files that it
        was made from: OutputError for others.
        """
        if self.payment is not None:
            return self.payment.stage(self.out)
        if not _answers(self.out, self.body):
            return "new"
        records.check_same(self.out, self.records.hashed())
        return "answered"

    def accepted(self) -> int | None:
        """The event by which the custodian accepted the files; None where nobody did. Raises PolicyRefused as `Records.accepted`."""
        if self.payment is None:
            return self.records.accepted(None, "")
        return self.records.accepted(self.payment.ledger, self.payment.request.dataset)

    def response(self, charge: int) -> bytes:
        """The response that an earlier charge paid for; raises ParameterError without a ledger, and as `Payment.response`."""
        if self.payment is None:
            fix = "name the ledger that paid for it (--ledger), or leave it out: a new response is drawn"
            raise ParameterError("response", "is kept by the charge of a ledger, and none is named", fix)
        return self.payment.response(charge)

    def check(self) -> None:
        """Raises OutputError unless `out` can be written."""
        bundle.check(self.out, self._mark)

    @property
    def _mark(self) -> str:
        return "" if self.payment is None else self.payment.mark(self.request_id)

    @contextmanager
    def writing(self, step: Callable[[str], None], *, accepted: int | None) -> Iterator[tuple[Path, Payment]]:
        """A folder that becomes `out` when the block ends without an exception, and what pays in it; see `bundle.writing`.

        Every number that the release will state of its privacy is computed here, before anything can be charged: the pages take
        them from there, and none can fail after the charge. `accepted` is the event by which the files were accepted.
        """
        step("computing what the release will state of its privacy")
        for stated in {self.guarantee, self.joint}:
            claim(stated).losses()
            plainly(stated)
        paid = None if self.payment is None else replace(self.payment, accepted=accepted)
        hashed = self.records.hashed() if paid is None else ""
        drawn = None if paid is None else paid.drawn()
        with ExitStack() as stack:
            files_of = partial(drawn_files, drawn=drawn)
            folder = stack.enter_context(bundle.writing(self.out, step, self._mark, files_of))
            own = own_payment(folder, self.guarantee, self.request_id, self.body)
            yield folder, paid or stack.enter_context(own)
            if paid is None:
                records.keep(self.out, hashed)
        forget(self._mark)


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears how a release goes on, and may refuse it.

    Attributes:
        step: Called with the name of each public step as it begins.
        approve: Called last before a charge, with the order and how far earlier runs of it came, when all that is public was checked;
            refuses by raising.
        charged: Called with the request id as soon as its charge is durable: the same request resumes it at no cost.
    """

    step: Callable[[str], None] = lambda _: None
    approve: Callable[[Order, Stage], None] = lambda *_: None
    charged: Callable[[str], None] = lambda _: None


SILENT: Final = Listener()
"""Hears nothing and approves of everything."""


def publish(
    publication: Publication[ExactT, DrawnT],
    source: Source[ExactT],
    out: Path,
    payment: PaymentOptions,
    listener: Listener = SILENT,
) -> Published:
    """Publish a release as the folder `out`: from its folder alone, at no cost, where the same request was answered before.

    Args:
        publication: What is published, and how it is drawn.
        source: The confidential files, not yet read.
        out: The folder to make; it must not exist, unless it is the answer of this very request.
        payment: Who pays.
        listener: Hears of the steps, approves of the charge.

    Raises:
        ParameterError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    with payment.opening() as ledger:
        publication = _begun(publication, out, payment, ledger)
        return _carry_out(_order(publication, source, out, payment, ledger), publication, source, listener)


def _begun(
    publication: Publication[ExactT, DrawnT], out: Path, payment: PaymentOptions, ledger: Ledger | None
) -> Publication[ExactT, DrawnT]:
    """The publication, or what its plan file stated formerly where that was charged and not answered, or `out` may be its answer."""
    for former in publication.formerly:
        if ledger is None:
            if _answers(out, former.request):
                return former
            continue
        request = Request(payment.analyst, payment.request_id or fresh_id(), payment.dataset, former.request)
        # An id that was used for another request is looked at where the publication itself is.
        with suppress(RequestConflict):
            ticket = ledger.charging.find(request)
            if ticket is not None and (ticket.state == "charged" or (ticket.state == "answered" and out.exists())):
                return former
    return publication


def _carry_out(
    order: Order, publication: Publication[ExactT, DrawnT], source: Source[ExactT], listener: Listener
) -> Published:
    """What `publish` does once it is known who pays."""
    stage = order.stage()
    if stage == "answered":
        return Published(order.out, str(read_json(order.out / FILE)["account"]["request_id"]), None, publication)
    if stage == "new":
        # What was charged before its least budget was stated is carried out.
        check_least(order.guarantee)
        warn_of_large(order.guarantee.cost)
    # What is drawn already is finished, whatever became of what it was made of.
    charge = charge_of(order.guarantee)
    if charge is None or stage == "drawn":
        deferred = source.open()
    else:
        assert isinstance(source, ReadsResponses)
        deferred = source.open_stored(order.response(charge))
    accepted = order.accepted()
    listener.approve(order, stage)
    with ExitStack() as stack:
        exact = deferred(stack)
        folder, paid = stack.enter_context(order.writing(listener.step, accepted=accepted))
        publication.prepare(folder)
        account, commitment = stack.enter_context(paid.paying(folder, publication.read, listener.charged))
        listener.step("charging, reading the records and drawing noise")
        drawn: Released[DrawnT] = draw_once(exact, publication.mechanism(folder, commitment.create), commitment)
        listener.step("writing the release")
        contents.write(folder, publication, drawn)
        finish(account, paid, folder)
    return Published(order.out, drawn.receipt.request_id, drawn.receipt, publication)


def _order(
    publication: Publication[ExactT, DrawnT],
    source: Source[ExactT],
    out: Path,
    payment: PaymentOptions,
    ledger: Ledger | None,
) -> Order:
    """What is to be published, and by which request it is paid for.

    Raises:
        ParameterError: a name is none that a ledger takes.
        RequestConflict: the id was used for another request.
    """
    name, body = payment.request_id or fresh_id(), publication.request
    records = Records(source.files, payment.unvalidated, f"starling {publication.domain} validate")
    promised = (publication.guarantee, contents.joint_guarantee(publication))
    if ledger is None:
        return Order(out, body, *promised, name, None, records)
    request = Request(payment.analyst, name, payment.dataset, body)
    earlier = ledger.charging.find(request)
    if earlier is not None:
        # The same request, perhaps under the id of an earlier run.
        request = earlier.request
    return Order(out, body, *promised, request.request_id, Payment(ledger, request), records)


def _answers(out: Path, body: str) -> bool:
    """Whether a folder is a release that a ledger of its own paid for, and answers a request of this text."""
    if not (out / OWN_LEDGER).is_file() or verify.check(out).findings:
        return False
    try:
        charges = [
            json.loads(event.body) for event in events(f"sqlite:///{out / OWN_LEDGER}") if event.kind == "charge"
        ]
        return any(charge["hash"] == own_request(charge["request_id"], body).hash for charge in charges)
    except (StarlingError, ValueError, KeyError, TypeError):
        return False

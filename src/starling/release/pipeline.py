"""The road that every domain's release takes around its own charge, read and draw: who pays, where it is written, what there is already."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from starling.errors import StarlingError
from starling.ledger.auditing import events
from starling.ledger.opening import Ledger
from starling.ledger.rules import Request
from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.entropy import fresh_id
from starling.privacy.trust import Receipt
from starling.release import bundle, records, verify, whereabouts
from starling.release.commitment import drawn_files
from starling.release.manifest import OWN_LEDGER
from starling.release.payment import Payment, Stage, own_payment, own_request
from starling.release.records import Records
from starling.release.report.wording import plainly
from starling.release.statement import approximate_dp

Step: TypeAlias = Callable[[str], None]
"""Told the name of each public step of the road as it begins."""

Approve: TypeAlias = Callable[["Order", Stage], None]
"""Called last before a charge, with how far earlier runs came, when all that is public was checked; refuses by raising."""

Charged: TypeAlias = Callable[[str], None]
"""Told the request id as soon as its charge is durable: the same request resumes it at no cost."""

CUSTODIAN: Final = "custodian"
"""The analyst of a ledger who publishes when nobody else is named."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a release ended in.

    Attributes:
        folder: The release.
        request_id: Of its charge.
        receipt: Of the charge; None when the request had been answered before, at no cost now.
    """

    folder: Path
    request_id: str
    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be published as which folder, and who pays for it.

    Attributes:
        out: Folder to make; must not exist, unless it is the answer of this very request.
        body: The request in canonical JSON.
        guarantee: What is charged.
        together: Of the release and of all that it adds to; the same as `guarantee` for a release that stands alone.
        request_id: Under which the charge is found again: that of an earlier run, where the same request was charged before.
        payment: Of a ledger; None for a fresh one inside the folder.
        records: The confidential files that it is made from.
    """

    out: Path
    body: str
    guarantee: Guarantee
    together: Guarantee
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

    def check(self) -> None:
        """Raises OutputError unless `out` can be written."""
        bundle.check(self.out, self._mark)

    @property
    def _mark(self) -> str:
        return "" if self.payment is None else self.payment.mark(self.request_id)

    @contextmanager
    def writing(self, step: Step, *, accepted: int | None) -> Iterator[tuple[Path, Payment]]:
        """A folder that becomes `out` when the block ends without an exception, and what pays in it; see `bundle.writing`.

        Every number that the release will state of its privacy is computed here, before anything can be charged: the pages find
        them again, and none can fail after the charge.

        Args:
            step: Told of each public step.
            accepted: The event by which the files were accepted, as `accepted` says.
        """
        step("computing what the release will state of its privacy")
        for stated in {self.guarantee, self.together}:
            approximate_dp(stated)
            plainly(stated)
        paid = None if self.payment is None else replace(self.payment, accepted=accepted)
        hashed = self.records.hashed() if paid is None else ""
        drawn = None if paid is None else paid.drawn()
        with ExitStack() as stack:
            kept = partial(drawn_files, drawn=drawn)
            folder = stack.enter_context(bundle.writing(self.out, step, self._mark, kept))
            own = own_payment(folder, self.guarantee, self.request_id, self.body)
            yield folder, paid or stack.enter_context(own)
            if paid is None:
                records.keep(self.out, hashed)
        whereabouts.forget(self._mark)


def order(
    out: Path,
    body: str,
    guarantee: Guarantee,
    *,
    ledger: Ledger | None,
    dataset: str,
    analyst: str,
    request_id: str | None,
    read: Records,
    together: Guarantee | None = None,
) -> Order:
    """What is to be published as the folder `out`.

    Args:
        out: Folder to make; must not exist, unless it is the answer of this very request.
        body: The request in canonical JSON.
        guarantee: What is charged.
        ledger: Pays, for `dataset`, in the name of `analyst`. Without one, a fresh ledger inside the folder grants the cost once.
        dataset: Registered in the ledger.
        analyst: Who has a grant there.
        request_id: A fresh one without it.
        read: The confidential files that it is made from.
        together: Of the release and of all that it adds to; without it, the release stands alone.

    Raises:
        ParameterError: a name is none that a ledger takes.
        RequestConflict: the id was used for another request.
    """
    name = request_id or fresh_id()
    if ledger is None:
        return Order(out, body, guarantee, together or guarantee, name, None, read)
    request = Request(analyst, name, dataset, body)
    earlier = ledger.account(request).earlier()
    if earlier is not None:
        # The same request, perhaps under the id of an earlier run.
        request = earlier.request
    paid = Payment(ledger, request)
    return Order(out, body, guarantee, together or guarantee, request.request_id, paid, read)


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

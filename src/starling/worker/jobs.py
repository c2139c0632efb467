"""The jobs of a worker: the charges of its server that have no answer yet, found in the ledger and nowhere else.

A job is carried out by the frame that publishes from the command line, too: it takes the charge over, finishes the draw that there is
or makes the one that was paid for, and puts one folder into place. So a worker that was killed is followed by the next, which pays
nothing and draws nothing that was drawn; two workers at once are kept apart by the lease of the charge. A worker that dies after the
answer was kept, and before its folder and zip are in place, leaves a folder behind by which the next one finds that job.
"""

import re
import shutil
from pathlib import Path
from typing import Any, Final

from starling.errors import PolicyRefused
from starling.ledger.opening import Ledger
from starling.ledger.reading import Charge
from starling.ledger.rules import Request
from starling.release.domain import Asking, Delivery, Publication
from starling.release.payment import PaymentOptions, Stage
from starling.release.pipeline import Listener, Order, publish
from starling.release.zipped import zipped
from starling.server.home import Home
from starling.worker.findings import Inspections
from starling.worker.sources import Sources

_BEGUN: Final = re.compile(r"\.?([1-9][0-9]{0,17})(\.partial-.*)?")
"""The name of a folder that a release is in, or is being written in."""


class Jobs:
    """What is to be done, in the order of the charges, by a ledger that was opened with the server's key."""

    def __init__(self, home: Home, ledger: Ledger) -> None:
        self._home = home
        self._ledger = ledger
        self._sources = Sources(home)
        self._seen = 0
        self._open = self._unfinished()

    def waiting(self) -> list[Charge]:
        """Charges of this server that nobody has carried out, as far as this worker knows; only what is new is read."""
        head = self._ledger.reading.head().seq
        if head > self._seen:
            charges = self._ledger.reading.open_charges(self._seen)
            self._open |= {charge.seq: charge for charge in charges if self._is_ours(charge)}
            self._seen = head
        return [self._open[seq] for seq in sorted(self._open)]

    def _unfinished(self) -> dict[int, Charge]:
        """Charges of which there is a folder and no zip: a worker died, or another is at them."""
        begun = {int(match[1]) for path in self._home.releases.iterdir() if (match := _BEGUN.fullmatch(path.name))}
        charges = [self._ledger.reading.charge(seq) for seq in begun if not self._bundle(seq).exists()]
        return {charge.seq: charge for charge in charges if charge is not None and self._is_ours(charge)}

    def _is_ours(self, charge: Charge) -> bool:
        return charge.by == self._ledger.book.key.public.text

    def _bundle(self, seq: int) -> Path:
        return self._home.releases / f"{seq}.zip"

    def carry_out(self, charge: Charge) -> None:
        """Release what was charged, as a folder and as a zip; at once where another worker has done so.

        Raises:
            PolicyRefused: it is none of the registered data as they are now, its files were not accepted, or what was drawn for it is lost.
            LedgerUnavailable: another worker is at it.
            RunFailed: after the charge, always with the same words.
            StarlingError: as `pipeline.publish`.
        """
        out, bundle = self._home.releases / str(charge.seq), self._bundle(charge.seq)
        if not bundle.exists():
            delivery = self._sources.open(charge.dataset)
            Inspections(self._home).check_accepted(self._ledger, charge.dataset, delivery)
            publication = self._publication(charge, delivery)
            payment = PaymentOptions(self._ledger, charge.dataset, charge.analyst, charge.request_id)
            publish(publication, delivery.source, out, payment, Listener(approve=_approve))
            zipped(out, bundle)
            for left in self._home.releases.glob(f".{bundle.name}.partial-*"):
                # Of a worker that died while it wrote it.
                shutil.rmtree(left, ignore_errors=True)
        self.done(charge.seq)

    def done(self, seq: int) -> None:
        """A charge was carried out."""
        self._open.pop(seq, None)

    def find(self, seq: int) -> Charge | None:
        """The charge that is event `seq`, of this server; None where that is none."""
        charge = self._ledger.reading.charge(seq)
        return charge if charge is not None and self._is_ours(charge) else None

    def _publication(self, charge: Charge, delivery: Delivery) -> Publication[Any, Any]:
        """What was charged; raises PolicyRefused where that is none of what is registered now."""
        publication = delivery.publication
        if isinstance(publication, Asking):
            publication = publication.ask(self._home.questions.find(charge.request_hash))
        request = Request(charge.analyst, charge.request_id, charge.dataset, publication.request)
        if request.hash != charge.request_hash:
            raise PolicyRefused("charge", "is for another release than the registered one", "restore the dataset")
        return publication


def _approve(_: Order, stage: Stage) -> None:
    """Refuse to pay again: no analyst has agreed to that, and there is no terminal to ask at."""
    if stage == "lost":
        problem = "has lost what was drawn for it, and another draw would be charged again"
        raise PolicyRefused("release", problem, "restore the releases folder of the home from its backup")

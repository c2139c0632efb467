"""Releasing from a Python session: what `Plan.release` of every domain does with its arguments.

Without a ledger, a release brings one of its own, which limits nothing; without a folder besides, it lies in a temporary one that goes with
the release. With a ledger a folder has to be named: the answer of a charge must outlive the session, since no charge is answered twice.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from starling.errors import ParameterError
from starling.ledger.opening import Ledger
from starling.release.payment import CUSTODIAN, PaymentOptions
from starling.release.pipeline import Published
from starling.release.reading import Release, open_release

ReleaseT = TypeVar("ReleaseT", bound=Release)


@dataclass(frozen=True, slots=True)
class SessionPayment:
    """Who pays for a release of a session; raises ParameterError where its parts do not go together.

    Attributes:
        ledger: The ledger that pays, opened or as its URL; without one each release brings one that limits nothing.
        dataset: The name of the records in the ledger.
        analyst: Who has a grant there.
        request_id: The id under which the charge is found again; a fresh one without it.
        unvalidated: Whether records are read that nobody accepted in the ledger; None for: only without a ledger.
    """

    ledger: Ledger | str | None = None
    dataset: str = ""
    analyst: str = CUSTODIAN
    request_id: str | None = None
    unvalidated: bool | None = None

    def __post_init__(self) -> None:
        PaymentOptions(self.ledger, self.dataset, self.analyst)  # Refuses names of a ledger without one.
        if self.ledger is not None and not self.dataset:
            raise ParameterError("dataset", "is missing: a ledger pays for a dataset", "name it as the ledger does")

    def release(
        self,
        publish: Callable[[Path, PaymentOptions], Published],
        opened: Callable[[Release], ReleaseT],
        out: str | Path | None,
    ) -> ReleaseT:
        """Publish and open a release.

        Args:
            publish: Publishes into a folder.
            opened: What the domain makes of an opened release.
            out: The folder to make; a temporary one without it, which is removed with the release.

        Raises:
            ParameterError: a ledger pays, and no folder is named.
        """
        if out is None and self.ledger is not None:
            problem = "is missing: the answer of a charge must outlive the session"
            raise ParameterError("out", problem, 'name a folder, as in out="release"')
        unvalidated = self.ledger is None if self.unvalidated is None else self.unvalidated
        payment = PaymentOptions(self.ledger, self.dataset, self.analyst, self.request_id, unvalidated)
        with ExitStack() as stack:
            if out is None:
                out = Path(stack.enter_context(TemporaryDirectory(prefix="starling-"))) / "release"
            released = open_release(publish(Path(out).absolute(), payment).folder)
            released.keep_open(stack.pop_all())
        return opened(released)

"""What the web process does with the ledger: it charges, and tells how far a charge has come. It carries nothing out.

A charge without an answer is the job of a worker, who finds it in the ledger. Whether it is done is told at the deadline, counted from
the charge, that the dataset has stated beforehand: sooner or between, nothing is told, since how long a run takes may depend on records.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

from starling.errors import BudgetRefused, LedgerUnavailable, PolicyRefused, StarlingError
from starling.ledger.batching import Batcher, Batches, each
from starling.ledger.deadline import departure
from starling.ledger.opening import Ledger
from starling.ledger.reading import Charge, Reading
from starling.ledger.responses import PaidResponse, charge_of, price_in
from starling.ledger.rules import Request
from starling.privacy.least import check_least
from starling.privacy.sampling.entropy import fresh_id
from starling.server.approval_requests import Waiting
from starling.server.budgets import Budget
from starling.server.cache import Cache
from starling.server.consequences import Consequences, consequences
from starling.server.datasets import Dataset, Entry, NotThere
from starling.server.home import Home

T = TypeVar("T")
State: TypeAlias = Literal["charged", "released"]
SLICE: Final = 5_000
"""Charges that are looked at together."""
_WAIT: Final = "wait until one has left: GET /v1/releases/NUMBER"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a release has come, as it may be told.

    Attributes:
        charge: Its charge.
        state: Whether it has left.
        leaves: When it left, or when it is worth asking again; seconds since 1970.
        wait: Seconds until then; 0 where it has left.
        bundle: The zip file, where it has left.
        invented: Whether it is of invented records.
    """

    charge: Charge
    state: State
    leaves: float
    wait: int
    bundle: Path | None
    invented: bool


class Charges:
    """The charges of one home; `now` gives the time, in seconds since 1970."""

    def __init__(self, home: Home, *, now: Callable[[], float] = time.time) -> None:
        self._home = home
        self._now = now
        self._catalogue = home.catalogue
        self._opening = threading.Lock()
        self._opened: tuple[Ledger, Batcher] | None = None
        self._reader: Ledger | None = None
        self._telling = Batches[Callable[[], Progress | None], Progress | None](each)
        self._counting = threading.Lock()
        self._counted = 0
        self._waiting: dict[str, dict[int, Charge]] = {}
        self._charging: Counter[tuple[str, str]] = Counter()
        self._read_charges = Cache[Charge](now)
        self._requests = Cache[int](now)
        self._populations = Cache[str](now)
        self._accepted: set[str] = set()

    def charge(self, analyst: str, dataset: Dataset, request_id: str, question: Any = None) -> int:
        """Charge a release, or the answer to a question, which is kept for the worker; durable when this returns.

        Returns:
            The event of the charge, of an earlier one for the same request.

        Raises:
            BudgetRefused, PolicyRefused, ParameterError: the charge is refused.
            RequestConflict: the id was used for another request.
            LedgerUnavailable: the ledger takes no charge of this server now.
        """
        request = Request(analyst, request_id, dataset.name, dataset.request)
        ledger, batcher = self._ledger()
        ticket = ledger.charging.find(request)
        if ticket is not None:
            return ticket.seq
        check_least(dataset.guarantee)
        if dataset.name not in self._accepted and not self._read(lambda reading: reading.has_accepted(dataset.name)):
            # A charge would wait for that, and might for ever.
            fix = "ask its custodian: starling server accept"
            raise PolicyRefused("dataset", "has no records yet that its custodian accepted", fix)
        self._accepted.add(dataset.name)
        try:
            with self._room(request):
                if question is not None:
                    self._keep(ledger, request, dataset, question)
                return batcher.charge(request, dataset.guarantee).seq
        except (BudgetRefused, LedgerUnavailable, PolicyRefused):
            # The same request came twice at once, and the other one was first: perhaps with the last of the budget.
            ticket = ledger.charging.find(request)
            if ticket is None:
                raise
            return ticket.seq

    def budget(self, analyst: str, dataset: Entry) -> Budget:
        """What an analyst may still spend on a dataset; of one that is asked questions, not how many more of them that is.

        Raises:
            ParameterError: the ledger does not know it.
            PolicyRefused: it reads a response that nobody paid for.
            LedgerUnavailable: the ledger takes no charge of this server now.
        """
        ledger, _ = self._ledger()
        account = ledger.reading.account(ledger.reading.population_of(dataset.name), latest=1)
        population = account.population
        wanted = {("analyst", analyst), ("dataset", dataset.name), ("population", population.name)}
        caps = [cap for cap in account.caps if (cap.scope, cap.name) in wanted]
        charging, amount = ledger.charging, None
        if isinstance(dataset, Dataset):
            # Which responses there are is asked of a charge that reads one alone.
            paid = () if charge_of(dataset.guarantee) is None else charging.responses(dataset.name)
            amount = price_in(population, dataset.guarantee, paid)
        return Budget(
            *(population, amount, tuple(caps), charging.terms(dataset.name), ledger.reading.is_retired(dataset.name)),
            approved=charging.approved(dataset.name, analyst, self.now()),
            release=self.release_of(analyst, dataset) if isinstance(dataset, Dataset) else None,
            single=self._catalogue.is_single(dataset.name),
        )

    def listed(self, analyst: str | None, before: int, most: int) -> tuple[list[Progress], int | None]:
        """Releases of an analyst, or of all, whose charges are events below `before`, the newest first: of at most `most` charges; and
        below which event the next ones are, None where there are none.
        """
        charges = self._read(lambda reading: reading.latest_charges(before, most + 1, analyst))
        following = charges[most - 1].seq if len(charges) > most else None
        return [self._progress(charge) for charge in charges[:most] if charge.by is not None], following

    def release_of(self, analyst: str, dataset: Dataset) -> int | None:
        """The charge of this server for what an analyst asks, under whichever id; None where there is none."""
        ticket = self._ledger()[0].charging.find(Request(analyst, fresh_id(), dataset.name, dataset.request))
        charge = None if ticket is None else self.find(ticket.seq)
        return None if charge is None or charge.by is None else charge.seq

    def population(self, dataset: str) -> str | None:
        """The population of a dataset, whose deliveries have caps in common; None where the ledger does not tell it now."""
        population = self._populations.get(dataset)
        if population is None:
            with suppress(StarlingError):
                population = self._read(lambda reading: reading.population_of(dataset))
                self._populations.put(dataset, population)
        return population

    def ask(self, analyst: str, dataset: Dataset, request_id: str, reason: str, question: Any = None) -> Waiting:
        """Ask the custodian, with a reason, to approve what would be charged; a question is kept for them.

        Raises:
            PolicyRefused: the dataset does not ask first, or what is asked was charged before.
            BudgetRefused, PolicyRefused, ParameterError: the charge would be refused even so.
            RequestConflict: the id was used for another request.
            LedgerUnavailable: the ledger takes no charge of this server now.
        """
        request = Request(analyst, request_id, dataset.name, dataset.request)
        ledger, _ = self._ledger()
        if ledger.charging.find(request) is not None:
            raise PolicyRefused("request", "is charged already", "see how far it is: POST /v1/datasets/NAME/releases")
        if not ledger.charging.terms(dataset.name).ask_first:
            fix = "ask for the release: POST /v1/datasets/NAME/releases"
            raise PolicyRefused("dataset", "does not ask first: no approval is needed", fix)
        check_least(dataset.guarantee)
        ledger.charging.preview(request, dataset.guarantee)
        waiting = self._home.requests.ask(request, dataset.title, dataset.guarantee, reason)
        if question is not None:
            self._home.questions.keep(request, question)
        return waiting

    def _keep(self, ledger: Ledger, request: Request, dataset: Dataset, question: Any) -> None:
        """Keep a question for the worker; nothing is kept of one that is refused, so that nobody fills the disk at no cost."""
        ledger.charging.preview(request, dataset.guarantee)
        if not ledger.charging.terms(dataset.name).ask_first:
            self._home.questions.keep(request, question)
        elif self._home.questions.question_of(request) is None:
            # It would have been kept when its approval was asked for.
            problem = "asks first, and this charge has no approval of the custodian"
            raise PolicyRefused("dataset", problem, "ask for it with a reason: POST /v1/datasets/NAME/requests")

    async def charged(self, analyst: str, dataset: Dataset, request_id: str) -> Progress | None:
        """How far a release has come that was charged for this request; None where none was. Arguments and errors are those of `charge`."""
        request = Request(analyst, request_id, dataset.name, dataset.request)
        known = self._requests.get(request)
        if known is not None:
            return await self.followed(known, analyst)

        def read() -> Progress | None:
            ticket = self._ledger()[0].charging.find(request)
            if ticket is None:
                return None
            if ticket.request == request:  # Charged under this very id: what that is for is for good.
                self._requests.put(request, ticket.seq)
            return self.progress(ticket.seq, analyst)

        return await self._telling.take(read)

    async def followed(self, seq: int, analyst: str | None) -> Progress:
        """As `progress`, for a request that is answered on the loop: at once where nothing has to be read in the ledger."""
        known = self._known(seq)
        if known is not None:
            return _shown_to(known, analyst)
        progress = await self._telling.take(lambda: self.progress(seq, analyst))
        assert progress is not None
        return progress

    def progress(self, seq: int, analyst: str | None) -> Progress:
        """How far the release of a charge has come, for an analyst, or for None, who may see all; raises NotThere where there is no such
        charge of this server and analyst.
        """
        progress = self._known(seq)
        if progress is None:
            charge = self.find(seq)
            progress = None if charge is None or charge.by is None else self._progress(charge)
        return _shown_to(progress, analyst)

    def _progress(self, charge: Charge) -> Progress:
        deadline, now = self._deadline(charge), self._now()
        bundle = self._home.releases / f"{charge.seq}.zip"
        if charge.state == "answered" and bundle.is_file():
            leaves = charge.at + departure(deadline, bundle.stat().st_mtime - charge.at)
            if leaves <= now:
                return Progress(charge, "released", leaves, 0, bundle, self._home.invented)
        leaves = charge.at + departure(deadline, now - charge.at)
        return Progress(charge, "charged", leaves, max(1, ceil(leaves - now)), None, self._home.invented)

    def late(self) -> list[Progress]:
        """Charges of this server that have no answer though their deadline is over, for their custodian; raises as `read_ledger`."""
        key, charges = self._home.key.public.text, self._read(lambda reading: reading.open_charges(0))
        own = [charge for charge in charges if charge.by == key and charge.dataset in self._catalogue.names()]
        return [self._progress(each) for each in own if self._now() > each.at + self._deadline(each)]

    def consequences(self, waiting: Waiting) -> Consequences:
        """What a request that waits would reveal and leave; raises as `Charging.preview`, and LedgerUnavailable."""
        return consequences(self._ledger()[0], waiting)

    def is_approved(self, request: Request) -> bool:
        """Whether the ledger has an approval of this request that holds now; raises LedgerUnavailable."""
        return self._ledger()[0].charging.is_approved(request, self.now())

    def now(self) -> int:
        """The time by which rights and approvals are judged, in seconds since 1970."""
        return int(self._now())

    def waiting(self) -> int:
        """How many releases were charged by servers and have not left, as their analysts are told; raises as `read_ledger`."""
        with self._counting:
            return sum(map(self._open_of, self._follow()))

    @contextmanager
    def _room(self, request: Request) -> Iterator[None]:
        """Room for one more charge of its analyst, in the block; a charge that is in the ledger already counts once.

        What counts is what analysts are told, which deadlines decide and no run: a charge is open until it has left.

        Raises:
            PolicyRefused: too many of this analyst's have not left.
        """
        most, analyst = self._home.settings.open_charges, request.analyst
        if self._home.invented:  # Bounded by how often it is asked (sandbox.py).
            yield
            return
        with self._counting:
            self._follow()
            self._open_of(analyst)
            others = {charge.request_hash for charge in self._waiting.get(analyst, {}).values()}
            others |= {each for whose, each in self._charging if whose == analyst}
            if len(others - {request.hash}) >= most:
                raise PolicyRefused("release", f"is one of more than {most} of yours that have not left", _WAIT)
            self._charging[analyst, request.hash] += 1
        try:
            yield
        finally:
            with self._counting:
                self._charging -= Counter([(analyst, request.hash)])

    def _follow(self) -> list[str]:
        """Take notice of new charges; the analysts of all that are known to be open."""
        while new := self._read(lambda reading: reading.charges(self._counted, SLICE)):
            self._counted = new[-1].seq
            for charge in new:
                if charge.by is not None and not self._left(charge):
                    self._waiting.setdefault(charge.analyst, {})[charge.seq] = charge
        return list(self._waiting)

    def _open_of(self, analyst: str) -> int:
        """How many charges of an analyst have not left."""
        waiting = self._waiting.pop(analyst, {})
        for seq in [seq for seq, charge in waiting.items() if charge.state == "charged" and not self._is_early(charge)]:
            now = self.find(seq)
            assert now is not None
            waiting[seq] = now
        left = {seq: charge for seq, charge in waiting.items() if not self._left(charge)}
        if left:
            self._waiting[analyst] = left
        return len(left)

    def _left(self, charge: Charge) -> bool:
        return not self._is_early(charge) and self._progress(charge).state == "released"

    def _is_early(self, charge: Charge) -> bool:
        """Whether it is before the first deadline of a charge: its release has not left."""
        return self._now() < charge.at + self._deadline(charge)

    def open(self) -> None:
        """Open the ledger now rather than at the first charge, if it takes charges of this server already."""
        with suppress(LedgerUnavailable):
            self._ledger()

    def close(self) -> None:
        """Charge what waits, then let go of the ledger."""
        with self._opening:
            if self._opened is not None:
                ledger, batcher = self._opened
                batcher.close()
                ledger.close()
                self._opened = None
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def responses(self, dataset: str) -> list[PaidResponse]:
        """Those that were kept of the population of a dataset; what is told of them may depend on none that has not left."""
        return self._ledger()[0].charging.responses(dataset)

    def find(self, seq: int) -> Charge | None:
        """The charge that is event `seq`, by whichever key; None where that is none."""
        charge = self._read(lambda reading: reading.charge(seq))
        if charge is not None and charge.by is not None:
            self._read_charges.put(seq, charge)
        return charge

    def _known(self, seq: int) -> Progress | None:
        """How far the release of a charge has come that needs no reading again: before its first deadline, and once it has left.

        Between the two it is read again whether the run is done or not: how long a reply takes would tell.
        """
        charge = self._read_charges.get(seq)
        if charge is None:
            return None
        early = self._is_early(charge)
        progress = self._progress(charge)
        return progress if early or progress.state == "released" else None

    def _deadline(self, charge: Charge) -> int:
        return self._catalogue.find(charge.dataset).deadline

    def _read(self, work: Callable[[Reading], T]) -> T:
        """Read in the ledger, by a connection that stays open: who reads waits for no charge that is being written by this process."""
        with self._opening:
            if self._reader is None:
                self._reader = self._home.read_ledger()
            reader = self._reader
        return work(reader.reading)

    def _ledger(self) -> tuple[Ledger, Batcher]:
        """The ledger, opened at the first charge: it takes the server's key once a custodian has given that a right."""
        with self._opening:
            if self._opened is None:
                try:
                    ledger = self._home.open_ledger()
                except StarlingError:
                    # Where the ledger is and what ails it is told to none but the custodian, who runs the worker.
                    problem = "takes no charge of this server now"
                    raise LedgerUnavailable("ledger", problem, "ask a custodian: starling ledger delegate") from None
                self._opened = ledger, Batcher(ledger.charging, left=True)
            return self._opened


def _shown_to(progress: Progress | None, analyst: str | None) -> Progress:
    """What was found, where there is anything and the analyst may see it; raises NotThere."""
    if progress is None or analyst not in (None, progress.charge.analyst):
        raise NotThere("release", "is not there", "ask for one: POST /v1/datasets/NAME/releases")
    return progress

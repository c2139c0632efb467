"""Charging, drawing and answering: a charge is charged, then answered or voided, and nothing is ever refunded.

One charge has one draw. A run commits to its draw before anybody can see it (`draw`): it writes its measurements to the disk,
encrypted with a fresh key, and then one commit keeps their hash and the key. A retry of a charge that has committed to a draw
finishes that draw; where its bytes are lost, another draw is paid for (`redraw`). A draw may keep a response, which later charges read at
no cost (responses.py). Who takes an open charge over, who draws and who draws again stands in the chain.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from starling.errors import BudgetRefused, IntegrityError, PolicyRefused, RequestConflict, StarlingError
from starling.ledger import charged_noise, leases, rows, rules
from starling.ledger.billing import Bill, Billing
from starling.ledger.book import Book
from starling.ledger.checking import Check
from starling.ledger.leases import Lease, Tokens
from starling.ledger.memory import Done, Memory, Spent
from starling.ledger.replay import Replay
from starling.ledger.responses import PaidResponse, Stored
from starling.ledger.rows import End, EventWriter, Known
from starling.ledger.rules import AnswerKind, Drawn, Request, State, Ticket
from starling.ledger.store import Moved, Transaction
from starling.ledger.terms import Terms
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Entry

T = TypeVar("T")

_LEASES = Tokens()

Wanted = tuple[Request, Guarantee]
Result = Ticket | StarlingError
"""The ticket, or the refusal."""


class Charging:
    """The analyst's side of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._memory = Memory()
        self._check = Check(book)
        self._billing = Billing(book, self._check.replay)

    def follow(self) -> None:
        """Check the whole ledger before anything is charged; raises IntegrityError at the first thing that is wrong."""
        self._check.whole()

    def _now(self, ask: Callable[[Replay], T]) -> T:
        """What all events of the ledger say now."""

        def work(tx: Transaction) -> T:
            self._check.catch_up(tx)
            return ask(self._check.replay)

        return self._book.read(work)

    def terms(self, dataset: str) -> Terms:
        """The terms under which servers may charge a dataset now."""
        return self._now(lambda replay: replay.registered.terms.of(dataset))

    def approved(self, dataset: str, analyst: str, at: int) -> int:
        """As `AllTerms.approved`, of what the ledger says now."""
        return self._now(lambda replay: replay.registered.terms.approved(dataset, analyst, at))

    def is_approved(self, request: Request, at: int) -> bool:
        """As `AllTerms.is_approved`, of what the ledger says now."""
        approval = request.dataset, request.analyst, request.hash, at
        return self._now(lambda replay: replay.registered.terms.is_approved(*approval))

    def responses(self, dataset: str) -> list[PaidResponse]:
        """The responses that were paid for and kept, of the population that a dataset is about."""
        population = self._book.read(lambda tx: rows.dataset(tx, dataset)).population
        return self._now(lambda replay: replay.responses.of(population))

    def charge(self, request: Request, guarantee: Guarantee) -> Ticket:
        """Charge `guarantee` for `request`; durable when this returns.

        A request that was charged before gets its ticket back at no cost: with the answer, or with a new lease where the run died.
        It is the same request whether it comes under the same id or under another; the ticket carries the id that was charged.

        Raises:
            RequestConflict: the id was used for another request, or this one was charged for another guarantee.
            BudgetRefused, PolicyRefused: the charge does not fit; nothing was charged.
            LedgerUnavailable: another run of this request holds its lease; try again later.
        """
        result = self._from_memory(request, guarantee) or self.charge_all([(request, guarantee)])[0]
        if isinstance(result, StarlingError):
            raise result
        return result

    def _from_memory(self, request: Request, guarantee: Guarantee) -> Ticket | None:
        """A new charge without reading first: one wait for the store instead of two.

        The standing is remembered from the last head, and the event is written on condition that the chain still ends there and that
        the request was neither charged nor answered. None where that is not so, or where anything is to be refused: nothing was
        written, and the ledger is to be read.
        """
        noise = charged_noise.noise(guarantee)
        recalled = self._memory.recall((request.analyst, request.dataset, noise.key))
        # Which approvals are used up is not remembered, and which responses there are is found in the events.
        if recalled is None or charged_noise.RESPONSE in noise.fields or self._billing.asks_first(request.dataset):
            return None
        standing, end = recalled
        try:
            bill = self._billing.bill(standing, request, guarantee, noise)
        except StarlingError:
            return None

        def work(tx: Transaction, writer: EventWriter, done: Done) -> Ticket:
            self._billing.check_key(bill, request, writer.now)
            return self._charged(tx, writer, request, bill, _LEASES.fresh(), done, first=True)

        try:
            return self._written(work, believed=end)
        except Moved:
            self._memory.forget()
            return None
        except (PolicyRefused, BudgetRefused):
            # A right that has ended, or what is kept for the custodian; what was charged before is to be found.
            return None

    def _written(self, work: Callable[[Transaction, EventWriter, Done], T], *, believed: End | None = None) -> T:
        """`Book.write`, then what it wrote is remembered; `work` adds to its list what it charged."""

        def written(tx: Transaction, writer: EventWriter) -> tuple[T, EventWriter, Done]:
            done = Done([], {})
            return work(tx, writer, done), writer, done

        result, writer, done = self._book.write(written, believed=believed)
        self._memory.wrote(writer.start, writer.end, done.spent)
        return result

    def find(self, request: Request) -> Ticket | None:
        """The ticket of this request, under whichever id it was charged; None where it was never charged."""

        def work(tx: Transaction) -> Ticket | None:
            before = rows.before(tx, self._book.writer(tx), request, "")
            known = before.same_id or next(iter(before.same), None)
            return known and known.ticket

        return self._book.read(work)

    def preview(self, request: Request, guarantee: Guarantee) -> Bill:
        """What a new charge for this request would take, whether or not it was charged before; nothing is written.

        Raises:
            ParameterError, PolicyRefused, BudgetRefused: the charge would be refused now.
            RequestConflict: the id was used for another request.
        """
        noise = charged_noise.noise(guarantee)
        if charged_noise.stored_response(noise.fields) is not None:
            self._book.read(self._check.catch_up)
        before = self._book.read(lambda tx: rows.before(tx, self._book.writer(tx), request, noise.key))
        if before.standing is None:
            raise rows.unregistered(request.dataset)
        return self._billing.bill(before.standing, request, guarantee, noise)

    def charge_all(self, wanted: list[Wanted], *, left: bool = False) -> list[Result]:
        """Many charges in one durable commit; each has its ticket or its own refusal. If `left`, others carry them out:
        then no lease is taken, and none of a charge that there is.
        """
        lease = _LEASES.fresh()

        def work(tx: Transaction, writer: EventWriter, done: Done) -> list[Result]:
            self._check.catch_up(tx)
            return [self._result(tx, writer, each, lease, done, left=left) for each in wanted]

        return self._written(work)

    def _result(
        self, tx: Transaction, writer: EventWriter, wanted: Wanted, lease: str, done: Done, *, left: bool
    ) -> Result:
        """What is refused is refused before its first write, so that a refusal leaves nothing behind among the others."""
        request, guarantee = wanted
        try:
            decided = self._decided(tx, writer, request, guarantee, done)
        except StarlingError as error:
            return error
        if isinstance(decided, Bill):
            return self._charged(tx, writer, request, decided, lease, done, left=left)
        if decided.state != "charged" or left:
            return decided
        writer.append("takeover", {"charge": decided.seq})
        rows.take_over(tx, decided.seq, lease, self._book.clock.lease())
        return replace(decided, lease=lease)

    def _decided(
        self, tx: Transaction, writer: EventWriter, request: Request, guarantee: Guarantee, done: Done
    ) -> Bill | Ticket:
        """What a new charge costs, or the ticket that there is; raises the refusal."""
        noise = charged_noise.noise(guarantee)
        before = rows.before(tx, writer, request, noise.key)
        known = before.same_id or self._adopted(tx, before.same, guarantee)
        if known is not None and known.ticket.state != "charged":
            return known.ticket
        if before.standing is None:
            raise rows.unregistered(request.dataset)
        if known is not None:
            self._check_lease(tx, known)
            if known.ticket.seq <= self._check.head.seq:
                self._check.replay.check_open(known.ticket)
            _check_same(rows.body(tx, known.ticket.seq), guarantee)
            return known.ticket
        self._check.replay.registered.check_standing(request.analyst, before.standing, noise.key, done.added)
        bill = self._billing.bill(before.standing, request, guarantee, noise)
        self._billing.check_key(bill, request, writer.now)
        return bill

    def _check_lease(self, tx: Transaction, known: Known) -> None:
        """Raises LedgerUnavailable while another run may be at work on this charge."""
        clock = self._book.clock
        if clock.seems_longer(known.lease):
            until = int(clock.wall()) + leases.SECONDS
            tx.run("UPDATE charges SET lease_until = ? WHERE seq = ?", until, known.ticket.seq)
        leases.check(clock.left(known.lease))

    def _adopted(self, tx: Transaction, same: list[Known], guarantee: Guarantee) -> Known | None:
        """The charge of the same request under another id: the answered one, or an open one that paid for the same noise."""
        for known in same:
            if known.ticket.state == "answered" or _is_for(rows.body(tx, known.ticket.seq), guarantee):
                return known
        return None

    def _charged(
        self,
        tx: Transaction,
        writer: EventWriter,
        request: Request,
        bill: Bill,
        lease: str,
        done: Done,
        *,
        first: bool = False,
        left: bool = False,
    ) -> Ticket:
        caps, dataset = bill.standing.caps, bill.standing.dataset.name
        body = {
            "analyst": request.analyst,
            "request_id": request.request_id,
            "dataset": dataset,
            "hash": request.hash,
            "amount": bill.amount,
            "balances": rules.balances(caps, bill.amount),
            "what": bill.what,
            **bill.noise.fields,
            **self._billing.by,
        }
        charge = writer.append("charge", body, first=request if first else None)
        rows.spend(tx, bill.standing, bill.noise.key, bill.amount, charge, checked=not first)
        previous = next(cap.last for cap in caps if cap.scope == "population")
        held = Lease(0, "") if left else self._book.clock.lease()
        rows.insert_charge(tx, request, bill.amount, charge.seq, previous, lease, held)
        done.add(Spent((request.analyst, dataset, bill.noise.key), bill.standing, bill.amount, charge.seq))
        return Ticket(request, "charged", bill.amount, charge.seq, lease, fresh=True)

    def entry(self, ticket: Ticket, *, inside: bool = False) -> tuple[Entry, int]:
        """Where the chain holds the charge of `ticket`, and its time; `inside`: the ledger lies in the release that it pays for."""

        def work(tx: Transaction) -> tuple[Entry, int]:
            row = tx.one("SELECT hash, at FROM events WHERE seq = ?", ticket.seq)
            if row is None:
                fix = "restore the ledger and run ledger verify"
                raise IntegrityError(f"event {ticket.seq}", "is missing", fix)
            dataset = rows.dataset(tx, ticket.request.dataset)
            signer = self._book.key.public.text
            return Entry(ticket.seq, str(row[0]), dataset.name, dataset.population, signer, inside), int(str(row[1]))

        return self._book.read(work)

    def draw(self, ticket: Ticket, sha256: str, key: str, stored: Stored | None = None) -> Ticket:
        """Commit the charge to a draw; durable when this returns, and only then may anybody see what was drawn.

        Args:
            ticket: The open charge.
            sha256: The SHA-256 of the manifest of the measurements, which lie on the disk encrypted and flushed; 64 hexadecimal digits.
            key: What they are encrypted with, hexadecimal. Nothing else may keep it before.
            stored: What the custodian keeps beside them: a response, of a charge for one.

        Raises:
            PolicyRefused: another run has taken the charge over, or the charge has committed to a draw already.
        """
        drawn = Drawn.of(sha256, key)

        def work(tx: Transaction, writer: EventWriter, _: Done) -> Ticket:
            sql = (
                "UPDATE charges SET drawn_sha256 = ?, drawn_key = ?"
                " WHERE seq = ? AND state = 'charged' AND lease = ? AND drawn_sha256 IS NULL"
            )
            if tx.changed(sql, drawn.sha256, drawn.key, ticket.seq, ticket.lease) != 1:
                raise PolicyRefused(
                    "draw",
                    "is not this run's to make: another run took over, or the charge has committed to a draw",
                    "run the same again, which finishes the draw that there is",
                )
            response = {} if stored is None else {"kept": stored.stated()}
            writer.append("drawn", {"charge": ticket.seq, "sha256": drawn.sha256, "key": drawn.key, **response})
            return replace(ticket, drawn=drawn)

        return self._written(work)

    def redraw(self, ticket: Ticket, guarantee: Guarantee) -> Ticket:
        """Pay for another draw, since the bytes of the committed one are lost; the ticket is then without one, and `draw` may be called
        again.

        Costs what the charge cost, under all of its caps, and stands in the chain.

        Raises:
            PolicyRefused: another run has taken the charge over, or it has committed to no draw; or as for a charge.
            RequestConflict: the charge was for another guarantee.
            BudgetRefused: the amount does not fit under a cap; nothing was charged.
        """

        def work(tx: Transaction, writer: EventWriter, done: Done) -> Ticket:
            self._check.catch_up(tx)
            same_id = rows.before(tx, writer, ticket.request, "").same_id
            if same_id is None or (same_id.ticket.state, same_id.ticket.lease) != ("charged", ticket.lease):
                raise _taken()
            if same_id.ticket.drawn is None:
                raise PolicyRefused("draw", "is not lost: the charge has committed to none", "draw, at no cost")
            paid = rows.body(tx, ticket.seq)
            _check_same(paid, guarantee)
            # By the proof of the charge, which may be an older one.
            noise = charged_noise.noise_as_charged(guarantee, paid)
            standing = rows.before(tx, writer, ticket.request, noise.key).standing
            assert standing is not None
            self._check.replay.check_open(same_id.ticket)
            registered = self._check.replay.registered
            registered.check_standing(ticket.request.analyst, standing, noise.key, done.added)
            bill = self._billing.bill(standing, ticket.request, guarantee, noise)
            self._billing.check_key(bill, ticket.request, writer.now)
            body = {"charge": ticket.seq, "amount": bill.amount, **self._billing.by}
            writer.append("redrawn", {**body, "balances": rules.balances(bill.standing.caps, bill.amount)})
            rows.spend(tx, bill.standing, noise.key, bill.amount, None, checked=True)
            tx.run(
                "UPDATE charges SET drawn_sha256 = NULL, drawn_key = NULL, times = times + 1 WHERE seq = ?", ticket.seq
            )
            kind = ticket.request.analyst, bill.standing.dataset.name, noise.key
            done.add(Spent(kind, bill.standing, bill.amount, None))
            return replace(ticket, drawn=None)

        return self._written(work)

    def answer(self, ticket: Ticket, kind: AnswerKind, text: str) -> None:
        """Keep what is about to be sent; raises PolicyRefused when another worker has taken the lease over."""
        self._end(ticket, "answered", kind, text)

    def void(self, ticket: Ticket) -> None:
        """The charge stands and will never be answered."""
        self._end(ticket, "voided", None, None)

    def renew(self, ticket: Ticket) -> None:
        """The run lives: prolong its lease. Not an event; a lease that is lost is found by `answer`."""
        self._lease(ticket, self._book.clock.lease())

    def give_up(self, ticket: Ticket) -> None:
        """The run failed and the next may begin at once. The charge stands."""
        self._lease(ticket, Lease(0, ""))

    def _lease(self, ticket: Ticket, lease: Lease) -> None:
        def work(tx: Transaction) -> None:
            sql = "UPDATE charges SET lease_until = ?, holder = ? WHERE seq = ? AND lease = ?"
            tx.run(sql, lease.until, lease.holder, ticket.seq, ticket.lease)

        self._book.store.atomically(work)

    def _end(self, ticket: Ticket, state: State, kind: AnswerKind | None, text: str | None) -> None:
        def work(tx: Transaction, writer: EventWriter, _: Done) -> None:
            sql = "UPDATE charges SET state = ?, answer_kind = ?, answer = ? WHERE seq = ? AND state = 'charged' AND lease = ?"
            if tx.changed(sql, state, kind, text, ticket.seq, ticket.lease) != 1:
                raise _taken()
            outcome = {} if text is None else {"kind": kind, "sha256": rows.sha256(text)}
            kinds = {"answered": "answer", "voided": "void"}
            writer.append(kinds[state], {"charge": ticket.seq, **outcome})

        self._written(work)


def _taken() -> PolicyRefused:
    return PolicyRefused("lease", "was taken over by another run, or the charge is answered", "ask again")


def _is_for(paid: Mapping[str, Any], guarantee: Guarantee) -> bool:
    """Whether a charge was made for this guarantee, by the proof that it states."""
    return charged_noise.key(paid) == charged_noise.noise_as_charged(guarantee, paid).key


def _check_same(paid: Mapping[str, Any], guarantee: Guarantee) -> None:
    """A run that is taken over draws what was charged, and nothing dearer."""
    if not _is_for(paid, guarantee):
        raise RequestConflict(
            "request_id",
            "was charged for another guarantee, by another plan or version",
            "use a new request id, or the plan and version that it was charged for",
        )

"""Charging and answering: the states of a charge are charged -> answered or charged -> burned, and nothing is ever refunded."""

from collections.abc import Callable

from starling.errors import IntegrityError, LedgerUnavailable, PolicyRefused, StarlingError
from starling.ledger import rows, rules
from starling.ledger.book import Book
from starling.ledger.rules import Cap, Dataset, Lineage, Request, Scope, State
from starling.ledger.store import Transaction
from starling.ledger.ticket import AnswerKind, Ticket
from starling.privacy.entropy import fresh_id
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Entry

LEASE_SECONDS = 120
"""How long a run may be silent before another may take over its charge; `renew` prolongs it."""

Wanted = tuple[Request, Guarantee]
Result = Callable[[], Ticket]
"""Gives the ticket, or raises the refusal."""


class Charging:
    """The analyst's side of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def charge(self, request: Request, guarantee: Guarantee) -> Ticket:
        """Charge `guarantee` for `request`; durable when this returns.

        A request id that was used before for the same request gets its ticket back at no cost: with the answer, or with a new
        lease where the run died. The same request under a new id gets the stored answer, at no cost.

        Raises:
            RequestConflict: the id was used for another request.
            BudgetRefused, PolicyRefused: the charge does not fit; nothing was charged.
            LedgerUnavailable: another run of this request holds its lease; try again later.
        """
        return self.charge_all([(request, guarantee)])[0]()

    def find(self, request: Request) -> Ticket | None:
        """The ticket of this request, or of the same request answered under another id; None where it was never charged."""

        def work(tx: Transaction) -> Ticket | None:
            known = rows.ticket(tx, request)
            return rows.answered(tx, request) if known is None else known[0]

        return self._book.read(work)

    def charge_all(self, wanted: list[Wanted]) -> list[Result]:
        """Many charges in one durable commit; each result gives its ticket or raises its own refusal."""
        lease = fresh_id()

        return self._book.write(
            lambda tx: [self._result(tx, request, guarantee, lease) for request, guarantee in wanted]
        )

    def _result(self, tx: Transaction, request: Request, guarantee: Guarantee, lease: str) -> Result:
        try:
            ticket = tx.attempt(lambda: self._charge(tx, request, guarantee, lease))
        except StarlingError as error:
            return _refusal(error)
        return lambda: ticket

    def _charge(self, tx: Transaction, request: Request, guarantee: Guarantee, lease: str) -> Ticket:
        now = self._book.now(tx)
        known = rows.ticket(tx, request)
        if known is not None:
            return self._again(tx, known, lease, now)
        stored = rows.answered(tx, request)
        if stored is not None:
            return stored
        dataset = rows.dataset(tx, request.dataset)
        lineage = rows.lineage(tx, dataset.lineage)
        rules.check_open(lineage, dataset)
        amount = rules.charge_in(lineage, guarantee)
        caps = _caps(tx, lineage, dataset, request.analyst)
        rules.check_caps(caps, amount)
        for cap in caps:
            rows.spend(tx, lineage.name, cap, amount)
        body = {
            "analyst": request.analyst,
            "request_id": request.request_id,
            "dataset": dataset.name,
            "hash": request.hash,
            "amount": amount,
            "cost": str(guarantee.cost),
            "what": guarantee.name,
        }
        head = rows.append(tx, "charge", now, body)
        tx.run(
            "INSERT INTO charges (analyst, request_id, request_hash, dataset, amount, seq, state, lease, lease_until)"
            " VALUES (?, ?, ?, ?, ?, ?, 'charged', ?, ?)",
            request.analyst,
            request.request_id,
            request.hash,
            dataset.name,
            amount,
            head.seq,
            lease,
            now + LEASE_SECONDS,
        )
        return Ticket(request, "charged", amount, head.seq, lease, fresh=True)

    def _again(self, tx: Transaction, known: tuple[Ticket, int], lease: str, now: int) -> Ticket:
        ticket, until = known
        if ticket.state != "charged":
            return ticket
        if now < until:
            raise LedgerUnavailable(
                field="request_id",
                problem=f"is being worked on by a run that holds its lease for up to {until - now} seconds",
                fix="try again then, with the same request id",
            )
        key = (ticket.request.analyst, ticket.request.request_id)
        tx.run(
            "UPDATE charges SET lease = ?, lease_until = ? WHERE analyst = ? AND request_id = ?",
            lease,
            now + LEASE_SECONDS,
            *key,
        )
        return Ticket(ticket.request, "charged", ticket.amount, ticket.seq, lease)

    def entry(self, ticket: Ticket, *, inside: bool = False) -> Entry:
        """Where the chain holds the charge of `ticket`; `inside`: the ledger lies in the release that it pays for."""

        def work(tx: Transaction) -> Entry:
            row = tx.one("SELECT hash FROM events WHERE seq = ?", ticket.seq)
            if row is None:
                raise IntegrityError(
                    field=f"event {ticket.seq}", problem="is missing", fix="restore the ledger and run ledger verify"
                )
            dataset = rows.dataset(tx, ticket.request.dataset)
            return Entry(ticket.seq, str(row[0]), dataset.name, dataset.lineage, self._book.signer.text, inside)

        return self._book.read(work)

    def answer(self, ticket: Ticket, kind: AnswerKind, text: str) -> None:
        """Keep what is about to be sent; raises PolicyRefused when another worker has taken the lease over."""
        self._end(ticket, "answered", kind, text)

    def burn(self, ticket: Ticket) -> None:
        """The charge stands and will never be answered."""
        self._end(ticket, "burned", None, None)

    def renew(self, ticket: Ticket) -> None:
        """The run lives: prolong its lease. Not an event; a lease that is lost is found by `answer`."""
        self._lease(ticket, lambda now: now + LEASE_SECONDS)

    def give_up(self, ticket: Ticket) -> None:
        """The run failed and the next may begin at once. The charge stands."""
        self._lease(ticket, lambda now: now)

    def _lease(self, ticket: Ticket, until: Callable[[int], int]) -> None:
        def work(tx: Transaction) -> None:
            tx.run(
                "UPDATE charges SET lease_until = ? WHERE analyst = ? AND request_id = ? AND lease = ?",
                until(self._book.now(tx)),
                ticket.request.analyst,
                ticket.request.request_id,
                ticket.lease,
            )

        self._book.store.atomically(work)

    def _end(self, ticket: Ticket, state: State, kind: AnswerKind | None, text: str | None) -> None:
        def work(tx: Transaction) -> None:
            changed = tx.run(
                "UPDATE charges SET state = ?, answer_kind = ?, answer = ?"
                " WHERE analyst = ? AND request_id = ? AND state = 'charged' AND lease = ?",
                state,
                kind,
                text,
                ticket.request.analyst,
                ticket.request.request_id,
                ticket.lease,
            )
            if changed != 1:
                raise PolicyRefused(
                    field="lease", problem="was taken over by another run, or the charge is answered", fix="ask again"
                )
            outcome = {} if text is None else {"sha256": rows.sha256(text)}
            kinds = {"answered": "answer", "burned": "burn"}
            rows.append(tx, kinds[state], self._book.now(tx), {"charge": ticket.seq, **outcome})

        self._book.write(work)


def _refusal(error: StarlingError) -> Result:
    def refuse() -> Ticket:
        raise error

    return refuse


def _caps(tx: Transaction, lineage: Lineage, dataset: Dataset, analyst: str) -> list[Cap]:
    """The three caps a charge must fit under: of the analyst, of the dataset, and of the people themselves."""
    scopes: tuple[tuple[Scope, str], ...] = (("analyst", analyst), ("dataset", dataset.name), ("lineage", lineage.name))
    found = [rows.cap(tx, lineage.name, scope, name) for scope, name in scopes]
    if found[0] is None:
        raise PolicyRefused(
            field="analyst", problem=f"{analyst} has no grant on {lineage.name}", fix="ask the custodian for one"
        )
    return [cap for cap in found if cap is not None]

"""A ledger as its events alone make it, compared on the way with the tables that are there.

Rules are applied again: a charge that broke a cap or costs more than it says, a cap that was lowered, or a custodian event that
nobody signed is found even where somebody rewrote the whole chain with care. A charge is compared with its row when its event
comes by, so that ten million of them need ten megabytes and not ten gigabytes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, cast

from starling.errors import StarlingError
from starling.ledger import rows, rules
from starling.ledger.chain import Counts, Event, approval_message, signed_by, wrong
from starling.ledger.charged_noise import RESPONSE
from starling.ledger.keys import Public
from starling.ledger.registered import KINDS, Cap, Registered, differs
from starling.ledger.responses import Responses, Stored, is_new
from starling.ledger.rules import Ticket
from starling.ledger.store import Transaction
from starling.ledger.terms import RequestedCharge

_scan = json.JSONDecoder().raw_decode
"""The decoder without the white space around: ledgers are long."""


class Charged(NamedTuple):
    """The row of a charge, as a table holds it."""

    analyst: str
    request_id: str
    request_hash: str
    dataset: str
    amount: int
    previous: int | None
    state: str
    answer_kind: str | None
    answer: str | None
    drawn_sha256: str | None
    drawn_key: str | None
    times: int

    @property
    def status(self) -> "Status":
        """What becomes of a charge after it was made."""
        answer = None if self.answer is None else rows.sha256(self.answer)
        return self.state, self.answer_kind, answer, self.drawn_sha256, self.drawn_key, self.times


CHARGED = ", ".join(f"charges.{name}" for name in Charged._fields)
"""The columns of a row of `Charged`."""

Status: TypeAlias = tuple[str, str | None, str | None, str | None, str | None, int]
"""What became of a charge: its state, kind and SHA-256 of its answer, SHA-256 and key of its draw, and how often it was paid."""


@dataclass(slots=True, eq=False)
class _Open:
    """A charge that has not ended: what a redraw of it asks and spends, what its row said when it was read, and its draw; of one for a
    response, its population, its event and what was kept.
    """

    request: RequestedCharge
    caps: tuple[Cap, ...]
    stated: Status | None = None
    drawn: tuple[str | None, str | None] = None, None
    response: tuple[str, dict[str, Any]] | None = None
    stored: Stored | None = None
    times: int = 1

    def status(self, state: str, kind: str | None, answer: str | None) -> Status:
        """What its row should say when it is in that state."""
        return state, kind, answer, *self.drawn, self.times


class Replay:
    """Takes the events in order with the rows of charges, then compares the other tables.

    `second` is the second custodian's key, if there is one. Without `tables` no rows of charges come, and the events alone are checked.
    """

    def __init__(self, ledger: str, signer: Public, second: Public | None, *, tables: bool = True) -> None:
        self._tables = tables
        self._ledger = ledger
        self._signer = signer
        self._second = second
        self._about: dict[str, str] = {}
        self.registered = Registered(self._is_approved)
        self.responses = Responses()
        self._seq = 0
        self._open: dict[int, _Open] = {}
        self._late: dict[int, Status] = {}
        self.counts = Counts()

    def take(self, event: Event, row: Charged | None) -> None:
        """One more event, with the row of the charge that it is; raises IntegrityError when it breaks a rule or differs from it."""
        self._seq = event.seq
        try:
            body, end = _scan(event.body, 0)
            if end != len(event.body):
                raise wrong(event.seq, "has more than one body")
            if event.kind == "charge":
                self._charge(event, body, row)
            else:
                self._other(event, body, row)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError):
            raise wrong(event.seq, "refers to what is not there") from None

    def _charge(self, event: Event, body: dict[str, Any], row: Charged | None) -> None:
        seq, dataset, analyst, amount = event.seq, body["dataset"], body["analyst"], body["amount"]
        population, caps = self.registered.place(seq, dataset, analyst)
        request = RequestedCharge(dataset, analyst, body["hash"], amount)
        noise = self.registered.noise_of(seq, population, body)
        if amount != noise.once:
            raise wrong(seq, "does not charge what it costs")
        if RESPONSE in body:
            self._check_response(seq, population.name, body)
        self._check_key(event, body, request, caps)
        # The last of the three caps is the population's: its charge before this one.
        previous = caps[-1].last
        spent = *caps, noise
        _spend(seq, amount, spent)
        for cap in spent:
            cap.last = seq
        if body["balances"] != _balances(caps):
            raise wrong(seq, "states other balances than it leaves")
        if not self._tables:
            self._open[seq] = _Open(request, spent)
        elif row is None or row[:6] != (analyst, body["request_id"], body["hash"], dataset, amount, previous):
            raise differs("charges")
        else:
            self._open[seq] = _Open(request, spent, row.status)
        if is_new(body):
            self._open[seq].response = population.name, body

    def _check_response(self, seq: int, population: str, body: dict[str, Any]) -> None:
        """Raises IntegrityError for a charge that costs nothing by a response that nobody paid for."""
        try:
            self.responses.check(population, body)
        except StarlingError:
            raise wrong(seq, "costs nothing by a response that no earlier charge paid for and kept") from None

    def _check_key(self, event: Event, body: dict[str, Any], request: RequestedCharge, caps: tuple[Cap, ...]) -> None:
        """Raises IntegrityError where another key than the custodian's spends what it could not; the second cap is the dataset's."""
        if "by" not in body:
            return
        if not self.registered.rights.held(body["by"], request.dataset, event.at):
            raise wrong(event.seq, "is charged by a key that had no right to")
        if not self.registered.terms.use(request, caps[1].left, event.at):
            raise wrong(
                event.seq, "is charged by a server without an approval, or from what was kept for the custodian"
            )

    def _other(self, event: Event, body: dict[str, Any], row: Charged | None) -> None:
        if row is not None:
            raise differs("charges")
        if event.kind in ("answer", "void"):
            self._end(event.seq, event.kind, body)
        elif event.kind in ("takeover", "drawn", "redrawn"):
            self._run(event, body)
        elif event.kind == "create" and event.seq == 1:
            self._about = body
        elif event.kind in KINDS:
            if not signed_by(self._signer, self._ledger, event.kind, body):
                raise wrong(event.seq, "is not signed by the custodian")
            self.registered.take(event.seq, event.kind, body)
        else:
            raise wrong(event.seq, "is of no known kind")

    def _end(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        charge = self._open.pop(body["charge"], None)
        if charge is None:
            raise wrong(seq, "ends no open charge")
        end = ("answered", body["kind"], body["sha256"]) if kind == "answer" else ("voided", None, None)
        if charge.response is not None and charge.stored is not None and kind == "answer":
            self.responses.answered(body["charge"], *charge.response, str(charge.drawn[1]), charge.stored)
        status = charge.status(*end)
        if self._tables and charge.stated != status:
            # Its row was read before it ended, or says that it did not.
            self._late[body["charge"]] = status

    def _run(self, event: Event, body: dict[str, Any]) -> None:
        """What runs do on the way from the charge to its answer."""
        seq, kind, charge = event.seq, event.kind, self._open.get(body["charge"])
        if charge is None:
            raise wrong(seq, "is of no open charge")
        if kind == "takeover":
            self.counts.takeovers += 1
        elif kind == "drawn":
            if charge.drawn != (None, None):
                raise wrong(seq, "draws again for one charge")
            charge.drawn = str(body["sha256"]), str(body["key"])
            if "kept" in body:
                if charge.response is None:
                    raise wrong(seq, "keeps what is no response")
                charge.stored = Stored.read(body["kept"])
            self.counts.draws += 1
        else:
            if charge.drawn == (None, None):
                raise wrong(seq, "pays again for a draw that was not made")
            if body["amount"] != charge.request.amount:
                raise wrong(seq, "does not charge what it costs")
            self._check_key(event, body, charge.request, charge.caps)
            _spend(seq, charge.request.amount, charge.caps)
            # The last of them is the kind of noise.
            if body["balances"] != _balances(charge.caps[:-1]):
                raise wrong(seq, "states other balances than it leaves")
            charge.drawn, charge.stored = (None, None), None
            charge.times += 1
            self.counts.redraws += 1

    def _is_approved(self, body: Mapping[str, Any]) -> bool:
        """Whether a raise bears the second custodian's approval, where the ledger has one."""
        return self._second is None or self._second.holds(
            approval_message(self._ledger, body), str(body.get("approval"))
        )

    def compare(self, tx: Transaction) -> None:
        """Raises IntegrityError where a table of the ledger says something else than its events."""
        if set(tx.rows("SELECT key, value FROM about")) != set(self._about.items()):
            raise differs("about")
        self.registered.compare(tx)
        if tx.one("SELECT seq FROM charges WHERE seq < 1 OR seq > ? LIMIT 1", self._seq) is not None:
            raise differs("charges")
        self.settle(tx)

    def settle(self, tx: Transaction) -> None:
        """Compare the rows of charges that changed after they were read; raises IntegrityError."""
        expected = dict(self._late)
        for seq, charge in self._open.items():
            if charge.stated != (status := charge.status("charged", None, None)):
                expected[seq] = status
        read = tx.numbered(f"SELECT seq, {CHARGED} FROM charges WHERE seq", sorted(expected))
        if {seq: Charged._make(cast(Any, rest)).status for seq, *rest in read} != expected:
            raise differs("charges")
        self._late.clear()
        for seq in expected.keys() & self._open.keys():
            self._open[seq].stated = expected[seq]

    def check_open(self, ticket: Ticket) -> None:
        """Raises IntegrityError where the row of an open charge says something else than the events of it."""
        charge = self._open.get(ticket.seq)
        drawn = (None, None) if ticket.drawn is None else (ticket.drawn.sha256, ticket.drawn.key)
        if charge is None or charge.drawn != drawn:
            raise differs("charges")


def _spend(seq: int, amount: int, caps: tuple[Cap, ...]) -> None:
    for cap in caps:
        cap.spent += amount
        if cap.cap is not None and cap.spent > cap.cap:
            raise wrong(seq, f"overspends the cap of {cap.name}")


def _balances(caps: tuple[Cap, ...]) -> dict[str, int]:
    return dict(zip(rules.SCOPES, (cap.spent for cap in caps), strict=True))

"""Each promise holds on both stores, and each test is seen to fail when one line of the code is wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from starling.ledger import chain, charging, deadline, replay, rows, rules
from starling.ledger.book import Book
from starling.ledger.charging import Charging
from starling.ledger.custody import Custody
from starling.ledger.ticket import Ticket
from starling.ledger.witness import Witness
from starling.privacy import trust
from starling.privacy.guarantee import Guarantee
from tests.ledger import promises
from tests.ledger.promises import PROMISES
from tests.ledger.worlds import World


@pytest.mark.parametrize("promise", list(PROMISES.values()), ids=list(PROMISES))
def test_promise(promise: Callable[[World], None], world: World) -> None:
    promise(world)


# One line that is wrong, for each promise: (promise, where, name, what stands there instead).


def _reads_first(data: Any, mechanism: Any, account: Any) -> Any:
    exact = mechanism.draw(trust._run(data))
    account.charge(mechanism.guarantee)
    return type("Released", (), {"value": exact})


def _charges_again(self: Charging, tx: Any, known: tuple[Ticket, int], lease: str, now: int) -> Ticket:
    tx.run("DELETE FROM charges WHERE seq = ?", known[0].seq)
    return self._charge(tx, known[0].request, promises.costing(1), lease)


def _refunds(data: Any, mechanism: Any, account: Any) -> Any:
    try:
        value = mechanism.draw(trust._run(data))
    except Exception:
        raise promises.RunFailed from None
    account.charge(mechanism.guarantee)
    return type("Released", (), {"value": value})


def _tells(data: Any, mechanism: Any, account: Any) -> Any:
    account.charge(mechanism.guarantee)
    try:
        return mechanism.draw(trust._run(data))
    except Exception as error:
        failed = promises.RunFailed()
        failed.__cause__ = error
        raise failed from error


def _never_expires(self: Charging, tx: Any, known: tuple[Ticket, int], lease: str, now: int) -> Ticket:
    raise promises.LedgerUnavailable(field="request_id", problem="holds its lease for 120 seconds", fix="wait")


FAULTS: list[tuple[str, str, Any, str, Any]] = [
    ("01", "read before the charge", promises, "publish", _reads_first),
    ("02", "a known id is charged again", Charging, "_again", _charges_again),
    ("02", "another body passes for the same", rules, "check_same", lambda stored, request: None),
    ("03", "the caps are not checked", rules, "check_caps", lambda caps, amount: None),
    ("05", "a charge is rounded down", rules, "charge_units", lambda amount: int(amount * rules.UNIT)),
    ("06", "the neighbour relation is not converted", rules, "_change_factor", lambda lineage, guarantee: 1),
    ("07", "a failed run is not charged", promises, "publish", _refunds),
    ("08", "read before the refusal", promises, "publish", _reads_first),
    ("09", "the cause is kept", promises, "publish", _tells),
    ("10", "an answer leaves when it is ready", promises, "departure", lambda planned, took: took),
    ("11", "the hash leaves out the body", chain, "digest", lambda previous, seq, kind, at, body: "0" * 64),
    ("11", "the tables are not compared", replay.Replay, "compare", lambda self, tx: None),
    ("12", "the witness is not asked", Book, "_check_witness", lambda self: None),
    ("12", "the witness does not advance", Witness, "advance", lambda self, head, key: None),
    ("13", "a lease never ends", Charging, "_again", _never_expires),
    ("13", "the clock is believed", rows, "time_of", lambda tx, clock: clock),
    ("14", "the store is not asked", rows, "answered", lambda tx, request: None),
    ("15", "the event is not signed", Custody, "_signed", lambda self, tx, kind, body: rows.append(tx, kind, 0, body)),
]


@pytest.mark.parametrize(
    ("promise", "fault", "where", "name", "instead"), FAULTS, ids=[f"{f[0]} {f[1]}" for f in FAULTS]
)
def test_fault_is_found(
    promise: str, fault: str, where: Any, name: str, instead: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    del fault
    check = next(value for key, value in PROMISES.items() if key.startswith(f"promise_{promise}"))
    monkeypatch.setattr(where, name, instead)
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - whatever the broken promise ends in
        check(world)
    assert not isinstance(caught.value, KeyboardInterrupt | SystemExit)


def test_the_guarantee_is_what_is_charged() -> None:
    assert isinstance(promises.Count().guarantee, Guarantee)
    assert charging.LEASE_SECONDS > 0
    assert deadline.departure(1, 1) == 1

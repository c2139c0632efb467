"""Each promise holds on both stores, and each test is seen to fail when one line of the code is wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from starling.errors import LedgerUnavailable, RunFailed
from starling.ledger import chain, deadline, leases, replay, rows, rules
from starling.ledger.book import Book
from starling.ledger.charging import Charging
from starling.ledger.custody import Custody
from starling.ledger.witness import Witness
from starling.privacy import trust
from starling.privacy.guarantee import Guarantee
from tests.ledger import promises
from tests.ledger.promises import PROMISES
from tests.ledger.worlds import Count, World

# A clock that is set wrong on purpose warns each time.
pytestmark = pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning")


@pytest.mark.cover
@pytest.mark.parametrize("promise", list(PROMISES.values()), ids=list(PROMISES))
def test_promise(promise: Callable[[World], None], world: World) -> None:
    promise(world)


# For each promise a line that is wrong: (promise, in words, where it stands, its name, what stands there instead).


def _reads_first(data: Any, mechanism: Any, account: Any) -> Any:
    exact = mechanism.draw(trust._run(data))
    account.charge(mechanism.guarantee)
    return type("Released", (), {"value": exact})


plain_decided = Charging._decided


def _charges_again(self: Charging, tx: Any, writer: Any, request: Any, guarantee: Any, done: Any) -> Any:
    tx.run("DELETE FROM charges WHERE request_id = ?", request.request_id)
    return plain_decided(self, tx, writer, request, guarantee, done)


def _refunds(data: Any, mechanism: Any, account: Any) -> Any:
    try:
        value = mechanism.draw(trust._run(data))
    except Exception:  # noqa: BLE001 - as the boundary does
        raise RunFailed from None
    account.charge(mechanism.guarantee)
    return type("Released", (), {"value": value})


def _tells(data: Any, mechanism: Any, account: Any) -> Any:
    account.charge(mechanism.guarantee)
    try:
        return mechanism.draw(trust._run(data))
    except Exception as error:
        failed = RunFailed()
        failed.__cause__ = error
        raise failed from error


def _never_expires(left: int) -> None:
    del left
    raise LedgerUnavailable(field="request_id", problem="holds its lease for 120 seconds", fix="wait")


FAULTS: list[tuple[str, str, Any, str, Any]] = [
    ("01", "read before the charge", promises, "publish", _reads_first),
    ("02", "a known id is charged again", Charging, "_decided", _charges_again),
    ("02", "another body passes for the same", rules, "check_same", lambda *_: None),
    ("03", "the caps are not checked", rules, "check_caps", lambda *_: None),
    ("05", "a charge is rounded down", rules, "charge_units", lambda amount: int(amount * rules.UNIT)),
    ("06", "the neighbour relation is not converted", rules, "_change_factor", lambda *_: 1),
    ("07", "a failed run is not charged", promises, "publish", _refunds),
    ("08", "read before the refusal", promises, "publish", _reads_first),
    ("09", "the cause is kept", promises, "publish", _tells),
    ("10", "an answer leaves when it is ready", promises, "departure", lambda _, took: took),
    ("11", "the hash leaves out the body", chain, "digest", lambda *_: "0" * 64),
    ("11", "the tables are not compared", replay.Replay, "compare", lambda *_: None),
    ("12", "the witness is not asked", Book, "_check_holds", lambda *_: None),
    ("12", "the witness does not advance", Witness, "advance", lambda *_: None),
    ("13", "a lease never ends", leases, "check", _never_expires),
    ("13", "the clock is believed", rows, "time_of", lambda _, clock: clock),
    ("14", "the store is not asked", Charging, "_adopted", lambda *_: None),
    ("15", "the event is not signed", Custody, "_signed", lambda _, writer, kind, body: writer.append(kind, body)),
]


@pytest.mark.cover
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
    assert isinstance(Count().guarantee, Guarantee)
    assert leases.SECONDS > 0
    assert deadline.departure(1, 1) == 1

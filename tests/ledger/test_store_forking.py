"""A fork of a process whose threads hold locks goes on."""

import os
import signal
import threading
from contextlib import closing

import pytest

from starling.errors import LedgerUnavailable
from starling.ledger.batching import Batcher
from starling.ledger.keys import Key
from starling.ledger.store import Transaction
from tests.ledger.worlds import World, costing, request

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")


def forked(world: World, name: str = "child", *, through: Batcher | None = None) -> int:
    """A child that charges, or is told to come back; it dies by an alarm where it hangs."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(20)
    try:
        if through is None:
            world.charge(name)
        else:
            through.charge(request(name), costing(1))
        os._exit(0)
    except LedgerUnavailable as error:
        os._exit(error.exit_code)
    finally:
        os._exit(1)


@pytest.mark.series(1)
def test_a_child_charges_while_a_thread_of_its_parent_holds_the_store(world: World) -> None:
    inside, done = threading.Event(), threading.Event()

    def work(tx: Transaction) -> None:
        tx.one("SELECT 1 FROM about")
        inside.set()
        done.wait(60)

    reader = threading.Thread(target=lambda: world.ledger.book.store.atomically(work, write=False))
    reader.start()
    inside.wait(60)
    threading.Timer(0.2, done.set).start()
    assert forked(world) == 0
    reader.join()
    world.charge("parent")
    assert world.spent() == 2
    world.ledger.reading.verify()


@pytest.mark.series(1)
def test_children_of_a_process_whose_threads_charge_charge_too(world: World) -> None:
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            world.ledger.charging.find(request("nothing"))

    threads = [threading.Thread(target=spin) for _ in range(3)]
    for thread in threads:
        thread.start()
    codes = [forked(world, f"child-{number}") for number in range(4)]
    stop.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 4
    assert world.spent() == 4


@pytest.mark.series(1)
def test_a_child_charges_while_a_thread_of_its_parent_writes_the_witness(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, done, parent, sign = threading.Event(), threading.Event(), os.getpid(), Key.sign

    def slowly(key: Key, message: bytes) -> str:
        if os.getpid() == parent:
            inside.set()
            done.wait(60)
        return sign(key, message)

    monkeypatch.setattr(Key, "sign", slowly)
    ledger = world.ledger
    head = ledger.reading.head()
    writer = threading.Thread(target=lambda: world.charge("parent"))
    writer.start()
    inside.wait(60)
    threading.Timer(0.3, done.set).start()
    assert forked(world) == 0
    writer.join()
    assert ledger.reading.head().seq == head.seq + 2
    ledger.reading.verify()


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_a_batcher_begins_a_thread_of_its_own_in_a_child(world: World) -> None:
    with closing(Batcher(world.ledger.charging)) as batcher:
        assert batcher.charge(request(0), costing(1)).fresh
        assert forked(world, through=batcher) == 0
        assert batcher.charge(request(1), costing(1)).fresh

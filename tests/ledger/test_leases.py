"""A lease is one run's alone, and it ends."""

import os
import signal

import pytest

from starling.errors import LedgerUnavailable
from starling.ledger import leases
from starling.ledger.book import ClockWarning
from starling.ledger.leases import SECONDS as LEASE_SECONDS
from starling.ledger.leases import Clock, Lease, Tokens, started
from starling.ledger.opening import open_ledger
from tests.ledger.worlds import World, costing, request

YEAR = 365 * 86_400

pytestmark = [
    pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
]


def test_no_two_tokens_are_the_same_in_a_fork_either() -> None:
    tokens = Tokens()
    out, into = os.pipe()
    seen = {tokens.fresh(), tokens.fresh()}
    child = os.fork()
    if child == 0:
        os.write(into, tokens.fresh().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(into)
    with os.fdopen(out) as file:
        seen |= {file.read(), tokens.fresh(), Tokens().fresh()}
    assert len(seen) == 5


def test_a_lease_is_held_until_it_ends() -> None:
    with pytest.raises(LedgerUnavailable, match="up to 3 seconds"):
        leases.check(3)
    leases.check(0)


@pytest.mark.cover
@pytest.mark.parametrize("set_to", [-3600, -10, 0, 60])
def test_a_holder_on_this_machine_has_two_minutes_however_the_clock_is_set(world: World, set_to: int) -> None:
    world.charge(1)
    world.time.wall += set_to
    world.time.passes(LEASE_SECONDS - 61)
    with pytest.raises(LedgerUnavailable, match="holds its lease"):
        world.charge(1)
    world.time.passes(61)
    assert not world.charge(1).fresh
    world.ledger.reading.verify()


@pytest.mark.parametrize("back", [3600, 10 * YEAR])
def test_on_another_machine_a_clock_set_back_makes_no_lease_longer_than_one(world: World, back: int) -> None:
    far = open_ledger(world.url, clock=world.time.clock(lambda: "another-machine"))
    far.charging.charge(request(1), costing(1))
    far.close()
    world.time.wall -= back
    with pytest.raises(LedgerUnavailable, match=f"{LEASE_SECONDS} seconds"):
        world.charge(1)
    world.time.passes(LEASE_SECONDS - 1)
    with pytest.raises(LedgerUnavailable, match="up to 1 second;"):
        world.charge(1)
    world.time.passes(1)
    assert not world.charge(1).fresh


def test_one_event_far_ahead_locks_no_id(world: World) -> None:
    world.time.wall += 10 * YEAR
    world.charge("ahead")
    world.time.wall -= 10 * YEAR
    world.charge("dead")
    with pytest.raises(LedgerUnavailable):
        world.charge("dead")
    world.time.passes(LEASE_SECONDS)
    assert not world.charge("dead").fresh
    assert not world.charge("ahead").fresh
    world.ledger.reading.verify()


def test_a_clock_that_jumps_forward_is_warned_of_once(world: World) -> None:
    world.time.wall += YEAR
    with pytest.warns(ClockWarning, match="was set ahead by 31,536,000 seconds"):
        world.charge(1)
    world.charge(2)
    world.time.wall -= YEAR
    again = world.again()
    with pytest.warns(ClockWarning, match="31,536,000 seconds ahead of this machine's clock"):
        again.charging.charge(request(3), costing(1))
    again.charging.charge(request(4), costing(1))
    again.close()


def test_a_dead_holder_is_followed_at_once_and_a_living_one_is_not(world: World) -> None:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            world.again().charging.charge(request(1), costing(1))
            os.write(into, b"charged")
            signal.pause()
        finally:
            os._exit(1)
    os.close(into)
    assert os.read(out, 7) == b"charged"
    with pytest.raises(LedgerUnavailable, match="holds its lease"):
        world.charge(1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not world.charge(1).fresh
    os.close(out)
    assert world.spent() == 1


def test_a_number_that_another_process_has_now_is_no_living_holder() -> None:
    clock = Clock()
    lease = clock.lease()
    assert 0 < clock.left(lease) <= LEASE_SECONDS
    where, process, start, until = lease.holder.split(" ")
    assert clock.left(Lease(lease.until, f"{where} {process} {int(start) + 1} {until}")) == 0
    assert clock.left(Lease(lease.until, f"elsewhere {process} {int(start) + 1} {until}")) > 0
    assert clock.left(Lease(lease.until, "")) > 0
    assert started(0) == ""


def test_what_lies_in_a_release_names_no_machine() -> None:
    assert Clock(machine=lambda: "").lease().holder == ""


def test_a_forked_child_holds_its_lease_itself() -> None:
    """What is asked for once in a process is not what its parent was told."""
    parent = Clock().lease().holder.split(" ")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, Clock().lease().holder.encode())
        os._exit(0)
    os.waitpid(child, 0)
    where, process, start, _ = os.read(reading, 1000).decode().split(" ")
    os.close(reading)
    os.close(writing)
    assert (where, process) == (parent[0], str(child))
    assert int(start) >= int(parent[2])

"""Calls made together: each gets its own answer or error, one thread makes them, and no call that was given up holds up another."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable

import pytest

from starling.ledger.batching import Batches, each

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")


def test_every_call_gets_its_own_answer_or_error() -> None:
    def half(number: int) -> Callable[[], int]:
        def call() -> int:
            if number % 2:
                raise ValueError(number)
            return number // 2

        return call

    async def everybody() -> list[int | BaseException]:
        batches = Batches[Callable[[], int], int](each)
        return await asyncio.gather(*(batches.take(half(number)) for number in range(20)), return_exceptions=True)

    for number, found in enumerate(asyncio.run(everybody())):
        if number % 2:
            assert isinstance(found, ValueError)
            assert found.args == (number,)
        else:
            assert found == number // 2


def test_those_that_wait_are_made_together_by_one_thread_also_where_one_went_away() -> None:
    batches: list[list[int]] = []
    threads: set[int] = set()
    begun, gate = threading.Event(), threading.Event()

    def make(asked: list[int]) -> list[int | Exception]:
        batches.append(asked)
        threads.add(threading.get_ident())
        begun.set()
        gate.wait()
        return [-number for number in asked]

    async def everybody() -> list[int]:
        batches = Batches(make)
        first = asyncio.create_task(batches.take(0))
        await asyncio.to_thread(begun.wait)
        later = [asyncio.create_task(batches.take(number)) for number in (1, 2, 3)]
        await asyncio.sleep(0)
        later[1].cancel()
        gate.set()
        return [await first, await later[0], await later[2], await batches.take(4)]

    assert asyncio.run(everybody()) == [0, -1, -3, -4]
    assert batches == [[0], [1, 2, 3], [4]]
    assert len(threads) == 1


def test_a_loop_that_ends_in_the_middle_leaves_batches_for_the_next() -> None:
    batches = Batches[int, int](lambda asked: [number + 1 for number in asked])
    for number in range(3):
        assert asyncio.run(batches.take(number)) == number + 1


def test_a_fault_of_whoever_makes_the_calls_reaches_all_that_wait() -> None:
    def broken(_: list[int]) -> list[int | Exception]:
        raise RuntimeError("broken")

    async def ask() -> None:
        batches = Batches(broken)
        found = await asyncio.wait_for(asyncio.gather(*map(batches.take, range(3)), return_exceptions=True), 10)
        assert [type(each) for each in found] == [RuntimeError] * 3

    asyncio.run(ask())
    with pytest.raises(RuntimeError):
        broken([])


def test_a_forked_process_begins_a_thread_of_its_own() -> None:
    async def one() -> int:
        return await batches.take(lambda: 7)

    batches = Batches[Callable[[], int], int](each)
    assert asyncio.run(one()) == 7
    child = os.fork()
    if child == 0:
        # Whoever waits for a thread that is not there is ended.
        signal.alarm(60)
        try:
            os._exit(asyncio.run(one()))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

"""Calls in turn: each gets its own answer or error, those that wait are made together, and nobody who goes away holds up the others."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable

import pytest

from starling.server.batching import Turns, each


def test_every_call_gets_its_own_answer_or_error() -> None:
    def half(number: int) -> Callable[[], int]:
        def call() -> int:
            if number % 2:
                raise ValueError(number)
            return number // 2

        return call

    async def everybody() -> list[int | BaseException]:
        turns = Turns[Callable[[], int], int](each)
        return await asyncio.gather(*(turns.take(half(number)) for number in range(20)), return_exceptions=True)

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
        turns = Turns(make)
        first = asyncio.create_task(turns.take(0))
        await asyncio.to_thread(begun.wait)
        later = [asyncio.create_task(turns.take(number)) for number in (1, 2, 3)]
        await asyncio.sleep(0)
        later[1].cancel()
        gate.set()
        return [await first, await later[0], await later[2], await turns.take(4)]

    assert asyncio.run(everybody()) == [0, -1, -3, -4]
    assert batches == [[0], [1, 2, 3], [4]]
    assert len(threads) == 1


def test_a_loop_that_ends_in_the_middle_leaves_turns_for_the_next() -> None:
    turns = Turns[int, int](lambda asked: [number + 1 for number in asked])
    for number in range(3):
        assert asyncio.run(turns.take(number)) == number + 1


def test_a_fault_of_whoever_makes_the_calls_reaches_all_that_wait() -> None:
    def broken(_: list[int]) -> list[int | Exception]:
        raise RuntimeError("broken")

    async def ask() -> None:
        turns = Turns(broken)
        found = await asyncio.wait_for(asyncio.gather(*map(turns.take, range(3)), return_exceptions=True), 10)
        assert [type(each) for each in found] == [RuntimeError] * 3

    asyncio.run(ask())
    with pytest.raises(RuntimeError):
        broken([])


def test_a_forked_process_begins_a_thread_of_its_own() -> None:
    async def one() -> int:
        return await turns.take(lambda: 7)

    turns = Turns[Callable[[], int], int](each)
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

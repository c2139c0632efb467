"""Calls that many requests make of one thing, made by one thread: those that wait together are made together.

A request then waits for its own answer and for no thread, and what costs the same for one call as for many, such as a flush of the disk,
is paid once for all that wait.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

A = TypeVar("A")
R = TypeVar("R")


class Turns(Generic[A, R]):
    """A thread that makes calls, begun with the first of them; a process that was forked begins one of its own. `make` makes all calls
    that it is given: each gets what it returns, or what it raises, at its place.
    """

    def __init__(self, make: Callable[[list[A]], list[R | Exception]]) -> None:
        self._make = make
        self._process: int | None = None
        self._waiting: list[tuple[A, asyncio.Future[R]]] = []
        self._working: asyncio.Task[None] | None = None

    async def take(self, argument: A) -> R:
        """What the call gives, once it has been made; raises what it raises."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((argument, future))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        if self._process != os.getpid():
            # A fork has no threads of the process that it was made from: a call that waited for one would wait for ever.
            self._process, self._thread = os.getpid(), ThreadPoolExecutor(1, thread_name_prefix="turns")
        try:
            while self._waiting:
                taken, self._waiting = self._waiting, []
                outcomes = await loop.run_in_executor(self._thread, self._outcomes, [argument for argument, _ in taken])
                for (_, future), outcome in zip(taken, outcomes, strict=True):
                    # The request may have ended.
                    if future.done():
                        continue
                    if isinstance(outcome, Exception):
                        future.set_exception(outcome)
                    else:
                        future.set_result(outcome)
        finally:
            self._working = None

    def _outcomes(self, argument: list[A]) -> list[R | Exception]:
        try:
            return self._make(argument)
        except Exception as error:  # noqa: BLE001 - nobody may wait for ever, whatever the fault
            return [error] * len(argument)


def each(calls: list[Callable[[], R]]) -> list[R | Exception]:
    """Make calls that have nothing in common, one after the other."""
    return [_outcome(call) for call in calls]


def _outcome(call: Callable[[], R]) -> R | Exception:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the call was asked for
        return error

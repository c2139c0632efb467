"""Locks at a fork: a child of a threaded process would find locks that other threads held, and nobody there to let them go.

The thread that forks holds all of them while it does, so that neither side is in the middle of anything: no child waits for a thread that
it does not have, and none inherits a transaction. (SQLite keeps what a connection has locked in the process's memory: a child that
inherited an open transaction could not lock that file again.)
"""

import os
import threading
from typing import Protocol, TypeVar
from weakref import WeakSet


class Lock(Protocol):
    """As in threading."""

    def acquire(self) -> bool: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


L = TypeVar("L", bound=Lock)

_LOCKS: WeakSet[Lock] = WeakSet()
_FORKING = threading.Lock()
_HELD: list[Lock] = []


def held_at_forks(lock: L) -> L:
    """`lock`, which nobody else holds when this process is forked."""
    _LOCKS.add(lock)
    return lock


def _hold() -> None:
    _FORKING.acquire()
    # In one order, whoever forks.
    for lock in sorted(_LOCKS, key=id):
        lock.acquire()
        _HELD.append(lock)


def _let_go() -> None:
    while _HELD:
        _HELD.pop().release()
    _FORKING.release()


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)

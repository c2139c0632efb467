"""Somebody hears when kernels begin to be compiled: the first run on a machine is at work for seconds before anything else happens.

Knows no Numba, so that a command can listen before it imports anything heavy; `compiled` tells. What is told depends on what this
machine has kept from earlier runs, never on records.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Listener: TypeAlias = Callable[[bool], None]
"""Is called with whether what is compiled will be kept for later runs."""

_listeners: list[Listener] = []


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """While this lasts `listener` is called when the first kernel is about to be compiled, and not again."""
    _listeners.append(listener)
    try:
        yield
    finally:
        if listener in _listeners:
            _listeners.remove(listener)


def begins(*, cached: bool) -> None:
    """Tell everybody who has not been told yet; a listener that cannot write stops no run."""
    while _listeners:
        try:
            _listeners.pop()(cached)
        except OSError:
            continue

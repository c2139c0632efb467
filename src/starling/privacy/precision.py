"""Arb's working precision, one number for the whole process: who computes with Arb holds its lock.

A ball is right at any precision; another thread that changed the precision midway could only make it wide, so that a decision
would be made a second time or on the safe side. The lock spares that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from flint import ctx

_LOCK = RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Arb works with `bits` bits inside the block; the same thread may nest it, other threads wait."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before

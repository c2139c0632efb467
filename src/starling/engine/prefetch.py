"""Work on the pieces of a large input by several threads, with its results in order and few of them in memory."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from starling.engine.machine import processors

T = TypeVar("T")
R = TypeVar("R")


def in_order(work: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> Generator[R, None, None]:
    """`work` of each item, in order, computed by a few threads that run a little ahead.

    At most `workers` + 1 items (by default the processors of this process) are taken and not yet given.
    """
    workers = workers or processors()
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[R]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) > workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

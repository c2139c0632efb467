"""What this process may use of the machine it runs on. Public: it depends on the machine and its owner alone.

`in_order` works on the pieces of a large input by several threads, with its results in order and few of them in memory.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

CONTROL_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""Where Linux tells a container how much memory it may have."""


def processors() -> int:
    """Processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int:
    """Bytes of memory that this process may use: the machine's, or the container's where that is less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(physical, int(CONTROL_GROUP.read_text()))
    except (OSError, ValueError):  # no such file, or "max"
        return physical


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

"""What this process may use of the machine it runs on. Public: it depends on the machine and its owner alone."""

import os
from pathlib import Path
from typing import Final

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

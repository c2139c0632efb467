"""Leases: of two runs of one request, one is at work, and a run that died or is silent for too long is followed by another.

A lease ends when its clock time is over, or when its holder is known to be dead, whichever is first. The holder is known on its own
machine, until that is started anew: there its death is seen, and the time since the lease began is counted by a clock that nobody
sets. On another machine there is only the wall clock, and no lease lasts longer than `SECONDS`: one that seems to, by a clock that was
set back, is cut to that (`Lease.seems_longer`). The times of events have no say in it: they never go back, so one event dated far ahead
would hold every later one.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Final

from starling.errors import LedgerUnavailable, number_of
from starling.privacy.sampling.entropy import fresh_id

SECONDS: Final = 120
"""How long a run may be silent before another may take over its charge; `Charging.renew` prolongs it."""

_BOOT: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@lru_cache(maxsize=1)
def machine() -> str:
    """This machine since it was started, and which process numbers are meant; empty where that is not known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}/{os.uname().nodename}".replace(" ", "_")
    except OSError:
        return ""


@lru_cache(maxsize=1)
def this_process() -> str:
    """The number of this process, and when it was started."""
    return f"{os.getpid()} {started(os.getpid())}"


# Both stay as they are while a process lives, and are asked for at every charge; a child is another process.
os.register_at_fork(after_in_child=machine.cache_clear)
os.register_at_fork(after_in_child=this_process.cache_clear)


def started(process: int) -> str:
    """When a process of this machine was started, in the kernel's ticks; empty where it does not live."""
    try:
        # The name before it may hold anything, a bracket too.
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


@dataclass(frozen=True, slots=True)
class Clock:
    """What a ledger knows of time, and of who it runs in.

    Attributes:
        wall: Seconds since 1970; somebody may set it.
        elapsed: Seconds since the machine was started, sleep included where the system counts it; nobody sets it.
        machine: Names the machine since then; empty where no holder of a lease is to be named.
    """

    wall: Callable[[], float] = time.time
    elapsed: Callable[[], float] = lambda: time.clock_gettime(_BOOT)
    machine: Callable[[], str] = machine

    def lease(self) -> "Lease":
        """A lease that this process begins now."""
        where = self.machine()
        until = int(self.elapsed()) + SECONDS
        holder = f"{where} {this_process()} {until}" if where else ""
        return Lease(int(self.wall()) + SECONDS, holder)

    def left(self, lease: "Lease") -> int:
        """Seconds for which the holder of a lease may be at work; 0 or less where it ended."""
        left = min(SECONDS, lease.until - int(self.wall()))
        where, _, rest = lease.holder.partition(" ")
        if where and where == self.machine():
            process, start, until = rest.split(" ")
            if started(int(process)) != start:
                return 0
            left = min(left, int(until) - int(self.elapsed()))
        return left

    def seems_longer(self, lease: "Lease") -> bool:
        """Whether a lease ends later than any that began by now: this clock was set back, or another was ahead."""
        return lease.until - int(self.wall()) > SECONDS


@dataclass(frozen=True, slots=True)
class Lease:
    """Until when a run is taken for alive.

    Attributes:
        until: The end by the wall clock, in seconds since 1970; 0 where the run gave it up.
        holder: Machine, process, its start, and the end by the machine's own clock, apart by blanks; empty where it is not known.
    """

    until: int
    holder: str


class Tokens:
    """Tokens that no two runs share: a random name of this process, and a count."""

    def __init__(self) -> None:
        self._pid = -1

    def fresh(self) -> str:
        """A token that was never given out."""
        if self._pid != os.getpid():
            # A fork must not go on with the name of its parent.
            self._pid, self._name, self._count = os.getpid(), fresh_id(), count(1)
        return f"{self._name}-{next(self._count)}"


def check(left: int) -> None:
    """Raises LedgerUnavailable while another run may be at work, for so many seconds."""
    if left > 0:
        raise LedgerUnavailable(
            "request",
            f"is being worked on by a run that holds its lease for up to {number_of(left, 'second')}",
            "try again then: nothing is paid twice",
        )

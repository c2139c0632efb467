"""The process in which pgenlib reads a .pgen, run as a script of its own: it imports NumPy and pgenlib, and nothing of Starling.

A supervisor forks a worker, which alone calls the library. Where the library ends the worker's process, by a fault of memory or because it
takes longer than LONGEST at a block, the variant that it was at is passed over and a new worker goes on after it. A variant at which
somebody else killed the worker is read once more. So no byte of a file ends the run, and a kill changes no result.

Requests and answers travel by a socket, calls by shared memory. Whoever started it holds the other end of the socket: when that is closed,
both processes end.
"""

import json
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from typing import Any, Final, NamedTuple, Never

REQUEST: Final = struct.Struct("<II")
"""Number of a block, and how many variants of it to read."""
WORK: Final = struct.Struct("<III")
"""The same for a worker, which begins at a variant."""
DONE, REFUSED = b".", b"x"
READ, PASSED_OVER = 0, 1
"""What became of a variant."""
BLOCKS: Final = 2
STEP, MOST_COPIES, NO_DOSAGE = 1 << 14, 2, 65_535
"""As in dosages.py, which this process does not import."""
HEAD: Final = 64
"""Bytes of shared memory before the blocks, in which a worker says where it is."""
LONGEST: Final = 60.0
"""Seconds of the processor that a block may take."""
MOST_ENDS: Final = 100
"""How often the library may end a worker; then all that is left is passed over."""


class Block(NamedTuple):
    """A block of shared memory, as arrays: rows and alleles of variants to read, what became of each, and the calls."""

    rows: Any
    alleles: Any
    states: Any
    calls: Any


def block_bytes(length: int, people: int, *, dosages: bool = False) -> int:
    """Bytes of a block of so many variants."""
    return (10 * length + length * people * (1 + dosages) + 63) // 64 * 64


def blocks(memory: Any, length: int, people: int, *, dosages: bool = False) -> list[Block]:
    """The blocks of shared memory; its calls are int8, or of dosages steps, uint16."""
    import numpy as np

    listed = []
    for number in range(BLOCKS):
        begin = HEAD + number * block_bytes(length, people, dosages=dosages)
        rows = np.frombuffer(memory, dtype=np.uint32, count=length, offset=begin)
        alleles = np.frombuffer(memory, dtype=np.uint32, count=length, offset=begin + 4 * length)
        states = np.frombuffer(memory, dtype=np.uint8, count=length, offset=begin + 8 * length)
        kind = np.uint16 if dosages else np.int8
        calls = np.frombuffer(memory, dtype=kind, count=length * people, offset=begin + 10 * length)
        listed.append(Block(rows, alleles, states, calls.reshape(length, people)))
    return listed


class _Worker:
    """Reads variants in a process that may die."""

    def __init__(self, job: dict[str, Any], memory: mmap.mmap, offsets: Any, link: socket.socket) -> None:
        self._link = link
        self._near_end, far_end = socket.socketpair()
        self._process = os.fork()
        if self._process == 0:
            self._near_end.close()
            link.close()
            code = 1
            try:
                _work(far_end, job, memory, offsets)
                code = 0
            finally:
                os._exit(code)
        far_end.close()

    def wait(self) -> bytes:
        """Its answer; empty where it died. Ends this process too when nobody waits for an answer any more."""
        poll = select.poll()
        poll.register(self._near_end, select.POLLIN)
        poll.register(self._link, select.POLLRDHUP)
        while True:
            for handle, _ in poll.poll():
                if handle == self._link.fileno():
                    self.end()
                    sys.exit()
                return self._near_end.recv(1)

    def ask(self, number: int, start: int, stop: int) -> bytes:
        """Have it read variants of a block."""
        with suppress(OSError):
            self._near_end.sendall(WORK.pack(number, start, stop))
        return self.wait()

    def end(self) -> int:
        """End it, if it has not; the signal by which it ended, 0 for none."""
        os.kill(self._process, signal.SIGKILL)
        status = os.waitpid(self._process, 0)[1]
        self._near_end.close()
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _work(link: socket.socket, job: dict[str, Any], memory: mmap.mmap, offsets: Any) -> None:
    """What a worker does until its supervisor is gone."""
    import numpy as np
    import pgenlib

    def opened() -> Any:
        return pgenlib.PgenReader(
            os.fsencode(job["path"]),
            raw_sample_ct=job["people"],
            variant_ct=job["variants"],
            allele_idx_offsets=offsets,
        )

    position = np.frombuffer(memory, dtype=np.int64, count=1)
    parts = blocks(memory, job["length"], job["people"], dosages=job["dosages"])
    numbers = np.empty(job["people"] if job["dosages"] else 0)

    def read(row: int, allele: int, out: Any) -> None:
        if not job["dosages"]:
            reader.read(row, out, allele)
            return
        reader.read_dosages(row, numbers, allele)
        known = (numbers >= 0) & (numbers <= MOST_COPIES)
        out[:] = np.where(known, np.rint(np.where(known, numbers, 0) * STEP), NO_DOSAGE)

    try:
        reader = opened()
    except Exception:  # noqa: BLE001 - the library raises RuntimeError, and asserts
        link.sendall(REFUSED)
        return
    link.sendall(DONE)
    while len(work := link.recv(WORK.size, socket.MSG_WAITALL)) == WORK.size:
        number, start, stop = WORK.unpack(work)
        block = parts[number]
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        for at in range(start, stop):
            position[0] = at
            try:
                read(int(block.rows[at]), int(block.alleles[at]), block.calls[at])
                block.states[at] = READ
            except Exception:  # noqa: BLE001 - as above
                block.states[at] = PASSED_OVER
                try:
                    # What the library keeps of earlier variants may be half written.
                    reader = opened()
                except Exception:  # noqa: BLE001 - as above
                    link.sendall(REFUSED)
                    return
        signal.setitimer(signal.ITIMER_PROF, 0)
        link.sendall(DONE)


def _supervise(link: socket.socket, memory: mmap.mmap, job: dict[str, Any], offsets: Any) -> None:
    import numpy as np

    position = np.frombuffer(memory, dtype=np.int64, count=1)
    parts = blocks(memory, job["length"], job["people"], dosages=job["dosages"])
    worker = _Worker(job, memory, offsets, link)
    ends = 0
    link.sendall(worker.wait() or REFUSED)
    while len(request := link.recv(REQUEST.size, socket.MSG_WAITALL)) == REQUEST.size:
        number, stop = REQUEST.unpack(request)
        start, killed, answer = 0, -1, b""
        while start < stop and not answer:
            if ends == MOST_ENDS:
                parts[number].states[start:stop] = PASSED_OVER
                break
            position[0] = start
            answer = worker.ask(number, start, stop)
            if answer:
                break
            at = min(max(int(position[0]), start), stop - 1)
            start = at
            if worker.end() == signal.SIGKILL and killed != at:
                killed = at
            else:
                parts[number].states[at] = PASSED_OVER
                ends += 1
                start += 1
            worker = _Worker(job, memory, offsets, link)
            while not (ready := worker.wait()) and worker.end() == signal.SIGKILL:
                worker = _Worker(job, memory, offsets, link)
            answer = b"" if ready == DONE else REFUSED
        link.sendall(answer or DONE)


def main() -> Never:
    """Serve the process that started this one: socket and shared memory are inherited."""
    link = socket.socket(fileno=int(sys.argv[1]))
    # Where memory is short, the machine ends this process and not the one that waits for it.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 - pathlib is not needed otherwise
        file.write("1000")
    # A dump of memory would hold calls.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    with link.makefile("rb", buffering=0) as lines:
        head = b""
        while not head.endswith(b"\n"):
            part = lines.read(1)
            if not part:
                sys.exit()
            head += part
    job = json.loads(head)
    sys.path[:] = job["paths"]
    import numpy as np
    import pgenlib  # noqa: F401 - workers are forked with it

    offsets = None
    if job["offsets"]:
        size = 8 * (job["variants"] + 1)
        content = bytearray()
        while len(content) < size and (part := link.recv(min(size - len(content), 1 << 20))):
            content += part
        offsets = np.frombuffer(bytes(content), dtype=np.uint64).astype(np.uintp)
    memory = mmap.mmap(int(sys.argv[2]), 0)
    with suppress(OSError):
        _supervise(link, memory, job, offsets)
    sys.exit()


if __name__ == "__main__":
    main()

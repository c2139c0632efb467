"""The only source of randomness: the operating system's generator stretched by AES-256 in counter mode.

One block, at most `BLOCK` words, has a key of its own: the state key XOR 32 fresh bytes of the operating system. The first 32
bytes of the block's key stream become the next state key, the rest are the words handed out.

- Fast key erasure: a state key is replaced before the first word of its block is used, so that who reads the memory later
  learns no earlier words. (Python cannot wipe the old key's memory; it is freed, and reused in time.)
- The fresh bytes make every block independent of whoever knows or shares the state: a forked process, a virtual machine that
  was copied while running. The state key protects against a weak generator of the operating system. One of the two suffices.
- After `os.fork` the child also throws its state away, lock included.
- Threads share one state: a lock is held while a block's key is derived, never while its words are made.

There is no seed. Sources for tests are classes of the tests: they are handed in by name, and say of themselves that they are not private.

Measured on one core with AES instructions: about 950 million words of 64 bits a second.
"""

import os
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias, final

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Words: TypeAlias = "npt.NDArray[np.uint64]"

BLOCK = 1 << 15
"""Words under one key: their zeros and their key stream stay in the second-level cache."""

_KEY_BYTES = 32
_ZEROS = memoryview(bytes(8 * BLOCK))


class BitSource(Protocol):
    """Independent uniform words of 64 bits."""

    private: ClassVar[bool]
    """Whether nobody can know the words; what is drawn from a source where this is False is NOT PRIVATE."""

    def fill(self, out: Words, /) -> None:
        """Overwrite all of `out`, a contiguous uint64 array, with fresh words."""


@final
class _System:
    """The source of every release; one for the process."""

    private: ClassVar[bool] = True

    def __init__(self) -> None:
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget the state. Also the lock: another thread may have held it when this process was forked."""
        self._lock = Lock()
        self._key = os.urandom(_KEY_BYTES)

    def fill(self, out: Words, /) -> None:
        """Overwrite all of `out` with fresh words, in blocks with a key of their own."""
        room = _bytes_of(out)
        for start in range(0, len(room), len(_ZEROS)):
            part = room[start : start + len(_ZEROS)]
            self._block().update_into(_ZEROS[: len(part)], part)

    def _block(self) -> CipherContext:
        """The key stream of a new block, behind the bytes that became the next state key."""
        fresh = os.urandom(_KEY_BYTES)
        with self._lock:
            mixed = int.from_bytes(self._key) ^ int.from_bytes(fresh)
            stream = key_stream(mixed.to_bytes(_KEY_BYTES))
            self._key = stream.update(_ZEROS[:_KEY_BYTES])
        return stream

    def __reduce__(self) -> str:
        return "_SYSTEM"


def _bytes_of(out: Words) -> memoryview:
    # An empty view cannot be cast.
    return out.data.cast("B") if out.size else memoryview(bytearray())


def key_stream(key: bytes) -> CipherContext:
    """AES in counter mode; a key is used once, for one file or block of words, so the counter may start at zero."""
    return Cipher(AES(key), CTR(bytes(16))).encryptor()


_SYSTEM = _System()
os.register_at_fork(after_in_child=_SYSTEM.start_afresh)


def system() -> BitSource:
    """The process's source of random words: what every release draws from."""
    return _SYSTEM


def fresh_id() -> str:
    """128 random bits as 32 hexadecimal digits: a name that nobody can guess and nobody has used."""
    return fresh_bytes(16).hex()


def fresh_bytes(count: int) -> bytes:
    """`count` random bytes: a key. Never for noise, which is drawn from `system()`."""
    # Not above: who reads a ledger needs no arrays, and would wait for them.
    import numpy as np

    words = np.empty(-(-count // 8), dtype=np.uint64)
    _SYSTEM.fill(words)
    return words.tobytes()[:count]

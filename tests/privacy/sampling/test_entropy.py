"""The words are AES-256-CTR under keys that nobody has; forks, threads and copies of the process share none."""

import copy
import os
import pickle
import threading

import numpy as np
import numpy.typing as npt
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from starling.privacy.sampling import entropy
from starling.privacy.sampling.entropy import BLOCK, fresh_id, system
from tests.privacy.sources import Scripted, Seeded

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")

Words = npt.NDArray[np.uint64]


def drawn(source: entropy.BitSource, shape: int | tuple[int, ...]) -> Words:
    """Fresh words."""
    out = np.zeros(shape, dtype=np.uint64)
    source.fill(out)
    return out


def counter_blocks(key: bytes, count: int) -> bytes:
    """AES-256 of 0, 1, 2, ... one block at a time: the definition of the key stream."""
    encryptor = Cipher(AES(key), ECB()).encryptor()
    return b"".join(encryptor.update(i.to_bytes(16, "big")) for i in range(count))


def test_words_are_the_key_stream_behind_the_next_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """White box: state XOR fresh bytes is the key, its first 32 bytes the next state, the rest the words."""
    monkeypatch.setattr("os.urandom", lambda count: bytes(range(count)))
    source = entropy._System()
    state = bytes(range(32))
    for words in (5, 64):
        key = bytes(a ^ b for a, b in zip(state, range(32), strict=True))
        stream = counter_blocks(key, 2 + -(-words // 2))
        assert drawn(source, words).tobytes() == stream[32 : 32 + 8 * words]
        state = stream[:32]
        assert source._key == state


def test_every_block_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with an operating system that always says the same."""
    monkeypatch.setattr("os.urandom", bytes)
    source = entropy._System()
    first, second = np.split(drawn(source, 2 * BLOCK), 2)
    assert not np.isin(first, second).any()


@pytest.mark.parametrize("size", [0, 1, 3, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_all_of_an_array_is_filled(size: int) -> None:
    """A word is 0 with a chance of 2^-64: false alarm below 1e-14."""
    assert np.count_nonzero(drawn(system(), size)) == size


def test_arrays_of_any_shape_are_filled() -> None:
    assert np.unique(drawn(system(), (3, 4, 5))).size == 60
    assert drawn(system(), (3, 0)).size == 0
    assert drawn(system(), ()) != 0


def test_an_array_that_is_not_contiguous_is_refused() -> None:
    with pytest.raises(TypeError):
        system().fill(np.zeros(10, dtype=np.uint64)[::2])


@pytest.mark.statistical
def test_bits_are_fair_and_words_do_not_repeat() -> None:
    """2^20 words: each of 64 bits within 7 standard deviations (false alarm 2e-10), all distinct (false alarm 3e-8)."""
    words = drawn(system(), 2**20)
    assert (np.diff(np.sort(words)) > 0).all()
    ones = np.array([np.count_nonzero(words & np.uint64(1 << bit)) for bit in range(64)])
    assert np.abs(ones - words.size / 2).max() < 7 * np.sqrt(words.size) / 2


def test_attack_a20_a_forked_process_draws_other_words() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, drawn(system(), 4).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert not np.isin(np.frombuffer(os.read(reading, 32), dtype=np.uint64), drawn(system(), 4)).any()


def test_attack_a20_a_forked_process_forgets_the_state() -> None:
    """With the lock held at the moment of the fork, as another thread may: the child still draws, from another state."""
    held = entropy._SYSTEM._lock
    with held:
        child = os.fork()
        if child == 0:
            before = entropy._SYSTEM._key
            forgotten = entropy._SYSTEM._lock is not held and not entropy._SYSTEM._lock.locked()
            drawn(system(), 1)
            os._exit(0 if forgotten and entropy._SYSTEM._key != before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_attack_a20_a_copied_machine_draws_other_words() -> None:
    """Two sources of one state, as after a virtual machine was copied while running."""
    one, other = entropy._System(), entropy._System()
    other._key = one._key
    assert not np.isin(drawn(one, 100), drawn(other, 100)).any()


def test_attack_a20_no_earlier_words_from_a_later_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even to somebody who knows what the operating system said: the key of a block is gone when its words are used."""
    monkeypatch.setattr("os.urandom", bytes)
    source = entropy._System()
    words = drawn(source, 8).tobytes()
    assert words not in counter_blocks(source._key, 64)


def test_threads_share_no_words() -> None:
    """8 threads, 2^17 words each: all distinct (false alarm 3e-8)."""
    parts = [np.zeros(2**17, dtype=np.uint64) for _ in range(8)]
    threads = [threading.Thread(target=system().fill, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (np.diff(np.sort(np.concatenate(parts))) > 0).all()


def test_the_source_is_one_and_cannot_be_copied() -> None:
    assert copy.deepcopy(system()) is copy.copy(system()) is pickle.loads(pickle.dumps(system())) is system()


def test_only_the_system_is_private() -> None:
    assert system().private
    assert not Seeded.private
    assert not Scripted.private


def test_seeded_words_repeat_however_they_are_asked_for() -> None:
    whole = drawn(Seeded(7), 100)
    source = Seeded(7)
    assert np.array_equal(np.concatenate([drawn(source, size) for size in (1, 0, 30, 69)]), whole)
    assert not np.isin(drawn(Seeded(8), 100), whole).any()


def test_a_script_is_read_in_order_to_its_end() -> None:
    source = Scripted([1, 2, 2**64 - 1])
    assert drawn(source, (1, 2)).tolist() == [[1, 2]]
    assert drawn(source, 1).tolist() == [2**64 - 1]
    with pytest.raises(EOFError):
        drawn(source, 1)


def test_a_fresh_id_is_32_hexadecimal_digits() -> None:
    one, other = fresh_id(), fresh_id()
    assert one != other
    assert len(one) == 32
    assert int(one, 16) > 0

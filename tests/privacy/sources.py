"""Sources of words for tests: what is drawn from them is NOT PRIVATE. A release takes no source, and so none of these."""

from collections.abc import Iterable
from typing import ClassVar, final

from starling.privacy.sampling.entropy import Words, _bytes_of, key_stream


@final
class Seeded:
    """NOT PRIVATE. The same words for the same seed, however they are asked for.

    Args:
        seed: 0 up to 2^256 - 1.
    """

    private: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self._stream = key_stream(seed.to_bytes(32, "little"))

    def fill(self, out: Words, /) -> None:
        """See `BitSource.fill`."""
        room = _bytes_of(out)
        self._stream.update_into(bytes(len(room)), room)


@final
class Scripted:
    """NOT PRIVATE. The given words, in order.

    Args:
        words: Integers 0 up to 2^64 - 1.
    """

    private: ClassVar[bool] = False

    def __init__(self, words: Iterable[int]) -> None:
        self._words = iter(words)

    def fill(self, out: Words, /) -> None:
        """See `BitSource.fill`; raises EOFError at the end of the script."""
        for place in range(out.size):
            word = next(self._words, None)
            if word is None:
                raise EOFError("the script of words is at its end")
            out.flat[place] = word

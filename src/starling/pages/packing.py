"""The one file that a script reads: facts as JSON, then arrays.

The file, gzip: four bytes (little-endian) say how long the facts are, UTF-8 follows, then arrays, each from a multiple of eight bytes on.
`facts.arrays` has the kind, the first byte and the length of each.
"""

import gzip
import json
import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

ALIGNED: Final = 8
COMPRESSION: Final = 6
"""Of gzip: 9 takes several times as long for a hundredth."""
_KINDS: Final = ("i1", "u1", "i2", "i4", "f8")


def packed(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """Facts and arrays as one compressed file."""
    narrow = {name: narrowest(array) for name, array in arrays.items()}
    places: dict[str, tuple[str, int, int]] = {}
    # The facts say where arrays begin, and are as long as that takes: room for any number of bytes up to a terabyte.
    head = len(json.dumps({**facts, "arrays": dict.fromkeys(narrow, ("f8", 10**12, 10**12))}).encode())
    offset = first = -(-(4 + head) // ALIGNED) * ALIGNED
    for name, array in narrow.items():
        places[name] = (array.dtype.str[1:], offset, array.size)
        offset += -(-array.nbytes // ALIGNED) * ALIGNED
    text = json.dumps({**facts, "arrays": places}).encode()
    parts = [struct.pack("<I", len(text)), text, bytes(first - 4 - len(text))]
    for array in narrow.values():
        parts += [array.tobytes(), bytes(-array.nbytes % ALIGNED)]
    return gzip.compress(b"".join(parts), COMPRESSION, mtime=0)


def narrowest(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers in the narrowest of int8, uint8, int16, int32 and float64, little-endian, flat.

    >>> narrowest(np.array([[1, -300]])).dtype.str, narrowest(np.array([0.5])).dtype.str, narrowest(np.array([2**40])).dtype.str
    ('<i2', '<f8', '<f8')
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    for kind in _KINDS[:-1] if array.dtype.kind in "iub" else ():
        limits = np.iinfo(kind)
        if not flat.size or (limits.min <= flat.min() and flat.max() <= limits.max):
            return flat.astype(f"<{kind}")
    return flat.astype("<f8")

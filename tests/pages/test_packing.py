"""What is packed is unpacked: facts, and every array by its place, in the narrowest kind that holds it."""

import gzip
import json
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.pages.packing import narrowest, packed

ARRAYS = st.lists(st.lists(st.integers(-(2**40), 2**40), max_size=9), max_size=4)


@given(ARRAYS, st.text(max_size=20))
def test_facts_and_arrays_come_out_as_they_went_in(arrays: list[list[int]], title: str) -> None:
    named = {str(number): np.array(each, dtype=np.int64) for number, each in enumerate(arrays)}
    file = packed({"title": title}, named)
    assert file == packed({"title": title}, named)
    content = gzip.decompress(file)
    (length,) = struct.unpack("<I", content[:4])
    facts = json.loads(content[4 : 4 + length])
    assert facts["title"] == title
    for name, array in named.items():
        kind, offset, many = facts["arrays"][name]
        assert offset % 8 == 0
        assert np.frombuffer(content, f"<{kind}", many, offset).tolist() == array.tolist()
        assert np.dtype(kind).itemsize <= narrowest(array).dtype.itemsize

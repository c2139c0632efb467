"""Dictionaries of codes and blocks: whatever is in the plan is found, and nothing else."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.source.lookup import find_block, lookup
from tests.tables.small import with_records
from tests.tables.source.records import GEOGRAPHY, PLAN


@pytest.mark.slow
@given(st.sets(st.integers(0, 10**15 - 1), max_size=300), st.lists(st.integers(-1, 10**15), max_size=20))
def test_blocks_are_found_and_others_are_not(ids: set[int], others: list[int]) -> None:
    blocks = sorted(ids)
    text = [f"{block:015d}" for block in blocks]
    cuts = {"TABBLKST": (0, 2), "TABBLKCOU": (2, 5), "TABTRACTCE": (5, 11), "TABBLK": (11, 15)}
    columns = {name: pa.array([one[a:b] for one in text], pa.string()) for name, (a, b) in cuts.items()}
    units = pa.array(np.arange(len(blocks)) // 2, pa.int32())
    book = lookup(PLAN, replace(GEOGRAPHY, blocks=pa.table(columns | {"unit": units})))
    assert [find_block(block, book.blocks, book.slots) for block in blocks] == list(range(len(blocks)))
    assert all(find_block(other, book.blocks, book.slots) == -1 for other in others if other not in ids)
    assert 2 * len(blocks) <= len(book.slots), "a search always ends at an empty slot"


def test_codes_and_states() -> None:
    book = lookup(with_records(PLAN, states=frozenset({"01", "56"}), puerto_rico=True), GEOGRAPHY)
    assert [int(book.code_of[int(code)]) for code in PLAN.codes] == list(range(len(PLAN.codes)))
    assert np.count_nonzero(book.code_of != book.unknown) == len(PLAN.codes)
    assert book.code_of[0] == book.unknown == len(PLAN.codes), "0000 is no code: what is no number is looked up there"
    assert np.flatnonzero(book.states).tolist() == [1, 56, 72]

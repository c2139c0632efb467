"""Compressed blocks are inflated in order, by several threads; where one is broken the file ends."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from starling.genome.source import bgzip
from starling.genome.source.bgzip import pieces
from tests.genome import studies


@pytest.mark.series(3)
@pytest.mark.parametrize("size", [0, 1, 65_280, 65_281, 10_000_000])
def test_pieces_are_the_bytes(tmp_path: Path, size: int) -> None:
    content = np.random.default_rng(1).integers(0, 4, size).astype(np.uint8).tobytes()
    compressed = studies.bgzip(content)
    assert gzip.decompress(compressed) == content
    for written in (compressed, content):
        (tmp_path / "x").write_bytes(written)
        assert b"".join(pieces(tmp_path / "x")) == content


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_broken_block_ends_the_file(step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every byte, or at every fifth."""
    monkeypatch.setattr(bgzip, "_BLOCKS", 2)
    content = b"".join(bytes([number]) * 65_280 for number in range(9))
    whole = studies.bgzip(content)
    sizes = set()
    for at in range(0, len(whole), step):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        (tmp_path / "x").write_bytes(broken)
        rest = b"".join(pieces(tmp_path / "x"))
        # Times of day and names in a head mean nothing; a first byte that is another makes a plain file.
        assert content.startswith(rest) or at < 2
        sizes.add(len(rest) // 65_280)
    assert sizes >= set(range(10))

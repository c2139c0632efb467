"""A .bed is checked by its first bytes and its size, and read in any order, in chunks, without unpacking."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.source.bed import check_bed, read_bed
from starling.genome.source.calls import Calls, copies
from tests.genome.studies import a_study, write_bed


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: b"\x6b" + content[1:], "does not begin as a .bed does"),
        (
            lambda content: content[:2] + b"\x00" + content[3:],
            "is ordered by person; write it again by plink --make-bed",
        ),
        (lambda content: content[:2] + b"\x02" + content[3:], "does not begin as a .bed does"),
        (lambda content: content[:-1], "does not have the 24 bytes of 11 people and 7 SNPs"),
        (lambda content: content + b"\x00", "does not have the 24 bytes of 11 people and 7 SNPs"),
        (lambda _: b"", "does not begin as a .bed does"),
    ],
)
def test_a_file_of_another_kind_or_size_is_refused(tmp_path: Path, change: object, problem: str) -> None:
    path = Path(f"{write_bed(a_study(), tmp_path / 'x')}.bed")
    assert check_bed(path, 11, 7) == 24
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator] # a function of bytes
    with pytest.raises(SourceError, match=problem):
        check_bed(path, 11, 7)


@pytest.mark.parametrize("length", [1, 2, 3, 100])
def test_rows_come_from_anywhere_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    monkeypatch.setattr("starling.genome.source.bed.chunk_length", lambda *_: length)
    study = a_study(snps=40, people=13)
    path = Path(f"{write_bed(study, tmp_path / 'x')}.bed")
    random = np.random.default_rng(length)
    for number in (1, 7, 40):
        rows = random.permutation(40)[:number]
        indices, second = np.arange(number) + 100, random.random(number) < 0.5
        seen: dict[int, tuple[list[int], bool]] = {}

        def note(calls: Calls, seen: dict[int, tuple[list[int], bool]] = seen) -> None:
            assert len(calls.snps) <= length
            for place, row, flag in zip(
                calls.snps.tolist(), copies(calls.packed, 13).tolist(), calls.second.tolist(), strict=True
            ):
                assert place not in seen
                seen[place] = row, flag

        list(read_bed(path, path.stat().st_size, 13, indices, rows, second, note))
        expected = {100 + at: (study.copies[row].tolist(), bool(second[at])) for at, row in enumerate(rows.tolist())}
        assert seen == expected


def test_chunks_have_at_most_the_bytes_that_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And as many chunks as each other for two processors, about as long as each other."""
    monkeypatch.setattr("starling.genome.source.bed.processors", lambda: 2)
    path, rows = Path(f"{write_bed(a_study(snps=40, people=13), tmp_path / 'x')}.bed"), np.arange(40)
    for chunk, lengths in ((1, [1] * 40), (4 * 15, [10] * 4), (4 * 7, [7] * 5 + [5]), (1 << 20, [20, 20])):
        parts = read_bed(path, path.stat().st_size, 13, rows, rows, rows > 3, lambda calls: len(calls.snps), chunk)
        assert list(parts) == lengths


def test_a_file_that_changed_or_ends_early_is_found(tmp_path: Path) -> None:
    path = Path(f"{write_bed(a_study(), tmp_path / 'x')}.bed")
    rows, flags = np.arange(7), np.zeros(7, dtype=np.bool_)

    def read(size: int) -> None:
        list(read_bed(path, size, 11, rows, rows, flags, lambda calls: calls))

    read(24)
    with pytest.raises(SourceError, match="changed or vanished"):
        read(23)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(SourceError, match="changed or vanished"):
        read(20)
    path.unlink()
    with pytest.raises(SourceError, match="changed or vanished"):
        read(20)

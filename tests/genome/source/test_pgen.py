"""A .pgen written by plink2 gives the calls that the .bed had; anything else is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.source import pgen
from starling.genome.source.calls import Calls, copies
from starling.genome.source.pgen import open_pgen, read_pgen
from tests.genome.plink import plink
from tests.genome.studies import Study, a_study, write_bed


@pytest.fixture
def study() -> Study:
    return a_study(snps=30, people=21)


@pytest.fixture
def path(study: Study, tmp_path: Path) -> Path:
    plink("plink2", "--bfile", write_bed(study, tmp_path / "b"), "--make-pgen", "--out", tmp_path / "x")
    return tmp_path / "x.pgen"


@pytest.mark.parametrize("calls", [1, 100, 1 << 20])
def test_calls_are_those_of_the_bed(path: Path, study: Study, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    monkeypatch.setattr(pgen, "CALLS", calls)
    size, reader = open_pgen(path, 21, np.full(30, 2))
    rows = np.random.default_rng(1).permutation(30)[:17]
    seen: dict[int, list[int]] = {}

    def note(some: Calls) -> None:
        seen.update(zip(some.snps.tolist(), copies(some.packed, 21).tolist(), strict=True))

    list(read_pgen(path, size, reader.chunks(np.arange(17), rows, np.ones(17, dtype=np.int64)), note))
    assert seen == {at: study.copies[row].tolist() for at, row in enumerate(rows.tolist())}


@pytest.mark.slow
def test_what_does_not_fit_is_refused(path: Path) -> None:
    for people, rows in ((20, 30), (22, 30), (21, 29), (21, 31)):
        with pytest.raises(SourceError, match=f"is not a .pgen of {people} people and {rows} SNPs"):
            open_pgen(path, people, np.full(rows, 2))
    path.write_bytes(b"l\x1b\x05nothing")
    with pytest.raises(SourceError, match=r"is not a .pgen"):
        open_pgen(path, 21, np.full(30, 2))


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("made", "form"),
    [
        (("20", "66000", "0.1", "dosage-freq=0.2"), ()),
        (("300", "70", "phase-freq=0.3"), ()),
        (("21", "30", "0.1"), ("format=2",)),
    ],
)
def test_attack_a29_a_file_that_was_cut_off_is_refused_by_its_size(
    tmp_path: Path, made: tuple[str, ...], form: tuple[str, ...]
) -> None:
    """The library opens it, and a query was charged before it failed. Beyond 65,536 SNPs, the header has two blocks."""
    path, (people, rows) = tmp_path / "x.pgen", map(int, made[:2])
    plink("plink2", "--dummy", *made, "--make-pgen", *form, "--out", tmp_path / "x")
    whole = path.read_bytes()
    assert open_pgen(path, people, np.full(rows, 2))[0] == len(whole)
    for content in (whole[:-1], whole[: len(whole) - len(whole) // 4], whole + b"1"):
        path.write_bytes(content)
        problem = "does not end where its header says that it does" if not form else "is not a .pgen of"
        with pytest.raises(SourceError, match=f"x.pgen: genotypes {problem}"):
            open_pgen(path, people, np.full(rows, 2))
    path.write_bytes(whole[:15])
    with pytest.raises(SourceError, match=r"x.pgen: genotypes is not a .pgen of"):
        open_pgen(path, people, np.full(rows, 2))


def test_a_file_that_changed_is_found(path: Path) -> None:
    size, reader = open_pgen(path, 21, np.full(30, 2))
    everything = (np.arange(30), np.arange(30), np.ones(30, dtype=np.int64))
    with pytest.raises(SourceError, match="changed or vanished"):
        list(read_pgen(path, size - 1, reader.chunks(*everything), lambda calls: calls))
    path.unlink()
    with pytest.raises(SourceError, match="changed or vanished"):
        list(read_pgen(path, size, reader.chunks(*everything), lambda calls: calls))


def test_without_the_extra_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgenlib", None)
    with pytest.raises(SourceError, match="install 'starling-dp"):
        open_pgen(tmp_path / "x.pgen", 21, np.full(30, 2))

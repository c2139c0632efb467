"""Principal components beside the eigenvectors of the whole matrix."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pytest

from starling.engine.machine import in_order
from starling.genome.adjusted import components, components_without, principal_components
from starling.genome.adjusted.components import CallReader
from starling.genome.adjusted.pruning import Pruning
from starling.genome.arrays import Float64, Int8, Int64
from starling.genome.source import Calls
from starling.genome.source.calls import packed

R = TypeVar("R")


def reader(carried: Int8, length: int, workers: int = 2) -> CallReader:
    """A study whose file has these copies, read in chunks of some SNPs; every third has its alleles the other way round."""
    turned = np.arange(len(carried)) % 3 == 0
    calls = packed(np.where(turned[:, np.newaxis] & (carried >= 0), 2 - carried, carried).astype(np.int8))

    def read(work: Callable[[Calls], R], indices: Int64 | None = None) -> Iterator[R]:
        chosen = np.arange(len(carried)) if indices is None else indices
        parts = [chosen[start : start + length] for start in range(0, len(chosen), length)]
        return in_order(lambda snps: work(Calls(snps, calls[snps], turned[snps])), parts, workers)

    return read


def populations(people: int, snps: int, missing: float = 0.02) -> Int8:
    """Three populations of unequal size whose frequencies differ."""
    random = np.random.default_rng(6)
    of = np.repeat([0, 1, 2], [people // 2, people // 3, people - people // 2 - people // 3])
    shares = np.clip(random.uniform(0.1, 0.9, (snps, 1)) + random.normal(0, 0.08, (snps, 3)), 0.02, 0.98)
    carried = random.binomial(2, shares[:, of])
    carried[random.random(carried.shape) < missing] = -1
    return carried.astype(np.int8)


def eigenvectors(carried: Int8, count: int) -> Float64:
    """The slow twin, of all SNPs."""
    copies = np.where(carried < 0, np.nan, carried)
    share = np.nanmean(copies, axis=1, keepdims=True) / 2
    matrix = np.nan_to_num((copies - 2 * share) / np.sqrt(2 * share * (1 - share)))
    return np.asarray(np.linalg.eigh(matrix.T @ matrix)[1][:, : -count - 1 : -1])


def test_components_are_the_leading_eigenvectors() -> None:
    carried = populations(203, 900)
    found = principal_components(reader(carried, 100), 203, 2)
    taken = components._choose(reader(carried, 100), 203).snps
    assert 800 < len(taken) < 900
    expected = eigenvectors(carried[taken], 2)
    assert np.abs((found * expected).sum(axis=0)) == pytest.approx([1, 1], abs=1e-6)
    assert np.allclose(found.T @ found, np.eye(2), atol=1e-12)
    assert np.allclose(found.sum(axis=0), 0, atol=1e-12)
    assert (found.max(axis=0) > -found.min(axis=0)).all()


@pytest.mark.slow
def test_bits_do_not_depend_on_threads_chunks_or_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    carried = populations(99, 400)
    first = principal_components(reader(carried, 400, 1), 99, 5)
    assert first.shape == (99, 5)
    assert np.array_equal(principal_components(reader(carried, 7, 4), 99, 5), first)
    monkeypatch.setattr(components, "HELD", 1000)
    assert np.array_equal(principal_components(reader(carried, 7, 4), 99, 5), first)


@pytest.mark.parametrize("held", [1 << 20, 0])
def test_of_many_snps_some_are_taken(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "MOST_SNPS", 64)
    monkeypatch.setattr(components, "HELD", held)
    carried = populations(99, 400)
    study = components._choose(reader(carried, 50), 99)
    assert len(study.snps) == 64
    read: list[int] = []
    study.each(lambda calls: read.extend(calls.snps.tolist()))
    assert sorted(read) == study.snps.tolist()
    found = principal_components(reader(carried, 50), 99, 1)
    assert np.abs((found * eigenvectors(carried[study.snps], 1)).sum()) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("carried", [np.full((3, 5), -1), np.zeros((1, 5)), np.array([[0, 1], [1, 0]])])
def test_what_has_few_directions_has_few_components(carried: Int8) -> None:
    people = carried.shape[1]
    found = principal_components(reader(carried.astype(np.int8), 2), people, 10)
    assert found.shape == (people, 1 if people == 2 else 0)


def test_calls_that_are_lost_between_passes_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "HELD", 0)
    carried = populations(99, 400)
    lost = carried.copy()
    lost[:50] = -1
    passes = iter([reader(carried, 50)])
    first = principal_components(reader(carried, 50), 99, 2)

    def read(work: Callable[[Calls], R], indices: Int64 | None = None) -> Iterator[R]:
        return next(passes, reader(lost, 50))(work, indices)

    found = principal_components(read, 99, 2)
    assert np.isfinite(found).all()
    assert np.abs((found * first).sum(axis=0)).min() > 0.9


@pytest.mark.parametrize("held", [1 << 20, 0])
def test_components_without_a_chromosome_are_those_of_the_others(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvectors of the SNPs outside it, though all start from those of the list; a mistake, the whole list's, is far away."""
    monkeypatch.setattr(components, "HELD", held)
    carried = populations(203, 900)
    # One chromosome on which a stretch of SNPs says the same of all: it makes a component of its own.
    random = np.random.default_rng(2)
    half = random.binomial(2, 0.5, 203)
    carried[600:] = np.where(random.random((300, 203)) < 0.1, random.binomial(2, 0.5, (300, 203)), half)
    monkeypatch.setattr(Pruning, "take", lambda _, seen: np.ones(len(seen.usual), dtype=np.bool_))
    ranges = [(0, 300), (300, 600), (600, 900), (0, 0)]
    found = list(components_without(reader(carried, 100), 203, 2, ranges))
    whole = principal_components(reader(carried, 100), 203, 2)
    for (low, high), some in zip(ranges, found, strict=True):
        expected = eigenvectors(np.delete(carried, np.s_[low:high], axis=0), 2)
        assert np.abs((some * expected).sum(axis=0)) == pytest.approx([1, 1], abs=1e-5)
    assert np.abs((found[2] * whole).sum(axis=0)).max() < 0.9
    assert np.allclose(found[3], whole, atol=1e-5)


def test_a_list_of_one_chromosome_leaves_no_components() -> None:
    carried = populations(60, 80)
    assert [part.shape for part in components_without(reader(carried, 30), 60, 3, [(0, 80)])] == [(60, 0)]

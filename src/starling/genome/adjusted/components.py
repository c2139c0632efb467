"""Principal components of the people from the study's SNPs. Where populations differ, a scan without them finds SNPs that only follow them.

The copies of the SNPs that pruning.py takes, less their mean and over sqrt(2 f (1 - f)) (Patterson, Price and Reich 2006), make a matrix X
of m SNPs by n people; the components are the leading eigenvectors of X'X, n numbers each. X is never made. In subspace iteration (Halko,
Martinsson and Tropp 2011, algorithm 4.4) a block of vectors is multiplied by X'X in one pass over packed calls, orthonormalised, and so on
PASSES times; the eigenvectors within the last block are those of a matrix of its width. With EXTRA vectors beyond the k components it
converges as (eigenvalue k + EXTRA + 1 over eigenvalue k)^PASSES: soon where populations differ, not where there is but noise.

No library of linear algebra multiplies by packed calls, so this part is here; eigenvectors of the small matrix are LAPACK's. Sums over SNPs
and over people are exact (sums.py) and the first block is the SNPs dealt out to heaps, so nothing is left to chance, and no number
of threads changes a bit.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Final, Protocol, TypeVar

import numpy as np

from starling.engine.machine import in_order
from starling.genome.adjusted.columns import covariate_basis
from starling.genome.adjusted.pruning import RARE, Planes, Pruning, planes
from starling.genome.adjusted.sums import (
    CallCounts,
    Weights,
    add_over_snps,
    call_counts,
    coded,
    on_grid,
    padded,
    sums_with_means,
)
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.source.calls import Calls, bytes_a_snp

EXTRA: Final = 10
PASSES: Final = 10
PASSES_OF_PART: Final = 4
"""Of a part of the SNPs, from the last block of all of them."""
MOST_SNPS: Final = 1 << 16
"""SNPs that components are made of, evenly spread over those taken: more tell no more of populations."""
HELD: Final = 256 << 20
"""Bytes of packed calls kept in memory; what has more is read again in every pass."""

R = TypeVar("R")


class CallReader(Protocol):
    """`source.read` of a study and its plan."""

    def __call__(self, work: Callable[[Calls], R], indices: Int64 | None = None) -> Iterator[R]:
        """`work` of chunks of all SNPs, or of those at `indices`, in the order of the file."""
        ...


def principal_components(read: CallReader, people: int, count: int) -> Float64:
    """The first components of a study of n `people`, float64 (n, k), orthonormal, each of mean 0, the leading one first.

    k is `count`, or less where the SNPs do not have so many. The largest number of a component, without its sign, is positive.
    """
    study = _choose(read, people)
    return _leading(study, _started(study, count), PASSES - 1, count)


def components_without(
    read: CallReader, people: int, count: int, ranges: Iterable[tuple[int, int]]
) -> Iterator[Float64]:
    """For each half-open range of the list, such as a chromosome, the components of the SNPs outside it, as `principal_components` gives.

    All start from the directions of the whole list, which are near to theirs, so that a few passes bring them as far: with c ranges they
    take some c PASSES_OF_PART/PASSES times as long as the components of the whole list (11 times with 22 chromosomes, measured).
    """
    study = _choose(read, people)
    block = _started(study, count)
    for _ in range(PASSES - 1):
        block = _orthonormal(_multiplied(study, block))
    for low, high in ranges:
        yield _leading(study.without(low, high), block, PASSES_OF_PART, count)


def _started(study: "_Study", count: int) -> Float64:
    return _orthonormal(_dealt_out(study, min(count + EXTRA, study.people - 1)))


def _leading(study: "_Study", block: Float64, passes: int, count: int) -> Float64:
    """The components that so many passes, and one more, make of a first block."""
    for _ in range(passes):
        block = _orthonormal(_multiplied(study, block))
    small = np.einsum("ij,ik->jk", block, _multiplied(study, block))
    _, vectors = np.linalg.eigh((small + small.T) / 2)
    leading: Float64 = np.einsum("ij,jk->ik", block, vectors[:, ::-1][:, :count])
    largest = np.take_along_axis(leading, np.abs(leading).argmax(axis=0)[np.newaxis], axis=0)
    return np.asarray(leading * np.sign(largest))


@dataclass(frozen=True, slots=True)
class _Study:
    """The calls that components are made of: SNPs `snps` of the list, of `people`, in memory where they are `held`."""

    read: CallReader
    people: int
    snps: Int64
    held: list[Calls] | None

    def without(self, low: int, high: int) -> "_Study":
        """The same without SNPs `low` to `high` - 1 of the list."""
        snps = self.snps[(self.snps < low) | (self.snps >= high)]
        held = None
        if self.held is not None:
            held = [_part(calls, (calls.snps < low) | (calls.snps >= high)) for calls in self.held]
            held = [calls for calls in held if len(calls.snps)]
        return _Study(self.read, self.people, snps, held)

    def each(self, work: Callable[[Calls], None]) -> None:
        """`work` of each chunk, by several threads."""
        for _ in self.read(work, self.snps) if self.held is None else in_order(work, self.held):
            pass


def _choose(read: CallReader, people: int) -> _Study:
    pruning = Pruning(people)
    parts: list[Int64] = []
    held: list[Calls] | None = []

    def look(calls: Calls) -> tuple[Calls, Planes]:
        return calls, planes(calls, people)

    for calls, seen in read(look):
        taken = pruning.take(seen)
        parts.append(calls.snps[taken])
        if held is not None:
            held.append(_part(calls, taken))
            if sum(map(len, parts)) * bytes_a_snp(people) > HELD:
                held = None
    snps = np.concatenate(parts)
    if len(snps) > MOST_SNPS:
        snps = snps[np.linspace(0, len(snps) - 1, MOST_SNPS).astype(np.int64)]
        if held is not None:
            for at, calls in enumerate(held):
                held[at] = _part(calls, np.isin(calls.snps, snps))
    return _Study(read, people, snps, held)


def _part(calls: Calls, rows: Flags) -> Calls:
    return Calls(calls.snps[rows], calls.packed[rows], calls.second[rows])


@dataclass(frozen=True, slots=True)
class _Standard:
    """A chunk of X: its calls, how many there are of each kind, the mean and 1 / sqrt(2 f (1 - f)) of each SNP."""

    calls: Calls
    counts: CallCounts
    mean: Float64
    scale: Float64

    @classmethod
    def of(cls, calls: Calls, people: int) -> "_Standard":
        counts = call_counts(calls, people)
        shares = counts.frequencies
        # A SNP that is rarer now was taken before its record could no longer be read.
        variances = 2 * np.maximum(shares * (1 - shares), RARE * (1 - RARE))
        return cls(calls, counts, 2 * shares, 1 / np.sqrt(variances))

    def times(self, weights: Weights) -> Float64:
        """X of the chunk times vectors of mean 0: float64 (c, width), or wider."""
        copies = np.tile([0.0, 1.0, 2.0], (len(self.mean), 1))
        return sums_with_means(self.calls, copies, self.mean, weights) * self.scale[:, np.newaxis]

    def add(self, vectors: Float64, largest: float, sums: Float64) -> None:
        """Add X' of the chunk times vectors, float64 (c, width), each number at most `largest`; but for a constant of each vector."""
        packed, lacking = self.calls.packed, np.flatnonzero(self.counts.counts[:, 3])
        codes, missing = (coded(self.calls, np.tile(by, (len(vectors), 1))) for by in ([0.0, 1, 2, 0], [0.0, 0, 0, 1]))
        # What a missing call stands for is up to twice as large as a copy.
        bound = np.full(len(vectors), 2 * largest / np.sqrt(2 * RARE * (1 - RARE)))
        weights = vectors * self.scale[:, np.newaxis]
        add_over_snps(packed, codes, on_grid(weights, MOST_SNPS, bound), sums)
        if lacking.size:
            filled = on_grid(self.mean[lacking, np.newaxis] * weights[lacking], MOST_SNPS, bound[lacking])
            add_over_snps(packed[lacking], missing[lacking], filled, sums)


def _dealt_out(study: _Study, width: int) -> Float64:
    """X' times a matrix that deals the SNPs out to so many heaps, by their positions in the list: float64 (n, width)."""

    def weigh(chunk: _Standard) -> Float64:
        return np.asarray(chunk.calls.snps[:, np.newaxis] % width == np.arange(width), dtype=np.float64)

    return _sums(study, width, weigh, 1.0)


def _multiplied(study: _Study, block: Float64) -> Float64:
    """X'X times vectors, float64 (n, width), orthonormal and of mean 0."""
    width = block.shape[1]
    weights = Weights.of(on_grid(np.ascontiguousarray(block.T), study.people), width, study.people)
    # A row of X has a sum of squares of at most 2 n: at any frequency, most people have either 0 or 2 copies.
    largest = np.sqrt(2 * study.people)
    return _sums(study, width, lambda chunk: chunk.times(weights)[:, :width], float(largest))


def _sums(study: _Study, width: int, weigh: Callable[[_Standard], Float64], largest: float) -> Float64:
    """X' times what `weigh` gives of each chunk, float64 (n, width): exact sums, so that it is no matter which thread adds what."""
    totals: list[Float64] = []
    lock = Lock()

    def work(calls: Calls) -> None:
        chunk = _Standard.of(calls, study.people)
        vectors = weigh(chunk)
        with lock:
            total = totals.pop() if totals else padded(np.zeros((width, study.people)))
        chunk.add(np.pad(vectors, ((0, 0), (0, len(total) - width))), largest, total)
        with lock:
            totals.append(total)

    study.each(work)
    images = np.sum(totals, axis=0)[:width, : study.people].T if totals else np.zeros((study.people, width))
    return np.asarray(images - images.mean(axis=0))


def _orthonormal(vectors: Float64) -> Float64:
    return covariate_basis(vectors)[:, 1:]

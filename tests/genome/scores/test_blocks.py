"""LocBlock's scores against their definition, and their sensitivity over all neighbours of all small databases."""

from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt
import pytest

from starling.genome.counts.pairs import pair_distances, pair_tables
from starling.genome.distance.rules import of_correlation
from starling.genome.distance.significance import distance_to_correlation
from starling.genome.scores.blocks import DELTA_M, FARTHEST, block_scores
from starling.genome.scores.candidates import Candidates, candidates
from starling.genome.source.counting import packed_bits
from starling.genome.statistics.association import Correlation, correlation
from tests.genome.small_tables import all_tables, most_changed

Database = np.ndarray
Int16 = npt.NDArray[np.int16]
"""Who carries what: bool (people, snps)."""


def fast(database: Database, among: Candidates, measure: Correlation, delta_c: Fraction, delta_m: Fraction) -> Int16:
    """By the recurrences."""
    people = len(database)
    bits = packed_bits(database.T)
    pairs = pair_distances(bits, people, of_correlation(measure, delta_c, people), among)
    return block_scores(pairs, database.sum(axis=0), people, among, delta_m)


def by_definition(
    database: Database, among: Candidates, measure: Correlation, delta_c: Fraction, delta_m: Fraction
) -> tuple[list[int], int, list[bool]]:
    """Scores of all eligible blocks, the score of none, and which are valid: d1 to d7 as they are written, and Definition 1."""
    people, snps = len(database), len(database.T)
    carriers: list[int] = database.sum(axis=0).tolist()
    least = floor(delta_m * people)
    d1 = [max(0, count - least) for count in carriers]
    up = [max(0, least + 1 - count) for count in carriers]
    gain: dict[tuple[int, int], int] = {}
    loss: dict[tuple[int, int], int] = {}
    above: dict[tuple[int, int], bool] = {}
    order = [(k, j) for k in range(snps) for j in range(k + 1, snps)]
    if order:
        tables = pair_tables(packed_bits(database.T), people, np.array(order))
        signed = distance_to_correlation(tables, measure, delta_c).tolist()
        for pair, far, value in zip(order, signed, correlation(tables, measure).tolist(), strict=True):
            gain[pair], loss[pair] = max(far, 0), max(1 - far, 0)
            above[pair] = far <= 0
            assert abs(value - float(delta_c)) < 1e-9 or above[pair] == (value > delta_c)

    def d2(k: int, j: int) -> int:
        return up[k] if k == j else max(up[k], up[j], gain[k, j])

    def d3(k: int, j: int) -> int:
        return people + 1 if k == j else max(up[k], up[j], loss[k, j])

    def d4(k: int, j: int) -> int:
        return max([d2(k, j), *(min(d1[i], max(d2(k, i), d2(i, j))) for i in range(k + 1, j))])

    def d5(k: int, j: int) -> int:
        return min([d1[k], d1[j], d3(k, j), *(min(d3(k, i), d3(i, j)) for i in range(k + 1, j))])

    def valid(k: int, j: int) -> bool:
        frequent = [Fraction(count, people) > delta_m for count in carriers]
        inner = all(not frequent[i] or (above[k, i] and above[i, j]) for i in range(k + 1, j))
        return frequent[k] and frequent[j] and (k == j or above[k, j]) and inner

    blocks = [among.block(index) for index in range(among.count)]
    scores = []
    for k, j in blocks:
        longer = [(p, q) for p, q in blocks if q - p > j - k]
        d6 = max([d4(k, j), *(d5(p, q) for p, q in longer)])
        d7 = min([d5(k, j), *(d4(p, q) for p, q in longer)])
        longest = valid(k, j) and not any(valid(p, q) for p, q in longer)
        scores.append(d7 - 1 if longest else -d6)
    is_valid = [valid(k, j) for k, j in blocks]
    none = -max(d5(k, j) for k, j in blocks) if any(is_valid) else min(d4(k, j) for k, j in blocks) - 1
    return scores, none, is_valid


def invented(numbers: np.random.Generator, people: int, snps: int) -> Database:
    """People of a few haplotypes, so that neighbouring SNPs go together."""
    kinds = numbers.random((4, snps)) < 0.5
    noise = numbers.random((people, snps)) < numbers.choice([0.02, 0.1, 0.3])
    return np.asarray(kinds[numbers.integers(0, 4, people)] ^ noise)


@pytest.mark.parametrize("measure", ["r2", "dprime"])
def test_recurrences_equal_the_definition(measure: Correlation) -> None:
    numbers = np.random.default_rng(12)
    valid_seen = none_seen = 0
    for _ in range(60):
        people, snps = int(numbers.integers(8, 70)), int(numbers.integers(2, 11))
        database = invented(numbers, people, snps)
        cut = int(numbers.integers(1, snps + 1))
        regions = [(0, cut), (cut, snps)] if cut < snps else [(0, snps)]
        asked = numbers.integers(0, snps, 2).tolist()
        among = candidates(snps, regions, asked, int(numbers.integers(1, 8)) if numbers.random() < 0.5 else None)
        delta_c = Fraction(int(numbers.integers(3, 10)), 20) if measure == "r2" else Fraction(3, 4)
        delta_m = Fraction(int(numbers.integers(0, 13)), 20)
        found = fast(database, among, measure, delta_c, delta_m)
        scores, none, valid = by_definition(database, among, measure, delta_c, delta_m)
        assert found.tolist() == [*scores, none]
        valid_seen += any(valid)
        none_seen += not any(valid)
        # The true answers score 0 or more, all others -1 or less.
        right = {among.block(index)[1] - among.block(index)[0] for index, score in enumerate(scores) if score >= 0}
        assert len(right) == (1 if any(valid) else 0)
        assert (none >= 0) != any(valid)
    assert min(valid_seen, none_seen) > 5


@pytest.mark.parametrize(("people", "snps"), [(6, 3), (9, 2)])
@pytest.mark.parametrize("measure", ["r2", "dprime"])
def test_scores_have_sensitivity_one(people: int, snps: int, measure: Correlation) -> None:
    """A database is how many people have each of the 2^snps genotypes; its neighbours replace one of them by any other."""
    delta_c = Fraction(1, 5) if measure == "r2" else Fraction(1, 2)
    genotypes = (np.arange(2**snps)[:, np.newaxis] >> np.arange(snps)) % 2 == 1
    databases = all_tables(people, 2**snps)
    carriers = databases @ genotypes
    pairs = {}
    for k in range(snps):
        for other in range(k + 1, snps):
            cells = [
                (genotypes[:, k] == first) & (genotypes[:, other] == second) for first in (1, 0) for second in (1, 0)
            ]
            tables = np.stack([databases[:, cell].sum(axis=1) for cell in cells], axis=1)
            pairs[k, other] = distance_to_correlation(tables, measure, delta_c)
    for regions, asked, longest in (
        ([(0, snps)], [0], None),
        ([(0, snps)], [1], None),
        ([(0, snps)], [1], 2),
        ([(0, 1), (1, snps)], [0, 1], None),
    ):
        among = candidates(snps, regions, asked, longest)
        laid_out = np.zeros((len(databases), int(among.offsets[-1]) + 1), dtype=np.int16)
        for (k, other), distances in pairs.items():
            if other - k < among.offsets[k + 1] - among.offsets[k]:
                laid_out[:, among.offsets[k] + other - k] = distances
        scores = [block_scores(row, number, people, among) for row, number in zip(laid_out, carriers, strict=True)]
        assert most_changed(np.array(scores, dtype=np.int64), people, 2**snps) == 1


def test_far_distances_are_limited() -> None:
    people = 200_000
    half = np.arange(people) < people // 2
    database = np.stack([half, half, np.arange(people) % 2 == 0], axis=1)
    found = fast(database, candidates(3, [(0, 3)], [0]), "r2", Fraction(1, 20), DELTA_M)
    assert np.abs(found.astype(np.int64)).max() <= FARTHEST
    assert found[-1] == -FARTHEST
    # (0, 1) is the longest: all three are frequent, and the third is not correlated.
    assert found.argmax() == 1

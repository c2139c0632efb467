"""Pruning beside its rule in words of floats, SNP by SNP."""

import numpy as np
import pytest

from starling.genome.adjusted import pruning
from starling.genome.adjusted.pruning import Pruning, planes
from starling.genome.arrays import Float64, Int64
from starling.genome.source import Calls
from starling.genome.source.calls import copies, packed
from tests.genome.residuals import as_calls


def plainly(calls: Calls, people: int, looked_at: Int64) -> list[bool]:
    carried = copies(calls.packed, people)
    columns = np.maximum(copies(calls.packed, people)[:, looked_at], 0).astype(np.float64)
    taken: list[bool] = []
    for snp, column in enumerate(columns):
        called = carried[snp][carried[snp] >= 0]
        share = called.mean() / 2
        usual = 0.01 <= share <= 0.99 and bool(called.size >= 0.95 * people)
        before: list[Float64] = [columns[at] for at in range(max(0, snp - 50), snp) if taken[at]]
        linked = [
            bool(np.corrcoef(column, other)[0, 1] ** 2 > 0.2) for other in before if np.ptp(column) and np.ptp(other)
        ]
        taken.append(usual and not any(linked))
    return taken


@pytest.mark.series(1)
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("words", [128, 2])
def test_pruning_is_by_the_rule(second: bool, words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In chunks of any size; of 700 people all, or those of every sixth word of 64."""
    monkeypatch.setattr(pruning, "WORDS", words)
    random = np.random.default_rng(words)
    people, snps = 700, 200
    carried = random.binomial(2, random.uniform(0, 0.4, (snps, 1)), (snps, people))
    for at in range(1, snps):
        if random.random() < 0.5:
            source = carried[max(0, at - int(random.integers(1, 70)))]
            carried[at] = np.where(random.random(people) < random.uniform(0.2, 1), source, carried[at])
    carried[random.random((snps, people)) < random.choice([0, 0.04, 0.06], (snps, 1))] = -1
    calls = as_calls(carried.astype(np.int8), second)
    chosen, start = Pruning(people), 0
    found: list[bool] = []
    for length in (1, 49, 3, 80, 67):
        part = Calls(*(column[start : start + length] for column in calls))  # type: ignore[arg-type]
        found += chosen.take(planes(part, people)).tolist()
        start += length
    looked_at = np.arange(people)[np.arange(people) // 64 % (1 if words == 128 else 6) == 0]
    expected = plainly(calls, people, looked_at)
    assert found == expected
    assert 50 < sum(found) < 150


def test_the_largest_numbers_fit() -> None:
    """8,192 people of whom half have two copies: 5 (4 n^2)^2 / 16 is below 2^63."""
    people = 64 * pruning.WORDS
    carried = np.tile(np.repeat(np.array([0, 2], dtype=np.int8), people // 2), (2, 1))
    taken = Pruning(people).take(planes(Calls(np.arange(2), packed(carried), np.zeros(2, dtype=np.bool_)), people))
    assert taken.tolist() == [True, False]

"""The whole distribution of a mechanism on a tiny study, from what it hands to the privacy core, and the exact loss between neighbours.

The core's functions are replaced by ones that answer every possible answer in turn, with its probability, and add no noise: a
mechanism is run once for every course that its selections can take, and what it returns holds the exact counts that noise would be
added to. That the core's functions have the distributions that are put in here is shown in tests/privacy.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from starling.audit.genome_mechanisms import SmallStudy
from starling.genome.measurements import Cells, Explored
from starling.genome.mechanism import noisy_tables, selections
from starling.genome.plan import Model, Plan, Snps
from starling.genome.source.counting import packed_bits
from tests.genome.small_tables import all_tables, neighbours
from tests.genome.studies import tables_of

Int64 = npt.NDArray[np.int64]

HUGE = Fraction(10**5)
"""With it a selection takes the best candidate."""
FIFTH = Fraction(1, 5)


class TinyStudy(SmallStudy):
    """A study under any model, whose tables are counted the slow way."""

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        counted = tables_of(self.copies.T.astype(np.int8), self.cases, self.model)
        return counted if indices is None else counted[indices]

    def _bits(self) -> npt.NDArray[np.uint64]:
        return packed_bits((2 if self.model == "recessive" else 1) <= self.copies.T)


def tiny_plan(people: int, snps: int, model: Any = "dominant", test: str = "g", p: Fraction = Fraction(3, 10)) -> Plan:
    ids = tuple(f"rs{row}" for row in range(snps))
    listed = Snps(ids, ("1",) * snps, np.arange(1, snps + 1), ("A",) * snps, ("C",) * snps)
    unit: Any = "phenotype" if test == "score" else "person"
    return Plan("Tiny", people, listed, model, (test,), alpha=p * snps, unit=unit)


def tiny_studies(people: int, snps: int, model: Model = "dominant") -> list[TinyStudy]:
    """Every study of that size, up to the order of people: `neighbours(people, kinds)` are those that differ by one person."""
    most = 3 if model in ("genotypic", "allelic") else 2
    kinds = most**snps * 2
    numbers = np.arange(kinds)
    copies = np.stack([(numbers // 2) // most**snp % most for snp in range(snps)], axis=1)
    if model == "recessive":
        copies = copies * 2
    made = []
    for counts in all_tables(people, kinds):
        who = np.repeat(numbers, counts)
        made.append(TinyStudy(copies[who], who % 2 == 1, model))
    return made


class _Courses:
    """Answers selections by a script; beyond its end by the first answer, noting how many there were."""

    def __init__(self) -> None:
        self.script: list[tuple[int, int]] = []
        self.asked = 0
        self.log_probability = 0.0
        self.rates: list[tuple[str, Fraction]] = []

    def start(self) -> None:
        self.asked, self.log_probability, self.rates = 0, 0.0, []

    def answer(self, logs: list[float]) -> int:
        if self.asked == len(self.script):
            self.script.append((0, len(logs)))
        chosen = self.script[self.asked][0]
        self.asked += 1
        self.log_probability += logs[chosen]
        return chosen

    def advance(self) -> bool:
        """To the next course; False after the last."""
        while self.script:
            chosen, number = self.script.pop()
            if chosen + 1 < number:
                self.script.append((chosen + 1, number))
                return True
        return False

    def exponential(self, scores: Any, epsilon: Any, sensitivity: Any = 1, k: int = 1) -> Int64:
        rate = float(Fraction(epsilon) / (2 * Fraction(sensitivity) * k))
        orders, logs = _exponential(tuple(np.asarray(scores).tolist()), rate, k)
        return np.array(orders[self.answer(logs)], dtype=np.int64)

    def flips(self, scores: Any, epsilon: Any, sensitivity: Any = 1) -> int:
        rate = float(Fraction(epsilon) / (2 * Fraction(sensitivity)))
        return self.answer(_flips(tuple(np.asarray(scores).tolist()), rate))

    def lattice(self, epsilon: Any, size: int, *, columns: int = 2) -> Int64:
        self.rates.append(("lattice", Fraction(epsilon)))
        return np.zeros((size, 2, columns), dtype=np.int64)

    def laplace(self, scale: Any, shape: Any) -> Int64:
        self.rates.append(("laplace", 1 / Fraction(scale)))
        return np.zeros(shape, dtype=np.int64)


@lru_cache(maxsize=1024)
def _exponential(scores: tuple[int, ...], rate: float, k: int) -> tuple[list[tuple[int, ...]], list[float]]:
    """Every ordered choice, and the log of its probability."""
    weights = rate * np.array(scores, dtype=np.float64)
    orders = list(permutations(range(weights.size), k))
    logs = []
    for order in orders:
        left = list(range(weights.size))
        total = 0.0
        for place in order:
            total += weights[place] - np.logaddexp.reduce(weights[left])
            left.remove(place)
        logs.append(float(total))
    return orders, logs


@lru_cache(maxsize=1024)
def _flips(scores: tuple[int, ...], rate: float) -> list[float]:
    """Log of the probability of each."""
    heads = np.exp(rate * (np.array(scores, dtype=np.float64) - max(scores)))
    logs = []
    for place, chance in enumerate(heads):
        # First of the heads at a uniform time t: the integral of the product over the others of (1 - p t).
        product = np.poly1d([1.0])
        for other in np.delete(heads, place):
            product *= np.poly1d([-other, 1.0])
        logs.append(float(np.log(chance * product.integ()(1.0))))
    return logs


@contextmanager
def replaced_core() -> Iterator[_Courses]:
    courses = _Courses()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selections, "exponential_mechanism", courses.exponential)
        patch.setattr(selections, "permute_and_flip", courses.flips)
        patch.setattr(noisy_tables, "lattice_noise", courses.lattice)
        patch.setattr(noisy_tables, "discrete_laplace", courses.laplace)
        yield courses


Centre = tuple[tuple[str, Fraction, tuple[int, ...]], ...]
Distribution = Mapping[Any, tuple[float, Centre]]
"""By what was selected: log of its probability; then of each table the noise, its rate, and the exact counts."""


def distribution_of(draw: Callable[[Any], Any], study: Any) -> Distribution:
    """Every answer that the selections can give."""
    distribution: dict[Any, tuple[float, Centre]] = {}
    with replaced_core() as courses:
        while True:
            courses.start()
            selected, tables = _parts(draw(study))
            kinds = [(kind, rate, cells) for (kind, rate), cells in zip(courses.rates, tables, strict=True)]
            # Courses may give one answer only if they can be told apart by nobody: none here do.
            assert selected not in distribution
            distribution[selected] = (courses.log_probability, tuple(kinds))
            if not courses.advance():
                return distribution


def _parts(answer: Any) -> tuple[Any, list[tuple[int, ...]]]:
    if isinstance(answer, Cells):
        return None, [answer.counts]
    if isinstance(answer, Explored):
        selected = (answer.number, answer.followed, answer.located, answer.blocks)
        return selected, [table.counts for table in answer.tables]
    return answer, []


def loss(left: Distribution, right: Distribution) -> float:
    """The largest log ratio of the two distributions over all outcomes, noise included: the smallest epsilon that is true of this pair.

    Of lattice noise the largest ratio is e^(rate times the norm of the difference), of Laplace noise e^(rate times its L1 norm).
    """
    assert left.keys() == right.keys()
    worst = 0.0
    for outcome, (log_left, tables_left) in left.items():
        log_right, tables_right = right[outcome]
        noise = Fraction(0)
        for (kind, rate, one), (other_kind, other_rate, other) in zip(tables_left, tables_right, strict=True):
            assert (kind, rate) == (other_kind, other_rate)
            moved = sum(abs(a - b) for a, b in zip(one, other, strict=True))
            assert sum(one) == sum(other)
            noise += rate * moved / (2 if kind == "lattice" else 1)
        worst = max(worst, abs(log_left - log_right) + float(noise))
    return worst


def worst_loss(draw: Callable[[Any], Any], studies: list[TinyStudy], people: int, enough: float = inf) -> float:
    """Over all neighbours among all studies of that size; or the first loss above `enough`, which is all that a mutant needs."""
    known: dict[int, Distribution] = {}

    def numbered(number: int) -> Distribution:
        if number not in known:
            known[number] = distribution_of(draw, studies[number])
            assert number % 50 or abs(sum(np.exp(log) for log, _ in known[number].values()) - 1) < 1e-9
        return known[number]

    kinds = next(kinds for kinds in range(2, 200) if len(all_tables(people, kinds)) == len(studies))
    pairs = {(min(a, b), max(a, b)) for row in neighbours(people, kinds) for a, b in enumerate(row.tolist()) if a != b}
    worst = 0.0
    for a, b in sorted(pairs):
        worst = max(worst, loss(numbered(a), numbered(b)))
        if worst > enough:
            break
    return worst

"""Selection: the distribution at every boundary, the whole of it against its definition, and its privacy."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2

from starling.audit import exact
from starling.errors import ParameterError
from starling.privacy.sampling import selection
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip
from tests.privacy.sources import Scripted, Seeded

TINY = Fraction(1, 2000)
"""An epsilon at which levels hold several distances."""

CASES: dict[str, tuple[list[int], Fraction, Fraction]] = {
    "ties": ([5, 5, 3, 5, 3, 0], Fraction(1), Fraction(1)),
    "one": ([7], Fraction(1), Fraction(1)),
    "two": ([0, 1], Fraction(3), Fraction(2)),
    "sensitivity 2/3": ([0, 1, 2, -4], Fraction(1, 2), Fraction(2, 3)),
    "far": ([0, -(10**6), 2, -(2**62), 1], Fraction(1), Fraction(1)),
    "whole range": ([2**63 - 1, -(2**63), 2**63 - 2], Fraction(2), Fraction(1)),
    "wide levels": ([0, -700, -3001, -4444, -9999, -1], TINY, Fraction(1)),
    "very wide levels": ([0, -(2**61), 2**62, -(2**62)], Fraction(1, 2**61), Fraction(1)),
}


@pytest.fixture
def heavy_rest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Candidates beyond the last level weigh something, and Arb decides every draw."""
    monkeypatch.setattr(selection, "_CUT", 0)
    monkeypatch.setattr(selection, "_SURE", 1.0)
    selection._levels.cache_clear()
    yield
    selection._levels.cache_clear()


def assert_law(draw: Callable[[], Any], distribution: dict[Any, exact.Probability], draws: int = 4000) -> None:
    """Chi-squared at level 1e-9 against the exact distribution; outcomes of less than 5 expected draws are pooled."""
    found = Counter(draw() for _ in range(draws))
    assert found.keys() <= distribution.keys()
    expected = {outcome: draws * float(probability) for outcome, probability in distribution.items()}
    rare = [outcome for outcome, number in expected.items() if number < 5]
    terms = [(found[outcome], number) for outcome, number in expected.items() if number >= 5]
    terms.append((sum(found[outcome] for outcome in rare), max(sum(expected[outcome] for outcome in rare), 1e-9)))
    statistic = sum((seen - number) ** 2 / number for seen, number in terms if number >= 5)
    assert terms[-1][0] <= terms[-1][1] + 6 * terms[-1][1] ** 0.5 + 6
    assert chi2.sf(statistic, max(len(terms) - 2, 1)) > 1e-9


# ---------------------------------------------------------------- the distribution, by draws


@pytest.mark.series(4)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.statistical
def test_exponential_mechanism_follows_its_definition(case: tuple[list[int], Fraction, Fraction], k: int) -> None:
    """False alarm below 1e-8 for all cases together, were the source not seeded."""
    scores, epsilon, sensitivity = case
    k = min(k, len(scores))
    source = Seeded(k)
    distribution = exact.exponential_distribution(scores, epsilon, sensitivity, k)
    array = np.array(scores)
    assert_law(
        lambda: tuple(exponential_mechanism(array, epsilon, sensitivity, k, source=source).tolist()), distribution
    )


@pytest.mark.series(2)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.statistical
def test_permute_and_flip_follows_its_definition(case: tuple[list[int], Fraction, Fraction]) -> None:
    """False alarm below 1e-8 for all cases together, were the source not seeded."""
    scores, epsilon, sensitivity = case
    source = Seeded(3)
    distribution = exact.permute_and_flip_distribution(scores, epsilon, sensitivity)
    assert_law(lambda: permute_and_flip(np.array(scores), epsilon, sensitivity, source=source), distribution)


@pytest.mark.series(3)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.statistical
def test_the_law_is_the_same_where_arb_decides_everything(
    heavy_rest: None, case: tuple[list[int], Fraction, Fraction]
) -> None:
    """False alarm below 1e-8 for all cases together, were the source not seeded."""
    scores, epsilon, sensitivity = case
    source = Seeded(4)
    distribution = exact.exponential_distribution(scores, epsilon, sensitivity)
    array = np.array(scores)
    assert_law(
        lambda: tuple(exponential_mechanism(array, epsilon, sensitivity, source=source).tolist()), distribution, 1500
    )


def test_doubles_and_arb_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(1).integers(-300, 300, 1000)
    by_doubles = [int(exponential_mechanism(scores, "0.1", source=Seeded(seed))[0]) for seed in range(40)]
    monkeypatch.setattr(selection, "_SURE", 1.0)
    assert [int(exponential_mechanism(scores, "0.1", source=Seeded(seed))[0]) for seed in range(40)] == by_doubles


@pytest.mark.statistical
def test_selection_among_many_candidates_is_uniform_within_a_score() -> None:
    """The best score in every block, first and last place included; false alarm below 1e-9, were the source not seeded."""
    scores = np.full(100_003, -1000)
    best = np.array([0, 1, 16_383, 16_384, 50_000, 65_535, 65_536, 100_001, 100_002])
    scores[best] = 0
    source = Seeded(7)
    distribution: dict[Any, exact.Probability] = dict.fromkeys(best.tolist(), Fraction(1, best.size))
    assert_law(lambda: int(exponential_mechanism(scores, 1, source=source)[0]), distribution, 1500)
    assert_law(lambda: permute_and_flip(scores, 1, source=source), distribution, 600)


# ---------------------------------------------------------------- the distribution, at its boundaries


def boundaries(scores: list[int], rate: Fraction) -> list[int]:
    """floor(2^128 P(level <= j)) for every level but the last, by mpmath."""
    best = max(scores)
    with mpmath.workdps(80):
        weights = [
            count * mpmath.exp(-mpmath.mpf(rate.numerator) * distance / rate.denominator)
            for distance, count in sorted(Counter(best - score for score in scores).items())
        ]
        total = mpmath.fsum(weights)
        return [int(mpmath.floor(mpmath.fsum(weights[: j + 1]) / total * 2**128)) for j in range(len(weights) - 1)]


def test_every_boundary_is_where_it_should_be() -> None:
    """One word less is the better level, one more the worse; the boundary's own word is decided by the next."""
    scores = [0, -1, -1, -2, -5, -5, -5, -40]
    by_level = [[0], [1, 2], [3], [4, 5, 6], [7]]
    for j, place in enumerate(boundaries(scores, Fraction(1, 2))):
        first, second = divmod(place, 2**64)
        # The last word takes the first candidate of the level.
        for script, chosen in [
            ([first - 1, 2**40], j),
            ([first + 1, 2**40], j + 1),
            ([first, second - 1, 2**40], j),
            ([first, second + 1, 2**40], j + 1),
        ]:
            assert exponential_mechanism(scores, 1, source=Scripted(script)).tolist() == by_level[chosen][:1]


@pytest.mark.parametrize(("distance", "epsilon"), [(3, Fraction(1)), (3001, TINY), (9, Fraction(1, 7))])
def test_a_coin_turns_at_its_probability(distance: int, epsilon: Fraction) -> None:
    with mpmath.workdps(80):
        rate = mpmath.mpf(epsilon.numerator) / epsilon.denominator / 2
        first, second = divmod(int(mpmath.floor(mpmath.exp(-rate * distance) * 2**128)), 2**64)
    # The best one's coin shows heads at 0; the last word picks the last of the heads.
    for words, heads in [
        ([first - 1], True),
        ([first + 1], False),
        ([first, second - 1], True),
        ([first, second + 1], False),
    ]:
        script = Scripted([0, *words, 2**64 - 1])
        assert permute_and_flip([0, -distance], epsilon, source=script) == heads


def test_a_candidate_of_a_wide_level_is_kept_with_its_probability() -> None:
    """Distances 0 and 50 share a level at TINY: the second candidate is kept with probability e^(-50 TINY / 2)."""
    assert int(selection._levels(TINY / 2, 2).shift) > 5
    with mpmath.workdps(80):
        first, second = divmod(int(mpmath.floor(mpmath.exp(-50 * mpmath.mpf(1) / 4000) * 2**128)), 2**64)
    level, take_first, take_second = 2**40, 0, 2**63
    for words, kept in [([first - 1], 1), ([first + 1], 0), ([first, second - 1], 1), ([first, second + 1], 0)]:
        script = Scripted([level, take_second, *words, level, take_first])
        assert exponential_mechanism([0, -50], TINY, source=script).tolist() == [kept]


def test_the_best_shows_heads_whatever_its_word() -> None:
    assert permute_and_flip([0, -10], 1, source=Scripted([2**64 - 1, 2**64 - 1, 2**60])) == 0


# ---------------------------------------------------------------- privacy


def test_neighbours_exhaustively_exponential_mechanism() -> None:
    """All scores of 3 candidates in 0..2 and all neighbours that differ by at most 1 in each: never above epsilon."""
    epsilon = Fraction(1)
    for k in (1, 2):
        worst = max(
            exact.epsilon(
                exact.exponential_distribution(list(a), epsilon, k=k),
                exact.exponential_distribution(list(b), epsilon, k=k),
            ).high
            for a in product(range(2), repeat=3)
            for b in product(range(3), repeat=3)
            if max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1
        )
        assert 0.4 < worst <= 1 + 1e-12


def test_the_range_of_losses_is_epsilon_of_the_exponential_mechanism_alone() -> None:
    """The largest loss less the smallest, over all neighbours: what an eighth of epsilon squared rests on."""

    def widest(distribution: Callable[[list[int], Fraction], Mapping[Any, Any]]) -> float:
        return max(
            max(losses) - min(losses)
            for a in product(range(3), repeat=3)
            for move in product((-1, 0, 1), repeat=3)
            for b in [[x + by for x, by in zip(a, move, strict=True)]]
            for p, q in [(distribution([*a], Fraction(1)), distribution(b, Fraction(1)))]
            for losses in [[log(float(p[each])) - log(float(q[each])) for each in p]]
        )

    assert 1 - 1e-9 < widest(exact.exponential_distribution) < 1 + 1e-9
    assert widest(exact.permute_and_flip_distribution) > 1.6


def test_neighbours_exhaustively_permute_and_flip() -> None:
    epsilon = Fraction(1)
    worst = max(
        exact.epsilon(
            exact.permute_and_flip_distribution(list(a), epsilon), exact.permute_and_flip_distribution(list(b), epsilon)
        ).high
        for a in product(range(2), repeat=3)
        for b in product(range(3), repeat=3)
        if max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1
    )
    assert 0.6 < worst <= 1 + 1e-12


def test_permute_and_flip_is_never_worse() -> None:
    """McKenna and Sheldon 2020, Theorem 2: the expected score is at least the exponential mechanism's."""
    for scores in product(range(4), repeat=3):
        flip = exact.permute_and_flip_distribution(list(scores), Fraction(1))
        choose = exact.exponential_distribution(list(scores), Fraction(1))
        gain = sum(score * (float(flip[i]) - float(choose[(i,)])) for i, score in enumerate(scores))
        assert gain >= -1e-12


# ---------------------------------------------------------------- input and output


def test_rounds_take_different_candidates_until_none_is_left() -> None:
    scores = np.random.default_rng(2).integers(-5, 5, 300)
    chosen = exponential_mechanism(scores, 3, k=300, source=Seeded(1))
    assert chosen.dtype == np.int64
    assert sorted(chosen.tolist()) == list(range(300))


@pytest.mark.parametrize("arb", [False, True], ids=["doubles", "Arb"])
def test_two_byte_scores_are_chosen_like_any(arb: bool, request: pytest.FixtureRequest) -> None:
    if arb:
        request.getfixturevalue("heavy_rest")
    ends = [2**15 - 1, -(2**15), 2**15 - 3, 0, -1]
    for scores in (ends, [*ends, *range(-3000, 3000, 7)]):
        for seed in range(20):
            found = [
                (
                    exponential_mechanism(np.array(scores, dtype=kind), 1, k=4, source=Seeded(seed)).tolist(),
                    permute_and_flip(np.array(scores, dtype=kind), "0.01", source=Seeded(seed)),
                )
                for kind in (np.int16, np.int64)
            ]
            assert found[0] == found[1]


def test_scores_are_left_as_they_are() -> None:
    scores = np.arange(10)
    scores.flags.writeable = False
    exponential_mechanism(scores, 1, k=5, source=Seeded(1))
    permute_and_flip(scores, 1, source=Seeded(1))
    assert scores.tolist() == list(range(10))


@pytest.mark.parametrize(
    "scores", [[1, 2, 3], (1, 2, 3), np.arange(3, dtype=np.int8), np.arange(3, dtype=np.uint32), np.arange(6)[::2]]
)
def test_integers_of_every_kind_are_taken(scores: Any) -> None:
    assert exponential_mechanism(scores, 1000, source=Seeded(1)).tolist() == [2]
    assert permute_and_flip(scores, 1000, source=Seeded(1)) == 2


@pytest.mark.parametrize(
    "scores",
    [
        [],
        np.empty(0, dtype=np.int64),
        [0.0, 1.0],
        [1, 2.5],
        np.array([True, False]),
        np.arange(3, dtype=np.uint64),
        [2**63],
        [2**70],
        [[1, 2], [3, 4]],
        [[1, 2], [3]],
        7,
        ["1", "2"],
        [None],
    ],
)
def test_other_scores_are_refused_by_kind_alone(scores: Any) -> None:
    for select in (exponential_mechanism, permute_and_flip):
        with pytest.raises(ParameterError) as caught:
            select(scores, 1)
        assert caught.value.problems[0].field == "scores"
        assert not any(character.isdigit() for character in str(caught.value).replace("int64", ""))


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("epsilon", {"epsilon": 0}),
        ("epsilon", {"epsilon": -1}),
        ("epsilon", {"epsilon": 0.5}),
        ("sensitivity", {"epsilon": 1, "sensitivity": 0}),
        ("sensitivity", {"epsilon": 1, "sensitivity": 1.0}),
        ("k", {"epsilon": 1, "k": 0}),
        ("k", {"epsilon": 1, "k": 4}),
        ("k", {"epsilon": 1, "k": True}),
        ("k", {"epsilon": 1, "k": 1.0}),
    ],
)
def test_parameters_out_of_range_are_refused(field: str, options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        exponential_mechanism([1, 2, 3], **options)
    assert caught.value.problems[0].field == field
    if field != "k":
        with pytest.raises(ParameterError):
            permute_and_flip([1, 2, 3], **options)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**40), Fraction(1, 10**12), "0.001", 1, 100, 10**30])
def test_levels_keep_their_promises(epsilon: Any) -> None:
    rate = Fraction(epsilon) / 2
    for magnitude in (1, 20, 32):
        levels = selection._levels(rate, magnitude)
        reach = rate * levels.number * 2 ** int(levels.shift)
        assert levels.number <= 4096
        assert levels.number << int(levels.shift) >= 2**64 or reach >= (60 + magnitude) * Fraction(6931471, 10**7)
        assert int(levels.shift) == 0 or rate * 2 ** int(levels.shift) <= Fraction(1, 32)
        assert levels.weights.shape == (levels.number + 1,)


def test_passes_count_and_find_every_candidate() -> None:
    scores: npt.NDArray[np.int64] = np.random.default_rng(3).integers(-50, 1, 40_001)
    levels = selection._levels(Fraction(1, 2), 16)
    best = int(scores.max())
    length = 16_001
    blocks = selection._count(scores, best, levels, length)
    distances = np.minimum(best - scores, levels.number)
    assert blocks.sum(axis=0).tolist() == np.bincount(distances, minlength=levels.number + 1).tolist()
    for wanted in (0, 17):
        members = np.flatnonzero(distances == wanted)
        found = [
            start + int(selection._find(scores[start : start + length], best, levels.shift, np.uint64(wanted), rank))
            for start, number in zip(range(0, 40_001, length), blocks[:, wanted].tolist(), strict=True)
            for rank in range(number)
        ]
        assert found == members.tolist()

"""Lattice noise: shells by enumeration, the radius against sums of its own definition, the distribution as a whole, its privacy."""

from collections import Counter
from fractions import Fraction
from itertools import islice, product
from math import comb
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from starling.audit import exact
from starling.errors import ParameterError
from starling.privacy.distributions.table_noise import lattice_count
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision
from starling.privacy.sampling import exact_draws, lattice
from starling.privacy.sampling.certified import thresholds
from starling.privacy.sampling.inversion import inversion
from starling.privacy.sampling.lattice import Radius, cell_variance, lattice_noise
from tests.privacy.sources import Scripted, Seeded


def vectors(cells: int, most: int) -> dict[int, list[tuple[int, ...]]]:
    """All integer vectors of sum 0 by norm, up to norm `most`."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for head in product(range(-most, most + 1), repeat=cells - 1):
        vector = (*head, -sum(head))
        norm = sum(value for value in vector if value > 0)
        if norm <= most:
            found.setdefault(norm, []).append(vector)
    return found


SHELLS = {4: vectors(4, 6), 6: vectors(6, 3)}


@pytest.mark.parametrize("cells", [4, 6])
def test_shells_have_as_many_vectors_as_they_should(cells: int) -> None:
    for norm, members in SHELLS[cells].items():
        assert lattice_count(norm, cells) == len(members)
        if norm:
            assert lattice._squares(norm, cells) == sum(value**2 for vector in members for value in vector)


def test_shells_of_a_2x2_table_follow_the_formula() -> None:
    assert [lattice_count(r, 4) for r in range(1, 40)] == [10 * r * r + 2 for r in range(1, 40)]
    assert [lattice._squares(r, 4) for r in range(1, 40)] == [2 * (7 * r**4 + 5 * r * r) for r in range(1, 40)]


@pytest.mark.parametrize("cells", [4, 6])
def test_the_norm_obeys_the_triangle_inequality(cells: int) -> None:
    """What makes the noise private: a moved record changes the norm of the noise that explains an output by at most 1."""
    moves = SHELLS[cells][1]
    assert len(moves) == cells * (cells - 1)
    for norm, members in SHELLS[cells].items():
        for vector in members[:: max(1, len(members) // 50)]:
            for move in moves:
                moved = sum(max(0, a + b) for a, b in zip(vector, move, strict=True))
                assert abs(moved - norm) <= 1


@pytest.mark.parametrize(("epsilon", "columns"), [(Fraction(1), 2), (Fraction(1, 2), 3)])
def test_neighbours_lattice_noise_is_epsilon_private(epsilon: Fraction, columns: Any) -> None:
    """The distribution of every output up to a norm, shifted by each move: the log ratio is never above epsilon, and reaches it."""
    cells = 2 * columns
    shells = SHELLS[cells]
    with precision(200):
        distribution = {vector: (-ball(epsilon * norm)).exp() for norm, members in shells.items() for vector in members}
    for move in shells[1]:
        inside = {v for v in distribution if tuple(a - b for a, b in zip(v, move, strict=True)) in distribution}
        ratio = exact.epsilon(
            {v: distribution[v] for v in inside},
            {v: distribution[tuple(a - b for a, b in zip(v, move, strict=True))] for v in inside},
        )
        assert ratio.low <= epsilon <= ratio.high
        assert ratio.high < epsilon + Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("epsilon", "cells"), [(Fraction(1), 4), (Fraction(1, 5), 4), (Fraction(2), 6), (Fraction(1, 9), 6)]
)
def test_the_table_of_radii_is_certified(epsilon: Fraction, cells: int) -> None:
    """Every entry against the sum over shells by mpmath; Z against the closed form of the specification (4 cells)."""
    table = thresholds(Radius(epsilon, cells), 63)
    with mpmath.workdps(60):
        q = mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        weights = [lattice_count(r, cells) * q**r for r in range(len(table) + int(150 / epsilon))]
        total = mpmath.fsum(weights)
        sums = np.cumsum(np.array(weights[: len(table)], dtype=object))
        assert table.tolist() == [int(mpmath.floor(value / total * 2**63)) for value in sums]
        if cells == 4:
            z = 1 + 10 * q * (1 + q) / (1 - q) ** 3 + 2 * q / (1 - q)
            assert abs(total / z - 1) < mpmath.mpf(10) ** -50
        # Coordination sequence of the root lattice A: the generating function in closed form, for any number of cells.
        n = cells - 1
        generating = sum(comb(n, k) ** 2 * q**k for k in range(n + 1)) / (1 - q) ** n
        assert abs(total / generating - 1) < mpmath.mpf(10) ** -50
    assert table[-1] == 2**63 - 1


def test_tails_are_the_sums_beyond() -> None:
    distribution = Radius(Fraction(3, 10), 6)
    with precision(256):
        tails = list(islice(distribution.tails(ball(Fraction(1))), 30))
    with mpmath.workdps(60):
        q = mpmath.exp(mpmath.mpf(-3) / 10)
        weights = [lattice_count(r, 6) * q**r for r in range(700)]
        for m, tail in enumerate(tails):
            truth = mpmath.fsum(weights[m + 1 :]) / mpmath.fsum(weights)
            assert abs(float(tail) / float(truth) - 1) < 1e-14


def radius(words: list[int], bits: int = 63, step: int = 64) -> int:
    """The radius at epsilon 1 that a script of words gives."""
    out = np.empty(1, dtype=np.int64)
    inversion(Radius(Fraction(1), 4), bits, step).fill(out, Scripted(words), signed=False, search="fixed")
    return int(out[0])


def test_the_radius_is_inverted_exactly() -> None:
    """About every entry of the table: one less is inside, one more beyond, and its own word is decided by the next."""
    with mpmath.workdps(80):
        q = mpmath.exp(-1)
        total = 1 + 10 * q * (1 + q) / (1 - q) ** 3 + 2 * q / (1 - q)
        sums = np.cumsum(np.array([lattice_count(r, 4) * q**r / total for r in range(20)], dtype=object))
        for shell, value in enumerate(sums):
            first, second = divmod(int(mpmath.floor(value * 2**127)), 2**64)
            for words, expected in [
                ([first - 1], shell),
                ([first + 1], shell + 1),
                ([first, second - 1], shell),
                ([first, second + 1], shell + 1),
            ]:
                assert radius([words[0] << 1 | 1, *words[1:]]) == expected


def test_the_radius_has_its_law_over_all_short_words() -> None:
    """Words of 5 bits, of which 4 index the table: ties all the time. All scripts of 3 words."""
    found: Counter[int] = Counter()
    scripts: list[list[int]] = [[]]
    open_scripts: list[list[int]] = []
    for length in range(4):
        open_scripts = []
        for script in scripts:
            try:
                found[radius(script, bits=4, step=5)] += 32 ** (3 - length)
            except EOFError:  # Words beyond those that a draw reads change nothing.
                open_scripts.append(script)
        scripts = [[*script, each] for script in open_scripts for each in range(32)]
    q = np.exp(-1.0)
    total = 1 + 10 * q * (1 + q) / (1 - q) ** 3 + 2 * q / (1 - q)
    # The lowest bit of the first word is not used, so that each of the others counts twice.
    assert len(open_scripts) <= 2 * 30
    for shell in range(12):
        truth = lattice_count(shell, 4) * q**shell / total * 2**15
        assert abs(found[shell] - truth) <= len(open_scripts) + 2


@pytest.mark.parametrize(("total", "parts"), [(1, 1), (5, 1), (5, 2), (5, 3), (6, 5), (4, 4)])
def test_compositions_are_uniform(monkeypatch: pytest.MonkeyPatch, total: int, parts: int) -> None:
    """Over all scripts of 4-bit words: every composition as often as every other."""
    monkeypatch.setattr(exact_draws, "WORD", 4)
    found: Counter[tuple[int, ...]] = Counter()
    for choice in product(*(range(top) for top in range(total - parts + 1, total))):
        # The word that gives this choice: multiply and shift takes floor(word * top / 16).
        words = [
            next(w for w in range(16) if w * top >> 4 == c and w * top % 16 >= 16 % top)
            for c, top in zip(choice, range(total - parts + 1, total), strict=True)
        ]
        found[tuple(lattice._composition(total, parts, Scripted(words)).tolist())] += 1
    assert len(found) == comb(total - 1, parts - 1)
    assert len(set(found.values())) == 1
    assert all(sum(composition) == total and min(composition) >= 1 for composition in found)


@pytest.mark.parametrize(("columns", "norm"), [(2, 2), (2, 3), (3, 1), (3, 2)])
@pytest.mark.statistical
def test_a_shell_is_drawn_uniformly(columns: Any, norm: int) -> None:
    """Chi-squared over all vectors of the shell; false alarm 1e-9, were the source not seeded."""
    members = SHELLS[2 * columns][norm]
    source = Seeded(norm)
    found: Counter[tuple[int, ...]] = Counter()
    draws = 12 * len(members)
    for _ in range(draws):
        row = np.zeros(2 * columns, dtype=np.int64)
        lattice._fill(row, norm, source)
        found[tuple(row.tolist())] += 1
    assert found.keys() <= set(members)
    statistic = sum((found[member] - 12) ** 2 / 12 for member in members)
    assert chi2.sf(statistic, len(members) - 1) > 1e-9


@pytest.mark.parametrize(("epsilon", "columns"), [("1", 2), ("0.2", 2), ("0.5", 3)])
@pytest.mark.statistical
def test_noise_has_its_variance_and_sums_to_zero(epsilon: str, columns: Any) -> None:
    """Six standard errors; false alarm below 1e-7, were the source not seeded."""
    draws = 6000
    noise = lattice_noise(epsilon, draws, columns=columns, source=Seeded(5))
    assert noise.shape == (draws, 2, columns)
    assert noise.dtype == np.int64
    assert not noise.sum(axis=(1, 2)).any()
    squares = (noise.astype(np.float64) ** 2).mean(axis=(1, 2))
    assert abs(squares.mean() - cell_variance(epsilon, columns)) < 6 * squares.std() / draws**0.5


def test_variance_is_what_the_specification_says() -> None:
    assert round(cell_variance("0.2"), 1) == 104.8
    assert round(cell_variance(1), 2) == 4.03
    for columns, cells in ((2, 4), (3, 6)):
        q = np.exp(-0.7)
        weights = [lattice_count(r, cells) * q**r for r in range(200)]
        squares = [0.0, *(lattice._squares(r, cells) / cells * q**r for r in range(1, 200))]
        assert cell_variance("0.7", columns) == pytest.approx(sum(squares) / sum(weights), rel=1e-12)  # type: ignore[arg-type]


def test_noise_beats_laplace_at_the_same_epsilon() -> None:
    """Laplace of scale 2/epsilon on each count has variance 2 q/(1 - q)^2 (about 8 at 1), 3/4 of it once projected on the known n."""
    for epsilon, plain, projected in (("0.2", 1.91, 1.43), ("1", 1.94, 1.46)):
        q = np.exp(-float(epsilon) / 2)
        laplace = 2 * q / (1 - q) ** 2
        assert laplace / cell_variance(epsilon) == pytest.approx(plain, abs=0.01)
        assert 0.75 * laplace / cell_variance(epsilon) == pytest.approx(projected, abs=0.01)


@pytest.mark.parametrize(
    ("field", "arguments", "options"),
    [
        ("epsilon", (0, 1), {}),
        ("epsilon", (0.5, 1), {}),
        ("epsilon", ("0.0002", 1), {}),
        ("size", (1, -1), {}),
        ("size", (1, 1.0), {}),
        ("columns", (1, 1), {"columns": 4}),
    ],
)
def test_parameters_out_of_range_are_refused(field: str, arguments: tuple[Any, Any], options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        lattice_noise(*arguments, **options)
    assert caught.value.problems[0].field == field


def test_no_draws_are_no_draws() -> None:
    assert lattice_noise(1, 0, columns=3).shape == (0, 2, 3)

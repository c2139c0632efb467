"""How far the noise of a whole table reaches: the size that it exceeds with at most a given probability. Nothing here draws.

Both laws weigh a vector of integers by q^size, so with N(r) vectors of size r, P(size > R) = 1 - sum over r <= R of N(r) q^r / Z.

- Lattice noise on a 2x2 table (lattice.py): size = moved records, N(r) = 10 r^2 + 2 for r >= 1, N(0) = 1, q = e^(-epsilon),
  Z = 1 + 10 q(1 + q)/(1 - q)^3 + 2q/(1 - q).
- Discrete Laplace noise of scale b on four cells: size = sum of the absolute values, N(r) = 8 r (r^2 + 2)/3 for r >= 1, N(0) = 1,
  q = e^(-1/b), Z = ((1 + q)/(1 - q))^4.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb

from starling.errors import ParameterError
from starling.privacy.budget import Exact, exact, positive
from starling.privacy.precision import precision
from starling.privacy.tails import ball

_BITS = 192
_SMALLEST = Fraction(1, 4096)
"""Of epsilon, as for lattice noise: a search takes about 60/epsilon steps."""


def lattice_reach(epsilon: Exact, alpha: Exact) -> int:
    """The smallest R with P(more than R records are moved) <= alpha, for lattice noise on a 2x2 table.

    Args:
        epsilon: Of the noise, exact, at least 1/4096.
        alpha: Chance of missing, exact, in (0, 1).

    >>> lattice_reach(1, "0.05"), lattice_reach("0.2", "0.05")
    (6, 31)
    """
    return _reach(_epsilon(epsilon), _alpha(alpha), lambda r: 10 * r * r + 2, _lattice_total)


def laplace_reach(epsilon: Exact, alpha: Exact) -> int:
    """The smallest R with P(|X_1| + ... + |X_4| > R) <= alpha, for discrete Laplace noise of scale 2/epsilon on four cells.

    That noise costs epsilon, relation "replace one record": a replaced record moves two cells by one.

    >>> laplace_reach(1, "0.05"), laplace_reach("0.2", "0.05")
    (15, 77)
    """
    return _reach(_epsilon(epsilon) / 2, _alpha(alpha), lambda r: 8 * r * (r * r + 2) // 3, _laplace_total)


def _lattice_total(q: arb) -> arb:
    return 1 + 10 * q * (1 + q) / (1 - q) ** 3 + 2 * q / (1 - q)


def _laplace_total(q: arb) -> arb:
    return ((1 + q) / (1 - q)) ** 4


@lru_cache(maxsize=64)
def _reach(rate: Fraction, alpha: Fraction, vectors: Callable[[int], int], total: Callable[[arb], arb]) -> int:
    with precision(_BITS):
        q = ball(-rate).exp()
        power, seen, wanted = arb(1), arb(1), ball(1 - alpha) * total(q)
        size = 0
        # Where a ball cannot tell, one step more is on the safe side.
        while not seen >= wanted:
            size += 1
            power *= q
            seen += vectors(size) * power
        return size


def _epsilon(value: Exact) -> Fraction:
    epsilon = positive(value, field="epsilon")
    if epsilon < _SMALLEST:
        raise ParameterError(field="epsilon", problem="is below 1/4096", fix="give this table more")
    return epsilon


def _alpha(value: Exact) -> Fraction:
    alpha = exact(value, field="alpha")
    if not 0 < alpha < 1:
        raise ParameterError(field="alpha", problem="is not between 0 and 1", fix='give a number such as "0.05"')
    return alpha

"""Integer noise whose distribution is exactly the stated one, at hundreds of millions of draws a second.

Distributions, by their exact rational parameter (discrete.py): discrete Laplace, P(X = x) = (1 - q)/(1 + q) q^|x|, q = e^(-1/scale);
discrete Gaussian, P(X = x) proportional to e^(-x^2/(2 sigma_squared)).

Why it is exact. Let F(m) = P(|X| <= m) and U a uniform real number in [0, 1). The least m with U < F(m) has the distribution of |X|,
because it is m exactly when F(m-1) <= U < F(m). U is known by its binary digits, as many as needed. Of a first word w, the 63
upper bits are the integer u, so U lies in [u, u + 1)/2^63. The table holds T[m] = floor(2^63 F(m)), proved entry by entry
(certified.py). Let j be the first index with T[j] >= u.

- j > 0 gives T[j-1] < u, so 2^63 F(j-1) < T[j-1] + 1 <= u <= 2^63 U: everything below j is passed by, whatever follows u.
- T[j] > u gives 2^63 U < u + 1 <= T[j] <= 2^63 F(j): the draw is j, whatever follows u.
- T[j] = u decides nothing: the draw is j or above it, and what follows u says which. 64 digits more make U' = 2^64 u + v, which is
  compared in the same way with F(j), F(j+1), ... at 127 bits, and so on (certified.settle). It ends with probability 1 and is
  needed about once in 2^63 draws per entry.

So the draw is a function of the real number U, the one above, and no probability is rounded. "u <= T[j]" or "u < T[j]" without the third
case are other distributions: they move up to 2^-63 of probability at every entry, and make outcomes that a neighbour's noise can give
impossible. The last bit of w is a fair sign, independent of u. T is the table of |X| with 0 counted once, so 0 keeps its probability with
either sign; rejecting "-0" would halve it.

Large parameters go through the same tables; wide_gaussian.py has the Gaussian's argument. Of a large scale b of the discrete Laplace, a
geometric variable is drawn digit by digit. Let q = e^(-1/b), B = 2^10, and k the least with b/B^k <= 2^10.

- Sign. X = G if N = 0 and X = -(1 + G) if N = 1, where P(N = 1) = q/(1 + q) and P(G = g) = (1 - q) q^g independently. For x >= 0:
  P(X = x) = (1 - q) q^x/(1 + q); for x < 0: q/(1 + q) (1 - q) q^(-x-1), both as they must be. (A fair sign on G would give 0 twice
  its weight; -(1 + G) has no zero.)
- Digits. g = d_0 + B d_1 + ... + B^(k-1) d_(k-1) + B^k t, so q^g is the product of q_i^(d_i), q_i = q^(B^i), and of q_k^t: the digits and
  the top part are independent, P(d_i = d) = (1 - q_i) q_i^d/(1 - q_i^B), P(t) = (1 - q_k) q_k^t. q_i belongs to scale b/B^i.

Each of the k + 2 parts is drawn by table inversion (inversion.py), with a word of its own.

Nothing depends on data: noise is drawn for a public number of cells. In the search "fixed" every draw takes the same steps;
in "guided" the time of a draw depends on its value, which is for offline jobs alone (search_kernels.py).

Why we wrote it ourselves. Samplers in floating point do not have the stated distribution, and were broken (Mironov 2012; Jin et al. 2022).
The exact ones at hand (OpenDP, diffprivlib, tmlt.core) follow Canonne, Kamath and Steinke (2020): rejection loops on
one Bernoulli variable after the other, whose time depends on the draw, at 0.003 to 0.2 million draws a second. The national tables
need some 10^9 draws. bench/noise.py measures all of them.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.budget import Exact, positive
from starling.privacy.compiled import compiled
from starling.privacy.distributions.discrete import (
    LARGEST_SCALE,
    LARGEST_SIGMA_SQUARED,
    DiscreteLaplace,
    Distribution,
)
from starling.privacy.sampling import entropy
from starling.privacy.sampling.certified import Digit, GaussianMagnitude, Geometric, LaplaceMagnitude, Negative
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.inversion import CHUNK, Int64, Inversion, Search, inversion
from starling.privacy.sampling.wide_gaussian import wide_gaussian

Size: TypeAlias = int | tuple[int, ...]
Exacts: TypeAlias = Exact | list[Any] | tuple[Any, ...] | npt.NDArray[Any]
"""One exact number, or an array (nested sequence) of them."""

TABLE_SCALE = Fraction(2**12)
"""Up to this scale one table of all magnitudes is used: at most 179,000 entries."""
TABLE_SIGMA_SQUARED = Fraction(2**24)
"""Up to this sigma squared one table of all magnitudes is used: at most 37,200 entries."""
DIGIT_BITS = 10
_MOST_TOP = 1 << 22
"""t below this keeps X within int64 (k <= 4). P(t >= 2^22) < e^-4096."""


def discrete_laplace(
    scale: Exacts, size: Size | None = None, *, source: BitSource | None = None, search: Search = "guided"
) -> Int64:
    """Independent discrete Laplace noise.

    Args:
        scale: b, above 0 and at most 2^50, exact: int, Fraction or decimal string; or an array of them with few distinct values.
        size: Shape of the result; the shape of `scale` if not given.
        source: The source of random words; the process's own if not given. Others are for tests and make noise that is NOT PRIVATE.
        search: "guided", or "fixed" where an adversary may time the draws.

    Returns:
        int64 of shape `size`.

    Raises:
        ParameterError: for a float, a number out of range, a size that does not fit.
        OverflowError: where a draw leaves int64: never below scale 2^50, but for a probability under e^-4096.

    >>> discrete_laplace("0.5", size=(2, 3)).shape
    (2, 3)
    """
    return _draw_each("scale", _laplace, scale, size, source, search)


def discrete_gaussian(
    sigma_squared: Exacts, size: Size | None = None, *, source: BitSource | None = None, search: Search = "guided"
) -> Int64:
    """Independent discrete Gaussian noise.

    Args:
        sigma_squared: The square of sigma, which itself is rarely rational: above 0 and at most 2^90, exact; or an array of such.
        size: Shape of the result; the shape of `sigma_squared` if not given.
        source: The source of random words; the process's own if not given. Others are for tests and make noise that is NOT PRIVATE.
        search: "guided", or "fixed" where an adversary may time the draws.

    Returns:
        int64 of shape `size`.

    Raises:
        ParameterError: for a float, a number out of range, a size that does not fit.

    >>> discrete_gaussian("100/3", size=5).dtype
    dtype('int64')
    """
    return _draw_each("sigma_squared", _gaussian, sigma_squared, size, source, search)


def draw(
    distribution: Distribution, size: Size, *, source: BitSource | None = None, search: Search = "guided"
) -> Int64:
    """Independent noise, int64 of shape `size`; `source` and `search` as for `discrete_laplace`.

    Raises:
        ParameterError: for a parameter out of range, or a size that does not fit.
    """
    if isinstance(distribution, DiscreteLaplace):
        return discrete_laplace(distribution.scale, size, source=source, search=search)
    return discrete_gaussian(distribution.sigma_squared, size, source=source, search=search)


def checked_add(a: Int64, b: Int64) -> Int64:
    """a + b, two int64 arrays of one shape.

    Raises:
        OverflowError: when a sum leaves int64. With one of them noise that is an event of the noisy value, so post-processing.
        ParameterError: for another type or different shapes.
    """
    if a.dtype != np.int64 or b.dtype != np.int64:
        raise ParameterError("sum", "has a term that is not int64", "count in int64")
    if a.shape != b.shape:
        raise ParameterError("sum", "has terms of different shapes", "draw noise of the counts' shape")
    out = np.empty(a.shape, dtype=np.int64)
    if _add(np.ravel(a), np.ravel(b), out.reshape(-1)):
        raise OverflowError("a noisy value leaves the 64-bit integers")
    return out


@compiled
def _add(a: Int64, b: Int64, out: Int64) -> bool:
    """a + b into `out`, and whether any sum went over: then it has a sign that neither term has. All are always added."""
    over = np.int64(0)
    for place in range(out.size):
        total = a[place] + b[place]
        over |= (a[place] ^ total) & (b[place] ^ total)
        out[place] = total
    return bool(over < 0)


_Fill: TypeAlias = Callable[[Fraction, Int64, BitSource, Search], None]


def _laplace(scale: Fraction, out: Int64, source: BitSource, search: Search) -> None:
    if scale > LARGEST_SCALE:
        raise ParameterError("scale", "is above 2^50", "give a smaller scale")
    if scale > TABLE_SCALE:
        geometric_digits(scale).fill(out, source, search=search)
    else:
        inversion(LaplaceMagnitude(scale)).fill(out, source, signed=True, search=search)


def _gaussian(sigma_squared: Fraction, out: Int64, source: BitSource, search: Search) -> None:
    if sigma_squared > LARGEST_SIGMA_SQUARED:
        raise ParameterError("sigma_squared", "is above 2^90", "give a smaller variance")
    if sigma_squared > TABLE_SIGMA_SQUARED:
        wide_gaussian(sigma_squared).fill(out, source, search=search)
    else:
        inversion(GaussianMagnitude(sigma_squared, sides=2)).fill(out, source, signed=True, search=search)


def _draw_each(
    field: str, fill: _Fill, values: Exacts, size: Size | None, source: BitSource | None, search: Search
) -> Int64:
    """The draws of one parameter, or of each parameter of an array."""
    if search not in get_args(Search):
        raise ParameterError("search", "is neither guided nor fixed", 'give "guided" or "fixed"')
    words = entropy.system() if source is None else source
    if isinstance(values, int | Fraction | str | float):
        out = np.empty(() if size is None else _shape(size), dtype=np.int64)
        fill(positive(values, field=field), out.reshape(-1), words, search)
        return out
    numbers, index = _distinct(values, field)
    out = np.empty(index.shape if size is None else _shape(size), dtype=np.int64)
    try:
        places = np.broadcast_to(index, out.shape)
    except ValueError:
        raise ParameterError("size", f"does not fit the shape of {field}", "leave it out") from None
    for which, number in enumerate(numbers):
        here = places == which
        part = np.empty(np.count_nonzero(here), dtype=np.int64)
        fill(number, part, words, search)
        out[here] = part
    return out


def _shape(size: Size) -> tuple[int, ...]:
    """`size` as a shape."""
    try:
        shape = tuple(operator.index(side) for side in (size if isinstance(size, tuple) else (size,)))
    except TypeError:
        shape = (-1,)
    if min(shape, default=0) < 0:
        raise ParameterError("size", "is not made of whole numbers from 0 on", "give a shape")
    return shape


def _distinct(values: Any, field: str) -> tuple[list[Fraction], npt.NDArray[np.intp]]:
    """The distinct parameters, ascending, and for each place of the array which of them stands there."""
    if isinstance(values, np.ndarray | np.generic) and values.dtype.kind in "iu":
        distinct, codes = np.unique(values, return_inverse=True)
        return [positive(value, field=field) for value in distinct.tolist()], codes.reshape(values.shape)
    # As objects: NumPy would make one kind of mixed ones, and text of a float. An array made of few objects has few identities.
    array = np.asarray(values, dtype=object)
    objects = array.reshape(-1).tolist()
    identities = np.fromiter(map(id, objects), np.int64, len(objects))
    first, codes = np.unique(identities, return_index=True, return_inverse=True)[1:]
    different = [objects[place] for place in first.tolist()]
    exact = [positive(each.item() if isinstance(each, np.integer) else each, field=field) for each in different]
    numbers = sorted(set(exact))
    order = {number: which for which, number in enumerate(numbers)}
    which = np.array([order[number] for number in exact], dtype=np.intp)
    return numbers, which[codes].reshape(array.shape)


@dataclass(frozen=True, slots=True, eq=False)
class GeometricDigits:
    """A discrete Laplace distribution as its independent parts. Make one with `geometric_digits`.

    Attributes:
        negative: N.
        top: t.
        digits: The digits, from the most significant to the least.
    """

    negative: Inversion
    top: Inversion
    digits: tuple[Inversion, ...]

    def fill(self, out: Int64, source: BitSource, *, search: Search) -> None:
        """Independent draws into `out`, contiguous and of one dimension.

        Raises OverflowError where a draw leaves int64, which has a probability below e^-4096.
        """
        part = np.empty(min(out.size, CHUNK), dtype=np.int64)
        for start in range(0, out.size, CHUNK):
            total = out[start : start + CHUNK]
            drawn = part[: total.size]
            self.top.fill(total, source, signed=False, search=search)
            if int(total.max()) >= _MOST_TOP:
                raise OverflowError("a draw of noise leaves the 64-bit integers")
            for digit in self.digits:
                digit.fill(drawn, source, signed=False, search=search)
                total <<= DIGIT_BITS
                total |= drawn
            self.negative.fill(drawn, source, signed=False, search=search)
            # g XOR 0 is g; g XOR -1 is -(1 + g).
            np.negative(drawn, out=drawn)
            total ^= drawn


@lru_cache(maxsize=16)
def geometric_digits(scale: Fraction) -> GeometricDigits:
    """The parts of the discrete Laplace of this scale, at most `LARGEST_SCALE`."""
    base = 2**DIGIT_BITS
    count = 0
    while scale > base ** (count + 1):
        count += 1
    return GeometricDigits(
        inversion(Negative(scale)),
        inversion(Geometric(scale / base**count)),
        tuple(inversion(Digit(scale / base**i, base)) for i in reversed(range(count))),
    )

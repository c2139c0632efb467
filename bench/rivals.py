"""Laplace noise on chi-squared statistics and on p-values, as Fienberg, Slavkovic and Uhler (2011) proposed, and the exponential
mechanism on chi-squared, as Yu, Fienberg, Slavkovic and Uhler (2014) did: rivals, for comparison alone.

What they hide depends on who counts as a neighbour:

- "unrestricted": replace one patient, as everywhere in this package. A statistic of 0 (a zero margin) can become n by one patient:
  (0, 0; 0, n) and (1, 0; 0, n - 1). So the sensitivity of chi-squared is n, and that of its p-value 1 - P(X >= n), nearly 1.
- "restricted": exactly n/2 cases, and a patient is replaced by another of the same group. Then chi-squared has sensitivity 4n/(n + 2), and
  that of the p-value is computed here from all tables. It hides genotypes, not who is a case: a weaker promise, for studies of one
  shape. Answers carry that sentence with them.

There is no `guarantee` here, so `publish` (privacy/trust.py) lets none of it out. Statistics are put on a grid first, as
real numbers have to be: one step of it is added to each sensitivity.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Final, Generic, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.genome.distance.significance import checked_tables
from starling.genome.statistics.association import chi_squared_statistic, p_values
from starling.privacy.budget import Exact, positive
from starling.privacy.sampling.noise import discrete_laplace
from starling.privacy.sampling.selection import exponential_mechanism

Int64: TypeAlias = npt.NDArray[np.int64]
Float64: TypeAlias = npt.NDArray[np.float64]
Neighbours: TypeAlias = Literal["restricted", "unrestricted"]
Statistic: TypeAlias = Literal["chi2", "p"]
T = TypeVar("T")

PROMISES: Final[dict[Neighbours, str]] = {
    "restricted": "hides a patient's genotype, not whether they are a case; only where exactly half are cases",
    "unrestricted": "hides everything about a patient",
}
_STEPS: Final = 1 << 12
"""Grid steps of a unit of chi-squared; of a p-value 2^20."""
_P_STEPS: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Rival(Generic[T]):
    """What a rival answered.

    Attributes:
        answer: The numbers, or the places.
        promise: What it hides, in words.
    """

    answer: T
    promise: str


def sensitivity(people: int, statistic: Statistic, neighbours: Neighbours) -> Fraction:
    """The most that the statistic of a 2x2 table of `people` changes by between neighbours; rounded up where it is a p-value.

    Raises:
        ParameterError: for fewer than 2 people, or an odd number of them where half are cases.

    >>> sensitivity(1000, "chi2", "restricted"), sensitivity(1000, "chi2", "unrestricted")
    (Fraction(2000, 501), Fraction(1000, 1))
    """
    if people < 2 or (neighbours == "restricted" and people % 2):
        raise ParameterError(field="people", problem="are not two groups of one size", fix="give an even number")
    if statistic == "chi2":
        return Fraction(people) if neighbours == "unrestricted" else Fraction(4 * people, people + 2)
    if neighbours == "unrestricted":
        extreme = np.array([[1, 0, 0, people - 1]])
        return _up(1 - float(p_values(extreme, "chi2")[0]))
    return _restricted_p(people)


@lru_cache(maxsize=16)
def _restricted_p(people: int) -> Fraction:
    """From all tables of two groups of half the people: the p-value of each against that of one carrier more among the cases.

    By symmetry of the groups nothing else needs to be looked at.
    """
    half = people // 2
    cases = np.arange(half + 1)
    worst = 0.0
    for controls in range(half + 1):
        others = np.full(half + 1, controls)
        found = p_values(np.stack([cases, half - cases, others, half - others], axis=1), "chi2")
        worst = max(worst, float(np.abs(np.diff(found)).max()))
    return _up(worst)


def _up(value: float) -> Fraction:
    """At least the true number: the double is within 2^-40 of it."""
    return Fraction(ceil(value * 2**40) + 1, 2**40)


def noisy_statistics(
    tables: npt.ArrayLike, statistic: Statistic, epsilon: Exact, neighbours: Neighbours
) -> Rival[Float64]:
    """Each table's chi-squared statistic, or its p-value, with Laplace noise; each answer costs epsilon.

    Args:
        tables: Integers (m, 4), all of one number of people.
        statistic: "chi2" or "p".
        epsilon: Above 0, exact.
        neighbours: Of whom.

    Returns:
        float64 (m,); below 0 and above 1 perhaps.

    Raises:
        ParameterError: for other tables, or epsilon.
    """
    counts, people = _checked(tables, neighbours)
    values = chi_squared_statistic(counts) if statistic == "chi2" else p_values(counts, "chi2")
    steps = _STEPS if statistic == "chi2" else _P_STEPS
    reach = sensitivity(people, statistic, neighbours) * steps + 1
    return Rival(_with_noise(values, steps, reach / positive(epsilon, field="epsilon")), PROMISES[neighbours])


def noisy_top(tables: npt.ArrayLike, k: int, epsilon: Exact, neighbours: Neighbours) -> Rival[Int64]:
    """The k tables with the largest chi-squared statistics after Laplace noise of scale 2 k sensitivity/epsilon on each.

    Returns:
        SelectedSnps, int64 (k,), the largest first. All together cost epsilon.

    Raises:
        ParameterError: for other tables, epsilon, or k not from 1 to m.
    """
    counts, people = _checked_for(k, tables, neighbours)
    scale = 2 * k * _reach(people, neighbours) / positive(epsilon, field="epsilon")
    values = _with_noise(chi_squared_statistic(counts), _STEPS, scale)
    return Rival(np.argsort(-values, kind="stable")[:k], PROMISES[neighbours])


def exponential_top(tables: npt.ArrayLike, k: int, epsilon: Exact, neighbours: Neighbours) -> Rival[Int64]:
    """k different tables, each with probability proportional to e^(epsilon chi-squared / (2 k sensitivity)) among those left.

    Returns:
        SelectedSnps, int64 (k,), in order of selection. All together cost epsilon.

    Raises:
        ParameterError: for other tables, epsilon, or k not from 1 to m.

    Source: Yu, Fienberg, Slavkovic and Uhler 2014 (Scalable privacy-preserving data sharing methodology for GWAS).
    """
    counts, people = _checked_for(k, tables, neighbours)
    scores = np.rint(chi_squared_statistic(counts) * _STEPS).astype(np.int64)
    return Rival(exponential_mechanism(scores, epsilon, _reach(people, neighbours), k), PROMISES[neighbours])


def _reach(people: int, neighbours: Neighbours) -> Fraction:
    """The sensitivity of chi-squared in steps of the grid."""
    return sensitivity(people, "chi2", neighbours) * _STEPS + 1


def _checked_for(k: int, tables: npt.ArrayLike, neighbours: Neighbours) -> tuple[Int64, int]:
    counts, people = _checked(tables, neighbours)
    if not 1 <= k <= len(counts):
        raise ParameterError(field="k", problem="is not from 1 to the number of tables", fix="ask for fewer")
    return counts, people


def _checked(tables: npt.ArrayLike, neighbours: Neighbours) -> tuple[Int64, int]:
    counts = checked_tables(tables, 4)
    if neighbours not in PROMISES:
        raise ParameterError(field="neighbours", problem="are not known", fix='give "restricted" or "unrestricted"')
    sums = counts.sum(axis=1)
    people = int(sums.max(initial=0))
    if not (sums == people).all():
        raise ParameterError(field="tables", problem="are not of one number of people", fix="give tables of one study")
    if neighbours == "restricted" and not (2 * counts[:, :2].sum(axis=1) == people).all():
        raise ParameterError(field="tables", problem="do not have half of the people as cases", fix="give unrestricted")
    return counts, people


def _with_noise(values: Float64, steps: int, scale: Fraction) -> Float64:
    return (np.rint(values * steps) + discrete_laplace(scale, values.shape)) / steps

"""Repeats of rivals in turn, and what is kept of them.

Rivals of one comparison run one after the other, round after round, each round starting with another one: what slows the
machine for a while slows all of them. Ratios are made within a round.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import TypeAlias, TypeVar

Name = TypeVar("Name", bound=Hashable)
Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeats of one figure.

    Attributes:
        median: The middle one.
        least: The smallest.
        most: The largest.
        runs: How many there were.
    """

    median: float
    least: float
    most: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The spread of at least one value, kept to four digits.

        >>> Spread.of([3.0, 1.0, 2.0])
        Spread(median=2.0, least=1.0, most=3.0, runs=3)
        """
        kept = [float(f"{value:.4g}") for value in values]
        return cls(float(f"{median(kept):.4g}"), min(kept), max(kept), len(kept))

    def to_json(self) -> Json:
        """As it stands in a result file."""
        return {"median": self.median, "min": self.least, "max": self.most, "runs": self.runs}


def in_turn(rivals: Mapping[Name, Callable[[], float]], rounds: int) -> dict[Name, list[float]]:
    """The figure of each rival in each round.

    >>> in_turn({"a": lambda: 1.0, "b": lambda: 2.0}, rounds=2)
    {'a': [1.0, 1.0], 'b': [2.0, 2.0]}
    """
    names = list(rivals)
    found: dict[Name, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(rivals[name]())
    return found


def ratios(above: Iterable[float], below: Iterable[float]) -> Spread:
    """How many times `below` the figures `above` are, round by round."""
    return Spread.of(a / b for a, b in zip(above, below, strict=True))


def enough(seconds: Callable[[int], float], aim: float, most: int) -> int:
    """How many units of work take about `aim` seconds, at most `most`; found by trying growing numbers.

    Args:
        seconds: Does that many units, and says how long it took.
        aim: Seconds.
        most: Units.
    """
    number = 1
    while True:
        took = seconds(number)
        if took >= aim / 4 or number == most:
            return max(1, min(most, round(number * aim / took)))
        number = min(most, number * 4)


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    began = perf_counter()
    work()
    return perf_counter() - began


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process that `work` takes."""
    began = process_time()
    work()
    return process_time() - began

"""Where an axis ends, and the round numbers that stand at it."""

from math import ceil, floor, log10


def top_of(needed: float, longest: float) -> float:
    """The upper end of an axis that holds what is needed, and all intervals that are not much longer."""
    return 1.06 * max(needed, min(longest, 1.7 * needed))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, at most so many, at even steps of 1, 2 or 5 times a power of ten."""
    step = _step(low, high, most)
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]


def labelled(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """`ticks` with their texts: without an exponent, each told apart from the next.

    >>> labelled(4321498, 4321506, 2), labelled(-73.98556, -73.98549, 2)
    ([(4321500.0, '4,321,500'), (4321505.0, '4,321,505')], [(-73.98555, '-73.98555'), (-73.9855, '-73.98550')])
    """
    decimals = max(0, -floor(log10(_step(low, high, most)) + 1e-6))
    return [(number, f"{round(number, decimals) + 0.0:z,.{decimals}f}") for number in ticks(low, high, most)]


def _step(low: float, high: float, most: int) -> float:
    rough = (high - low) / most
    power: float = 10.0 ** floor(log10(rough))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= rough * (1 - 1e-9))

"""Where an axis ends, and the round numbers that stand at it."""

from math import ceil, floor, log10


def top_of(needed: float, longest: float) -> float:
    """The upper end of an axis that holds what is needed, and all intervals that are not much longer."""
    return 1.06 * max(needed, min(longest, 1.7 * needed))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, at most so many, at even steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power: float = 10.0 ** floor(log10(rough))
    step = next(nice * power for nice in (1, 2, 5, 10) if nice * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]

"""How many integer vectors of sum 0 there are by norm, the sum of their positive parts. Nothing here draws.

The shells of the lattice on which the noise of a table lives (lattice.py): all vectors of one norm.
"""

from math import comb


def shell_size(radius: int, cells: int) -> int:
    """Integer vectors of `cells` entries with sum 0 whose positive parts sum to `radius`.

    >>> [shell_size(radius, 4) for radius in range(4)]
    [1, 12, 42, 92]
    """
    return sum(weight for _, _, weight in splits(radius, cells)) if radius else 1


def splits(radius: int, cells: int) -> list[tuple[int, int, int]]:
    """(p, s, vectors of the shell with p positive and s negative cells), the radius above 0."""
    return [
        (p, s, comb(cells, p) * comb(cells - p, s) * comb(radius - 1, p - 1) * comb(radius - 1, s - 1))
        for p in range(1, cells)
        for s in range(1, cells - p + 1)
    ]

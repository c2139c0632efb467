"""Shells of the lattice against enumeration."""

from itertools import product

import pytest

from starling.privacy.distributions.lattice_counts import shell_size, splits


@pytest.mark.parametrize(("cells", "most"), [(4, 6), (6, 3)])
def test_a_shell_is_split_by_its_signs(cells: int, most: int) -> None:
    """All integer vectors of sum 0 and norm up to `most`, by their numbers of positive and negative cells."""
    found: dict[tuple[int, int, int], int] = {}
    for head in product(range(-most, most + 1), repeat=cells - 1):
        vector = (*head, -sum(head))
        norm = sum(value for value in vector if value > 0)
        key = (norm, sum(value > 0 for value in vector), sum(value < 0 for value in vector))
        found[key] = found.get(key, 0) + 1
    for norm in range(1, most + 1):
        wanted = {(p, s): number for (size, p, s), number in found.items() if size == norm}
        assert {(p, s): number for p, s, number in splits(norm, cells) if number} == wanted
        assert shell_size(norm, cells) == sum(wanted.values())
    assert shell_size(0, cells) == 1

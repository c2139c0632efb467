"""Invented towns: repeatable, of the stated size, and everybody's kind is possible."""

import numpy as np

from starling.audit.generate import towns


def test_the_same_seed_gives_the_same_people() -> None:
    for first, second in zip(towns(50, 8, 3.0, 7), towns(50, 8, 3.0, 7), strict=True):
        assert np.array_equal(first, second)
    assert not np.array_equal(towns(50, 8, 3.0, 7)[0], towns(50, 8, 3.0, 8)[0])


def test_persons_are_as_many_as_said_and_of_all_kinds() -> None:
    # 8 million draws' mean: standard error 0.0019, and the bound is ten of them.
    people, kinds = towns(10_000, 80, 3.0, 1)
    assert people.shape == (10_000, 80)
    assert abs(people.mean() - 3.0) < 0.02
    assert set(kinds.tolist()) == set(range(80))

"""Invented towns: repeatable, of the stated size, and everybody's kind is possible."""

import numpy as np

from bench.attacks.people import deals, genomes, towns


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


def test_genomes_are_common_snps_and_the_seed_decides() -> None:
    people = genomes(500, 40, seed=3)
    assert people.shape == (500, 40)
    assert (people == genomes(500, 40, seed=3)).all()
    assert (people != genomes(500, 40, seed=4)).any()
    assert 0.01 < people.mean(axis=0).min() < people.mean(axis=0).max() < 0.85


def test_deals_are_orders_of_all_people() -> None:
    dealt = list(deals(9, 50, seed=1))
    assert all(sorted(order.tolist()) == list(range(9)) for order, _ in dealt)
    assert len({tuple(order.tolist()) for order, _ in dealt}) > 40
    assert 10 < sum(turned for _, turned in dealt) < 40

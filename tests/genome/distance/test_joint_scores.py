"""A person changes the scores of some SNPs by the public amount at most, all together: by enumeration of persons and phenotypes."""

from itertools import product

import numpy as np
import pytest

from starling.genome.distance.joint_scores import joint_columns
from starling.genome.plan.effects import SCALE


@pytest.mark.parametrize(("snps", "people", "steps"), [(1, 5, 1), (3, 8, 1), (40, 30, 1), (3, 8, 7), (2, 5, 1 << 14)])
def test_no_person_moves_all_scores_by_more_than_the_scale(snps: int, people: int, steps: int) -> None:
    generator = np.random.default_rng(snps + people + steps)
    ends = (0, 1, steps // 2, steps)
    for _ in range(50):
        columns = generator.binomial(2, generator.uniform(0.05, 0.5, (snps, 1)), (snps, people)).astype(np.float64)
        columns -= columns.mean(axis=1, keepdims=True)
        values = joint_columns(columns, SCALE, steps).values
        moved = [
            int(np.abs(values[:, person] * (left - right)).sum())
            for person in range(people)
            for left, right in product(ends, repeat=2)
        ]
        assert max(moved) <= SCALE
        assert max(moved) > 0.999 * SCALE or not columns.any()
        # What each SNP alone may move, without the others, is too much for all together.
        alone = sum(np.abs(joint_columns(columns[[snp]], SCALE, steps).values).astype(object) for snp in range(snps))
        assert snps < 40 or int(np.max(alone)) * steps > 2 * SCALE


def test_a_score_is_that_of_the_column_of_norm_1() -> None:
    columns = np.array([[3.0, -1.0, -2.0], [0.0, 0.0, 0.0]])
    joint = joint_columns(columns, SCALE)
    y = np.array([1, 0, 1])
    norm = np.sqrt(14)
    assert joint.squares.tolist() == [14, 0]
    assert (joint.values @ y / SCALE * joint.largest).tolist() == pytest.approx([1 / norm, 0], abs=1e-8)

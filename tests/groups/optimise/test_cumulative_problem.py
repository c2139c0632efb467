"""What optimisers on cumulative counts take and refuse; the objective, exactly."""

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.groups.optimise.cumulative_problem import FINEST, CumulativeProblem

NOISY = [np.array([[1, 2]]), np.array([[1, 1], [0, 1]])]
PARENTS = [np.array([0, 0])]


def test_weights_are_integers_in_proportion_to_precision() -> None:
    problem = CumulativeProblem.of(NOISY, PARENTS, 2, [[1.0, 3.0], 2.0**30], None)
    assert problem.weights().tolist() == [[FINEST, round(FINEST / 3)], [1, 1]]


def test_the_objective_is_exact_at_any_magnitude() -> None:
    far = (1 << 63) - 1
    problem = CumulativeProblem.of([np.array([[-far, 0]]), np.array([[far, -far], [3, 1]])], PARENTS, 2, None, None)
    counts = (np.array([[2, 0]]), np.array([[1, 0], [1, 0]]))
    # c is 2 at the root, where the last size is public, 1 and 1 in both leaves.
    assert problem.objective(counts) == FINEST * ((far + 2) ** 2 + (far - 1) ** 2 + (far + 1) ** 2 + 2**2 + 0)


def test_public_totals_stand_where_they_are_public() -> None:
    problem = CumulativeProblem.of(NOISY, PARENTS, 7, None, [[7], [3, 4]])
    assert problem.stacked().tolist() == [[1, 7], [1, 3], [0, 4]]
    assert problem.known.tolist() == [True] * 3
    only_root = CumulativeProblem.of(NOISY, PARENTS, 7, None, None)
    assert only_root.stacked().tolist() == [[1, 7], [1, 1], [0, 1]]
    assert only_root.tops.tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    ("total", "variances", "totals", "field"),
    [
        (-1, None, None, "total"),
        ((1 << 60) + 1, None, None, "total"),
        (2, [1.0], None, "variances"),
        (2, [1.0, 0.0], None, "variances"),
        (2, [1.0, np.inf], None, "variances"),
        (2, [1.0, [1.0, 2.0, 3.0]], None, "variances"),
        (2, None, [[2], [1, 2]], "region_totals[1]"),
        (2, None, [[3], [1, 2]], "region_totals[0]"),
        (2, None, [[2], [3, -1]], "region_totals[1]"),
        (2, None, [[2]], "region_totals"),
    ],
)
def test_what_does_not_fit_is_refused(
    total: int, variances: list[float] | None, totals: list[list[int]] | None, field: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        CumulativeProblem.of(NOISY, PARENTS, total, variances, totals)
    assert refused.value.problems[0].field == field

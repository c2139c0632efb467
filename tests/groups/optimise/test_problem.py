"""Problems that cannot be are refused before anything is worked out."""

import pytest

from starling.errors import ParameterError
from starling.groups.optimise.problem import Problem


@pytest.mark.parametrize(
    ("noisy", "total", "weights", "field"),
    [
        ([[[1]], [[1]]], -1, None, "total"),
        ([[[1]], [[1]]], 1, [1], "weights"),
        ([[[1]], [[1]]], 1, [1, 0], "weights"),
        ([[[1]], [[-(1 << 63)]]], 1, None, "noisy"),
        ([[[1]], [[1]]], 1 << 62, None, "noisy"),
        ([[[1]], [[1]]], 1, [1 << 45, 1], "noisy"),
    ],
)
def test_what_cannot_be_is_refused(
    noisy: list[list[list[int]]], total: int, weights: list[int] | None, field: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        Problem.of(noisy, [[0]], total, weights)
    assert refused.value.problems[0].field == field


def test_a_problem_has_weights_of_one_unless_given() -> None:
    result = Problem.of([[[1, 2]], [[3, 4]]], [[0]], 5, None)
    assert (result.total, result.weights, result.tree.regions) == (5, (1, 1), (1, 1))

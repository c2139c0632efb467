"""The paper's two-step mechanism: its steps, and the conditions."""

import numpy as np
import pytest
from hypothesis import given, settings

from starling.errors import ParameterError
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.isotonic import isotonic
from starling.groups.optimise.two_step import project_two_step
from tests.groups.optimise.cumulative_cases import Case, cases, small_case
from tests.groups.optimise.random_trees import assert_conditions


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_every_output_keeps_the_conditions(case: Case) -> None:
    if case.total > 1 << 50:
        with pytest.raises(ParameterError):
            project_two_step(case.noisy, case.parents, 1 << 60, case.variances)
        return
    result = project_two_step(case.noisy, case.parents, case.total, case.variances)
    assert_conditions(result.levels, case.parents, case.total)


def test_it_is_pooling_and_then_the_nearest_histograms() -> None:
    case = small_case(np.random.default_rng(4), 3)
    histograms = []
    for level, measured in enumerate(case.noisy):
        noisy = measured.copy()
        noisy[:1, -1] = case.total if level == 0 else noisy[:1, -1]
        reached = np.rint([isotonic([row], 0, case.total)[0] for row in noisy]).astype(np.int64)
        reached[:1, -1] = case.total if level == 0 else reached[:1, -1]
        histograms.append(np.diff(reached, axis=1, prepend=0))
    wanted = project_histogram(histograms, case.parents, case.total)
    result = project_two_step(case.noisy, case.parents, case.total)
    assert all(np.array_equal(a, b) for a, b in zip(result.levels, wanted.levels, strict=True))

"""Every method under one signature: the conditions hold on every output but of the one that says otherwise; the same bits again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.groups.inference.methods import FITS, fit
from starling.groups.plan import METHODS, Method, Plan
from starling.groups.plan.choices import WITH_REGION_TOTALS
from starling.groups.plan.regions import leaf_totals
from starling.groups.postprocess import Conditions, conditions
from tests.groups.worlds import SIZES, world


def test_every_method_of_a_plan_is_there() -> None:
    assert FITS.keys() == METHODS.keys()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_outputs_keep_the_conditions_and_repeat_bit_for_bit(method: Method, seed: int, tmp_path: Path) -> None:
    plan = replace(world(tmp_path, more='split = ["1/4", "1/4", "1/2"]'), method=method)
    noise = np.random.default_rng(seed)
    noisy = tuple(noise.integers(-40, 40, (regions, 5)) for regions in (1, 2, 3))
    result = fit(plan, noisy)
    if method != "h_relaxed":
        assert conditions(plan, result.levels) == Conditions(0, 0, 0)
    again = fit(plan, tuple(np.array(each) for each in noisy))
    assert all(np.array_equal(*pair) for pair in zip(result.levels, again.levels, strict=True))


@pytest.mark.series(1)
@pytest.mark.parametrize("method", WITH_REGION_TOTALS)
def test_public_totals_of_regions_are_kept(method: Method, tmp_path: Path) -> None:
    if method not in METHODS:
        return
    plan = world(tmp_path)
    totals = leaf_totals(plan.regions, {name: len(sizes) for name, sizes in SIZES.items()})
    plan = replace(plan, regions=replace(plan.regions, totals=totals), totals="region", method=method)
    noisy = tuple(np.random.default_rng(1).integers(-40, 40, (regions, 5)) for regions in (1, 2, 3))
    assert conditions(plan, fit(plan, noisy).levels) == Conditions(0, 0, 0)


def test_a_measurement_beyond_the_public_range_cannot_stop_a_release(tmp_path: Path) -> None:
    plan: Plan = world(tmp_path, more='method = "h"')
    wild = tuple(np.full((regions, 5), (1 << 62) * (-1) ** regions) for regions in (1, 2, 3))
    assert conditions(plan, fit(plan, wild).levels) == Conditions(0, 0, 0)

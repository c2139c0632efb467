"""A preview: simulated from public facts, the same again, with the best method and the error of the simulation."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.groups.plan import METHODS, Plan, PublicShares
from starling.groups.preview import (
    assumed_shares,
    invented_leaves,
    known_shares,
    mean_errors,
    preview,
    simulate,
    trial_errors,
)
from tests.groups.worlds import world

BANDS = '[[privacy.bands]]\nfrom = 0\nsplit = ["1/4", "1/4", "1/2"]\n[[privacy.bands]]\nfrom = 2\nsplit = ["1/2", "1/4", "1/4"]\n'


def large(folder: Path, **changed: object) -> Plan:
    return world(folder, groups=5000, **changed)  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_method_has_its_error_and_the_best_is_named(tmp_path: Path) -> None:
    plan = large(tmp_path)
    seen = preview(plan)
    assert seen.methods.keys() == METHODS.keys()
    assert seen.best == min(
        (name for name in METHODS if name != "h_relaxed"), key=lambda name: seen.methods[name][-1].l1
    )
    assert preview(plan).methods == seen.methods
    assert preview(plan, seed=2).methods != seen.methods
    worst = preview(replace(plan, method="topdown"))
    assert "has the least error at the last level, county" in worst.why()
    assert worst.sections()[0].tables[0].rows[0][:2] == (next(iter(METHODS)), "land")


def test_methods_that_the_plan_cannot_have_are_left_out(tmp_path: Path) -> None:
    assert all(name.startswith("c_") for name in preview(large(tmp_path, bands=BANDS)).methods)
    assert set(preview(world(tmp_path, "events", groups="", public="region")).methods) <= {"c_eb", "c_joint", "h"}


def test_more_budget_is_less_error(tmp_path: Path) -> None:
    shares, _ = assumed_shares(4)
    much, little = (simulate(large(tmp_path, budget=f'epsilon = "{each}"'), shares, 3, 1) for each in ("10", "1/10"))
    assert all(one.l1 < other.l1 for one, other in zip(much, little, strict=True))


def test_the_error_of_a_simulation_is_that_of_its_mean(tmp_path: Path) -> None:
    plan = large(tmp_path)
    leaves = invented_leaves(plan, assumed_shares(4)[0], 1)
    result = trial_errors(plan, leaves, 5, 1)
    means = mean_errors(result)
    assert [each.l1 for each in means] == pytest.approx(result[:, :, 0].mean(axis=0))
    assert [each.doubt for each in means] == pytest.approx(result[:, :, 0].std(axis=0, ddof=1) / 5**0.5)
    assert mean_errors(result[:1])[0].doubt is None


@pytest.mark.slow
def test_public_shares_are_simulated(tmp_path: Path) -> None:
    stated = 'shares = [{ size = 1, share = "0.75" }, { size = 4, share = "0.25" }]'
    plan = large(tmp_path, more=stated)
    known, words = known_shares(plan, None)
    assert known.tolist() == [0, 0.75, 0, 0, 0.25]
    assert "public shares" in preview(plan).assumed
    assert words in preview(plan).assumed
    given = PublicShares((2,), (Fraction(1),))
    assert known_shares(plan, given)[0].tolist() == [0, 0, 1, 0, 0]
    assert "assumed" in preview(large(tmp_path)).assumed
    assert np.isclose(assumed_shares(100)[0].sum(), 1)

"""A preview: simulated from public facts, the same again, with the best method and the best split for stated errors."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.groups.plan import METHODS, Plan
from starling.groups.preview import assumed_shares, best_split, preview, read_shares, simulate
from tests.groups.worlds import world

BANDS = '[[privacy.bands]]\nfrom = 0\nsplit = ["1/4", "1/4", "1/2"]\n[[privacy.bands]]\nfrom = 2\nsplit = ["1/2", "1/4", "1/4"]\n'


def large(folder: Path, **changed: object) -> Plan:
    return world(folder, groups=5000, **changed)  # type: ignore[arg-type]


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


def test_the_best_split_serves_the_level_that_is_asked_for(tmp_path: Path) -> None:
    plan = large(tmp_path)
    for name, level in (("land", 0), ("county", 2)):
        (amounts,) = best_split(plan, {name: 10}).plan.budget.amounts
        assert sum(amounts) == 1
        assert amounts[level] == max(amounts) >= Fraction(1, 2)


@pytest.mark.parametrize("targets", [{}, {"nation": 1.0}, {"land": 0.0}])
def test_targets_of_no_level_are_refused(targets: dict[str, float], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not an error of a level"):
        best_split(large(tmp_path), targets)


def test_public_shares_are_read(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("size,share\n1,2\n2,1\n9,1\n")
    assert read_shares(tmp_path / "shares.csv", 4).tolist() == [0, 0.5, 0.25, 0, 0.25]
    assert np.isclose(assumed_shares(100)[0].sum(), 1)
    for text in ("size,part\n1,1\n", "size,share\n1,-1\n", "size,share\n1,x\n", "size,share\n-9,1\n", ""):
        (tmp_path / "shares.csv").write_text(text)
        with pytest.raises(ParameterError, match="is no CSV of size,share"):
            read_shares(tmp_path / "shares.csv", 4)

"""Plan files: what they say, and everything that is refused with its line (bad input of the spec)."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.groups.plan import Plan, PublicShares, SplitBudget
from tests.groups.worlds import GROUPS, world, write_world

SPLIT = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5))


def test_a_plan_is_read_with_its_public_files(tmp_path: Path) -> None:
    plan = world(tmp_path)
    assert (plan.groups, plan.largest, plan.kind, plan.totals, plan.unit) == (GROUPS, 4, "groups", "root", "member")
    assert plan.regions.ids == (("land",), ("east", "west"), ("e1", "e2", "w1"))
    assert plan.register is None


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"budget": 'epsilon = "0"'}, "privacy.epsilon is not above 0"),
        ({"budget": 'epsilon = "-1"'}, "privacy.epsilon is not above 0"),
        ({"budget": "epsilon = 0.1"}, "is a float"),
        ({"budget": 'epsilon = "1"\nrho = "1"'}, "are both there, or none"),
        ({"budget": ""}, "are both there, or none"),
        ({"more": 'split = ["0.5", "0.5", "0.5"]'}, "adds up to 3/2, not to 1"),
        ({"more": 'split = ["1", "1"]'}, "is not an amount for each of 3 levels"),
        ({"more": 'split = ["1/2", "1/2", "0"]'}, "has an amount that is not above 0"),
        ({"more": "split = [0.5, 0.25, 0.25]"}, "is a float|is not an amount|split"),
        ({"more": 'method = "c_ebb"'}, "privacy.method is not"),
        ({"largest": 0}, "is not an integer from 1"),
        ({"quantity": 9}, "is not an integer from 1 to 4"),
        ({"groups": ""}, "is missing"),
        ({"public": "county"}, "is not root or region"),
        ({"public": "region"}, "is missing"),
        ({"levels": '["land"]'}, "has regions inside it"),
        ({"levels": '["land", "land", "county"]'}, "name a level twice"),
        ({"levels": '["land", "../state", "county"]'}, "are not all words"),
        ({"levels": '["land", "regions", "county"]'}, "or one regions"),
        ({"levels": "[]"}, "are 0"),
        ({"more": "colour = 1"}, "is an unknown key"),
    ],
)
def test_a_wrong_plan_is_refused_with_its_cause(changed: dict[str, Any], cause: str, tmp_path: Path) -> None:
    write_world(tmp_path, **changed)
    with pytest.raises(PlanError, match=cause):
        Plan.load(tmp_path / "plan.toml")


SHARES = 'shares = [{ size = 1, share = "0.4" },\n  { size = 2, share = "0.4" }, { size = 4, share = "0.2" }]'


def test_a_budget_follows_from_a_file_of_shares_as_from_stated_ones(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("size,share\n1,0.4\n2,0.4\n4,0.2\n")
    more = 'importance = ["200", "10", "1"]\n'
    named = world(tmp_path, groups=50_000, more=f'{more}shares = "shares.csv"')
    stated = world(tmp_path, groups=50_000, more=more + SHARES)
    assert named.shares == stated.shares == PublicShares((1, 2, 4), SPLIT, (Fraction(200), Fraction(10), Fraction(1)))
    parts = (Fraction(0), SPLIT[0], SPLIT[1], Fraction(0), SPLIT[2])
    assert named.budget == SplitBudget.for_shares(1, parts, 50_000, [1, 2, 3], [200, 10, 1])
    assert named.digest == stated.digest != world(tmp_path, groups=50_000, more=SHARES).digest
    assert named.cost == world(tmp_path).cost
    concentrated = world(tmp_path, groups=50_000, more=SHARES, budget='rho = "1/2"')
    assert concentrated.budget == SplitBudget.for_shares(Fraction(1, 2), parts, 50_000, [1, 2, 3], measure="rho")


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        (SHARES + '\nsplit = "equal"', "privacy.split stands beside shares"),
        (SHARES + '\nimportance = ["1", "1"]', "privacy.importance is not a number above 0 for each of 3 levels"),
        (SHARES + '\nimportance = ["1", "1", "0"]', "is not a number above 0"),
        (SHARES + "\nimportance = [1, 1, 0.5]", "privacy.importance is a float"),
        ('shares = [{ size = 1, share = "1" }]\nmethod = "h"', "privacy.method has no budget by size"),
        ('importance = ["1", "1", "1"]', "privacy.importance stands without shares"),
        ("shares = 5", 'privacy.shares is not a list of inline tables; write it like shares = "FILE"'),
        ("shares = []", "privacy.shares is not a list of inline tables"),
        ('shares = "none.csv"', "none.csv: shares cannot be read"),
        ('shares = "../plan.toml"', "shares cannot be read"),
        ("shares = [{ size = 1, share = 0.4 }]", r"plan.toml:\d+: privacy.shares\[1\].share is a float"),
        ('shares = [{ size = 7, share = "1" }]', "is 7, beyond the largest size of the plan, 4"),
        ('shares = [{ size = 1, shar = "1" }]', "is an unknown key; did you mean share"),
        ('shares = [{ size = 1, share = "0.5" }]', "privacy.shares add up to 0.5, not to 1"),
    ],
)
def test_wrong_shares_are_refused_with_their_cause(more: str, cause: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=cause):
        world(tmp_path, groups=50_000, more=more)


def test_too_many_levels_for_shares_are_refused(tmp_path: Path) -> None:
    write_world(tmp_path, more=SHARES, levels=str([f"l{level}" for level in range(11)]).replace("'", '"'))
    (tmp_path / "regions.csv").write_text("region,parent\nr0,\n" + "".join(f"r{n},r{n - 1}\n" for n in range(1, 11)))
    with pytest.raises(PlanError, match="shares give no budget: regions have more than 10 levels; write bands"):
        Plan.load(tmp_path / "plan.toml")


def test_a_total_against_the_public_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="is not 9, as the public files say"):
        world(tmp_path, "events", groups=10)

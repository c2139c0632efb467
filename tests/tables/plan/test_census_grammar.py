"""Plans from values of Python: the same plan as from a file, the same problems, and a round trip to the file."""

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError, PlanError
from starling.tables import Plan

VALUES: dict[str, Any] = {
    "title": "Two groups in two states",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"},
    "records": {"race-codes": 3},
    "area": {"states": ["01", "02"]},
    "publication": {"negative-counts": True, "suppression": "0.99", "totals": "both stages"},
    "groups": [
        {
            "name": "Northern",
            "kind": "race",
            "level": "detailed",
            "codes": ["1010", "1011"],
            "alone": "1001",
            "combined": "1002",
        },
        {"name": "Islanders", "kind": "ethnicity", "level": "detailed", "codes": ["2010"], "code": "3001"},
        {
            "name": "Bare",
            "kind": "race",
            "level": "detailed",
            "codes": ["1012"],
            "combined": "1003",
            "tabulate": "totals of nation and state",
        },
    ],
    "levels": [
        {"geography": "STATE", "groups": "detailed", "budget": Fraction(1, 3), "thresholds": (100, 500, 1000)},
        {
            "geography": "COUNTY",
            "groups": "detailed",
            "margins": [{"number": "cell", "within": 11}],
            "thresholds": [100, 500, 1000],
        },
    ],
}


def changed(**sections: Any) -> dict[str, Any]:
    return {
        **VALUES,
        **{key: {**VALUES[key], **each} if isinstance(each, dict) else each for key, each in sections.items()},
    }


@pytest.mark.slow
def test_values_make_the_plan_of_their_file(tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    assert plan.levels[0].budget == Fraction(1, 3)
    assert plan.levels[1].targets
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan == Plan.of(plan.values())
    assert Plan.of(tomllib.loads((tmp_path / "plan.toml").read_text())) == plan


def test_a_census_folder_is_said_with_its_definitions(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "tables" / "toy_dataset" / "input_dir_zcdp"
    plan = Plan.load(folder)
    assert Plan.of(plan.values(definitions=folder.name), folder=folder.parent) == plan
    with pytest.raises(PlanError, match="which no group of a plan file says; name the folder"):
        plan.values()


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (changed(privacy={"stage-1-share": 0.1}), "privacy.stage-1-share is a float"),
        (changed(privacy={"measure": "sigma"}), "privacy.measure is not epsilon or rho"),
        (changed(area={"states": "01"}), "area.states is not a list of strings"),
        (changed(records={"race-codes": 3.0}), "records.race-codes is not an integer from 1 to 8"),
        (changed(records={"race-codes": True}), "records.race-codes is not an integer from 1 to 8"),
        (changed(levels=[]), "levels is not a list of tables"),
        (changed(levels=[{**VALUES["levels"][0], "budget": "much"}]), "levels[1].budget is not a decimal number"),
        (changed(levels=[{**VALUES["levels"][0], "budget": object()}]), "levels[1].budget is not a number"),
        (changed(note="x"), "note is an unknown key"),
    ],
)
def test_mistakes_have_the_words_of_a_file(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.of(values)
    assert any(str(each).startswith(f"plan: {problem}") for each in caught.value.problems), str(caught.value)


def test_a_file_is_not_written_over(tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    (tmp_path / "there.toml").write_text("mine")
    for name, problem in (
        ("there.toml", "exists"),
        ("plan.txt", "does not end in .toml"),
        ("no/plan.toml", "cannot be written"),
    ):
        with pytest.raises(OutputError, match=problem):
            plan.save(tmp_path / name)
    assert (tmp_path / "there.toml").read_text() == "mine"


def test_a_plan_shows_itself() -> None:
    plan = Plan.of({**VALUES, "title": "<b>Two</b>"})
    for part in ("add or remove one person", str(plan.cost), "(COUNTY, 2)"):
        assert part in repr(plan)
        assert part in plan._repr_html_()
    assert "&lt;b&gt;Two" in plan._repr_html_()
    assert {"of", "values", "save", "cost", "levels"} <= set(dir(plan))
    assert not [name for name in dir(plan) if name.startswith("_")]

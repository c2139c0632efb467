"""Which plan a name or a path means, on the command line and in Python alike."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.tables import Plan
from starling.tables.plan import shipped, waiting
from tests.tables.plan.invented import census_folder


def test_a_shipped_plan_is_meant_by_its_name_and_a_file_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The presets of the paper wait for definitions, so they are no plans yet.
    assert set(shipped()) == {"demo"}
    monkeypatch.chdir(tmp_path)
    assert Plan.load("demo").title == Plan.load(str(shipped()["demo"])).title
    with pytest.raises(PlanError, match=r"'./none-such' is not there; give a folder, a .toml file, or one of demo"):
        Plan.load("./none-such")
    # A path is a path: only a text may be the name of a plan that comes along.
    with pytest.raises(PlanError, match="'demo' is not there"):
        Plan.load(Path("demo"))
    with pytest.raises(PlanError, match=r"did you mean demo\?"):
        Plan.load("deom")


def test_a_preset_is_meant_by_its_name_and_its_definitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    census_folder(tmp_path / "census")
    assert set(waiting()) == {
        f"safetab-2022{distribution}{kind}" for distribution in ("", "-geometric") for kind in ("", "-printed")
    }
    for name in waiting():
        plan = Plan.load(f"{name}:census")
        assert plan.title.startswith("SafeTab 2022")
        assert bool(plan.levels[0].targets) is not name.endswith("-printed")
    for text, says in (
        ("safetab-2022", "safetab-2022 needs definition files; write safetab-2022:FOLDER"),
        ("safetab-2022:", "needs definition files"),
        ("safetab-2022:absent", "definitions is not a folder"),
        ("safetab-202:census", r"did you mean safetab-2022:census\?"),
    ):
        with pytest.raises(PlanError, match=says):
            Plan.load(text)

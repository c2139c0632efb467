"""Plans of every domain in files: all or nothing is written, and what a plan refuses names the file."""

from pathlib import Path
from typing import Any, Final

import pytest

from starling import genome, groups, places
from starling.errors import OutputError, PlanError
from tests.planfile.examples import NONE, changed, write_files

PLANS: Final[dict[str, Any]] = {"groups": groups.Plan, "places": places.Plan, "genome": genome.Plan}
REFUSED: Final[list[tuple[str, dict[str, Any], str, str]]] = [
    ("groups", {"privacy.unit": "event"}, "privacy.unit", "unit = "),
    ("groups", {"sizes.largest": 50_000_000}, "sizes.largest", "largest = "),
    ("places", {"slices": NONE}, "input.time", "time = "),
    ("places", {"input.time": NONE}, "input.time", "[input]"),
    ("places", {"privacy.epsilon": "0.000000001"}, "privacy.epsilon", "epsilon = "),
    ("places", {"grid.rows": 1 << 13, "grid.columns": 1 << 13}, "slices", "[slices]"),
    ("genome", {"study.case": "two words"}, "study.case", "case = "),
    ("genome", {"study.people": 1 << 24, "analysis.model": "allelic"}, "study.people", "people = "),
]
"""What the class of a plan refuses, and no key alone; the field, and how its line begins."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plans")
    write_files(folder)
    return folder


def load(domain: str, folder: Path, *changes: dict[str, Any]) -> Any:
    file = folder / domain / "plan.toml"
    file.write_text(changed(domain, *changes))
    return PLANS[domain].load(file)


@pytest.mark.parametrize("domain", PLANS)
def test_all_files_of_a_plan_are_written_or_none(domain: str, folder: Path, tmp_path: Path) -> None:
    plan = load(domain, folder)
    plan.save(tmp_path / "plan.toml")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert "plan.toml" in names
    texts = {name: (tmp_path / name).read_text() for name in names}
    for name in names:
        for path in tmp_path.iterdir():
            path.unlink()
        (tmp_path / name).write_text("here before")
        with pytest.raises(OutputError, match="exists"):
            plan.save(tmp_path / "plan.toml")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "here before")]
    (tmp_path / names[-1]).unlink()
    plan.save(tmp_path / "plan.toml")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts
    with pytest.raises(OutputError, match="toml"):
        plan.save(tmp_path / "other")


@pytest.mark.parametrize(("domain", "change", "field", "begins"), REFUSED)
def test_what_the_class_of_a_plan_refuses_has_its_line(
    domain: str, change: dict[str, Any], field: str, begins: str, folder: Path
) -> None:
    with pytest.raises(PlanError) as refused:
        load(domain, folder, change)
    lines = ["", *changed(domain, change).splitlines()]
    assert [(each.file, each.field) for each in refused.value.problems] == [("plan.toml", field)]
    assert [lines[each.line or 0][: len(begins)] for each in refused.value.problems] == [begins]


@pytest.mark.parametrize("domain", PLANS)
def test_a_file_of_another_kind_is_no_plan(domain: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"title": "a"}')
    with pytest.raises(PlanError, match=r"plan.json:1: file is not TOML"):
        PLANS[domain].load(tmp_path / "plan.json")

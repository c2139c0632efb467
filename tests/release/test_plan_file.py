"""Plans of every domain in files: all or nothing is written, and what a plan refuses names the file."""

from pathlib import Path
from typing import Any, Final

import pytest

from starling import genome, groups, places
from starling.errors import OutputError, PlanError
from tests.planfile.examples import changed, write_files

PLANS: Final[dict[str, Any]] = {"groups": groups.Plan, "places": places.Plan, "genome": genome.Plan}
REFUSED: Final[dict[str, dict[str, Any]]] = {
    "groups": {"privacy.unit": "event"},
    "places": {"slices": {"names": ["January"]}, "input.time": ""},
    "genome": {"study.case": "two words"},
}
"""What the class of a plan refuses, and no key alone."""


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


@pytest.mark.parametrize("domain", PLANS)
def test_what_a_plan_refuses_names_its_file(domain: str, folder: Path) -> None:
    change = REFUSED[domain]
    with pytest.raises(PlanError) as refused:
        load(domain, folder, change)
    assert {problem.file for problem in refused.value.problems} == {"plan.toml"}


@pytest.mark.parametrize("domain", PLANS)
def test_a_file_of_another_kind_is_no_plan(domain: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"title": "a"}')
    with pytest.raises(PlanError, match=r"plan.json:1: file is not TOML"):
        PLANS[domain].load(tmp_path / "plan.json")

"""What contributors read is true: its paths exist, its files parse, and its hooks are the checks of `.ci/run`."""

import re
import runpy
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

from tests.conftest import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_paths_that_it_names_exist() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", GUIDE.split("## What every change needs")[0], re.MULTILINE)
    named = [path for row in rows for path in re.findall(r"`([\w/.*]+)`", row) if path != "DOMAIN"]
    assert len(named) > 10
    for path in named:
        pattern = path.replace("DOMAIN", "tables").rstrip("/")
        assert [*(ROOT / "src" / "starling").glob(pattern)], path


def test_the_toy_domain_is_as_short_as_it_says() -> None:
    lines = sum(len(path.read_text().splitlines()) for path in (ROOT / "tests" / "toy").glob("*.py"))
    assert lines <= 400


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]


def test_the_lock_has_a_version_of_each_dependency_that_fits() -> None:
    locked: dict[str, list[str]] = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        pinned = Requirement(line)
        locked.setdefault(pinned.name.lower(), []).extend(each.version for each in pinned.specifier)
    declared = [
        *PROJECT["dependencies"],
        *(each for extra in PROJECT["optional-dependencies"].values() for each in extra),
    ]
    for requirement in map(Requirement, declared):
        versions = locked.get(requirement.name.lower(), [])
        assert versions, f"{requirement.name} is not in requirements.lock: run `nox -s lock`"
        assert all(map(requirement.specifier.contains, versions)), requirement.name


def test_hooks_run_tools_of_the_environment_alone() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"
    run = (ROOT / ".ci" / "run").read_text()
    for hook in local["hooks"]:
        assert hook["language"] == "system"
        tool, argument, *_ = hook["entry"].split()
        assert tool in {"pytest", "python"} or f"/{tool} {argument}" in run, hook["id"]


@pytest.mark.parametrize(
    ("message", "is_fine"),
    [
        ("Say why a file is refused", True),
        ("x" * 72 + "\n\nThe reason.", True),
        ("x" * 73, False),
        ("A sentence.", False),
        ("\nno subject", False),
    ],
)
def test_a_subject_is_short_and_plain(message: str, is_fine: bool) -> None:
    problem = runpy.run_path(str(ROOT / ".ci" / "commit_subject.py"))["problem"]
    assert (problem(message) is None) is is_fine

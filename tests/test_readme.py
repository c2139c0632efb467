"""The README's two commands: as the architecture states them, and made of things that exist."""

import re
import subprocess
import tomllib

import pytest

from starling.cli import main
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COMMANDS = re.findall(r"^```bash\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)


def test_there_are_two_commands_of_one_line() -> None:
    assert COMMANDS == [
        "python3 -m venv .venv && .venv/bin/pip install '.[demo]' && .venv/bin/starling demo",
        "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_shell(command: str) -> None:
    subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_extra_exists(command: str) -> None:
    (extra,) = re.findall(r"\.\[(\w+)\]", command)
    assert extra in PROJECT["optional-dependencies"]


def test_demo_is_a_command() -> None:
    assert PROJECT["scripts"]["starling"] == "starling.cli:main"
    assert "demo" in main.commands or "demo" in main.list_commands(
        main.make_context("starling", [], resilient_parsing=True)
    )


def test_what_the_readme_links_to_is_shipped() -> None:
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"][
        "include"
    ]
    assert {"src", "tests", "docs", "bench", ".ci", "mkdocs.yml", "README.md", "CHANGELOG.md", "LICENSE"} <= set(
        shipped
    )

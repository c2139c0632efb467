"""The files of deploy/ parse, their commands exist, the web container has no records, and pages name each of them."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from starling.cli import main
from starling.server.home import make_home
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
FILES = {path.name: path.read_text() for path in DEPLOY.iterdir() if path.suffix != ".md"}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def unit() -> dict[str, list[str]]:
    """The values of the unit's keys, each with all that is said of it."""
    found: dict[str, list[str]] = {}
    for line in FILES["starling.service"].splitlines():
        key, equals, value = line.partition("=")
        if equals:
            found.setdefault(key, []).append(value)
    return found


def services() -> dict[str, Any]:
    """The services of the compose file."""
    found: dict[str, Any] = yaml.safe_load(FILES["compose.yaml"])["services"]
    return found


def commands() -> list[list[str]]:
    """The words after `starling`, of each command that runs for good."""
    (start,) = unit()["ExecStart"]
    return [start.split()[1:], *(services()[name]["command"] for name in ("web", "worker", "sandbox"))]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_their_commands_exist(words: list[str], tmp_path: Path) -> None:
    # Commands open the home that they are given.
    make_home(tmp_path / "home")
    make_home(tmp_path / "home" / "sandbox")
    name, *rest = (word.replace("/srv/starling", str(tmp_path / "home")) for word in words)
    context = click.Context(main)
    command = main.get_command(context, name)
    assert command is not None
    command.make_context(name, rest)


def test_the_unit_is_one_and_closed(tmp_path: Path) -> None:
    said = unit()
    assert said["NoNewPrivileges"] == ["yes"]
    assert said["ProtectSystem"] == ["strict"]
    assert {"CAP_SETUID", "CAP_SETGID", "CAP_CHOWN", "CAP_FSETID"} <= set(said["CapabilityBoundingSet"][0].split())
    assert int(said["TimeoutStopSec"][0]) > 25, "longer than web processes and workers have together"
    if shutil.which("systemd-analyze"):
        file = tmp_path / "starling.service"
        file.write_text(FILES["starling.service"].replace("/opt/starling/bin/starling", "/bin/true"))
        done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=False)
        assert "starling.service" not in done.stderr, done.stderr


def test_the_web_container_has_no_records_and_no_keys() -> None:
    web, worker, sandbox = (services()[name] for name in ("web", "worker", "sandbox"))
    mounted = {each.split(":")[1] for each in web["volumes"]}
    assert mounted == {"/srv/starling", "/srv/tls"}
    assert sandbox["volumes"] == ["home:/srv/starling"]
    for each in (web, sandbox):
        assert "/srv/starling/worker" in each["tmpfs"], "what workers found is hidden"
    assert {"/srv/records", "/srv/keys"} <= {each.split(":")[1] for each in worker["volumes"]}
    assert next(each for each in worker["volumes"] if "records" in each).endswith(":ro")
    for each in (web, worker, sandbox):
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
        assert each["security_opt"] == ["no-new-privileges:true"]


def test_the_image_is_rootless_and_installs_extras_that_there_are() -> None:
    lines = FILES["Containerfile"].splitlines()
    (extras,) = re.findall(r"/src\[([\w,]+)\]", FILES["Containerfile"])
    assert set(extras.split(",")) <= EXTRAS.keys()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == ["10001"]
    assert lines.index("USER 10001") < next(at for at, line in enumerate(lines) if line.startswith("ENTRYPOINT"))


def test_the_page_names_each_file_and_no_other() -> None:
    for page in (ROOT / "docs" / "how-to" / "run-a-server.md", DEPLOY / "README.md"):
        assert set(re.findall(r"deploy/([\w.]+)", page.read_text())) - {"README.md"} == set(FILES)


def test_the_image_is_built_from_the_checkout() -> None:
    for name in ("web", "worker", "sandbox"):
        build = services()[name]["build"]
        assert (DEPLOY / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"]).is_file()

"""What a server tells as JSON lines: the pattern of a route and its status, and nothing that was sent."""

import json
import logging
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator

import httpx
import pytest

from starling.errors import StarlingWarning
from starling.server import logs
from starling.server.home import Home

COMMAND = [sys.executable, "-c", "from starling.cli import main; main()", "serve", "--workers", "0", "--log", "json"]


@pytest.fixture
def undisturbed() -> Iterator[None]:
    """What logging and warnings do here is as before at the end."""
    root, own = logging.getLogger(), logs.LOGGER.level
    handlers, level = root.handlers[:], root.level
    with warnings.catch_warnings():
        yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logs.LOGGER.setLevel(own)


@pytest.mark.slow
def test_a_server_tells_routes_and_statuses_and_no_token(served: Home, tokens: dict[str, str]) -> None:
    file = served.folder / "server.toml"
    file.write_text(file.read_text().replace("port = 8470", "port = 0"))
    token = tokens["analyst"]
    with subprocess.Popen(
        [*COMMAND, str(served.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        first = json.loads(process.stderr.readline())
        url = first["event"].split()[-1]
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            assert client.get(f"/v1/me?token={token}").status_code == 200
            assert client.get(f"/v1/datasets/{token}").status_code == 404
            assert client.get(f"/{token}").status_code == 404
            assert client.request(token, "/healthz").status_code == 405
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
    assert process.returncode == 0
    lines = [json.loads(line) for line in said.splitlines()]
    asked = [(each["method"], each["route"], each["status"]) for each in lines if each["event"] == "request"]
    assert [each for each in asked if each[2] != 405] == [
        ("GET", "/v1/me", 200),
        ("GET", "/v1/datasets/{name}", 404),
        (None, None, 404),
    ]
    assert token not in said
    assert "starling_" not in said
    assert not [each for each in lines if {"duration", "seconds"} & each.keys()]


@pytest.mark.usefixtures("undisturbed")
def test_what_a_library_says_is_told_by_its_name_alone(capsys: pytest.CaptureFixture[str]) -> None:
    logs.begin("json")
    logging.getLogger("a.library").error("a value of a record")
    warnings.warn("a ledger is new here", StarlingWarning, stacklevel=1)
    warnings.warn("a value of a record", UserWarning, stacklevel=1)
    logs.report("json", "a release is done")
    found = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(each["level"], each["from"], each["event"]) for each in found] == [
        ("error", "a.library", "a library tells something"),
        ("warning", "starling.server", "a ledger is new here"),
        ("info", "starling.server", "a release is done"),
    ]


def test_people_are_told_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    logs.begin("text")
    logs.report("text", "a release is done")
    logs.report("text", "a setting is missing", warning=True)
    logs.answered("GET", "/v1/me", 200)
    assert capsys.readouterr().err == "starling: a release is done\nstarling: warning: a setting is missing\n"

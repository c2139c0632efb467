"""Lines of a page that do the same as the page, pasted where they belong: a shell and Python here, curl as what it sends."""

import os
import re
import shlex
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

import starling
from starling.cli import main
from starling.client import Client
from starling.release.reading import Release
from tests.client.conftest import Site
from tests.server.conftest import Asker
from tests.server.pages.browsing import BASE, Browser

Line = tuple[str, str]
"""Where a line belongs, and its text."""


def lines_of(browser: Browser) -> list[Line]:
    """The lines of the page that is shown: one for each place."""
    lines = re.findall(r'<div class="line"><p>([^<]*)</p><pre tabindex="0"><code>([^<]*)</code>', browser.page.text)
    assert [place for place, _ in lines] == ["Python", "Shell", "curl"]
    return [(place, unescape(text)) for place, text in lines]


class Fetching(Client):
    """A client that notes the numbers of what it fetches."""

    fetched: list[int]

    def fetch(self, number: int, out: str | Path) -> Path:
        self.fetched.append(number)
        return super().fetch(number, out)


def follow(line: Line, site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Do what a line says, as ada in a folder, and give the number of the release that it gets."""
    place, text = line
    monkeypatch.chdir(folder)
    token, _ = site.home.access.issue("ada", days=1)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr(Fetching, "fetched", [], raising=False)
    client = partial(Fetching, carrier=site.carrier, sleep=site.sleep)
    for module in (starling, starling.client):
        monkeypatch.setattr(module, "Client", client, raising=False)
    if place == "curl":
        return _sent(text, Asker(site.carrier._app))
    if place == "Python":
        values: dict[str, object] = {}
        exec(text, values)
        assert isinstance(values["release"], Release)
    else:
        export, command = text.splitlines()
        name, _, value = export.removeprefix("export ").partition("=")
        monkeypatch.setenv(name, value)
        program, *arguments = shlex.split(command)
        result = CliRunner().invoke(main, arguments)
        assert (program, result.exit_code) == ("starling", 0), result.output
    (number,) = Fetching.fetched
    return number


def _sent(text: str, asker: Asker) -> int:
    """What curl would send, and the number of the release that the reply is of."""
    program, *words = shlex.split(os.path.expandvars(text).replace("\\\n", ""))
    assert program == "curl"
    options: list[tuple[str, str]] = []
    while words[0].startswith("-"):
        options.append((words.pop(0), words.pop(0)))
    address, *output = words
    assert address.startswith(BASE)
    headers = [(value.partition(": ")[0], value.partition(": ")[2]) for name, value in options if name == "-H"]
    body = next((value.encode() for name, value in options if name == "-d"), None)
    reply = asker.ask("GET" if body is None else "POST", address.removeprefix(BASE), headers, body)
    assert reply.status_code in (200, 202), reply.text
    if body is None:
        assert (output[0], reply.content[:2]) == ("--output", b"PK")
        return int(address.split("/")[-2])
    return int(reply.json()["id"])

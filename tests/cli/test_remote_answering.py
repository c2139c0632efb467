"""`starling remote questions` and `answer`: what a release says at a server, for people and for programs."""

from functools import partial
from pathlib import Path

import pytest

import starling
from starling.client import Client
from tests.cli.conftest import Call, document
from tests.client.conftest import URL, Site, site

__all__ = ["site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
NUMBER = '{"kind": "number", "region": "land", "least": 1, "most": 2}'


@pytest.fixture
def released(site: Site, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of a release at the site, which is asked as ada."""
    token, _ = site.home.access.issue("ada", days=1)
    monkeypatch.setenv("STARLING_SERVER", URL)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr("starling.client.Client", partial(Client, carrier=site.carrier, sleep=site.sleep))
    with site.client() as client:
        return client.wait(client.charge("data")).id


def test_a_release_is_asked_at_no_cost(call: Call, released: int, site: Site, tmp_path: Path) -> None:
    listed = call("remote", "questions", released)
    assert "rows: Rows of a released table" in listed.stdout
    assert "    region  (required)\n    least  (required)\n    most  (default null)" in listed.stdout
    assert [each["title"] for each in document(call("remote", "questions", released, "--json"))["oneOf"]] == [
        "rows",
        "number",
    ]
    said = document(call("remote", "answer", released, "--question", NUMBER, "--json"))
    assert call("remote", "fetch", released, "--out", tmp_path / "data.zip").exit_code == 0
    with starling.open_release(tmp_path / "data.zip") as release:
        assert said == release.tell({"kind": "number", "region": "land", "least": 1, "most": 2})
        table = release.names[0]
    (tmp_path / "question.json").write_text(NUMBER)
    shown = call("remote", "answer", released, "--question", f"@{tmp_path / 'question.json'}").stdout
    assert shown.splitlines()[0].split() == ["estimate", str(said["estimate"])]
    rows = f'{{"kind": "rows", "table": "{table}", "most": 1}}'
    assert "There are more such rows" in call("remote", "answer", released, "--question", rows).stdout
    assert site.charges() == 1


@pytest.mark.series(2)
@pytest.mark.parametrize("text", ["", "[]", "{", "@nowhere.json", "[" * 5000, '{"kind": "rows", "table": "none"}'])
def test_what_is_no_question_is_refused(call: Call, released: int, text: str) -> None:
    result = call("remote", "answer", released, "--question", text)
    assert (result.exit_code, "Traceback" in result.output) == (2, False)

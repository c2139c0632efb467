"""What is known beforehand, over HTTP: the expected error that was kept when a dataset was registered, and no plan of one that has none."""

from pathlib import Path

import pytest

from starling.pages.parts import Section, Table
from starling.release.report.plain import sections_json
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from tests.server.conftest import Asker

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

PREVIEW = "/v1/datasets/census/preview"
SECTIONS = sections_json(
    [Section("Expected error", "Little.", tables=(Table(("level", "error"), (("all", "1"),), "Of each"),))]
)


@pytest.fixture
def asking(selling: Home) -> Asker:
    """Asks a server whose dataset has a preview."""
    catalogue = Catalogue(selling.folder / "datasets")
    census = catalogue.release("census")
    (selling.folder / "datasets" / "census.json").unlink()
    catalogue.add(census, SECTIONS)
    return Asker(make_app(selling, Charges(selling)))


def test_a_preview_says_cost_and_error_and_charges_nothing(asking: Asker, tokens: dict[str, str]) -> None:
    for body in ({}, {"question": None}):
        said = asking.post(PREVIEW, tokens["analyst"], body)
        assert said.status_code == 200, said.text
        found = said.json()
        assert (found["title"], found["measure"], found["amount"], found["more"]) == ("A count", "rho", "1", 1)
        assert (found["ask_first"], found["sections"], found["release"]) == (False, SECTIONS, None)
    assert asking.get("/v1/datasets/census/budget", tokens["analyst"]).json()["more"] == 1


def test_a_preview_of_what_was_released_names_the_release(asking: Asker, tokens: dict[str, str]) -> None:
    charged = asking.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"}).json()["id"]
    found = asking.post(PREVIEW, tokens["analyst"], {}).json()
    assert (found["more"], found["release"]) == (0, charged)


def test_a_plan_that_says_all_is_asked_nothing(asking: Asker, tokens: dict[str, str]) -> None:
    for path in ("preview", "releases", "requests"):
        body = {"question": {"kind": "num_sig"}, "request_id": "first", "reason": "why"}
        wanted = {"preview": ("question",), "releases": ("question", "request_id"), "requests": tuple(body)}[path]
        said = asking.post(f"/v1/datasets/census/{path}", tokens["analyst"], {name: body[name] for name in wanted})
        assert (said.status_code, "is not asked here" in said.text) == (409, True), path
    assert asking.get("/v1/datasets/census/plan", tokens["analyst"]).status_code == 409
    assert asking.get("/v1/datasets/survey/plan", tokens["analyst"]).status_code == 404


def test_previews_are_for_analysts(asking: Asker, tokens: dict[str, str]) -> None:
    assert asking.post(PREVIEW, tokens["auditor"], {}).status_code == 403


def test_a_preview_that_was_changed_is_refused(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    kept: Path = selling.folder / "datasets" / "census.preview"
    kept.write_text("{}")
    said = asking.post(PREVIEW, tokens["analyst"], {})
    assert said.json()["error"]["problems"][0]["problem"] == "has no preview as Starling writes it"

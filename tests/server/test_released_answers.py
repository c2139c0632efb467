"""What a release says is free for whoever may fetch it, and for nobody before it has left."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.question_costs import Understanding
from tests.server.conftest import Asker
from tests.server.test_releasing import answer

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

RELEASES = "/v1/datasets/census/releases"
ASKED = {"question": {"kind": "rows", "table": "t1"}}


class Told(Understanding):
    """Answers with what it was asked."""

    def read(self, release: Path, question: Any, *, user: str) -> Any:  # noqa: ARG002
        return {"release": release.name, "question": question}

    def verify(self, release: Path, key: str, *, user: str) -> dict[str, Any]:  # noqa: ARG002
        checked = {"name": release.name, "state": "holds", "says": key, "findings": []}
        return {"outcome": "consistent", "not_checked": ["the charge"], "signed_by": key, "checks": [checked]}


class Later:
    """A clock that a test sets."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def asking(selling: Home, later: Later) -> Iterator[Asker]:
    with closing(Told()) as told:
        yield Asker(make_app(selling, Charges(selling, now=later), told))


def test_it_answers_once_it_has_left_and_to_whom_it_is_shown(
    asking: Asker, selling: Home, later: Later, tokens: dict[str, str]
) -> None:
    number = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"]
    later.time = answer(selling, number, b"zip")
    path, schema = f"/v1/releases/{number}/answers", f"/v1/releases/{number}/questions"
    verified = f"/v1/releases/{number}/verification"
    assert asking.post(path, tokens["analyst"], ASKED).status_code == 404
    assert asking.get(schema, tokens["analyst"]).status_code == 404
    assert asking.get(verified, tokens["analyst"]).status_code == 404
    later.time += 8
    selling.access.add_user("eve", "analyst")
    eve, _ = selling.access.issue("eve", days=1)
    for token, status in ((tokens["analyst"], 200), (tokens["auditor"], 200), (tokens["custodian"], 200), (eve, 404)):
        assert asking.post(path, token, ASKED).status_code == status
        assert asking.get(schema, token).status_code == status
        assert asking.get(verified, token).status_code == status
    found = asking.get(verified, tokens["analyst"]).json()
    assert (found["release"], found["signed_by"], found["invented"]) == (number, selling.key.public.text, False)
    assert found["checks"][0]["name"] == f"{number}.zip"
    told = asking.post(path, tokens["analyst"], ASKED).json()
    answer_ = {"release": f"{number}.zip", "question": ASKED["question"]}
    assert told == {"release": number, "answer": answer_, "invented": False}
    wrong: list[dict[str, Any]] = [{}, {"question": None}, {"question": []}, {**ASKED, "more": 1}]
    for body in wrong:
        assert asking.post(path, tokens["analyst"], body).status_code == 422

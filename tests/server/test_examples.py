"""Every example of the published OpenAPI is sent to a server, and what is answered has the form of the published answer."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import httpx
import jsonschema
import pytest

from starling.ledger.opening import open_ledger
from starling.server.examples import EXAMPLES
from starling.server.replies import JSON
from tests.client.conftest import URL, Site, served_source, site
from tests.worker.studies import write_study

__all__ = ["site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
TOLD = ("/v1/datasets", "/v1/releases", "/v1/requests")
"""Below these every route has its examples."""
AUDITED = "/v1/log"
ACCURACY: Final = "/v1/datasets/{name}/accuracy"
"""Of tables alone, which pages/test_accuracy.py serves; neither site here has any."""


class Asked:
    """A site, and an analyst and an auditor of it who send examples.

    Args:
        site: The site.

    Attributes:
        published: The OpenAPI.
        release: The number of a release, once there is one.
    """

    def __init__(self, site: Site) -> None:
        self._site, self.release = site, 0
        site.home.access.add_user("otto", "auditor")
        self._tokens = {name: site.home.access.issue(name, days=1)[0] for name in ("ada", "otto")}
        self.published: Any = self.send("get", "/v1/openapi.json").json()

    def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """One request, of the auditor where it is for them alone."""
        place = path.format(name="data", release=self.release, number=1)
        headers = {"Authorization": f"Bearer {self._tokens['otto' if path == AUDITED else 'ada']}"}
        with httpx.Client(base_url=URL, transport=self._site.carrier, headers=headers) as http:
            return http.request(method.upper(), place, json=body)

    def check(self, method: str, path: str, said: Any) -> None:
        """That a reply has the published form."""
        answer = self.published["paths"][path][method]["responses"][str(EXAMPLES[method, path].status)]
        form = answer["content"][JSON]["schema"] | {"components": self.published["components"]}
        jsonschema.validate(said, form)

    def ask_first(self, wanted: bool) -> None:
        """Whether the custodian is asked from now on."""
        with closing(open_ledger(self._site.home.settings.ledger)) as ledger:
            ledger.custody.set_terms("data", ask_first=wanted)

    def send_all(self, *, of_requests: bool, names: tuple[str, ...]) -> set[tuple[str, str, str]]:
        """Send what is of requests for approval, or all else: the examples of these names, and what has no body; which were sent."""
        sent = set()
        for (method, path), example in EXAMPLES.items():
            if path != ACCURACY and of_requests == ("/requests" in path):
                bodies = {name: example.requests[name] for name in names if name in example.requests}
                for name, body in bodies.items() if example.requests else [("", None)]:
                    reply = self.send(method, path, body)
                    assert reply.status_code == example.status, (path, reply.text)
                    self.check(method, path, reply.json())
                    if name in ("", *list(example.requests)[:1]):
                        assert shape(reply.json()) == shape(example.reply)
                    sent.add((method, path, name))
        return sent


def shape(said: Any) -> Any:
    """The keys of a reply, and of what it answers; of a list, those of its first."""
    if isinstance(said, list):
        return shape(said[0])
    return {key: shape(value) if key == "answer" else None for key, value in said.items()}


@pytest.fixture
def asked(site: Site) -> Asked:
    return Asked(site)


@pytest.fixture
def study(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of a study, beside that of a plan, whose folder for keys it shares."""
    folder = tmp_path_factory.mktemp("study")
    yield from served_source(folder, write_study(folder))


@pytest.mark.slow
def test_each_is_sent_and_answered_in_the_published_form(site: Site, study: Site, asked: Asked) -> None:
    sent = set()
    for where, names in ((site, ("release", "rows", "number", "token")), (study, ("answer", "margin"))):
        asks = asked if where is site else Asked(study)
        asks.ask_first(wanted=True)
        sent |= asks.send_all(of_requests=True, names=names)
        asks.ask_first(wanted=False)
        question = None if where is site else {"kind": "num_sig", "epsilon": "1"}
        with where.client() as client:
            asks.release = client.wait(client.charge("data", question=question)).id
        sent |= asks.send_all(of_requests=False, names=names)
    assert sent == {
        (method, path, name)
        for (method, path), example in EXAMPLES.items()
        for name in example.requests or [""]
        if path != ACCURACY
    }


def test_they_are_published_for_every_route_of_datasets_and_releases(asked: Asked) -> None:
    for path, operations in asked.published["paths"].items():
        for method, operation in operations.items():
            if not path.startswith(TOLD) or JSON not in operation["responses"].get("200", {}).get("content", {JSON: 1}):
                continue
            example = EXAMPLES[method, path]
            assert ("requestBody" in operation) == bool(example.requests)
            answered = operation["responses"][str(example.status)]["content"][JSON]
            assert answered["example"] == example.reply
            asked.check(method, path, example.reply)
            if example.requests:
                bodies = operation["requestBody"]["content"][JSON]["examples"]
                assert {name: each["value"] for name, each in bodies.items()} == example.requests

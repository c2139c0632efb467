"""Numbers for Prometheus: counts by route and status, and releases that wait as their analysts are told; nothing else."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.home import Home
from tests.server.conftest import Asker
from tests.server.test_releasing import Later, answer

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def asking(selling: Home, later: Later) -> Asker:
    return Asker(make_app(selling, Charges(selling, now=later)))


def numbers(asking: Asker, token: str) -> dict[tuple[str, ...], float]:
    """The values, by the name and the labels."""
    reply = asking.get("/v1/metrics", token)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return {
        (sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_requests_are_counted_by_pattern_and_status(asking: Asker, tokens: dict[str, str]) -> None:
    asking.get("/v1/datasets/census", tokens["analyst"])
    asking.get("/v1/datasets/secret", tokens["analyst"])
    asking.get("/secret", tokens["analyst"])
    asking.ask("SECRET", "/secret")
    assert asking.get("/v1/metrics", tokens["analyst"]).status_code == 403
    found = numbers(asking, tokens["auditor"])
    assert found == {
        ("starling_requests_total", "method=GET", "route=/v1/datasets/{name}", "status=200"): 1,
        ("starling_requests_total", "method=GET", "route=/v1/datasets/{name}", "status=404"): 1,
        ("starling_requests_total", "method=", "route=", "status=404"): 2,
        ("starling_requests_total", "method=GET", "route=/v1/metrics", "status=403"): 1,
        ("starling_releases_waiting",): 0,
    }
    assert not re.search("secret", str(found), re.IGNORECASE)


def test_a_release_waits_until_its_deadline_whenever_it_was_done(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    def waiting() -> float:
        return numbers(asking, tokens["auditor"])[("starling_releases_waiting",)]

    seq = asking.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"}).json()["id"]
    at = answer(selling, seq, b"zip")
    later.time = at + 7.5
    assert waiting() == 1, "it is done, and nobody may know"
    later.time = at + 8.5
    assert waiting() == 0
    again = Asker(make_app(selling, Charges(selling, now=later)))
    assert numbers(again, tokens["auditor"])[("starling_releases_waiting",)] == 0


def test_a_release_that_missed_its_deadline_waits_on(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    seq = asking.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"}).json()["id"]
    later.time = 4e9
    assert numbers(asking, tokens["auditor"])[("starling_releases_waiting",)] == 1
    answer(selling, seq, b"zip")
    assert numbers(asking, tokens["auditor"])[("starling_releases_waiting",)] == 0

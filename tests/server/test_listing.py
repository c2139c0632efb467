"""The list of releases: one's own, the newest first, in pages that neither miss nor repeat one."""

from contextlib import closing
from fractions import Fraction
from itertools import chain

import pytest

from starling.ledger.opening import open_ledger
from starling.ledger.rules import Request, canonical
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home
from tests.ledger.worlds import costing
from tests.server.conftest import Asker
from tests.server.test_releasing import Later, answer

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

LIST = "/v1/releases"


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def asking(selling: Home, later: Later) -> Asker:
    """Five datasets, each of which "analyst" and "eve" have released; one charge in between is the custodian's own."""
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        ledger.custody.raise_cap("people", "population", "people", 100)
        ledger.custody.raise_cap("people", "analyst", "analyst", 100)
        ledger.custody.grant("people", "eve", 100)
        for number in range(5):
            name = f"census-{number}"
            ledger.custody.add_dataset(name, "people", {}, 10)
            ledger.custody.delegate(name, selling.key.public, days=1)
            ledger.custody.accept(name, "0" * 64)
            request = canonical({"count": number})
            Catalogue(selling.folder / "datasets").add(Dataset(name, "tables", "A count", request, costing(1), 8))
    asker = Asker(make_app(selling, Charges(selling, now=later)))
    selling.access.add_user("eve", "analyst")
    return asker


def released(asking: Asker, token: str, name: str) -> int:
    """The number of a release that is charged now."""
    reply = asking.post(f"/v1/datasets/{name}/releases", token, {"request_id": f"of-{name}"})
    assert reply.status_code == 202, reply.text
    number: int = reply.json()["id"]
    return number


def listed(asking: Asker, token: str, most: int) -> list[int]:
    """All pages, one after the other."""
    numbers: list[int] = []
    path = f"{LIST}?most={most}"
    while True:
        page = asking.get(path, token).json()
        assert len(page["releases"]) <= most
        numbers += [each["id"] for each in page["releases"]]
        if page["next"] is None:
            return numbers
        path = f"{LIST}?most={most}&before={page['next']}"


@pytest.mark.slow
def test_pages_hold_each_of_ones_own_once_the_newest_first(
    asking: Asker, selling: Home, tokens: dict[str, str]
) -> None:
    eve, _ = selling.access.issue("eve", days=1)
    own: dict[str, list[int]] = {tokens["analyst"]: [], eve: []}
    for number in range(5):
        for token, numbers in own.items():
            numbers.append(released(asking, token, f"census-{number}"))
        with closing(open_ledger(selling.settings.ledger)) as ledger:
            # With the custodian's key: no release of this server.
            ledger.charging.charge(
                Request("eve", f"by-hand-{number}", "census", canonical({"by": number})), costing(Fraction(1, 8))
            )
    for most in (1, 2, 3, 5, 100):
        for token, numbers in own.items():
            assert listed(asking, token, most) == numbers[::-1]
        for role in ("auditor", "custodian"):
            assert listed(asking, tokens[role], most) == sorted(chain(*own.values()), reverse=True)


def test_each_is_what_its_own_route_says_with_its_charge(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    token = tokens["analyst"]
    number = released(asking, token, "census-0")
    later.time = answer(selling, number, b"zip") + 7
    for state in ("charged", "released"):
        (entry,) = asking.get(LIST, token).json()["releases"]
        whole = asking.get(f"{LIST}/{number}", token).json()
        assert (whole["state"], entry) == (state, entry | whole)
        assert (entry["analyst"], entry["cost"], entry["question"]) == ("analyst", "rho 1", None)
        later.time += 1


@pytest.mark.parametrize("query", ["before=0", "before=x", "most=0", "most=1001", "after=1"])
def test_what_is_no_page_is_refused(asking: Asker, tokens: dict[str, str], query: str) -> None:
    assert asking.get(f"{LIST}?{query}", tokens["analyst"]).status_code == 422

"""Code that was written against the sandbox of a server runs against the server, by its base URL alone; only the numbers are others."""

import json
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from starling.client import Client
from starling.client.pins import pinned
from starling.errors import IntegrityError, PolicyRefused
from starling.ledger.opening import open_ledger, read_ledger
from starling.verification import Outcome, verify
from tests.client.conftest import URL, Site

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
SANDBOX = f"{URL}/sandbox"
MARK = {"starling-sandbox": "invented records"}


def analysis(client: Client, out: Path) -> dict[str, Any]:
    """What an analyst writes: the shape of all that it saw, and the numbers apart."""
    (dataset,) = client.datasets()
    seen = client.preview(dataset.name)
    done = client.wait(client.charge(dataset.name, request_id="first"))
    release = client.release(dataset.name, out)
    table = release.statement["tables"][0] if "tables" in release.statement else "land"
    rows = client.answer(done.id, {"kind": "rows", "table": "land"})
    number = client.answer(done.id, {"kind": "number", "region": "land", "least": 1, "most": 2})
    return {
        "dataset": (dataset.name, dataset.domain, dataset.neighbours, dataset.cost, dataset.questions),
        "preview": (seen.sections, seen.cost, seen.amount),
        "table": (table, rows.keys(), len(rows["rows"])),
        "questions": client.questions(done.id),
        "number": number.keys(),
        "left": client.budget(dataset.name).left.keys(),
        "numbers": rows["rows"],
    }


@pytest.mark.slow
def test_the_same_code_runs_and_only_numbers_differ(both: Site, tmp_path: Path) -> None:
    with both.client(url=SANDBOX) as client:
        tried = analysis(client, tmp_path / "tried.zip")
    assert both.charges() == 0
    with both.client() as client:
        real = analysis(client, tmp_path / "real.zip")
    assert both.charges() == 1
    assert tried.pop("numbers") != real.pop("numbers")
    assert tried == real


@pytest.mark.slow
def test_everything_is_marked(both: Site, tmp_path: Path) -> None:
    """What a client is told, the bytes that it keeps, and every reply, even of a refusal; nothing outside the sandbox."""
    both.carrier.change = lambda request, carry: marked(request, carry(request))
    for url, invented in ((SANDBOX, True), (URL, False)):
        with both.client(url=url) as client:
            charged = client.charge("data")
            said: list[Any] = [*client.datasets(), client.budget("data"), client.preview("data"), charged]
            said += [client.progress(charged.id), client.wait(charged)]
            assert {each.invented for each in said} == {invented}
            assert client.datasets()[0].title.startswith("Invented: ") == invented
            bundle = client.fetch(charged.id, tmp_path / f"{invented}.zip")
        with zipfile.ZipFile(bundle) as files:
            texts = {name: files.read(name) for name in files.namelist()}
        assert {b"Invented: " in texts[name] for name in ("report.html", "datapackage.json", "registry.yaml")} == {
            invented
        }
        population = json.loads(texts["privacy.json"])["account"]["ledger"]["population"]
        assert population.startswith("invented-") == invented
        verified = verify(bundle, key=(both.home.sandbox if invented else both.home).key.public)  # type: ignore[union-attr]
        assert verified.outcome is not Outcome.FAILED


def marked(request: httpx.Request, reply: httpx.Response) -> httpx.Response:
    """A reply with the mark of the sandbox if and only if that was asked."""
    assert (MARK.items() <= reply.headers.items()) == request.url.path.startswith("/sandbox/")
    return reply


def test_who_has_no_grant_may_try_and_the_real_ledger_has_not_one_event_more(both: Site, tmp_path: Path) -> None:
    both.home.access.add_user("eve", "analyst")
    with closing(read_ledger(both.home.settings.ledger)) as ledger:
        before = ledger.reading.head()
    with both.client("eve", url=SANDBOX) as client:
        assert client.budget("data").more is not None
        assert client.release("data", tmp_path / "tried.zip").signer != both.home.key.public
    with both.client("eve") as client, pytest.raises(PolicyRefused, match="no grant"):
        client.charge("data")
    with closing(read_ledger(both.home.settings.ledger)) as ledger:
        assert ledger.reading.head() == before


@pytest.mark.slow
def test_who_asks_first_need_not_in_the_sandbox(both: Site, tmp_path: Path) -> None:
    with closing(open_ledger(both.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    with both.client() as client, pytest.raises(PolicyRefused, match="asks first"):
        client.charge("data")
    with both.client(url=SANDBOX) as client:
        assert not client.preview("data").ask_first
        with pytest.raises(PolicyRefused, match="does not ask first"):
            client.request("data", "To try", request_id="first")
        client.release("data", tmp_path / "tried.zip")


@pytest.mark.slow
def test_keys_are_pinned_apart_and_an_invented_release_is_none_of_the_server(both: Site, tmp_path: Path) -> None:
    with both.client(url=SANDBOX) as client:
        client.release("data", tmp_path / "tried.zip")
    with both.client() as client:
        client.release("data", tmp_path / "real.zip")
    real, invented = pinned(URL), pinned(SANDBOX)
    assert real is not None
    assert invented is not None
    assert real.names(both.home.key.public)
    assert both.home.sandbox is not None
    assert invented.names(both.home.sandbox.key.public)
    with both.client(url=SANDBOX, key=both.home.key.public) as client, pytest.raises(IntegrityError):
        client.release("data", tmp_path / "other.zip")

"""A release by a client is charged once, whatever is cut, and is opened only when the right key signed what arrived."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

import starling
from starling.client import Client
from starling.client.replies import Request
from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PolicyRefused
from starling.groups.analysis import GroupsRelease
from starling.ledger import rules as ledger_rules
from starling.ledger.keys import Key
from starling.ledger.opening import open_ledger
from starling.verification import Outcome, verify
from tests.client.conftest import DEADLINE, URL, Carry, Site, streamed

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
OTHER = Key(bytes(range(32)))


@pytest.mark.slow
def test_a_release_is_charged_awaited_fetched_verified_and_opened(site: Site, tmp_path: Path) -> None:
    with site.client(key=site.home.key.public.fingerprint) as client:
        (dataset,) = client.datasets()
        assert (dataset.name, dataset.domain, dataset.deadline) == ("data", "groups", DEADLINE)
        before = client.budget("data")
        assert (before.measure, before.amount, before.more) == ("epsilon", "1", 1)
        release = client.release("data", tmp_path / "data.zip", request_id="first")
        assert isinstance(release, GroupsRelease)
        assert release.signer == site.home.key.public
        assert client.budget("data").more == 0
        assert client.budget("data").left == {"analyst": "2", "dataset": "4", "population": "9"}
        again = client.release("data", tmp_path / "data.zip")
        assert again.request_id == release.request_id == "first"
    assert site.charges() == 1
    assert sum(site.slept) >= DEADLINE
    assert [path.name for path in tmp_path.glob("*data.zip*")] == ["data.zip"]


def test_the_list_of_releases_is_fetched_page_by_page(study_site: Site) -> None:
    with study_site.client() as client:
        question = {"kind": "num_sig", "epsilon": "0.25"}
        charged = [client.charge("data", question={**question, "k": k}).id for k in range(1, 4)]

        def short(request: httpx.Request, carry: Carry) -> httpx.Response:
            if request.url.path == "/v1/releases":
                request.url = request.url.copy_merge_params({"most": "2"})
            return carry(request)

        study_site.carrier.change = short
        assert [each.id for each in client.releases()] == charged[::-1]
        newest = next(client.releases())
        assert (newest.cost, newest.question) == ("epsilon 0.25", {**question, "k": 3})
        assert study_site.carrier.asked.count("GET /v1/releases") == 3


def test_it_is_named_by_the_package() -> None:
    assert starling.Client is Client


@pytest.mark.slow
def test_an_auditor_verifies_it_against_the_chain_that_the_server_gives(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        client.release("data", tmp_path / "data.zip")
    site.home.access.add_user("aud", "auditor")
    token, _ = site.home.access.issue("aud", days=1)
    with httpx.Client(base_url=URL, transport=site.carrier, headers={"Authorization": f"Bearer {token}"}) as auditor:
        (tmp_path / "ledger.jsonl").write_bytes(auditor.get("/v1/ledger").content)
    found = verify(tmp_path / "data.zip", ledger=str(tmp_path / "ledger.jsonl"), key=site.home.key.public)
    assert found.outcome is Outcome.VERIFIED, str(found)


def test_a_custodian_is_asked_and_awaited(site: Site, tmp_path: Path) -> None:
    """The custodian approves the first request while the client waits, and declines the second."""
    requests = site.home.requests
    with closing(open_ledger(site.home.settings.ledger)) as ledger, site.client() as client:
        ledger.custody.set_terms("data", ask_first=True)
        with pytest.raises(PolicyRefused, match="no approval of the custodian"):
            client.release("data", tmp_path / "data.zip", request_id="first")
        asked = client.request("data", "For a plan", request_id="first")
        assert client.requests() == (asked,)

        def approve(waiting: Request) -> None:
            found = requests.find(waiting.number)
            ledger.custody.approve(found.request, found.guarantee, days=1)
            requests.decide(found, "approved", "", lambda: None)

        assert client.approval(asked, approve).state == "approved"
        client.release("data", tmp_path / "data.zip", request_id="first")
        assert site.charges() == 1
        second = site.home.requests.ask(ledger_request("second"), "Another", requests.find(1).guarantee, "Why not")
        with pytest.raises(PolicyRefused, match=r"was declined: No\."):
            client.approval(
                client.decision(second.number),
                lambda waiting: requests.decide(requests.find(waiting.number), "declined", "No.", lambda: None),
            )


def ledger_request(name: str) -> ledger_rules.Request:
    """A request of ada's for something else."""
    return ledger_rules.Request("ada", name, "data", "{}")


def cutting(after: int) -> Callable[[httpx.Request, Carry], httpx.Response]:
    """Cuts each bundle after so many bytes."""

    def change(request: httpx.Request, carry: Carry) -> httpx.Response:
        reply = carry(request)
        if not request.url.path.endswith("/bundle"):
            return reply

        content = reply.read()

        def parts() -> Iterator[bytes]:
            yield content[:after]
            if len(content) > after:
                raise httpx.ReadError("cut")

        return httpx.Response(reply.status_code, headers=reply.headers, content=parts())

    return change


def test_a_download_goes_on_where_it_was_cut(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        number = client.wait(client.charge("data")).id
        whole = client.fetch(number, tmp_path / "whole.zip").read_bytes()
        site.carrier.asked.clear()
        site.carrier.change = cutting(len(whole) // 5 + 2)
        assert client.fetch(number, tmp_path / "parts.zip").read_bytes() == whole
        assert site.carrier.asked.count(f"GET /v1/releases/{number}/bundle") == 5
        site.carrier.change = cutting(100)
        with pytest.raises(LedgerUnavailable, match="cut off again and again"):
            client.fetch(number, tmp_path / "later.zip")
        site.carrier.change = lambda request, carry: carry(request)
        site.carrier.asked.clear()
        assert client.fetch(number, tmp_path / "later.zip").read_bytes() == whole
        assert len(site.carrier.asked) == 1


def test_what_was_kept_of_something_longer_is_begun_anew(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        number = client.wait(client.charge("data")).id
        (tmp_path / f".data.zip.{number}.partial").write_bytes(b"x" * 10_000_000)
        assert client.fetch(number, tmp_path / "data.zip").is_file()


def test_a_reply_that_is_lost_costs_nothing(site: Site) -> None:
    lost: list[bytes] = []

    def losing(request: httpx.Request, carry: Carry) -> httpx.Response:
        reply = carry(request)
        if request.method == "POST" and len(lost) < 3:
            lost.append(reply.read())
            raise httpx.ReadError("lost")
        return reply

    site.carrier.change = losing
    with site.client() as client:
        number = client.charge("data").id
        assert client.charge("data").id == number
    assert (len(lost), site.charges()) == (3, 1)


def test_another_key_is_refused_and_nothing_is_kept(site: Site, tmp_path: Path) -> None:
    with site.client(key=OTHER.public.text) as client:
        number = client.wait(client.charge("data")).id
        with pytest.raises(IntegrityError, match="SIGNATURE is by the key"):
            client.fetch(number, tmp_path / "data.zip")
    assert not list(tmp_path.glob("*data.zip*"))


@pytest.mark.slow
def test_the_first_key_is_remembered(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        number = client.wait(client.charge("data")).id
        client.fetch(number, tmp_path / "data.zip")
    pins = tmp_path / "keys" / "servers.json"
    kept = pins.read_text()
    assert (URL in kept, site.home.key.public.text in kept) == (True, True)
    pins.write_text(kept.replace(site.home.key.public.text, OTHER.public.text))
    with site.client() as client, pytest.raises(IntegrityError, match="SIGNATURE is by the key"):
        client.fetch(number, tmp_path / "again.zip")
    with site.client(key=site.home.key.public) as client:
        client.fetch(number, tmp_path / "again.zip")
    assert OTHER.public.text in pins.read_text(), "a key that is given is not remembered"


def test_bytes_that_were_changed_on_the_way_are_refused(site: Site, tmp_path: Path) -> None:
    def flipping(request: httpx.Request, carry: Carry) -> httpx.Response:
        reply = carry(request)
        if not request.url.path.endswith("/bundle"):
            return reply
        content = bytearray(reply.read())
        content[len(content) // 2] ^= 1
        return streamed(reply, bytes(content))

    with site.client() as client:
        number = client.wait(client.charge("data")).id
        site.carrier.change = flipping
        with pytest.raises(IntegrityError):
            client.fetch(number, tmp_path / "data.zip")
    assert not list(tmp_path.glob("*data.zip*"))
    assert not (tmp_path / "keys" / "servers.json").exists(), "no key is believed by what it did not sign"


def test_the_servers_errors_are_the_librarys(site: Site) -> None:
    with site.client() as client:
        with pytest.raises(ParameterError, match="dataset is not there"):
            client.budget("survey")
        with pytest.raises(ParameterError, match="dataset is not a name"):
            client.budget("../me")
        with pytest.raises(ParameterError, match="release is not there"):
            client.progress(999)
    stranger = Client(URL, "starling_wrong", carrier=site.carrier)
    with stranger, pytest.raises(PolicyRefused, match="no valid token"):
        stranger.datasets()


@pytest.mark.slow
def test_questions_to_a_release_are_free(site: Site, tmp_path: Path) -> None:
    """What is answered there is what the release says here."""
    with site.client() as client:
        release = client.release("data", tmp_path / "data.zip")
        assert isinstance(release, GroupsRelease)
        number = int(client.charge("data").id)
        asked = {"kind": "number", "region": "land", "least": 1, "most": 2}
        told = client.answer(number, asked)
        here = release.number_of_sizes("land", 1, 2)
        assert (told["estimate"], [told["lower"], told["upper"]]) == (here.estimate, list(here.interval()))
        table = release.names[0]
        rows = client.answer(number, {"kind": "rows", "table": table, "most": 2})
        assert rows["columns"] == release.table(table).column_names
        assert (len(rows["rows"]), rows["more"]) == (2, True)
        assert [each["title"] for each in client.questions(number)["oneOf"]] == ["rows", "number"]
        for wrong in ({"kind": "rows", "table": "x"}, {"kind": "number", "region": "x", "least": 1}, {"kind": "count"}):
            with pytest.raises(ParameterError):
                client.answer(number, wrong)
        assert client.budget("data").more == 0
    assert site.charges() == 1

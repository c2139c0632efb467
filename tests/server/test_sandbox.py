"""A sandbox: a home of its own below one path, where analysts are granted what they ask for, and nothing else of the home is touched."""

from contextlib import closing
from dataclasses import replace

import pytest

from starling.errors import OutputError, ParameterError
from starling.ledger import keys
from starling.ledger.delegation import DAY
from starling.ledger.opening import read_ledger
from starling.ledger.rules import UNIT, canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server import sandbox as sandboxes
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.guard import MARK
from starling.server.home import Home, open_home
from starling.server.rates import Rates, TooOften
from starling.server.sandbox import BURST, CAP, SPARE_KEY, FreeCharges, make_sandbox, open_custody
from tests.ledger.worlds import costing
from tests.server.conftest import Asker

YEAR = 366 * DAY


def kinds(home: Home) -> list[str]:
    """The events of its ledger."""
    with closing(read_ledger(home.settings.ledger)) as ledger:
        return [event.kind for event in ledger.reading.events()]


@pytest.fixture
def sandbox(selling: Home) -> Home:
    """The sandbox of the home, with a twin of its dataset."""
    made = make_sandbox(selling)
    with closing(open_custody(made)) as ledger:
        ledger.custody.add_population("census", "rho", ADD_REMOVE_PERSON, CAP)
        ledger.custody.add_dataset("census", "census", {}, CAP)
        ledger.custody.delegate("census", made.key.public, days=1)
        ledger.custody.accept("census", "0" * 64)
    title = "Invented: A count"
    Catalogue(made.folder / "datasets").add(
        Dataset("census", "tables", title, canonical({"count": "persons"}), costing(1), deadline=1)
    )
    return made


@pytest.fixture
def asker(selling: Home, sandbox: Home) -> Asker:
    """Asks the application of the home, with its sandbox."""
    return Asker(make_app(selling, Charges(selling), free=FreeCharges(sandbox)))


def test_it_is_a_home_with_the_settings_and_users_of_the_one_around_it(served: Home) -> None:
    assert served.sandbox is None
    with pytest.raises(ParameterError, match="has no sandbox"):
        open_home(served.folder / "sandbox")
    made = make_sandbox(served)
    assert made.key.public != served.key.public
    assert (made.access, made.settings.hosts) == (served.access, served.settings.hosts)
    assert make_sandbox(served).key.public == made.key.public
    again = open_home(made.folder)
    assert (again.invented, again.settings) == (True, made.settings)
    assert kinds(made) == ["create"]
    assert not [path for path in served.folder.iterdir() if path.name.startswith(".")]


def test_one_that_was_cut_off_is_made_anew_and_keeps_a_key_that_was_copied(
    served: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keys.write(served.folder / SPARE_KEY)
    with monkeypatch.context() as patch:
        patch.setattr(sandboxes, "create_ledger", cut_off)
        with pytest.raises(OutputError, match="sandbox"):
            make_sandbox(served)
    assert served.sandbox is None
    assert make_sandbox(served).key.public == kept.public
    assert not (served.folder / SPARE_KEY).exists()


def cut_off(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_every_analyst_is_granted_what_they_ask_for_and_asked_once(sandbox: Home) -> None:
    dataset = Catalogue(sandbox.folder / "datasets").release("census")
    with closing(FreeCharges(sandbox)) as charges:
        for before, analyst in enumerate(("ada", "eve")):
            budget = charges.budget(analyst, dataset)
            assert (budget.more, budget.available) == (1, (CAP - before) * UNIT)
            assert charges.charge(analyst, dataset, "first") == charges.charge(analyst, dataset, "second")
    assert kinds(sandbox)[5:] == ["grant", "delegate", "charge", "grant", "charge"]
    with closing(FreeCharges(sandbox)) as charges:
        # A web process that was started anew.
        charges.charge("ada", dataset, "third")
    assert len(kinds(sandbox)) == 10


def test_what_is_free_is_bounded_in_number(sandbox: Home) -> None:
    dataset = Catalogue(sandbox.folder / "datasets").release("census")
    time = [1e9]
    with closing(FreeCharges(sandbox, now=lambda: time[0])) as charges:
        asked = [replace(dataset, request=canonical({"count": str(each)})) for each in range(int(BURST) + 1)]
        first = [charges.charge("ada", each, f"r{number}") for number, each in enumerate(asked[:-1])]
        with pytest.raises(TooOften, match="sandbox is asked for more"):
            charges.charge("ada", asked[-1], "last")
        assert charges.charge("ada", asked[0], "r0") == first[0]
        charges.charge("eve", asked[-1], "last")
        time[0] += 30
        charges.charge("ada", asked[-1], "last")


def test_its_right_to_charge_is_renewed_before_it_ends(sandbox: Home) -> None:
    dataset = Catalogue(sandbox.folder / "datasets").release("census")
    time = [0.0]
    with closing(open_custody(sandbox)) as ledger:
        time[0] = next(each.until for each in ledger.book.rights().entries()) - DAY
    with closing(FreeCharges(sandbox, now=lambda: time[0])) as charges:
        for days, renewals in ((0, 1), (200, 1), (300, 2)):
            charges.budget("ada", dataset)
            time[0] += days * DAY - time[0] % 1
            charges.budget("ada", dataset)
            assert kinds(sandbox).count("delegate") == 1 + renewals


@pytest.mark.series(4)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/sandbox/v1/datasets", 200), ("GET", "/sandbox/v1/nothing", 404), ("GET", "/sandbox/v1/releases/7", 404),
        ("GET", "/sandbox", 307), ("GET", "/sandbox/healthz", 200), ("GET", "/sandbox/readyz", 200),
        ("GET", "/sandbox/v1/openapi.json", 200),
        ("POST", "/sandbox/v1/datasets/census/releases", 422), ("DELETE", "/sandbox/v1/datasets", 405), ("GET", "/%73andbox/v1/me", 200),
    ],
)  # fmt: skip
def test_every_reply_of_it_is_marked(asker: Asker, tokens: dict[str, str], method: str, path: str, status: int) -> None:
    reply = asker.ask(method, path, [("Authorization", f"Bearer {tokens['analyst']}")])
    assert reply.status_code == status
    assert reply.headers["Starling-Sandbox"] == MARK["Starling-Sandbox"]


def test_refusals_of_the_guard_are_marked_and_no_other_path_is(asker: Asker, tokens: dict[str, str]) -> None:
    assert asker.ask("GET", "/sandbox/v1/me", [("Host", "elsewhere")]).headers["Starling-Sandbox"]
    for path in ("/v1/datasets", "/sandboxes", "/v1/sandbox", "/healthz"):
        assert "Starling-Sandbox" not in asker.get(path, tokens["analyst"]).headers


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_its_releases_are_numbered_and_told_apart(
    asker: Asker, selling: Home, sandbox: Home, tokens: dict[str, str]
) -> None:
    before = kinds(selling)
    reply = asker.post("/sandbox/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"})
    assert (reply.status_code, reply.json()["invented"]) == (202, True)
    assert reply.headers["Location"] == f"/sandbox/v1/releases/{reply.json()['id']}"
    assert asker.get(reply.headers["Location"], tokens["analyst"]).json()["invented"]
    assert kinds(selling) == before
    assert kinds(sandbox)[-1] == "charge"
    real = asker.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"})
    assert (real.json()["invented"], real.headers["Location"]) == (False, f"/v1/releases/{real.json()['id']}")


def test_one_log_and_one_rate_are_of_both(
    selling: Home, sandbox: Home, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"per_second": 0.001, "burst": 2.0, "refused": TooOften}
    monkeypatch.setattr(Rates.__init__, "__kwdefaults__", few)
    asker = Asker(make_app(selling, Charges(selling), free=FreeCharges(sandbox)))
    asker.get("/sandbox/v1/datasets/census", tokens["analyst"])
    assert selling.access.log(after=0, most=100)[-1].what == "GET /sandbox/v1/datasets/{name}"
    paths = ("/sandbox/v1/me", "/v1/me", "/sandbox/v1/me", "/v1/me")
    assert [asker.get(path, tokens["auditor"]).status_code for path in paths] == [200, 200, 429, 429]


def test_the_api_is_the_same_but_for_metrics_signing_in_and_custody(asker: Asker, tokens: dict[str, str]) -> None:
    real, free = (asker.get(f"{below}/v1/openapi.json").json() for below in ("", "/sandbox"))
    alone = ("/v1/metrics", "/v1/session", "/v1/tokens", "/v1/tokens/{token}", "/v1/oidc/login", "/v1/oidc/callback")
    assert free["servers"] == [{"url": "/sandbox"}]
    assert free["paths"] == {
        path: said for path, said in real["paths"].items() if path not in alone and not path.startswith("/v1/custody")
    }
    assert free["components"]["schemas"].items() <= real["components"]["schemas"].items()
    for name in ("DatasetReply", "BudgetReply", "PreviewReply", "ReleaseReply", "FreeAnswer"):
        assert "invented" in real["components"]["schemas"][name]["required"]
    asker.get("/sandbox/v1/me", tokens["auditor"])
    assert 'route="/sandbox/v1/me"' in asker.get("/v1/metrics", tokens["auditor"]).text


def test_a_home_without_one_has_nothing_there(selling: Home, tokens: dict[str, str]) -> None:
    asker = Asker(make_app(selling, Charges(selling)))
    assert asker.get("/sandbox/v1/me", tokens["analyst"]).status_code == 404


def test_a_sandbox_that_is_broken_leaves_the_server_ready(asker: Asker, sandbox: Home) -> None:
    (sandbox.folder / "ledger.sqlite").unlink()
    assert asker.get("/readyz").status_code == 200
    assert asker.get("/sandbox/readyz").status_code == 503

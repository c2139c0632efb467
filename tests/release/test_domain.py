"""A third domain that only tests know walks the whole frame: its verbs, its page, its release, its verification; killed and taken up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import starling
from starling import domains
from starling.cli import main
from starling.errors import ParameterError
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release import bundle, domain
from starling.release.payment import PaymentOptions
from starling.release.pipeline import publish
from starling.verification import Outcome
from tests.forking import run
from tests.release.forging import Forged
from tests.release.striking import AROUND, strike
from tests.toy.plan import Plan
from tests.toy.publication import Histogram
from tests.toy.serving import RELEASED, Poll
from tests.toy.source import Persons

PLACE = domains.Registered("tests.toy.serving:RELEASED", "tests.toy.verbs:toy")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry and the command line name it, as they name every domain."""
    monkeypatch.setitem(domains.DOMAINS, "toy", PLACE)
    monkeypatch.setitem(main.lazy, "toy", PLACE.verbs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan, records and a ledger."""
    (tmp_path / "plan.toml").write_text('title = "Pets"\ncategories = ["cat", "dog", "none"]\nepsilon = 1\n')
    (tmp_path / "persons.txt").write_text("cat\n" * 70 + "dog\n" * 30)
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 3)
    ledger.custody.add_dataset("pets", "people", {})
    ledger.custody.grant("people", "custodian", 3)
    return tmp_path


@pytest.fixture
def call(folder: Path) -> Callable[..., Result]:
    """A command of the domain on plan and records."""

    def called(verb: str, *words: object, code: int = 0) -> Result:
        records = () if verb in ("plan", "preview") else ("--persons", folder / "persons.txt")
        result = CliRunner().invoke(main, [str(word) for word in ("toy", verb, folder / "plan.toml", *records, *words)])
        assert result.exit_code == code, result.output
        return result

    return called


def paid(folder: Path, *words: object) -> tuple[object, ...]:
    return ("--ledger", f"sqlite:///{folder / 'ledger.sqlite'}", "--dataset", "pets", *words)


def test_it_keeps_the_contract() -> None:
    assert isinstance(RELEASED, domain.Domain)
    assert domains.domain("toy") is RELEASED


def test_plan_and_preview_open_no_records(folder: Path, call: Callable[..., Result]) -> None:
    (folder / "persons.txt").unlink()
    assert "epsilon 1" in call("plan").stdout
    assert "± 3" in call("preview").stdout
    assert json.loads(call("preview", "--json", "--out", folder / "page").stdout) == {"margin": 3}
    assert "Expected error of a histogram; epsilon 1" in (folder / "page" / "preview.html").read_text()


def test_from_records_to_a_verified_release(folder: Path, call: Callable[..., Result]) -> None:
    call("release", *paid(folder, "--out", folder / "out", "--yes"), code=4)
    assert "100 records: nothing breaks the rules" in call("validate", *paid(folder, "--accept")).stdout
    assert (
        "epsilon 1"
        in call("release", *paid(folder, "--out", folder / "out", "--yes", "--zip", folder / "z.zip")).stdout
    )
    assert "answered before" in call("release", *paid(folder, "--out", folder / "out", "--yes")).stdout
    opened = starling.open_release(folder / "z.zip")
    assert opened.table("histogram")["category"].to_pylist() == ["cat", "dog", "none"]
    found = starling.verify(folder / "out", ledger=str(folder / "ledger.sqlite"), key=opened.signer)
    assert (found.outcome, found.findings) == (Outcome.VERIFIED, ())
    assert [check.name for check in found.checks] == ["bundle", "key", "privacy", "tables", "forms", "pages", "charge"]
    errors = json.loads(call("evaluate", "--release", folder / "out", "--json").stdout)["errors"]
    # Noise of scale 1 is beyond 40 with a chance below 1e-16.
    assert max(map(abs, errors)) <= 40


def test_wrong_records_are_listed(folder: Path, call: Callable[..., Result]) -> None:
    (folder / "persons.txt").write_text("cat\nbird\n")
    assert "persons:2: category is not in the plan" in call("validate", code=65).stderr


CHANGES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "tables": ("measurements/noisy.json", lambda noisy: noisy["counts"].pop()),
    "privacy": ("plan/plan.json", lambda plan: plan.update(epsilon="1/2")),
    "forms": ("plan/plan.json", lambda plan: plan.update(more=1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not_belong_together_is_found(folder: Path, call: Callable[..., Result], name: str) -> None:
    call("release", "--out", folder / "out", "--yes", "--unvalidated")
    key = starling.open_release(folder / "out").signer
    path, change = CHANGES[name]
    forged = Forged(folder / "out")
    forged.edit(path, change)
    forged.resign()
    assert key is not None
    failing = {check.name for check in starling.verify(folder / "out").checks if check.state == "fails"}
    assert name in failing


def die(place: str) -> None:
    """What tests/forking.py calls in a process of its own: killed right after the ledger kept the draw."""
    strike(*AROUND["after the draw is committed to"])
    released(Path(place))


def released(folder: Path) -> Any:
    plan = Plan.load(folder / "plan.toml")
    payment = PaymentOptions(f"sqlite:///{folder / 'ledger.sqlite'}", "pets", request_id="again", unvalidated=True)
    return publish(Histogram(plan), Persons(plan, folder / "persons.txt"), folder / "out", payment)


def test_a_killed_release_is_taken_up_and_paid_once(folder: Path) -> None:
    assert run("tests.release.test_domain:die", folder).returncode != 0
    assert [path.name for path in bundle.claimed(folder / "out", "")] == []
    assert released(folder).receipt is not None
    found = starling.verify(folder / "out", ledger=str(folder / "ledger.sqlite"))
    assert (found.findings, found.counts is not None and (found.counts.draws, found.counts.redraws)) == ((), (1, 0))


@pytest.mark.parametrize("named", [True, False])
def test_a_ledger_that_was_named_by_its_url_is_closed_and_an_opened_one_is_left_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, named: bool
) -> None:
    plan, url = Plan.load(folder / "plan.toml"), f"sqlite:///{folder / 'ledger.sqlite'}"
    closed = []

    def close(ledger: Ledger) -> None:
        closed.append(ledger)

    monkeypatch.setattr(Ledger, "close", close)
    payment = PaymentOptions(url if named else open_ledger(url), "pets", unvalidated=True)
    publish(Histogram(plan), Persons(plan, folder / "persons.txt"), folder / "out", payment)
    assert len(closed) == named


def test_a_domain_that_defines_no_margin_says_so() -> None:
    """And its schema has none, so that a page offers the budget alone."""
    plan: Any = None
    poll, question = Poll(plan), "any"
    assert poll.margin(question) is None
    with pytest.raises(
        ParameterError, match="margin is not defined for these questions; state what the answer may cost"
    ):
        poll.at_margin(question, "20")
    assert domain.MARGIN not in json.dumps(poll.schema)

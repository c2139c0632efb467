"""A kept response is scanned again by the form: its price is nothing, and what is no response is refused before anything is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from starling.cli.remote import preview_text
from starling.errors import PolicyRefused
from starling.genome.generate import generate
from starling.worker.sources import source_of
from tests.client.conftest import Site, served_source
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

SCAN = "/datasets/data/ask?kind=scan&epsilon={}&response={}"


@pytest.fixture
def scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with a study whose phenotypes are protected, on which ada may spend an epsilon of 3."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    made = generate(people=60, snps=12, seed=1, out=tmp_path / "study", populations=2)
    yield from served_source(tmp_path, source_of("genome", str(made.plan), {"genotypes": made.records}))


@pytest.mark.slow
def test_a_further_scan_is_priced_and_paid_at_nothing(scans: Site) -> None:
    browser = browser_of(scans)
    browser.open(SCAN.format(2, ""))
    assert "Costs epsilon 2 of your 3 ; leaves 1" in browser.text
    browser.send(browser.form("Spend epsilon 2"))
    first = browser.path.rpartition("/")[2]
    scans.sleep(10)
    browser.open(f"/questions/{first}")
    assert f"Release {first} of data, for epsilon 2." in browser.text
    with scans.client() as client:
        question = {"kind": "scan", "epsilon": "2", "response": int(first)}
        seen = client.preview("data", question)
        assert (seen.amount, seen.more, client.budget("data").available) == ("0", None, "1")
        assert ": nothing: it reads a response that was paid for before, to " in preview_text(seen)
        for wrong, problem in (({"response": 1}, f"name one that did: {first}"), ({"epsilon": "1"}, "state epsilon 2")):
            with pytest.raises(PolicyRefused, match=problem):
                client.preview("data", question | wrong)
            changed = question | wrong
            browser.open(SCAN.format(changed["epsilon"], changed["response"]))
            assert problem in browser.text
            assert "no price as it is" in browser.text
        browser.open(SCAN.format(2, first))
        assert "Costs nothing : it reads a response that was paid for before." in browser.text
        browser.send(browser.form("Ask it, at no cost"))
        scans.sleep(10)
        browser.open(browser.path)
        assert "of data, for nothing." in browser.text
        assert client.budget("data").available == "1"
        assert [each.cost for each in client.releases()] == ["nothing", "epsilon 2"]

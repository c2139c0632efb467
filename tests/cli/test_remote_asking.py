"""The questions of `starling genome`, asked of a server by the same options; and approved, seen with their expected error."""

from contextlib import closing
from fractions import Fraction
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from starling.cli import genome_asking, main, remote_asking
from starling.client import Client
from starling.ledger.opening import open_ledger
from tests.cli.conftest import Call, document
from tests.client.conftest import URL, Site, study_site

__all__ = ["study_site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def asked(study_site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The site, as ada's command line reaches it."""
    token, _ = study_site.home.access.issue("ada", days=1)
    monkeypatch.setenv("STARLING_SERVER", URL)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr("starling.client.Client", partial(Client, carrier=study_site.carrier, sleep=study_site.sleep))
    return study_site


def test_every_question_of_the_library_is_there_with_its_options() -> None:
    """All but those that say where the study lies, and who pays."""
    own = {"plan", "genotypes", "phenotype", "covariates", "sample"}
    own |= {"ledger", "dataset", "analyst", "unvalidated", "zip_file"}
    for name in genome_asking.QUESTIONS:
        here, there = (getattr(module, name.replace("-", "_")) for module in (genome_asking, remote_asking))
        assert isinstance(there, click.Command)
        assert {param.name for param in here.params} - {param.name for param in there.params} <= own


@pytest.mark.slow
def test_a_day_of_an_analyst(call: Call, asked: Site, tmp_path: Path) -> None:
    out = tmp_path / "answers"
    assert call("remote", "datasets").stdout.startswith("data  genome  asked questions  ")
    asked_for = '{"kind": "num_sig", "k": 3, "epsilon": "0.5"}'
    assert document(call("remote", "preview", "data", "--question", asked_for, "--json"))["amount"] == "0.5"
    words = ["remote", "ask", "num-sig", "data", "--k", 3, "--epsilon", "0.5", "--out", out]
    refused = call(*words)
    assert (refused.exit_code, "add --yes to charge 0.5" in refused.stderr, asked.charges()) == (2, True, 0)
    found = document(call(*words, "--yes", "--json"))
    assert found["question"] == {
        "ask": "num_sig",
        "test": "g",
        "k": 3,
        "epsilon": "1/2",
        "selection": "permute-and-flip",
    }
    assert "answer" in found
    again = call(*words, "--yes")
    assert (again.exit_code, asked.charges()) == (0, 1)
    assert f"release {found['request_id']} is kept in {out}" in again.stdout
    wrong = call("remote", "ask", "snp-pval", "data", "--snp", "rs7", "--epsilon", 1, "--out", out, "--yes")
    assert (wrong.exit_code, asked.charges()) == (2, 1)
    priced = ["remote", "ask", "num-sig", "data", "--k", 3, "--out", out]
    for foul, says in (
        ([], "--epsilon is missing"),
        (["--epsilon", 1, "--margin", 20], "--margin stands beside --epsilon"),
        (["--margin", "-1"], "--margin is below 0"),
        (["--margin", "1e1"], "--margin is written with an exponent"),
    ):
        refused = call(*priced, *foul, "--yes")
        assert (refused.exit_code, says in refused.stderr, asked.charges()) == (2, True, 1)
    with asked.client() as client:
        least = client.preview("data", {"kind": "num_sig", "k": 3}, margin=20).question
    by_margin = document(call(*priced, "--margin", 20, "--yes", "--json"))
    assert least is not None
    assert (Fraction(by_margin["question"]["epsilon"]), asked.charges()) == (Fraction(least["epsilon"]), 2)
    budget = call("remote", "budget", "data")
    left = f"left of the analyst's cap: {2.5 - float(least['epsilon']):g}"
    assert ("a release costs" in budget.stdout, left in budget.stdout) == (False, True)


def test_a_question_is_approved_after_its_expected_error_was_seen(
    call: Call, asked: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_ledger(asked.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    words = ["remote", "ask", "num-sig", "data", "--epsilon", "0.5", "--out", tmp_path / "answers"]
    early = call(*words, "--yes")
    assert (early.exit_code, asked.charges()) == (4, 0)
    assert "waiting" in call(*words, "--reason", "For a paper").stdout
    monkeypatch.setattr("starling.cli.approving.check_terminal", lambda *_: None)
    seen = CliRunner().invoke(main, ["server", "approve", str(asked.home.folder), "1"], input="y\n")
    assert seen.exit_code == 0, seen.output
    for said in ("number of significant SNPs", "For a paper", "epsilon 0.5", "left afterwards", "What is supposed"):
        assert said in seen.stderr, said
    assert call(*words, "--yes").exit_code == 0
    assert asked.charges() == 1


@pytest.mark.slow
def test_a_question_is_approved_for_less(call: Call, asked: Site, tmp_path: Path) -> None:
    """The analyst asks for an epsilon of 1; the custodian approves .25, and nothing else can be charged."""
    with closing(open_ledger(asked.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    words = ["remote", "ask", "num-sig", "data", "--epsilon", 1, "--out", tmp_path / "answers", "--request-id", "first"]
    assert call(*words, "--reason", "For a paper").exit_code == 0
    home = asked.home.folder
    for more in (1, 2, -1, "x"):
        assert call("server", "approve", home, 1, "--epsilon", more, "--yes").exit_code == 2
    assert call("server", "approve", home, 1, "--yes").exit_code == 0
    approved = document(call("server", "approve", home, 1, "--epsilon", "0.25", "--yes", "--json"))
    assert (approved["cost"], approved["approved_cost"]) == ("epsilon 1", "epsilon 0.25")
    assert "for epsilon 0.25 in place of epsilon 1; starling remote approved 1" in call("remote", "requests").stdout
    assert call(*words, "--yes").exit_code == 4, "what was asked is not what was approved"
    assert asked.charges() == 0
    done = call("remote", "approved", 1, "--out", tmp_path / "answer.zip", "--yes")
    assert done.exit_code == 0, done.output
    assert call("remote", "approved", 1, "--out", tmp_path / "answer.zip", "--yes").exit_code == 0
    assert asked.charges() == 1
    assert "left of the analyst's cap: 2.75" in call("remote", "budget", "data").stdout
    assert call("ledger", "verify", home / "ledger.sqlite").exit_code == 0

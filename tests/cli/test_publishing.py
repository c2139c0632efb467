"""What a command that publishes asks, refuses and says, in each domain, where a ledger pays."""

import re
import shlex
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import NoReturn, TypeAlias

import pytest
from click.testing import Result

from starling.ledger.opening import create_ledger, read_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from starling.release import bundle
from starling.release.encrypted import EncryptedFiles
from tests.cli.conftest import Call, Inputs, document
from tests.cli.in_terminal import in_terminal

Words: TypeAlias = Callable[..., list[object]]
"""The command line of a release, to which more words are given."""
DOMAINS = ["tables", "genome"]


@pytest.fixture
def paid(tmp_path: Path, inputs: Inputs, study: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Words]:
    """For a domain, a release of it that a new ledger pays."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))

    def made(domain: str) -> Words:
        place = tmp_path / "ledger.sqlite"
        ledger = create_ledger(f"sqlite:///{place}")
        if domain == "tables":
            ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 2)
            release: list[object] = ["tables", "release", "demo", *inputs.options]
        else:
            ledger.custody.add_population("people", "epsilon", REPLACE_PERSON, 2)
            release = ["genome", "num-sig", study / "plan.toml", "--genotypes", study / "study", "--epsilon", "1"]
        ledger.custody.add_dataset("data", "people", {})
        ledger.custody.grant("people", "custodian", 2)
        ledger.close()
        return lambda *more: [*release, "--ledger", place, "--dataset", "data", "--unvalidated", *more]

    return made


def charges(tmp_path: Path) -> int:
    ledger = read_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.reading.verify()
    found = len(ledger.reading.account("people").charges)
    ledger.close()
    return found


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_missing_parent_of_the_folder_is_refused_before_anything_is_asked_or_charged(
    call: Call, paid: Callable[[str], Words], tmp_path: Path, domain: str
) -> None:
    result = call(*paid(domain)("--out", tmp_path / "missing" / "out", "--yes"))
    assert result.exit_code == 74, result.output
    assert f"has no parent folder; make it first: mkdir -p {tmp_path / 'missing'}" in result.stderr
    assert charges(tmp_path) == 0


def interrupted(call: Call, words: list[object], monkeypatch: pytest.MonkeyPatch, *, drawn: bool) -> Result:
    """A run that is stopped with Ctrl-C after its charge: before anything was drawn, or once its charge was committed to a draw."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bundle if drawn else EncryptedFiles, "seal" if drawn else "finish", stop)
        result = call(*words)
    assert result.exit_code == 130, result.output
    return result


def resuming(result: Result) -> list[str]:
    """The words of the line that a run printed when it was charged."""
    told, line = re.findall(r"charged as request (\S+); if this run stops.*\n  starling (.+)\n", result.stderr)[0]
    assert line.endswith(f"--request-id {told}")
    return shlex.split(line)


@pytest.mark.series(1)
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("domain", DOMAINS)
def test_attack_a26_stopped_after_its_charge_and_repeated_it_is_paid_once(
    call: Call,
    paid: Callable[[str], Words],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    domain: str,
    drawn: bool,
) -> None:
    words = paid(domain)("--out", tmp_path / "out")
    stopped = interrupted(call, [*words, "--yes"], monkeypatch, drawn=drawn)
    line = resuming(stopped)
    assert charges(tmp_path) == 1
    # As anybody would: the same line again. Nothing is spent, so that nobody is asked.
    result = call(*words)
    assert result.exit_code == 0, result.output
    assert f"starling: request {line[-1]} was charged before; going on, at no further cost" in result.stderr
    assert charges(tmp_path) == 1
    # And as it was told to: what was answered is answered again.
    again = call(*line)
    assert again.exit_code == 0, again.output
    assert "nothing: this request was answered before" in again.stdout
    assert charges(tmp_path) == 1
    verified = call("verify", tmp_path / "out", "--ledger", tmp_path / "ledger.sqlite", "--json")
    assert document(verified)["draws"] == {"draws": 1, "takeovers": 1, "redraws": 0}


@pytest.mark.series(1)
@pytest.mark.parametrize("domain", DOMAINS)
def test_attack_a26_a_lost_draw_is_said_asked_for_and_paid_again(
    call: Call, paid: Callable[[str], Words], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str
) -> None:
    words = paid(domain)("--out", tmp_path / "out")
    line = resuming(interrupted(call, [*words, "--yes"], monkeypatch, drawn=True))
    (left,) = tmp_path.glob(".out.partial-*")
    shutil.rmtree(left)
    refused = call(*words)
    assert refused.exit_code == 2, refused.output
    assert f"request {line[-1]} was charged before; what was drawn for it is not there any more" in refused.stderr
    assert "--yes is missing" in refused.stderr
    result = call(*words, "--yes", "--json")
    assert result.exit_code == 0, result.output
    assert document(result)["request_id"] == line[-1]
    verified = call("verify", tmp_path / "out", "--ledger", tmp_path / "ledger.sqlite")
    assert "2, paid again 1, runs taken over 1" in verified.stdout
    assert charges(tmp_path) == 1


def test_a_draw_beside_another_folder_is_found(
    call: Call, paid: Callable[[str], Words], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = paid("genome")
    interrupted(call, words("--out", tmp_path / "out", "--yes"), monkeypatch, drawn=True)
    result = call(*words("--out", tmp_path / "elsewhere", "--yes"))
    assert result.exit_code == 74, result.output
    assert f"lies beside {tmp_path / 'out'}; publish it as {tmp_path / 'out'}, at no further cost" in result.stderr
    assert call(*words("--out", tmp_path / "out")).exit_code == 0
    assert charges(tmp_path) == 1


def test_a_release_that_brings_its_own_ledger_names_no_line_that_goes_on_with_it(
    call: Call, study: Path, tmp_path: Path
) -> None:
    words = ("--genotypes", study / "study", "--epsilon", "1", "--out", tmp_path / "out", "--yes", "--unvalidated")
    result = call("genome", "num-sig", study / "plan.toml", *words)
    assert result.exit_code == 0, result.output
    assert "charged as request" not in result.stderr


def asked(words: list[object], answer: str = "n") -> tuple[int, str]:
    """A command in a terminal of its own: its exit code, and what it showed."""
    done = in_terminal(answer, *words)
    return done.returncode, done.stdout.replace("\r", "")


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_who_is_asked_sees_what_remains(call: Call, paid: Callable[[str], Words], tmp_path: Path, domain: str) -> None:
    words = paid(domain)("--out", tmp_path / "out")
    code, shown = asked(words)
    assert code == 130, shown
    assert "Nothing was charged" in shown
    (row,) = re.findall(r"analyst custodian +2 +(\S+)\n", shown)
    left = Decimal(row)
    (stated,) = re.findall(r"This charges (?:rho|epsilon) (\S+) to each person", shown)
    # The demo's cost is stated to six digits, rounded up, and charged exactly.
    assert 0 <= left - (2 - Decimal(stated)) < Decimal("0.000001")
    assert re.search(r"cap of +left now +left after\n", shown), shown
    assert re.search(r"dataset data +no limit +no limit\n", shown), shown
    assert re.search(rf"population people +2 +{row}\n", shown), shown
    assert f"After it, {left // (2 - left)} more like it can be charged." in shown
    assert charges(tmp_path) == 0
    result = call(*words, "--yes")
    assert result.exit_code == 0, result.output
    # Answered: nothing is spent, so that nobody is asked.
    code, shown = asked(words)
    assert code == 0, shown
    assert "Spend it?" not in shown
    assert charges(tmp_path) == 1


@pytest.mark.slow
def test_what_the_caps_do_not_cover_is_refused_before_anybody_is_asked(
    call: Call, paid: Callable[[str], Words], tmp_path: Path
) -> None:
    words = paid("genome")
    assert call(*words("--out", tmp_path / "a", "--yes")).exit_code == 0
    code, shown = asked([*words("--out", tmp_path / "b"), "--epsilon", "1.5"])
    assert code == 3, shown
    assert "has 1 left of 2, the charge is 1.5" in shown
    assert "Spend it?" not in shown

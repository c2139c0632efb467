"""`starling verify` says what it verified, or every finding with exit code 5."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from starling.release.zipped import zipped
from starling.tables.artifact.columns import CHECKS
from tests.cli.conftest import Call, Inputs
from tests.forking import run
from tests.tables.bundles import KEY, OTHER, Bundle, make

CHECKING = "... checking the release: files, signature, cost and numbers\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release charged to a ledger."""
    return make(tmp_path_factory.mktemp("made"))


@contextmanager
def changed(path: Path) -> Iterator[None]:
    """With another byte in the middle of a file."""
    before = path.read_bytes()
    data = bytearray(before)
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    try:
        yield
    finally:
        path.write_bytes(before)


def test_a_real_release_is_verified_with_the_ledger_inside_it(call: Call, released: Path) -> None:
    result = call("verify", released)
    assert (result.exit_code, result.stderr) == (7, CHECKING)
    first, *others = result.stdout.splitlines()
    assert first == (
        f"consistent  {released}: nothing in it contradicts itself; not checked: whose key signed it, whether there are other releases"
        " from the same data, as the ledger inside knows this one alone"
    )
    assert any(line.endswith("looked up there, inside the release") for line in others)


def test_a_release_with_its_ledger_and_key(call: Call, made: Bundle) -> None:
    result = call("verify", made.folder, "--ledger", made.url, "--key", KEY.public.text, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["signer"]["fingerprint"] == KEY.public.fingerprint
    assert found["ledger"] == {"id": made.ledger.book.id, "position": 5}
    assert (found["outcome"], found["not_checked"]) == ("verified", [])
    assert (found["charge_looked_up"], found["request_id"]) == (True, "request-1")
    assert found["cost"]["replace-one"]["epsilon"] == "8"
    text = call("verify", made.folder, "--ledger", made.url, "--key", KEY.public.fingerprint)
    assert text.exit_code == 0
    assert text.stdout.startswith(
        f"verified    {made.folder}: signed by the key and charged in the ledger that were given;"
    )
    alone = call("verify", made.folder)
    assert alone.exit_code == 7
    assert found["proof"] == "events/1"
    assert "proof       events/1: the charge is the sum over all draws of noise" in alone.stdout
    assert alone.stdout.splitlines()[0].endswith("not checked: whose key signed it, the charge")
    assert "not looked up: give --ledger" in alone.stdout
    assert json.loads(call("verify", made.folder, "--json").stdout)["not_checked"] == [
        "whose key signed it",
        "the charge",
    ]


def test_every_check_is_told_by_its_name(call: Call, made: Bundle, tmp_path: Path) -> None:
    names = ["bundle", "key", *CHECKS.holds, "charge"]
    text = call("verify", made.folder, "--key", KEY.public.text).stdout
    assert [line.split("  ")[0] for line in text.split("\n\n")[1].splitlines()] == names
    checks = json.loads(call("verify", made.folder, "--key", KEY.public.text, "--json").stdout)["checks"]
    assert [check["name"] for check in checks] == names
    assert {check["state"] for check in checks[:-1]} == {"holds"}
    assert (checks[-1]["state"], text.splitlines()[-1]) == ("not checked", "charge             not checked")
    copied = made.copy(tmp_path / "copy")
    copied.edit("privacy.json", lambda stated: stated["mechanism"]["levels"][0]["margins_of_error"].update(cell=1))
    copied.resign()
    result = call("verify", copied.folder, "--json")
    found = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert result.exit_code == 5
    assert [name for name, check in found.items() if check["state"] == "fails"] == ["accuracy"]
    (finding,) = found["accuracy"]["findings"]
    assert finding["field"] == "mechanism.levels.1.margins_of_error"
    assert "accuracy           fails\n" in call("verify", copied.folder).stdout


def test_a_zip_is_verified(call: Call, made: Bundle, tmp_path: Path) -> None:
    zipped(made.folder, tmp_path / "release.zip")
    assert call("verify", tmp_path / "release.zip").exit_code == 7
    with changed(tmp_path / "release.zip"):
        assert call("verify", tmp_path / "release.zip").exit_code == 5


@pytest.mark.slow
def test_release_writes_the_zip_too(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    words = (
        "tables",
        "release",
        "demo",
        *inputs.options,
        "--unvalidated",
        "--yes",
        "--zip",
        tmp_path / "out.zip",
        "--out",
    )
    assert call(*words, tmp_path / "out").exit_code == 0
    assert call("verify", tmp_path / "out.zip").exit_code == 7
    again = call(*words, tmp_path / "other")
    assert (again.exit_code, again.stdout) == (74, "")
    assert "out.zip exists" in again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.records", "out", "out.zip"], "nothing was spent"


def test_a_key_may_be_named(call: Call, made: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path))
    assert call("keys", "new", "mine").exit_code == 0
    result = call("verify", made.folder, "--key", "mine")
    assert (result.exit_code, "SIGNATURE is by the key" in result.stderr) == (5, True)


def test_any_change_ends_with_5_and_a_sentence_that_says_where(call: Call, made: Bundle) -> None:
    for path in sorted(made.folder.rglob("*")):
        if path.is_file():
            with changed(path):
                result = call("verify", made.folder)
            assert (result.exit_code, result.stdout.splitlines()[0]) == (5, f"failed  {made.folder}: 1 finding")
            assert path.relative_to(made.folder).as_posix() in result.stderr
            assert all(line.startswith((CHECKING.strip(), "starling: ")) for line in result.stderr.splitlines())


def test_all_findings_are_told_not_the_first_twenty(call: Call, made: Bundle, tmp_path: Path) -> None:
    copied = made.copy(tmp_path / "copy")
    for number in range(30):
        (copied.folder / f"extra-{number:02d}").write_text("x")
    result = call("verify", copied.folder, "--json")
    assert result.exit_code == 5
    assert len(json.loads(result.stdout)["error"]["problems"]) == 30
    assert result.stderr.count("was added after signing") == 30
    assert json.loads(result.stdout)["error"]["kind"] == "IntegrityError"


def test_names_in_a_hostile_folder_do_not_reach_the_terminal(call: Call, made: Bundle, tmp_path: Path) -> None:
    copied = made.copy(tmp_path / "copy")
    (copied.folder / "\x1b[2J\nstarling: all is well").write_text("x")
    result = call("verify", copied.folder)
    assert result.exit_code == 5
    assert "\x1b" not in result.stderr
    assert result.stderr.startswith(CHECKING)
    assert result.stderr.count("\n") == 2


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--key", OTHER.public.text), 5, f"not by {OTHER.public.fingerprint}"),
        (("--key", "short"), 2, "64 hexadecimal digits nor a fingerprint of 32"),
        (("--key", OTHER.public.fingerprint), 5, f"not by {OTHER.public.fingerprint}"),
        (("--ledger", "sqlite:///nowhere"), 2, "nowhere is not there"),
        (("--ledger", "nowhere.jsonl"), 2, "nowhere.jsonl is not there"),
    ],
)
def test_keys_and_ledgers_are_checked(
    call: Call, made: Bundle, words: tuple[str, ...], code: int, expected: str
) -> None:
    result = call("verify", made.folder, *words)
    assert result.exit_code == code
    assert expected in result.stderr


def test_a_place_without_a_release_is_bad_usage(call: Call, tmp_path: Path) -> None:
    assert call("verify", tmp_path / "nothing").exit_code == 2
    (tmp_path / "empty").mkdir()
    result = call("verify", tmp_path / "empty")
    assert (result.exit_code, "is no release" in result.stderr) == (5, True)


@pytest.mark.slow
def test_it_needs_neither_keys_nor_a_home(made: Bundle, tmp_path: Path) -> None:
    shutil.copytree(made.folder, tmp_path / "release")
    environment = os.environ | {"HOME": str(tmp_path / "home"), "STARLING_HOME": str(tmp_path / "keys")}
    result = run("tests.forking:starling_command", "verify", "release", cwd=tmp_path, env=environment)
    assert (result.returncode, result.stderr) == (7, CHECKING)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]

"""The custodian's commands: each does one thing, says what it did, and refuses in one sentence without leaving a trace."""

import json
import os
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from starling.cli import main
from starling.cli.commands import Command, Group
from starling.cli.ledger import RELATIONS
from starling.ledger import keys
from tests.cli.books import Book, filled, limited
from tests.cli.conftest import Call, findings
from tests.cli.in_terminal import in_terminal
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import postgres_world


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return filled(str(tmp_path / "ledger.sqlite"))


def said(result: Any, code: int) -> str:
    """The one sentence that a refusal says, with its fix; never a stack trace."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = findings(result)
    assert len(lines) == 1, lines
    assert lines[0].startswith("starling: ")
    assert "; " in lines[0]
    return str(lines[0])


def commands_of(group: str) -> list[Command]:
    found = main.get_command(click.Context(main), group)
    assert isinstance(found, Group)
    below = [found.get_command(click.Context(found), name) for name in found.list_commands(click.Context(found))]
    return [each for each in below if isinstance(each, Command)]


@pytest.mark.parametrize("group", ["ledger", "keys"])
def test_the_examples_work_when_pasted_in_order(
    call: Call, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in commands_of(group):
        for line in command.example.splitlines():
            program, *words = shlex.split(line)
            assert program == "starling"
            result = call(*words)
            assert result.exit_code == 0, f"{line}: {result.output}"


@pytest.mark.parametrize("name", ["ledger", "keys"])
def test_every_command_has_json(name: str) -> None:
    for command in commands_of(name):
        assert any("--json" in option.opts for option in command.params), command.name


def test_a_custodians_day_for_machines(call: Call, tmp_path: Path) -> None:
    place = tmp_path / "day.sqlite"
    made = json.loads(call("ledger", "create", place, "--json").stdout)
    assert made["signer"] == keys.load().public.text
    relation = ["--measure", "epsilon", "--neighbours", "replace-one-household"]
    population = json.loads(call("ledger", "population", place, "homes", *relation, "--cap", "1/3", "--json").stdout)
    assert population["neighbours"] == "replace one household"
    schema = tmp_path / "schema.json"
    schema.write_text('{"columns": ["rooms"], "largest": 1.5}')
    head = ""
    for words in (
        ["dataset", place, "spring", "--population", "homes", "--schema", schema, "--cap", "0.25"],
        ["grant", place, "homes", "ann", "--cap", "0.2"],
        ["raise", place, "homes", "analyst", "ann", "--cap", "0.3", "--yes"],
        ["retire", place, "dataset", "spring", "--yes"],
    ):
        head = json.loads(call("ledger", *words, "--json").stdout)["head"]
    shown = json.loads(call("ledger", "show", place, "--json").stdout)
    assert shown["head"] == head
    caps = {(cap["scope"], cap["name"]): cap["cap"] for cap in shown["populations"][0]["caps"]}
    # A third is rounded down to a unit, against the spender.
    assert caps == {("population", "homes"): "0.333333333", ("dataset", "spring"): "0.25", ("analyst", "ann"): "0.3"}


def test_every_relation_can_be_chosen_and_none_is_chosen_silently(call: Call, book: Book) -> None:
    for relation in RELATIONS:
        words = ["population", book.place, relation, "--measure", "rho", "--neighbours", relation, "--cap", "1"]
        assert call("ledger", *words).exit_code == 0
    missing = call("ledger", "population", book.place, "x", "--measure", "rho", "--cap", "1")
    assert missing.exit_code == 2
    assert "Missing option '--neighbours'" in missing.stderr


AMOUNTS = ["0", "-1", "-0.5", "nan", "NaN", "inf", "-inf", "1e400", "9" * 200, "1/0", "0.1.2", "1_000", "0x1", "", "٣"]


@pytest.mark.cover
@pytest.mark.parametrize("amount", [*AMOUNTS, "4000000001", "0.0000000001", "1e3"])
@pytest.mark.parametrize(
    "words",
    [
        ["grant", "LEDGER", "people", "bob", "--cap"],
        ["dataset", "LEDGER", "spring", "--population", "people", "--cap"],
        ["population", "LEDGER", "new", "--measure", "rho", "--neighbours", "add-remove-person", "--cap"],
        ["raise", "LEDGER", "people", "population", "people", "--yes", "--cap"],
    ],
    ids=lambda words: words[0],
)
def test_what_is_no_amount_is_refused_and_leaves_nothing(call: Call, book: Book, words: list[str], amount: str) -> None:
    before = book.events()
    sentence = said(call("ledger", *(book.place if word == "LEDGER" else word for word in words), amount), 2)
    assert amount not in sentence or len(amount) < 3, "a refusal never repeats what it was given"
    assert book.events() == before


def test_what_is_said_of_a_cap_is_what_is_kept_of_it(call: Call, book: Book) -> None:
    done = call("ledger", "grant", book.place, "people", "eve", "--cap", "0.30000000000000004")
    assert done.stdout.startswith("eve may spend 0.3 on people\n")
    done = call(
        "ledger", "raise", book.place, "people", "analyst", "eve", "--cap", "0.4000000000009", "--yes", "--json"
    )
    assert json.loads(done.stdout)["cap"] == "0.4"


@pytest.mark.series(4)
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["dataset", "LEDGER", "new", "--population", "nobody"], 2, "population nobody is not there"),
        (["dataset", "LEDGER", "census", "--population", "people"], 4, "census exists already"),
        (["grant", "LEDGER", "people", "ann", "--cap", "1"], 4, "ann has a grant already"),
        (["grant", "LEDGER", "nobody", "ann", "--cap", "1"], 2, "population nobody is not there"),
        (["grant", "LEDGER", "people", "a b", "--cap", "1"], 2, "is not a name"),
        (["raise", "LEDGER", "people", "analyst", "bob", "--cap", "1", "--yes"], 2, "bob has no cap in people"),
        (["raise", "LEDGER", "people", "analyst", "ann", "--cap", "6", "--yes"], 4, "is not above the cap in force, 6"),
        (["raise", "LEDGER", "people", "analyst", "ann", "--cap", "7"], 2, "--yes is missing"),
        (["retire", "LEDGER", "dataset", "nothing"], 2, "dataset nothing is not registered"),
        (["retire", "LEDGER", "population", "nobody"], 2, "population nobody is not there"),
        (["retire", "LEDGER", "dataset", "nothing", "--yes"], 2, "dataset nothing is not registered"),
        (["retire", "LEDGER", "population", "nobody", "--yes"], 2, "population nobody is not there"),
        (["retire", "LEDGER", "dataset", "census"], 2, "--yes is missing"),
        (["retire", "LEDGER", "population", "people"], 2, "its name is not taken again"),
        (["dataset", "LEDGER", "new", "--population", "people", "--schema", "nowhere.json"], 2, "--schema is not"),
        (["create", "LEDGER"], 2, "ledger.sqlite exists already"),
        (["create", "new.sqlite", "--second-key", "abc"], 2, "is not a public key"),
        (
            ["approve", "LEDGER", "people", "analyst", "ann", "--cap", "7", "--key", "custodian"],
            4,
            "no second custodian",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(
    call: Call, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = book.events()
    assert says in said(call("ledger", *(book.place if word == "LEDGER" else word for word in words)), code)
    assert book.events() == before
    assert not (tmp_path / "new.sqlite").exists()


def test_a_raise_says_in_plain_words_what_it_reveals(call: Call, book: Book) -> None:
    words = ["ledger", "raise", book.place, "people", "population", "people", "--cap", "12"]
    refused = call(*words)
    done = call(*words, "--yes")
    for text in (refused.stderr, done.stdout):
        assert "may spend rho 2 more, rho 12 in all" in text
        assert "Everybody in the data bears it" in text
        assert "change the odds of any guess about one person by a factor of at most e^" in text
    one = call("ledger", "raise", book.place, "people", "analyst", "ann", "--cap", "7", "--yes", "--json")
    assert "The cap of people itself still bounds all of it: rho 12" in json.loads(one.stdout)["reveals"]


@pytest.mark.series(1)
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 130)])
def test_in_a_terminal_the_custodian_is_asked(book: Book, answer: str, code: int) -> None:
    before = book.events()
    result = in_terminal(answer, "ledger", "raise", book.place, "people", "population", "people", "--cap", "12")
    assert result.returncode == code, result.stdout + result.stderr
    assert "rho 12 in all" in result.stdout
    assert book.events() - before == (code == 0)
    assert ("Nothing was raised." in result.stdout) is (code == 130)


def test_a_second_custodian_approves_each_raise_once(call: Call, tmp_path: Path) -> None:
    place = tmp_path / "two.sqlite"
    call("keys", "new", "second")
    call("keys", "new", "third")
    assert call("ledger", "create", place, "--second-key", keys.load("second").public.text).exit_code == 0
    people = ["people", "--measure", "rho", "--neighbours", "add-remove-person", "--cap", "10"]
    assert call("ledger", "population", place, *people).exit_code == 0
    raised = ["ledger", "raise", place, "people", "population", "people", "--yes", "--cap"]
    approve = ["ledger", "approve", place, "people", "population", "people", "--cap", "12", "--key"]
    assert "second custodian is missing" in said(call(*raised, "12"), 4)
    assert "the second custodian's is" in said(call(*approve, "third"), 2)
    approved = call(*approve, "second")
    assert "rho 12 in all" in approved.stderr
    approval = approved.stdout.strip()
    assert "not for this very raise" in said(call(*raised, "13", "--approval", approval), 4)
    assert call(*raised, "12", "--approval", approval).exit_code == 0
    assert "not for this very raise" in said(call(*raised, "14", "--approval", approval), 4)
    assert json.loads(call(*[*approve[:-3], "--cap", "20", "--key", "second", "--json"]).stdout)["approval"]
    assert call("ledger", "verify", place).exit_code == 0


def change(sql: str) -> Callable[[Path], None]:
    """Somebody's SQL, behind the ledger's back."""

    def work(path: Path) -> None:
        with sqlite3.connect(path) as forger:
            forger.execute(sql)
        forger.close()

    return work


DAMAGES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "of a newer version": (
        change("UPDATE about SET value = '2' WHERE key = 'version'"),
        5,
        "starling: ledger was written by another version of Starling; use the version that wrote it",
    ),
    "without its owner": (change("DELETE FROM about WHERE key = 'signer'"), 5, "ledger does not say whose it is"),
    "truncated to half": (
        lambda path: os.truncate(path, path.stat().st_size // 2),
        5,
        "ledger is damaged or no ledger",
    ),
    "truncated to nothing": (lambda path: os.truncate(path, 0), 5, "ledger does not have the tables of a ledger"),
    "no ledger": (lambda path: path.write_text("something else"), 5, "ledger is damaged or no ledger"),
    "another database": (change("DROP TABLE about"), 5, "ledger does not have the tables of a ledger"),
    "missing": (lambda path: path.unlink(), 2, "ledger.sqlite is not there; make it: starling ledger create"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_ledger_that_is_none_any_more_is_refused(call: Call, book: Book, damage: str) -> None:
    work, code, says = DAMAGES[damage]
    kept = book.path.read_bytes()
    work(book.path)
    broken = book.path.read_bytes() if book.path.exists() else b""
    for words in (["grant", book.place, "people", "bob", "--cap", "1"], ["show", book.place], ["verify", book.place]):
        assert says in said(call("ledger", *words), code)
    assert (book.path.read_bytes() if book.path.exists() else b"") == broken, "nothing is repaired in secret"
    book.path.write_bytes(kept)
    assert book.events() == 10


def test_an_old_backup_is_refused_and_the_newest_is_not(call: Call, book: Book, tmp_path: Path) -> None:
    assert call("ledger", "backup", book.place, tmp_path / "old.sqlite").exit_code == 0
    book.charge("later")
    assert call("ledger", "backup", book.place, tmp_path / "new.sqlite").exit_code == 0
    book.path.write_bytes((tmp_path / "old.sqlite").read_bytes())
    for words in (["grant", book.place, "people", "bob", "--cap", "1"], ["show", book.place], ["verify", book.place]):
        assert "it was rolled back or restored from an old backup; restore the newest ledger" in said(
            call("ledger", *words), 5
        )
    book.path.write_bytes((tmp_path / "new.sqlite").read_bytes())
    assert book.events() == 12


def test_a_ledger_that_may_not_be_written_is_read_and_refuses_to_change(
    call: Call, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions don't bind root, who runs the tests in a container: SQLite itself is told to open the file so.
    plain = sqlite3.connect

    def connect(name: str, *arguments: Any, **options: Any) -> sqlite3.Connection:
        opened: sqlite3.Connection = plain(name.replace("mode=rw", "mode=ro"), *arguments, **options)
        return opened

    before = book.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect)
        sentence = said(call("ledger", "grant", book.place, "people", "bob", "--cap", "1"), 74)
        assert "cannot be written (full disk, read-only file, or a device error)" in sentence
        assert call("ledger", "show", book.place).exit_code == 0
    assert book.path.read_bytes() == before
    assert book.events() == 10


@pytest.mark.slow
def test_a_full_disk_is_told_and_changes_nothing(book: Book) -> None:
    size = book.path.stat().st_size
    schema = book.path.with_suffix(".json")
    schema.write_text(json.dumps({"columns": ["c" * 100] * 1000}))
    full = limited(size, "ledger", "dataset", book.place, "large", "--population", "people", "--schema", schema)
    assert full.returncode == 74
    assert full.stderr.startswith("starling: ledger cannot be written (full disk")
    assert book.events() == 10
    roomy = limited(1 << 30, "ledger", "dataset", book.place, "large", "--population", "people", "--schema", schema)
    assert roomy.returncode == 0, roomy.stderr
    assert book.events() == 11


@pytest.mark.slow
def test_a_ledger_that_could_not_be_made_leaves_no_file(tmp_path: Path) -> None:
    place = tmp_path / "new.sqlite"
    full = limited(6000, "ledger", "create", place)
    assert full.returncode == 74
    assert not place.exists()
    assert limited(1 << 30, "ledger", "create", place).returncode == 0


def test_a_folder_that_is_not_there_is_told(call: Call, tmp_path: Path) -> None:
    call("keys", "new")
    assert "cannot be written" in said(call("ledger", "create", tmp_path / "nowhere" / "ledger.sqlite"), 74)


def test_another_custodians_ledger_is_refused(call: Call, book: Book, tmp_path: Path) -> None:
    theirs = keys.load().public.fingerprint
    (tmp_path / "home" / "keys" / "custodian.key").unlink()
    assert "starling keys new" in said(call("ledger", "grant", book.place, "people", "bob", "--cap", "1"), 2)
    keys.make()
    sentence = said(call("ledger", "grant", book.place, "people", "bob", "--cap", "1"), 5)
    assert f"the ledger is signed by {theirs}" in sentence


@pytest.mark.parametrize("url", ["mysql://host/name", "sqlite:///", "postgresql:/x://"])
def test_what_is_no_place_is_refused(call: Call, url: str) -> None:
    keys.make()
    assert said(call("ledger", "show", url), 2)


def test_a_server_that_does_not_answer_is_worth_another_try(call: Call) -> None:
    assert "try again" in said(call("ledger", "show", "postgresql://127.0.0.1:1/nothing?connect_timeout=2"), 75)


def test_first_use_makes_the_key_and_says_where(call: Call, tmp_path: Path, home: Path) -> None:
    made = call("ledger", "create", tmp_path / "a.sqlite")
    assert str(home / "keys" / "custodian.key") in made.stderr
    assert call("ledger", "create", tmp_path / "b.sqlite").stderr == ""


def test_the_commands_on_postgres(call: Call, tmp_path: Path) -> None:
    with postgres_world(postgres_url()) as world:
        world.ledger.close()
        assert "exists already" in said(call("ledger", "create", world.url), 2)
        assert call("ledger", "grant", world.url, "people", "eve", "--cap", "1").exit_code == 0
        assert "eve" in call("ledger", "show", world.url).stdout
        assert "6 events hold together" in call("ledger", "verify", world.url).stdout
        assert call("ledger", "export", world.url).stdout.count("\n") == 6
        assert "pg_dump" in said(call("ledger", "backup", world.url, tmp_path / "copy"), 4)
        assert "is not there" in said(call("ledger", "grant", world.url, "nobody", "eve", "--cap", "1"), 2)

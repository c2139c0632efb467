"""The verbs of tables: what they print, what they refuse and how, and what a stopped run leaves."""

import json
import shlex
import signal
import subprocess
from pathlib import Path

import click
import pytest

from starling.cli import main
from starling.cli.commands import Group
from starling.cli.progress import MARK
from starling.cli.tables import INPUTS
from starling.ledger.auditing import events
from tests.cli.conftest import Call, Inputs, document
from tests.cli.in_terminal import in_terminal
from tests.conftest import ROOT
from tests.forking import run
from tests.tables.plan.invented import census_folder

CONSTANT = "release stopped after its charge; nothing was published and the charge stands"


def names(folder: Path) -> list[str]:
    """What is in a folder, hidden names too."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_every_example_works_when_pasted(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    group = main.get_command(click.Context(main), "tables")
    assert isinstance(group, Group)
    commands = [group.get_command(click.Context(group), name) for name in group.lazy]
    assert list(group.lazy) == [
        "init",
        "plan",
        "convert",
        "schema",
        "preview",
        "generate",
        "validate",
        "release",
        "plot",
        "evaluate",
        "diff",
        "export",
    ]
    census_folder(tmp_path / "census")
    for example in (group.example, *(command.example for command in commands)):  # type: ignore[union-attr]
        words = shlex.split(example)
        if words[2] == "diff":
            assert (
                call(
                    "tables", "release", "demo", *shlex.split(INPUTS), "--out", "second", "--yes", "--unvalidated"
                ).exit_code
                == 0
            )
        result = call(*words[1:])
        assert (words[0], result.exit_code) == ("starling", 0), result.output
        assert result.stdout
    assert names(tmp_path) == [
        *(".release.records", ".second.records"),
        *("census", "first.toml", "invented", "pictures", "plan.toml", "release", "release.xlsx", "second"),
    ]


@pytest.mark.series(1)
@pytest.mark.parametrize("verb", ["plan", "preview"])
def test_plan_and_preview_count_groups_and_open_no_records(call: Call, inputs: Inputs, verb: str) -> None:
    result = call("tables", verb, "demo", "--geography", inputs.geography, "--json")
    assert document(result)["groups"] > 1000
    refused = call("tables", verb, "demo", *inputs.options)
    assert refused.exit_code == 2
    assert "No such option '--persons'" in refused.stderr


@pytest.mark.slow
def test_a_plan_is_solved_again_for_a_total_or_a_scale(call: Call) -> None:
    plain = document(call("tables", "plan", "demo", "--json"))
    found = document(call("tables", "plan", "demo", "--total", "0.5", "--json"))
    assert found["margins_scaled_by"] == "6/5"
    assert float(found["cost"]["add-remove"]["decimal"]) <= 0.5 < float(plain["cost"]["add-remove"]["decimal"])
    assert document(call("tables", "plan", "demo", "--scale", "1.2", "--json")) == found
    assert "every accuracy target times 1.2" in call("tables", "plan", "demo", "--scale", "1.2").stdout
    for words, says in (
        (("--scale", "2", "--total", "1"), "--total stands beside --scale; give one of the two"),
        (("--epsilon", "2"), "--epsilon stands alone; give both, or neither"),
        (("--delta", "1e-10"), "--delta stands alone; give both, or neither"),
        (("--epsilon", "2", "--delta", "1e-10", "--total", "1"), "--epsilon stands beside --scale or --total"),
        (("--epsilon", "2", "--delta", "1"), "--delta is not between 0 and 1"),
        (("--scale", "x"), "--scale is not a decimal number"),
        (("--total", "0"), "--total is not above 0"),
        (("--total", "1e3"), "--total is written with an exponent; write 1000"),
        (("--total", "0.000000000001"), "total pays for no margins, were they a million times as wide; give more"),
    ):
        refused = call("tables", "plan", "demo", *words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert says in refused.stderr


def test_sizes_of_a_preview_are_asked_for(call: Call) -> None:
    found = document(call("tables", "preview", "demo", "--sizes", "5, 70", "--json"))
    assert [size["persons"] for size in found["levels"][0]["sizes"]] == [0, 5, 70]
    refused = call("tables", "preview", "demo", "--sizes", "5,x")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--sizes is not a list of whole numbers" in refused.stderr


@pytest.mark.slow
def test_a_preview_as_a_page(call: Call, tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("level,size,groups\nCOUNTY detailed,40,200\n")
    words = ("tables", "preview", "demo", "--out", tmp_path / "out", "--group-sizes", sizes)
    result = call(*words)
    assert result.exit_code == 0
    assert "starling: wrote" in result.stderr
    assert "given" in (tmp_path / "out" / "preview.html").read_text()
    assert (call(*words).exit_code, call(*words[:3], "--group-sizes", sizes).exit_code) == (74, 2)


def test_validate_passes_good_records(call: Call, inputs: Inputs) -> None:
    result = call("tables", "validate", "demo", *inputs.options)
    assert (result.exit_code, result.stderr) == (0, "... reading every record\n")
    assert result.stdout == "20,000 records, 20,000 of them counted: nothing breaks the rules\n"


def test_validate_names_file_line_and_field(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    lines = inputs.persons.read_text().splitlines()
    lines[3] = lines[3].replace(lines[3].split("|")[0], "abc", 1)
    bad = tmp_path / "bad.txt"
    bad.write_text("\n".join(lines) + "\n")
    words = ("tables", "validate", "demo", "--persons", bad, "--geography", inputs.geography)
    result = call(*words)
    assert (result.exit_code, result.stdout) == (65, "")
    assert "starling: bad.txt:4: QAGE " in result.stderr
    assert "abc" not in result.stderr, "a person's value is not repeated"
    found = document(call(*words, "--json"))
    assert (found["valid"], found["lines"], found["counted"]) == (False, 20000, 19999)
    assert found["problems"]["total"] == 1
    assert found["problems"]["listed"][0]["line"] == 4


def test_release_publishes_a_folder(call: Call, inputs: Inputs, released: Path, tmp_path: Path) -> None:
    assert {"SIGNATURE", "data", "datapackage.json", "ledger.sqlite", "plan", "privacy.json", "report.html"} <= set(
        names(released)
    )
    assert json.loads((released / "privacy.json").read_text())["account"]["request_id"] == "abc-1"
    result = call(
        "tables", "release", "demo", *inputs.options, "--out", tmp_path / "out", "--yes", "--unvalidated", "--json"
    )
    assert result.exit_code == 0
    assert all(line.startswith(MARK) for line in result.stderr.splitlines())
    found = document(result)
    assert len(found["request_id"]) == 32
    assert found["cost"]["add-remove"]["rho"]
    lines = (tmp_path / "out" / "data" / "t1.txt").read_bytes().count(b"\n")
    assert found["rows"]["t1"] == lines - 1
    assert names(tmp_path) == [".out.records", "out"]


def test_no_time_in_a_release_is_finer_than_its_day(released: Path) -> None:
    found = list(events(str(released / "ledger.sqlite")))
    assert {event.at % 86_400 for event in found} == {0}
    (charge,) = [json.loads(event.body) for event in found if event.kind == "charge"]
    title = json.loads((released / "plan" / "plan.json").read_text())["title"]
    stated = json.loads((released / "privacy.json").read_text())
    assert charge["what"] == stated["composition"]["name"] == stated["mechanism"]["title"] == title


@pytest.mark.slow
def test_evaluate_says_that_it_is_not_private(call: Call, inputs: Inputs, released: Path) -> None:
    words = ("tables", "evaluate", "demo", "--release", released, *inputs.options)
    assert call(*words).stdout.startswith("NOT PRIVATE")
    found = document(call(*words, "--json"))
    assert found["not_private"] is True
    assert sum(each["rows"] for each in found["classes"] if each["number"] == "total") > 100


def test_spending_is_confirmed(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    result = call("tables", "release", "demo", *inputs.options, "--out", tmp_path / "out", "--unvalidated")
    assert result.exit_code == 2
    assert (
        "--yes is missing, and there is no terminal to ask whether to spend; add --yes to charge rho" in result.stderr
    )
    assert names(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 130)])
def test_in_a_terminal_the_user_is_asked(inputs: Inputs, tmp_path: Path, answer: str, code: int) -> None:
    out = tmp_path / "out"
    words = ["tables", "release", "demo", *inputs.options, "--out", str(out), "--unvalidated"]
    result = in_terminal(answer, *words)
    assert result.returncode == code, result.stdout + result.stderr
    assert "This charges rho" in result.stdout
    assert "[y/N]" in result.stdout
    assert out.exists() is (code == 0)
    assert ("Nothing was charged." in result.stdout) is (code == 130)


@pytest.mark.slow
def test_what_tops_up_says_so_before_and_after(call: Call, inputs: Inputs, released: Path, tmp_path: Path) -> None:
    seen = call("tables", "preview", "demo", "--top-up", released).stdout
    assert "tops up   request abc-1: this cost is added" in seen
    assert "together  rho 1.302739, of both" in seen
    assert "tops up" not in call("tables", "preview", "demo").stdout
    words = ["tables", "release", "demo", *inputs.options, "--out", str(tmp_path / "out"), "--top-up", str(released)]
    words.append("--unvalidated")
    asked = in_terminal("n", *words)
    assert asked.returncode == 130
    assert "It tops up the release of request abc-1: together they cost rho 1.302739." in asked.stdout
    done = call(*words, "--yes", "--json")
    assert json.loads(done.stdout)["joint"]["decimal"] == "1.302739"


def demo_plan() -> str:
    return (ROOT / "src" / "starling" / "tables" / "presets" / "demo.toml").read_text()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('stage-1-share = "0.1"', "stage-1-share = 0.1"), "is a float"),
        (("[privacy]", "[privcy]"), "privacy"),
        (("within = 20", "within = 0"), "a number without error has no privacy"),
    ],
)
@pytest.mark.parametrize("verb", ["plan", "release"])
def test_a_wrong_plan_is_refused_before_anything_is_read(
    call: Call, tmp_path: Path, change: tuple[str, str], says: str, verb: str
) -> None:
    before, after = change
    assert before in demo_plan()
    text = demo_plan().replace(before, after)
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    options = (
        []
        if verb == "plan"
        else ["--persons", "missing", "--geography", "missing", "--out", tmp_path / "out", "--yes", "--unvalidated"]
    )
    result = call("tables", verb, plan, *options)
    assert result.exit_code == 65, result.output
    assert result.stderr.startswith("starling: plan.toml")
    assert says in result.stderr
    assert names(tmp_path) == ["plan.toml"]


@pytest.mark.parametrize(
    ("wrong", "code", "says"),
    [
        ({"--persons": "missing.txt"}, 65, "missing.txt: records cannot be opened (No such file or directory)"),
        ({"--geography": "missing.txt"}, 65, "missing.txt: "),
        ({"--persons": "{geography}"}, 65, "QAGE"),
        ({"--out": "{here}"}, 74, "exists; choose a new folder"),
        ({"--out": "{here}/missing/out"}, 74, "has no parent folder; make it first"),
        ({"--out": "/proc/sys/out"}, 74, "cannot be written"),
        ({"--request-id": "a b"}, 2, "--request-id is not a name of 1 to 100 letters"),
        ({"--request-id": ""}, 2, "--request-id is not a name of 1 to 100 letters"),
        ({"--request-id": "a" * 101}, 2, "--request-id is not a name of 1 to 100 letters"),
    ],
)
def test_wrong_inputs_are_refused_before_the_charge(
    call: Call, inputs: Inputs, tmp_path: Path, wrong: dict[str, str], code: int, says: str
) -> None:
    places = {"geography": inputs.geography, "here": tmp_path}
    options = {"--persons": str(inputs.persons), "--geography": str(inputs.geography), "--out": str(tmp_path / "out")}
    options |= {name: value.format(**places) for name, value in wrong.items()}
    result = call(
        "tables",
        "release",
        "demo",
        *(word for pair in options.items() for word in pair),
        "--yes",
        "--unvalidated",
        "--json",
    )
    assert result.exit_code == code, result.output
    assert says in result.stderr
    assert document(result)["error"]["exit_code"] == code
    assert names(tmp_path) == []


def test_a_missing_column_is_named(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    persons = tmp_path / "persons.txt"
    persons.write_text(inputs.persons.read_text().replace("QSPAN", "QSPANISH", 1))
    words = ("--persons", persons, "--geography", inputs.geography, "--out", tmp_path / "out", "--yes", "--unvalidated")
    result = call("tables", "release", "demo", *words)
    assert result.exit_code == 65
    assert "QSPAN" in result.stderr
    assert names(tmp_path) == ["persons.txt"]


def child(inputs: Inputs, out: Path, prepare: str) -> "subprocess.CompletedProcess[str]":
    """A release in a process of its own, after some code that makes it fail."""
    words = ["tables", "release", "demo", *inputs.options, "--out", str(out), "--yes", "--unvalidated", "--json"]
    head = "import errno, os, resource, signal\nfrom starling.cli import main\n"
    head += "from starling.release import contents, pipeline\nfrom starling.tables import publication\n"
    code = f"{head}{prepare}\nmain({words!r})"
    return run("tests.forking:python", code)


KILL_AT_WRITING = """
real = contents.write
def killed(folder, *rest):
    real(folder, *rest)
    os.kill(os.getpid(), signal.SIGKILL)
contents.write = killed
"""
KILL_AT_DRAWING = "publication.SafeTab.draw = lambda self, exact: os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.slow
@pytest.mark.parametrize("prepare", [KILL_AT_WRITING, KILL_AT_DRAWING])
def test_a_killed_run_leaves_no_release_and_the_next_reports_and_removes_it(
    call: Call, inputs: Inputs, tmp_path: Path, prepare: str
) -> None:
    out = tmp_path / "out"
    assert child(inputs, out, prepare).returncode == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert left.startswith(".out.partial-")
    result = call("tables", "release", "demo", *inputs.options, "--out", out, "--yes", "--unvalidated")
    assert result.exit_code == 0
    assert f"starling: removed {left}: left by a run that was killed before it published anything" in result.stderr
    assert names(tmp_path) == [".out.records", "out"]


LIMIT = """
real = contents.write
def limited(folder, *rest):
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    real(folder, *rest)
contents.write = limited
"""
FAIL = """
def fail(self, exact):
    raise OSError(errno.{error}, "device", "a name that nobody may see")
publication.SafeTab.draw = fail
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prepare", "code", "says"),
    [
        (LIMIT, 74, "output could not be written (full disk or failing device); nothing was published"),
        (FAIL.format(error="ENOSPC"), 75, CONSTANT),
        (FAIL.format(error="EIO"), 75, CONSTANT),
    ],
)
def test_a_full_disk_gives_one_message_and_no_partial_release(
    inputs: Inputs, tmp_path: Path, prepare: str, code: int, says: str
) -> None:
    result = child(inputs, tmp_path / "out", prepare)
    assert result.returncode == code, result.stderr
    assert result.stderr.strip().splitlines()[-1].startswith(f"starling: {says}")
    assert "nobody may see" not in result.stderr + result.stdout
    assert json.loads(result.stdout)["error"]["exit_code"] == code
    assert names(tmp_path) == []


@pytest.mark.slow
def test_an_interrupted_run_leaves_nothing(inputs: Inputs, tmp_path: Path) -> None:
    for name, code in (("SIGINT", 130), ("SIGTERM", 143)):
        # It sleeps, since a signal may reach the main thread a moment after `kill` has returned.
        kill = f"(os.kill(os.getpid(), signal.{name}), __import__('time').sleep(60))"
        prepare = f"publication.SafeTab.draw = lambda self, exact: {kill}"
        result = child(inputs, tmp_path / "out", prepare)
        assert result.returncode == code, result.stderr
        assert "Traceback" not in result.stderr
        assert names(tmp_path) == []


@pytest.mark.slow
def test_a_file_that_is_cut_off_after_its_header_was_checked(inputs: Inputs, tmp_path: Path) -> None:
    persons = tmp_path / "persons.txt"
    persons.write_bytes(inputs.persons.read_bytes())
    cut = f"""
real = pipeline.draw_once
def cutting(*rest):
    os.truncate({str(persons)!r}, 20)
    return real(*rest)
pipeline.draw_once = cutting
"""
    result = child(Inputs(persons, inputs.geography), tmp_path / "out", cut)
    assert result.returncode == 75
    assert CONSTANT in result.stderr
    assert names(tmp_path) == ["persons.txt"]

"""`starling tables plan --epsilon --delta`: the solved plan, and its file; and its delta in all that is said of a release of it."""

import json
from fractions import Fraction
from pathlib import Path

from starling import tables
from starling.release.claims import claim
from tests.cli.conftest import Call, document
from tests.release.forging import Forged


def test_a_plan_is_solved_for_an_epsilon_at_a_delta_and_written(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "solved.toml"
    words = ("--epsilon", "3", "--delta", "1e-10", "--out", str(file))
    solved = document(call("tables", "plan", "demo", *words, "--json"))
    at = solved["at_epsilon"]
    assert 2.999 < float(Fraction(at["reached"])) <= 3
    assert (at["epsilon"], at["by"]) == ("3", "privacy loss distribution, rounded up")
    plain = document(call("tables", "plan", str(file), "--json"))
    assert plain["cost"] == solved["cost"], "the file states the budgets, and nothing is solved again"
    again = call("tables", "plan", "demo", *words[:-1], str(tmp_path / "again.toml"))
    assert "the largest that keeps epsilon 3 at delta 1e-10: 2.99" in again.stdout
    assert (tmp_path / "again.toml").read_bytes() == file.read_bytes()


def test_a_release_states_the_delta_that_its_plan_was_solved_for(call: Call, tmp_path: Path) -> None:
    solved = tables.plan(["sex"], {"sex": ["F", "M"]}, epsilon=1, delta="1e-6")
    file, records, out = (tmp_path / name for name in ("plan.toml", "records.csv", "out"))
    solved.save(file)
    records.write_text("sex\nF\nM\n")
    stated = "0.999999 at delta 1e-6"
    for verb in ("plan", "preview"):
        assert stated in call("tables", verb, str(file)).stdout
    call("tables", "release", str(file), "--persons", str(records), "--out", str(out), "--unvalidated", "--yes")
    privacy = json.loads((out / "privacy.json").read_text())["approximate_dp"]
    assert (privacy["epsilon"], privacy["delta"]) == ("0.999999", "1e-6")
    assert stated in (out / "registry.yaml").read_text()
    assert "ε = 0.999999 at δ = 1e-6" in (out / "report.html").read_text()
    assert stated in call("verify", str(out)).stdout
    # At another delta the same noise has another epsilon, which follows from the parts; but it is not the plan's.
    other = tables.plan(["sex"], {"sex": ["F", "M"]}, rho=solved.cost.amount)
    Forged(out).edit(
        "privacy.json", lambda said: said.update(approximate_dp=claim(other.guarantee).losses()["approximate_dp"])
    )
    Forged(out).resign()
    found = call("verify", str(out))
    assert "approximate_dp" in found.stderr

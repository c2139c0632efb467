"""`starling tables plan --epsilon --delta`: the solved plan, and its file."""

from fractions import Fraction
from pathlib import Path

from tests.cli.conftest import Call, document


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

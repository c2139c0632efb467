"""The tree of errors: each class with its exit code and status, every problem kept, and nothing a record could change."""

import re
from pathlib import Path

import pytest

import starling
from starling import errors
from starling.errors import SHOWN, OutputError, Problem, RunFailed, StarlingError

CODES = {
    "StarlingError": (70, 500),
    "ParameterError": (2, 422),
    "BudgetRefused": (3, 403),
    "PolicyRefused": (4, 403),
    "BoundaryError": (4, 403),
    "IntegrityError": (5, 409),
    "RequestConflict": (6, 409),
    "PlanError": (65, 422),
    "SourceError": (65, 422),
    "RecordsInvalid": (65, 422),
    "OutputError": (74, 507),
    "LedgerUnavailable": (75, 503),
    "AuditFailed": (70, 500),
    "RunFailed": (75, 503),
}


def test_every_class_has_its_exit_code_and_status() -> None:
    classes = {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, StarlingError)
    }
    assert {name: (kind.exit_code, kind.status) for name, kind in classes.items()} == CODES


def test_a_problem_says_where_what_and_the_fix() -> None:
    problem = Problem("QAGE", "is no number", "write 0 to 115", "persons.txt", 3)
    assert str(problem) == "persons.txt:3: QAGE is no number; write 0 to 115"
    assert str(Problem("cap", "is 0", "raise it", "plan.toml")) == "plan.toml: cap is 0; raise it"
    assert str(Problem("cap", "is 0", "raise it")) == "cap is 0; raise it"


@pytest.mark.parametrize(("count", "last"), [(1, "f0 p; x"), (SHOWN, f"f{SHOWN - 1} p; x"), (SHOWN + 5, "and 5 more")])
def test_the_first_problems_are_shown_and_all_are_kept(count: int, last: str) -> None:
    error = StarlingError(problems=[Problem(f"f{i}", "p", "x") for i in range(count)])
    assert len(error.problems) == count
    assert str(error).splitlines()[-1] == last
    assert len(str(error).splitlines()) <= SHOWN + 1


def test_no_message_asks_for_a_request_id_that_nobody_was_given() -> None:
    """The same request is found whatever its id: to run the same again suffices, and is what everybody can do."""
    asking = [
        path for path in Path(starling.__file__).parent.rglob("*.py") if "the same request id" in path.read_text()
    ]
    assert sorted(path.name for path in asking) == ["errors.py", "model.py", "store.py"], (
        "docstrings, and a server's answers"
    )


def test_what_may_be_one_is_not_counted_as_several() -> None:
    """A file of one record has "1 record": how many of what a file holds, and what was found in it, is said by `number_of`."""
    several = re.compile(
        r"(?:total|many|left|counted|found\w*|more)(?:\(\))?:,\} (?:records|problems|notes|rows|seconds)\b"
    )
    texts = {path: path.read_text() for path in Path(starling.__file__).parent.rglob("*.py")}
    assert several.search('f"{tally.total:,} records"')
    assert not [path.name for path, text in texts.items() if several.search(text)]


def test_one_problem_by_its_three_words() -> None:
    error = OutputError(field="out", problem="exists", fix="choose another")
    assert error.problems == (Problem("out", "exists", "choose another"),)
    assert str(error) == error.args[0] == "out exists; choose another"


def test_after_the_charge_there_is_one_message() -> None:
    with pytest.raises(TypeError):
        RunFailed(problem="the third record")  # type: ignore[call-arg]
    assert str(RunFailed()) == str(RunFailed())

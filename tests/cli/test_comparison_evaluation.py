"""An evaluation is marked as not private, in text and for machines, and adds up."""

import json
from pathlib import Path

from starling.cli.comparison import evaluation_json, evaluation_text
from starling.tables.evaluate import WARNING, Class, Errors, Evaluation, Groups
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.cli.conftest import Call, Inputs

FOUND = Evaluation(
    "a plan",
    {"(STATE, 2)": "State, detailed", "(COUNTY, 2)": "County, detailed"},
    (
        Class("(STATE, 2)", 100, 0, "total", Errors(4, 2.0, 6.0, 10.0, 16.0, 3)),
        Class("(STATE, 2)", 1000, 1, "total", Errors(6, -2.0, 4.0, 14.0, 24.0, 6)),
        Class("(COUNTY, 2)", 0, 0, "total", Errors(10, 0.0, 10.0, 10.0, 10.0, 9)),
    ),
    (Groups("(STATE, 2)", 100, 10, 0, 0), Groups("(COUNTY, 2)", 0, 50, 40, 10), Groups("(COUNTY, 2)", 1, 5, 10, 90)),
    SEX_BY_AGE.names,
)


def test_text_warns_first_and_joins_size_classes() -> None:
    lines = evaluation_text(FOUND).splitlines()
    assert lines[0] == WARNING
    state = next(line for line in lines if line.startswith("State, detailed")).split()
    assert state[2:] == ["total", "10", "0", "1", "1.549", "2", "90.00", "%"]
    everything = next(line for line in lines if line.startswith("all")).split()
    assert everything[1] == "20"
    assert lines[-1].split() == ["County,", "detailed", "55", "50", "2.00"]


def test_json_is_marked_and_complete() -> None:
    found = json.loads(json.dumps(evaluation_json(FOUND)))
    assert found["not_private"] is True
    assert found["warning"] == WARNING
    assert [each["rows"] for each in found["classes"]] == [4, 6, 10]
    assert found["groups"][1] == {
        "level": "(COUNTY, 2)",
        "size": 0,
        "groups": 50,
        "suppressed": 40,
        "persons_suppressed": 10,
    }


def test_a_release_without_rows_can_be_shown() -> None:
    assert evaluation_text(Evaluation("empty", {}, (), (), {})).startswith(WARNING)


def test_the_command_writes_the_page_outside_of_the_release_alone(
    call: Call, inputs: Inputs, released: Path, tmp_path: Path
) -> None:
    words = ("tables", "evaluate", "demo", "--release", released, *inputs.options)
    made = call(*words, "--out", tmp_path / "mine")
    assert made.exit_code == 0, made.output
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["NOT-PRIVATE-evaluation.html"]
    refused = call(*words, "--out", released / "data")
    assert refused.exit_code == 4
    assert call("verify", released).exit_code == 7

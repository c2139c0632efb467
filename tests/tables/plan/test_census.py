"""config.json: read exactly, refused wherever the production system would take what nobody meant."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError, Problem
from starling.planfile.grammar import NEEDED, plan_schema
from starling.tables.plan import GeographyLevel, Plan
from starling.tables.plan.census import BUDGETS, CONFIGURATION
from starling.tables.plan.census_records import census_records
from tests.tables.plan.invented import GEOGRAPHIES, REMOVED, TEXTS, census_folder, config, key

SCHEMA = jsonschema.Draft202012Validator(plan_schema("tables", CONFIGURATION))
WRONG: list[Any] = [None, True, "", "0.1", [], [0.5], ["x"], {}, {"x": 1}, -1, 10**13, [2, 1, 3], {"(USA, 1)": [1, 2]}]
"""A value of every kind, of which each key takes a few."""


def refusal(folder: Path, values: Any = None, **texts: str) -> str:
    with pytest.raises(PlanError) as refused:
        Plan.load(census_folder(folder, values, **texts))
    return str(refused.value)


def loaded(path: Path) -> tuple[Plan | None, tuple[Problem, ...]]:
    """The plan, or why not."""
    try:
        return Plan.load(path), ()
    except PlanError as refused:
        return None, refused.problems


def test_everything_config_says_is_in_the_plan(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path / "lapwing"))
    assert (plan.measure, plan.gamma, plan.suppression) == ("rho", Fraction(1, 10), Fraction(1, 2))
    assert (plan.allow_negative, census_records(plan).max_race_codes, census_records(plan).puerto_rico) == (
        True,
        3,
        True,
    )
    assert census_records(plan).states == {"01", "02"}
    assert {level.thresholds for level in plan.levels} == {(5, 10, 20)}
    assert "lapwing" in plan.title


def test_numbers_are_the_decimals_they_are_written_as(tmp_path: Path) -> None:
    text = (
        json.dumps(config())
        .replace("0.25", "0.1", 1)
        .replace("0.25", "0.001", 1)
        .replace('fraction": 0.1', 'fraction": 0.30')
    )
    plan = Plan.load(census_folder(tmp_path, text))
    assert [level.budget for level in plan.levels[:2]] == [Fraction(1, 10), Fraction(1, 1000)]
    assert plan.gamma == Fraction(3, 10)


def test_a_budget_of_zero_removes_the_level(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path, config(**{key("USA", 1): 0, key("TRACT", 2): 0.0})))
    assert "(USA, 1)" not in [level.name for level in plan.levels]
    assert len(plan.levels) == 18


def test_reader_is_ignored_and_suppression_may_be_absent(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path, config(reader=REMOVED, zero_suppression_chance=REMOVED)))
    assert plan.suppression == 0
    assert Plan.load(census_folder(tmp_path, config(reader=["any", 1]))).suppression == Fraction(1, 2)


@pytest.mark.parametrize("name", [name for name, each in CONFIGURATION.keys.items() if each.default is NEEDED])
def test_a_missing_key_is_named(tmp_path: Path, name: str) -> None:
    assert f"config.json: {name} is missing" in refusal(tmp_path, config(**{name: REMOVED}))
    assert not SCHEMA.is_valid(config(**{name: REMOVED}))


@pytest.mark.series(6)
@pytest.mark.parametrize("name", CONFIGURATION.keys)
def test_a_value_of_a_wrong_kind_is_refused_by_its_key_and_by_the_schema(tmp_path: Path, name: str) -> None:
    """The values are of every kind; what the schema refuses, the reader refuses at the key with its line."""
    kind = jsonschema.Draft202012Validator(CONFIGURATION.keys[name].kind.schema)
    wrong = [value for value in WRONG if not kind.is_valid(value)]
    assert wrong or name == "reader"
    for value in wrong:
        assert not SCHEMA.is_valid(config(**{name: value}))
        message = refusal(tmp_path, config(**{name: value}))
        assert re.search(rf"config.json:\d+: {name}\b", message), (value, message)


def test_a_configuration_keeps_the_schema_and_an_unknown_key_breaks_it(tmp_path: Path) -> None:
    assert SCHEMA.is_valid(config())
    assert not SCHEMA.is_valid(config(more=1))
    assert not SCHEMA.is_valid(config(thresholds_p={"(STATES, 2)": [1, 2, 3]}))
    assert {key.what.endswith(".") for key in CONFIGURATION.keys.values()} == {True}


def test_an_unknown_key_is_refused_with_a_near_miss(tmp_path: Path) -> None:
    message = refusal(tmp_path, config(zero_supression_chance=0.5))
    assert "zero_supression_chance is an unknown key; did you mean zero_suppression_chance?" in message
    assert re.search(r"config.json:\d+: ", message)


NUMBERS = [key("STATE", 2), "privacy_budget_p_stage_1_fraction", "zero_suppression_chance"]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["0.1", None, True, [0.1], {"a": 1}, ""])
def test_what_is_not_a_number_is_refused(tmp_path: Path, name: str, value: object) -> None:
    assert f"{name} is not a number" in refusal(tmp_path, config(**{name: value}))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_what_json_does_not_call_a_number_is_refused(tmp_path: Path, text: str) -> None:
    assert f"{text} is not a JSON number" in refusal(tmp_path, json.dumps(config()).replace("0.25", text, 1))


@pytest.mark.parametrize("text", ["1" * 41, "0." + "1" * 41, "1e999", "9" * 5000])
def test_absurd_numbers_are_refused(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path, json.dumps(config(), indent=1).replace("0.25", text, 1))
    assert re.search(r"config.json:3: \w+ is not a decimal number of at most 40 digits", message)


@pytest.mark.parametrize(("text", "plain"), [("1e3", "1000"), ("2.5E-7", "0.00000025")])
def test_an_exponent_is_refused_and_spelled_out(tmp_path: Path, text: str, plain: str) -> None:
    message = refusal(tmp_path, json.dumps(config(), indent=1).replace("0.25", text, 1))
    assert re.search(rf"config.json:3: \w+ is written with an exponent; write {plain}$", message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({key("STATE", 2): -0.1}, "is not of 0 or more"),
        ({key("PR-PLACE", 1): -1}, "is not of 0 or more"),
        ({key("STATE", 2): 1e13}, "is not above 0 and at most 1000000000000"),
        (dict.fromkeys(BUDGETS, 0), "are all 0, so nothing would be tabulated"),
        ({"run_us": False, **{key(g, i): 0 for g in GEOGRAPHIES if "PR" in g for i in (1, 2)}}, "are all 0"),
        ({"privacy_budget_p_stage_1_fraction": 0}, "is not above 0 and below 1"),
        ({"privacy_budget_p_stage_1_fraction": 1}, "is not above 0 and below 1"),
        ({"zero_suppression_chance": 1}, "is not of 0 or more and below 1"),
        ({"zero_suppression_chance": -0.5}, "is not of 0 or more and below 1"),
        ({"max_race_codes": 0}, "max_race_codes is not an integer from 1 to 8"),
        ({"max_race_codes": 9}, "max_race_codes is not an integer from 1 to 8"),
        ({"max_race_codes": 8.0}, "max_race_codes is not an integer from 1 to 8"),
        ({"max_race_codes": "8"}, "max_race_codes is not an integer from 1 to 8"),
        ({"max_race_codes": True}, "max_race_codes is not an integer from 1 to 8"),
        ({"allow_negative_counts": "true"}, "allow_negative_counts is not true or false"),
        ({"run_us": 1}, "run_us is not true or false"),
        ({"run_us": False, "run_pr": False}, "are both false"),
        ({"privacy_defn": "zCDP"}, "privacy_defn is not puredp or zcdp"),
        ({"privacy_defn": None}, "privacy_defn is not puredp or zcdp"),
        ({"state_filter_us": []}, "is empty, but run_us is true"),
        ({"state_filter_us": "01"}, "is not a list of strings"),
        ({"state_filter_us": [1]}, "is not a list of strings"),
        ({"state_filter_us": ["01", "01"]}, "lists a state twice"),
        *(
            ({"state_filter_us": [code]}, "not a state")
            for code in ("00", "03", "07", "14", "43", "52", "57", "72", "1")
        ),
        ({"thresholds_p": []}, "thresholds_p is not an object"),
    ],
)
def test_values_that_nobody_meant_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    assert message in refusal(tmp_path, config(**change))


@pytest.mark.parametrize(
    "cuts",
    [
        [5, 10],
        [5, 10, 20, 30],
        [5, 5, 20],
        [20, 10, 5],
        [0, 10, 20],
        [-5, 10, 20],
        [5, 10, 20.5],
        ["5", "10", "20"],
        5,
        None,
        [],
    ],
)
def test_thresholds_are_three_increasing_positive_integers(tmp_path: Path, cuts: object) -> None:
    thresholds = config()["thresholds_p"] | {"(STATE, 2)": cuts}
    message = refusal(tmp_path, config(thresholds_p=thresholds))
    assert "thresholds_p.(STATE, 2) is not three strictly increasing positive integers" in message


def test_thresholds_are_needed_where_there_is_a_budget_that_is_run(tmp_path: Path) -> None:
    united_states = {name: cuts for name, cuts in config()["thresholds_p"].items() if "PR" not in name}
    assert len(Plan.load(census_folder(tmp_path, config(thresholds_p=united_states, run_pr=False))).levels) == 12
    assert "(PR-STATE, 1) is missing, and the level has a budget" in refusal(
        tmp_path, config(thresholds_p=united_states)
    )
    del united_states["(USA, 1)"]
    values = config(thresholds_p=united_states, run_pr=False, **{key("USA", 1): 0})
    assert len(Plan.load(census_folder(tmp_path, values)).levels) == 11


def test_an_unknown_level_of_thresholds_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, config(thresholds_p=config()["thresholds_p"] | {"(STATES, 2)": [1, 2, 3]}))
    assert "thresholds_p.(STATES, 2) is an unknown key; did you mean (STATE, 2)?" in message


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    text = json.dumps(config())
    assert "key run_us is there twice" in refusal(tmp_path, text[:-1] + ', "run_us": false}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("[" * 100000, "too deeply"),
        ("", "is not JSON"),
        ("1", "not a JSON object"),
    ],
)
def test_what_is_not_a_json_object_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, text)


def test_config_and_definitions_are_refused_together(tmp_path: Path) -> None:
    message = refusal(tmp_path, config(run_us=1, max_race_codes=0), race_and_ethnicity_codes="x\n")
    assert all(name in message for name in ("run_us", "max_race_codes", "race-and-ethnicity-codes.txt:1"))


def test_a_level_that_nobody_can_be_in_is_refused(tmp_path: Path) -> None:
    mapping = "ITERATION_CODE|RACE_ETH_CODE\n2001|1000\n"
    message = refusal(tmp_path, race_and_ethnicity_code_to_iteration=mapping)
    assert "(USA, 1) iterations of this level hold no code" in message


def test_parquet_definitions_make_the_same_plan(tmp_path: Path) -> None:
    text = Plan.load(census_folder(tmp_path / "text" / "plan"))
    folder = census_folder(tmp_path / "parquet" / "plan")
    for name, content in TEXTS.items():
        header, *lines = [line.split("|") for line in content.splitlines()]
        columns = dict(zip(header, map(list, zip(*lines, strict=True)), strict=True))
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
        (folder / f"{name}.txt").unlink()
    assert Plan.load(folder) == text


def test_a_path_that_is_no_plan(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(PlanError):
            Plan.load(path)


@pytest.mark.parametrize("folder", ["NMFv7-2020", "toy_dataset/input_dir_zcdp", "toy_dataset/input_dir_puredp"])
def test_the_census_folders_are_read_unchanged(shared_data: Path, folder: str) -> None:
    plan = Plan.load(shared_data / "tables" / folder)
    values = json.loads((shared_data / "tables" / folder / "config.json").read_text(), parse_float=Fraction)
    budgets = {(level.geography, level.iteration_level): level.budget for level in plan.levels}
    for name, level in BUDGETS.items():
        runs = values["run_pr"] if GeographyLevel(level[0]).puerto_rico else values["run_us"]
        assert budgets.get(level, 0) == (values[name] if runs else 0)
    assert census_records(plan).states == set(values["state_filter_us"])


@st.composite
def mutated_folder(draw: st.DrawFn) -> tuple[str, bytes]:
    """One file of the folder with a few bytes changed, cut out or put in."""
    files = {"config.json": json.dumps(config(), indent=1), **{f"{name}.txt": text for name, text in TEXTS.items()}}
    name = draw(st.sampled_from(sorted(files)))
    raw = bytearray(files[name].encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw)))
        drop = draw(st.integers(0, 6))
        raw[at : at + drop] = draw(
            st.one_of(st.binary(max_size=6), st.sampled_from([b"\n", b"|", b'"', b"{", b"-", b"e9", b"\r"]))
        )
    return name, bytes(raw)


@pytest.mark.slow
@pytest.mark.examples(100)
@settings(max_examples=300)
@given(mutated_folder())
def test_a_mutated_folder_is_a_plan_or_a_plan_error(
    tmp_path_factory: pytest.TempPathFactory, change: tuple[str, bytes]
) -> None:
    folder = census_folder(tmp_path_factory.mktemp("mutated"))
    (folder / change[0]).write_bytes(change[1])
    plan, problems = loaded(folder)
    assert (plan is None) == bool(problems)
    assert all(problem.field and problem.problem and problem.fix and problem.file for problem in problems)
    assert "".join(map(str, problems)).isprintable()
    assert plan is None or plan.cost.amount > 0


def test_unknown_keys_beyond_a_hundred_are_counted(tmp_path: Path) -> None:
    values = config() | {f"k{number}": 1 for number in range(20_000)}
    _, problems = loaded(census_folder(tmp_path, values))
    assert len(problems) == 101

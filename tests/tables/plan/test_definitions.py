"""The Census definition files: every rule is refused where it is broken, with file and line."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.tables.plan.definitions import read_definitions
from tests.tables.plan.invented import CODES, ETHNICITY, MAPPING, RACE, census_folder

RACE_FILE = "race-characteristic-iterations.txt"
CODES_FILE = "race-and-ethnicity-codes.txt"
MAPPING_FILE = "race-and-ethnicity-code-to-iteration.txt"


def test_definitions_are_read(tmp_path: Path) -> None:
    definitions = read_definitions(census_folder(tmp_path))
    curlew = next(each for each in definitions.iterations if each.code == "2001")
    assert (curlew.name, curlew.kind, curlew.level, curlew.alone) == ("Curlew alone", "race", 2, True)
    assert curlew.codes == ("1000", "1001")
    assert dict(definitions.codes)["9000"] == "Arctic"
    assert [each.code for each in definitions.iterations if each.level == 0] == ["0001"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_production_files_end_lines_in_both_ways(tmp_path: Path, ending: str) -> None:
    plain = read_definitions(census_folder(tmp_path / "a"))
    assert (
        read_definitions(census_folder(tmp_path / "b", race_and_ethnicity_codes=CODES.replace("\n", ending))) == plain
    )


def race(*lines: str) -> dict[str, str]:
    return {"race_characteristic_iterations": RACE + "".join(line + "\n" for line in lines)}


def mapping(*lines: str) -> dict[str, str]:
    return {"race_and_ethnicity_code_to_iteration": MAPPING + "".join(line + "\n" for line in lines)}


def codes(*lines: str) -> dict[str, str]:
    return {"race_and_ethnicity_codes": CODES + "".join(line + "\n" for line in lines)}


BROKEN = [
    (race("20010|x|2|True|False|False"), f"{RACE_FILE}:11: ITERATION_CODE is not four digits"),
    (race("\uff12\uff10\uff10\uff19|x|2|True|False|False"), "ITERATION_CODE is not four digits"),
    (race("2009| |2|True|False|False"), "ITERATION_NAME is empty"),
    (race("2009|\x1b[31m|2|True|False|False"), "ITERATION_NAME holds a character that is not printed"),
    (race(f"2009|{'x' * 1001}|2|True|False|False"), "ITERATION_NAME is longer than 1000"),
    (race("2009|x|3|True|False|False"), "LEVEL is not 0, 1 or 2"),
    (race("2009|x|02|True|False|False"), "LEVEL is not 0, 1 or 2"),
    (race("2009|x|2|true|False|False"), "ALONE is not True or False"),
    (race("2009|x|2|Null|False|False"), "ALONE is not True or False"),
    (race("2009|x|2|True|no|False"), "DETAILED_ONLY is not True, False or Null"),
    (race("2009|x|2|True|True|True"), "are both True, so it is tabulated nowhere"),
    (race("2009|x|0|True|False|False"), "LEVEL is 0 but a flag is not Null"),
    (race("2009|x|0|True|Null|False"), "LEVEL is 0 but a flag is not Null"),
    (race("2009|x|2|True|Null|False"), "is Null above level 0"),
    (race("2001|x|2|True|False|False"), f"{RACE_FILE}:11: ITERATION_CODE 2001 is taken by line 5"),
    (race("3001|x|2|True|False|False"), f"3001 is taken by {RACE_FILE}, line 11"),
    (codes("100|x"), f"{CODES_FILE}:7: RACE_ETH_CODE is not a race or ethnicity code"),
    (codes("0100|x"), "RACE_ETH_CODE is not a race or ethnicity code"),
    (codes("1000|x"), "RACE_ETH_CODE 1000 is listed twice"),
    (codes("1004|"), "RACE_ETH_NAME is empty"),
    (mapping("2001|1000"), f"{MAPPING_FILE}:19: ITERATION_CODE|RACE_ETH_CODE 2001|1000 is listed twice"),
    (mapping("7777|1000"), f"{MAPPING_FILE}:19: ITERATION_CODE is not defined"),
    (mapping("2001|7777"), f"{MAPPING_FILE}:19: RACE_ETH_CODE is not defined"),
    (mapping("2003|1000"), f"{MAPPING_FILE}:19: RACE_ETH_CODE 1000 is in 2001 and in 2003"),
    (mapping("2005|1000"), "tabulated below the state at level 2"),
]


@pytest.mark.parametrize(("texts", "message"), BROKEN, ids=[message[:60] for _, message in BROKEN])
def test_a_broken_rule_is_refused_where_it_is_broken(tmp_path: Path, texts: dict[str, str], message: str) -> None:
    with pytest.raises(PlanError) as refused:
        read_definitions(census_folder(tmp_path, **texts))
    assert message in str(refused.value)


def test_one_code_may_be_in_a_nation_and_a_below_state_iteration(tmp_path: Path) -> None:
    """2003 is tabulated for nation and state, 2005 below: together they are one place for a code, not two."""
    read_definitions(census_folder(tmp_path, **mapping("2003|1003", "2005|1003")))


def test_level_0_is_free(tmp_path: Path) -> None:
    extra = {**race("0002|All|0|True|Null|Null"), **mapping("0002|1000")}
    read_definitions(census_folder(tmp_path, **extra))


def test_every_problem_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    folder = census_folder(tmp_path, **race("x|x|9|x|x|x"), **codes("1|x"), ethnicity_characteristic_iterations="")
    with pytest.raises(PlanError) as refused:
        read_definitions(folder)
    files = {problem.file for problem in refused.value.problems}
    assert files == {RACE_FILE, CODES_FILE, "ethnicity-characteristic-iterations.txt"}
    assert len(refused.value.problems) == 7


def test_only_the_first_twenty_are_shown(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        read_definitions(census_folder(tmp_path, **codes(*["1|x"] * 30)))
    assert len(refused.value.problems) == 30
    assert str(refused.value).endswith("and 10 more")


def test_production_definitions_break_no_rule(shared_data: Path) -> None:
    definitions = read_definitions(shared_data / "tables" / "NMFv7-2020")
    kinds = [each.kind for each in definitions.iterations]
    assert (kinds.count("race"), kinds.count("ethnicity")) == (3016, 38)
    assert ETHNICITY.count("\n") == 3  # the invented folder is the small twin of it

"""A converted plan, read back, is the plan of the Census folder: the public definitions, and folders of Hypothesis."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import OutputError, PlanError
from starling.privacy.budget import exact
from starling.tables.plan import Plan
from starling.tables.plan.model import convert
from tests.tables.plan.invented import GEOGRAPHIES, census_folder, config, key

PUBLIC = ("toy_dataset/input_dir_zcdp", "toy_dataset/input_dir_puredp", "NMFv7-2020")


@pytest.mark.series(2)
@pytest.mark.parametrize("name", PUBLIC)
def test_public_definitions_are_the_same_plan_in_words(shared_data: Path, tmp_path: Path, name: str) -> None:
    folder = shared_data / "tables" / name
    out = tmp_path / "plan.toml"
    assert convert(folder, out) == Plan.load(out) == Plan.load(folder)


# JSON writes these as the decimals they are; a float of Python would not always be one.
decimals = st.decimals(min_value="0.000001", max_value=1000, places=6).map(lambda number: number.normalize())


def configurations() -> st.SearchStrategy[str]:
    """Valid configurations: some levels off, any flags, decimals of any length."""
    budgets = {key(geography, level): decimals for geography in GEOGRAPHIES for level in (1, 2)}

    def off(drawn: tuple[dict[str, Decimal], set[str]]) -> dict[str, Any]:
        values, zero = drawn
        return {name: 0 if name in zero else value for name, value in values.items()}

    below_state = key("COUNTY", 2)  # Without such a level a chance of suppression is refused.
    can_be_off = st.sets(st.sampled_from(sorted(budgets.keys() - {below_state})), max_size=8)
    some_off = st.tuples(st.fixed_dictionaries(budgets), can_be_off).map(off)
    rest = st.fixed_dictionaries(
        {
            "max_race_codes": st.integers(1, 8),
            "privacy_budget_p_stage_1_fraction": st.decimals("0.01", "0.99", places=9),
            "zero_suppression_chance": st.sampled_from(
                [Decimal(0), Decimal("0.9999"), Decimal("0.123456789012345678")]
            ),
            "allow_negative_counts": st.booleans(),
            "run_pr": st.booleans(),
            "state_filter_us": st.lists(st.sampled_from(["01", "02", "36", "56"]), min_size=1, unique=True),
            "privacy_defn": st.sampled_from(["puredp", "zcdp"]),
        }
    )
    return st.tuples(some_off, rest).map(lambda parts: written(config(**parts[0], **parts[1])))


def written(value: Any) -> str:
    """JSON with decimals as they are."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{name}": {written(each)}' for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"{value:f}" if isinstance(value, Decimal) else str(value)


@pytest.mark.examples(20)
@settings(max_examples=60)
@given(text=configurations())
def test_every_configuration_is_read_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("census")
    census_folder(folder / 'bird\'s "nest" ä', text)
    out = folder / "plans" / "plan.toml"
    out.parent.mkdir()
    plan = convert(folder / 'bird\'s "nest" ä', out)
    assert plan == Plan.load(out)


def test_definitions_are_named_from_the_place_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    census_folder(tmp_path / "office" / "census")
    (tmp_path / "office" / "plans").mkdir()
    monkeypatch.chdir(tmp_path)
    convert(Path("office/census"), Path("office/plans/plan.toml"))
    assert 'definitions = "../census"' in Path("office/plans/plan.toml").read_text()
    (tmp_path / "office").rename(tmp_path / "moved")
    assert Plan.load(tmp_path / "moved" / "plans" / "plan.toml") == Plan.load(tmp_path / "moved" / "census")


def plan_with(tmp_path: Path, number: Fraction) -> Plan:
    plan = Plan.load(census_folder(tmp_path / "census"))
    return replace(plan, levels=tuple(replace(level, budget=number) for level in plan.levels))


@pytest.mark.parametrize("number", ["1/3", "20", "0.1", "0.0000000001", "123456.000001", "22/7"])
def test_amounts_are_exact(tmp_path: Path, number: str) -> None:
    plan = plan_with(tmp_path, exact(number, field="x"))
    plan.save(tmp_path / "plan.toml", definitions="census")
    assert Plan.load(tmp_path / "plan.toml") == plan


def test_what_is_no_census_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("")
    with pytest.raises(PlanError, match="is no Census configuration folder"):
        convert(tmp_path / "plan.toml", tmp_path / "out.toml")


@pytest.mark.parametrize(
    ("name", "problem"),
    [("plan.txt", "does not end in .toml"), ("there.toml", "exists"), ("none/plan.toml", "cannot be written")],
)
def test_a_wrong_place_is_refused(tmp_path: Path, name: str, problem: str) -> None:
    census_folder(tmp_path / "census")
    (tmp_path / "there.toml").write_text("mine")
    with pytest.raises(OutputError, match=problem):
        convert(tmp_path / "census", tmp_path / name)
    assert (tmp_path / "there.toml").read_text() == "mine"


def test_a_plan_that_a_plan_file_cannot_say_leaves_nothing(tmp_path: Path) -> None:
    thresholds = config()["thresholds_p"] | {"(USA, 1)": [5, 10, 10**15]}
    census_folder(tmp_path / "census", config(thresholds_p=thresholds))
    with pytest.raises(PlanError, match="thresholds"):
        convert(tmp_path / "census", tmp_path / "plan.toml")
    assert not (tmp_path / "plan.toml").exists()


def test_a_folder_that_cannot_be_printed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be printed"):
        Plan.load(census_folder(tmp_path / "census")).values(definitions="a\nb")

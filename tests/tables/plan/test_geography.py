"""Regions of each geography level, and the units they are unions of."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan import Geography, GeographyLevel, Plan, read_geography
from starling.tables.plan.blocks import COLUMNS
from tests.tables.plan.invented import GRF, census_folder, config, key

HEADER = "|".join(COLUMNS) + "\n"


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return Plan.load(census_folder(tmp_path_factory.mktemp("plan")))


def geography_of(plan: Plan, folder: Path, text: str = GRF) -> Geography:
    path = folder / "GRF-C.txt"
    path.write_text(text)
    return read_geography(path, plan)


def region_of_block(name: str, block: dict[str, str]) -> str | None:
    """The slow twin: "Region ids" of the specification, from one line of the file."""
    level = GeographyLevel(name)
    state, place, area = block["TABBLKST"], block["PLACEFP"], block["AIANNHCE"]
    if (state == "72") != level.puerto_rico:
        return None
    county = state + block["TABBLKCOU"]
    return {
        "USA": "1",
        "STATE": state,
        "COUNTY": county,
        "TRACT": county + block["TABTRACTCE"],
        "PLACE": None if place == "99999" else state + place,
        "AIANNH": None if area == "9999" else area,
    }[level.value.removeprefix("PR-")]


def check(geography: Geography, text: str, states: set[str]) -> None:
    """Every block of the file lies in the regions that the slow twin says, and only blocks of the states are there."""
    lines = [dict(zip(COLUMNS, line.split("|"), strict=True)) for line in text.splitlines()[1:]]
    inside = {tuple(block[name] for name in COLUMNS[:4]): block for block in lines if block["TABBLKST"] in states}
    result = geography.blocks.to_pylist()
    ids = [tuple(block[name] for name in COLUMNS[:4]) for block in result]
    assert ids == sorted(inside)
    assert {block["unit"] for block in result} == set(range(geography.units))
    finest = {tuple(block[name] for name in COLUMNS if name != "TABBLK") for block in inside.values()}
    assert geography.units == len(finest)
    for level, regions in geography.regions.items():
        expected = {region_of_block(level, block) for block in inside.values()} - {None}
        assert list(regions) == sorted(expected, key=str)
        for block, block_id in zip(result, ids, strict=True):
            position = int(geography.region_of_unit[level][block["unit"]])
            region = regions[position] if position >= 0 else None
            assert region == region_of_block(level, inside[block_id])


def test_regions_of_the_invented_states(plan: Plan, tmp_path: Path) -> None:
    geography = geography_of(plan, tmp_path)
    check(geography, GRF, {"01", "02", "72"})
    regions = {str(level): ids for level, ids in geography.regions.items()}
    assert regions == {
        "USA": ("1",),
        "STATE": ("01", "02"),
        "COUNTY": ("01001", "02001", "02003"),
        "TRACT": ("01001000100", "01001000200", "02001000100", "02003000100"),
        "PLACE": ("0122800", "0211111", "0222800"),
        "AIANNH": ("0001", "0002"),
        "PR-STATE": ("72",),
        "PR-COUNTY": ("72001", "72003"),
        "PR-TRACT": ("72001000100", "72003000100"),
        "PR-PLACE": ("7244444",),
    }
    assert geography.names[GeographyLevel.USA] == ("United States",)
    assert geography.names[GeographyLevel.PR_STATE] == ("Puerto Rico",)
    assert geography.names[GeographyLevel.COUNTY][:2] == ("county 001, Alabama", "county 001, Alaska")


def test_order_of_the_file_is_of_no_matter(plan: Plan, tmp_path: Path) -> None:
    header, *lines = GRF.splitlines(keepends=True)
    sorted_file, shuffled = geography_of(plan, tmp_path), geography_of(plan, tmp_path, header + "".join(lines[::-1]))
    assert sorted_file.blocks.equals(shuffled.blocks)
    assert sorted_file.regions == shuffled.regions


def test_levels_without_a_budget_have_no_regions(tmp_path: Path) -> None:
    values = config(run_pr=False, **{key("TRACT", level): 0 for level in (1, 2)})
    geography = geography_of(Plan.load(census_folder(tmp_path / "plan", values)), tmp_path)
    assert [*geography.regions] == ["USA", "STATE", "COUNTY", "PLACE", "AIANNH"]
    check(geography, GRF, {"01", "02"})


def test_a_state_of_the_plan_that_is_missing_is_named(tmp_path: Path) -> None:
    """Else its people would be charged for and left out of every table, the nation's included."""
    plan = Plan.load(census_folder(tmp_path / "plan", config(run_pr=False, state_filter_us=["01", "55"])))
    wisconsin = GRF + "55|001|000100|0001|22800|0001\n"
    check(geography_of(plan, tmp_path, wisconsin), wisconsin, {"01", "55"})
    with pytest.raises(PlanError, match=r"GRF-C.txt: TABBLKST lacks 55 \(Wisconsin\) of the plan's states; give"):
        geography_of(plan, tmp_path)
    with pytest.raises(PlanError, match=r"lacks 01 \(Alabama\), 55 \(Wisconsin\) of the plan's states"):
        geography_of(plan, tmp_path, HEADER)
    both = Plan.load(census_folder(tmp_path / "both", config(state_filter_us=["01"])))
    with pytest.raises(PlanError, match=r"lacks 72 \(Puerto Rico\) of the plan's states"):
        geography_of(both, tmp_path, HEADER + "01|001|000100|0001|22800|0001\n")


FEW = st.tuples(
    st.sampled_from(["01", "02", "04", "72"]),
    st.sampled_from(["001", "003"]),
    st.sampled_from(["000100", "999999"]),
    st.sampled_from(["0000", "0001", "9999"]),
    st.sampled_from(["00001", "99998", "99999"]),
    st.sampled_from(["0001", "9998", "9999"]),
)


SURE = [(state, "001", "000100", "0001", "99999", "9999") for state in ("01", "02", "72")]


@pytest.mark.examples(30)
@given(
    st.lists(FEW, unique_by=lambda block: block[:4], min_size=1)
    | st.lists(FEW, unique_by=lambda block: block[:4]).map(
        lambda more: [*SURE, *(block for block in more if block[:4] not in {one[:4] for one in SURE})]
    )
)
def test_any_geography_is_as_the_specification_says(
    plan: Plan, tmp_path_factory: pytest.TempPathFactory, blocks: list[tuple[str, ...]]
) -> None:
    text = HEADER + "".join("|".join(block) + "\n" for block in blocks)
    folder = tmp_path_factory.mktemp("geography")
    if not {"01", "02", "72"} <= {block[0] for block in blocks}:
        with pytest.raises(PlanError, match="of the plan's states"):
            geography_of(plan, folder, text)
    else:
        check(geography_of(plan, folder, text), text, {"01", "02", "72"})


def test_names_are_read_and_regions_beyond_the_plan_are_allowed(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "GRF-C.txt").write_text(GRF)
    names = tmp_path / "names.txt"
    names.write_text(
        "REGION_TYPE|REGION_ID|REGION_NAME\nCOUNTY|02003|Curlew County\nCOUNTY|56001|Far away\nUSA|1|All\n"
    )
    geography = read_geography(tmp_path / "GRF-C.txt", plan, names=names)
    assert geography.names[GeographyLevel.COUNTY] == ("county 001, Alabama", "county 001, Alaska", "Curlew County")
    assert geography.names[GeographyLevel.USA] == ("All",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("COUNTIES|02003|x", r"names.txt:2: REGION_TYPE is not a geography level; did you mean COUNTY\?"),
        ("COUNTY|02003|", "names.txt:2: REGION_NAME is empty"),
        ("COUNTY|02003|x\nCOUNTY|02003|y", "names.txt:3: REGION_ID COUNTY 02003 is named twice"),
        ("COUNTY|2003|x", "names.txt: REGION_ID names no region of the plan's geography"),
    ],
)
def test_names_that_are_wrong_are_refused(plan: Plan, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "names.txt").write_text(f"REGION_TYPE|REGION_ID|REGION_NAME\n{line}\n")
    (tmp_path / "GRF-C.txt").write_text(GRF)
    with pytest.raises(PlanError, match=message):
        read_geography(tmp_path / "GRF-C.txt", plan, names=tmp_path / "names.txt")


def test_names_in_another_file_than_the_one_named_are_not_read(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "GRF-C.txt").write_text(GRF)
    (tmp_path / "names.txt").write_text("REGION_TYPE|REGION_ID|REGION_NAME\nUSA|1|Other\n")
    (tmp_path / "names.csv").write_text("\ufeffREGION_TYPE|REGION_ID|REGION_NAME\nUSA|1|Meant\n")
    with pytest.raises(PlanError, match=r"names.csv: file is not a .txt or .parquet"):
        read_geography(tmp_path / "GRF-C.txt", plan, names=tmp_path / "names.csv")
    (tmp_path / "names.csv").rename(tmp_path / "names.txt")
    result = read_geography(tmp_path / "GRF-C.txt", plan, names=tmp_path / "names.txt")
    assert result.names[GeographyLevel.USA] == ("Meant",)


def test_the_toy_geography(shared_data: Path) -> None:
    toy = shared_data / "tables" / "toy_dataset"
    geography = read_geography(toy / "GRF-C.txt", Plan.load(toy / "input_dir_zcdp"))
    check(geography, (toy / "GRF-C.txt").read_text(), {"01", "02", "11"})
    assert geography.units == 9

"""The data set of SDMX: a validator accepts its structure, its code lists hold every code of its data, and each number is in it once."""

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pysdmx.io import read_sdmx

from starling.errors import ParameterError
from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from starling.tables.analysis import TablesRelease, open_release
from starling.tables.export import write
from starling.tables.plan.choices import STRUCTURE
from tests.tables.export.tables import FRONT, HOSTILE, hostile_table
from tests.tables.plan.test_custom_grammar import LEAST

SPENDING = "OFFICE:SPENDING(1.0)"
ATTRIBUTES = {"OBS_STATUS", "STANDARD_DEVIATION", "CONF_LOWER", "CONF_UPPER", "POST_PROCESSED", "RANK_MARGIN"}


@pytest.fixture(scope="module")
def opened(detailed_release: Path) -> TablesRelease:
    return open_release(detailed_release)


def checked(folder: Path) -> tuple[pd.DataFrame, Any]:
    """The data and the structure of a data set whose structure its XML schema accepts, and whose data the structure does."""
    message = read_sdmx(folder / "structure.xml", validate=True)
    (structure,) = message.get_data_structure_definitions()
    lists = {each.id: {item.id for item in each.items} for each in message.get_codelists()}
    data = pd.read_csv(folder / "data.csv", dtype=str, keep_default_na=False)
    components = structure.components
    assert list(data.columns[:3]) == ["STRUCTURE", "STRUCTURE_ID", "ACTION"]
    assert list(data.columns[3:]) == [
        each.id for each in (*components.dimensions, *components.measures, *components.attributes)
    ]
    dimensions = [each.id for each in components.dimensions]
    assert not data.duplicated(dimensions).any()
    for name in dimensions:
        assert set(data[name]) <= lists[f"CL_{name}"]
    assert set(data["OBS_STATUS"]) <= lists["CL_OBS_STATUS"]
    assert ((data["OBS_VALUE"] != "") == (data["OBS_STATUS"] == "E")).all()
    assert {each.id for each in components.attributes} <= ATTRIBUTES
    (flow,) = message.get_dataflows()
    assert flow.short_urn.endswith(data["STRUCTURE_ID"][0])
    return data, message


@pytest.mark.slow
def test_it_is_accepted_and_has_an_observation_for_each_number(opened: TablesRelease, tmp_path: Path) -> None:
    data, message = checked(opened.export(tmp_path / "sdmx", "sdmx", structure=SPENDING))
    t1, t2, t3 = (opened.table(name).to_pandas() for name in ("t1", "t2", "t3"))
    whole = (t2[["age_start", "age_end", "sex"]] == "*").all(axis=1)
    assert len(data) == len(t1) + len(t2[~whole]) + len(t3)
    numbers = data["OBS_VALUE"][data["OBS_VALUE"] != ""].astype(float)
    assert numbers.sum() == pytest.approx(t1["count"].sum() + t2["count"][~whole].sum() + t3["value"].sum())
    regions = {item.id: item for each in message.get_codelists() if each.id == "CL_REGION" for item in each.items}
    assert regions["1_1"].description == "=1+1"
    text = message.get_dataflows()[0].description
    assert "rho" in text


def test_the_data_alone_are_the_same_file(opened: TablesRelease, tmp_path: Path) -> None:
    folder = opened.export(tmp_path / "sdmx", "sdmx", structure=SPENDING)
    alone = opened.export(tmp_path / "sdmx.csv", "sdmx", structure=SPENDING)
    assert alone.read_bytes() == (folder / "data.csv").read_bytes()
    again = opened.export(tmp_path / "again", "sdmx", structure=SPENDING)
    assert (again / "structure.xml").read_bytes() == (folder / "structure.xml").read_bytes()


def test_rules_are_in_its_status_and_its_text(opened: TablesRelease, tmp_path: Path) -> None:
    folder = opened.export(tmp_path / "s", "sdmx", structure=SPENDING, tables=["ward_by_sex"], hide_below=6, round_to=5)
    data, message = checked(folder)
    assert set(data["OBS_STATUS"]) == {"E", "Q"}
    assert (data["OBS_VALUE"][data["OBS_STATUS"] == "E"].astype(int) % 5 == 0).all()
    assert "Not shown: counts below 6" in message.get_dataflows()[0].description


def test_hostile_names_are_labels_and_never_codes(tmp_path: Path) -> None:
    write([hostile_table()], FRONT, tmp_path, "sdmx", "OFFICE:X(1.0)")
    data, message = checked(tmp_path)
    (codes,) = (each for each in message.get_codelists() if each.id == f"CL_{data.columns[4]}")
    assert len(codes.items) == len(HOSTILE) + 2
    assert {"<b>&amp;</b>", "\\u202eevil"} <= {item.name for item in codes.items}


def test_a_plan_names_the_data_structure_of_its_numbers(tmp_path: Path) -> None:
    stated = "OFFICE:MEMBERS(1.0)"
    plan = Plan.of(LEAST | {"publication": {"negative-counts": True, "data-structure": stated}})
    assert plan == Plan.of(plan.values())
    done = release(
        plan,
        pd.DataFrame({"sex": ["F", "M"]}),
        out=tmp_path / "out",
        payment=PaymentOptions(unvalidated=True),
    )
    opened = open_release(done.folder)
    for name, structure, wanted in (("plan", None, stated), ("other", "OFFICE:OTHER(2.0)", "OFFICE:OTHER(2.0)")):
        data, _ = checked(opened.export(tmp_path / name, "sdmx", structure=structure))
        assert set(data["STRUCTURE_ID"]) == {wanted}
    with pytest.raises(ParameterError, match="is of SDMX"):
        opened.export(tmp_path / "wide.csv", "wide", structure=stated)


@pytest.mark.parametrize("structure", ["OFFICE", "OFFICE:X", "OFFICE:X(a)", "1:X(1.0)", "O:X(1.0)'"])
def test_other_structures_are_refused(opened: TablesRelease, tmp_path: Path, structure: str) -> None:
    assert not STRUCTURE.fullmatch(structure)
    with pytest.raises(ParameterError, match="no data structure"):
        opened.export(tmp_path / "sdmx.csv", "sdmx", structure=structure)
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_what_to_install(
    opened: TablesRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pysdmx.io", None)
    with pytest.raises(ParameterError, match=r"starling-dp\[sdmx\]"):
        opened.export(tmp_path / "sdmx", "sdmx", structure=SPENDING)
    assert not list(tmp_path.iterdir())

"""Records that stand in for those of a plan: the plan is the same but for its title, and a release has the same groups."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from starling.errors import ParameterError, PlanError
from starling.planfile.values import toml_of
from starling.release.domain import Delivery
from starling.tables import Plan, generate
from starling.tables.domain import TABLES
from starling.tables.generate import standing_in
from starling.tables.plan import read_regions
from starling.tables.publication import plan_digest
from tests.tables.generate.custom_plans import custom_plans
from tests.tables.plan.test_custom_grammar import FILE
from tests.tables.test_publish_custom import VALUES


def stood_in(name: str, folder: Path, files: Mapping[str, Path] = {}) -> Delivery:
    """The delivery of invented records, without fault, under the plan's title."""
    assert TABLES.delivering is not None
    assert TABLES.delivering.invent is not None
    folder.mkdir()
    output = TABLES.delivering.invent(name, files, folder)
    before, after = Plan.load(name), Plan.load(output.plan)
    assert after.title == f"Invented: {before.title}"
    assert replace(after, title=before.title) == before
    assert plan_digest(after) == plan_digest(before)
    delivery = TABLES.delivering.open(output.plan, output.files)
    assert delivery.validate(10).problems.total == 0
    assert not hasattr(delivery.publication, "ask")
    return delivery


def note(folder: Path) -> dict[str, int]:
    sizes: dict[str, int] = json.loads((folder / "GENERATED.json").read_text())["sizes"]
    return sizes


@pytest.mark.examples(5)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(custom_plans())
def test_records_stand_in_for_those_of_any_plan_of_ones_own(plan: Plan) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(standing_in, "MOST", 300)
        plan.save(Path(folder) / "plan.toml")
        stood_in(str(Path(folder) / "plan.toml"), Path(folder) / "invented")


def test_the_files_that_a_plan_names_are_copied(tmp_path: Path) -> None:
    other = tmp_path / "theirs"
    other.mkdir()
    (other / "plan.toml").write_text(FILE)
    (other / "illnesses.csv").write_text("code\nA01\nB02\n")
    (other / "districts.csv").write_text("county,district\nwest,d2\nwest,d1\n")
    stood_in(str(other / "plan.toml"), tmp_path / "invented")
    before = Plan.load(other / "plan.toml")
    for path in other.iterdir():
        path.unlink()
    assert replace(Plan.load(tmp_path / "invented" / "plan.toml"), title=before.title) == before


@pytest.mark.parametrize(("expected", "records"), [(3000, 3000), (10**9, 50_000)])
def test_about_as_many_stand_in_as_the_plan_expects(tmp_path: Path, expected: int, records: int) -> None:
    values = {**VALUES, "records": {"of-a-person": 2, "person": "id", "expected": expected}}
    (tmp_path / "plan.toml").write_text(toml_of(values))
    stood_in(str(tmp_path / "plan.toml"), tmp_path / "invented")
    assert note(tmp_path / "invented")["records"] == pytest.approx(records, rel=0.05)


@pytest.mark.slow
def test_persons_of_the_census_live_in_the_blocks_of_the_public_geography(tmp_path: Path) -> None:
    plan = Plan.load("demo")
    geography = generate(plan, persons=10_000, seed=5, out=tmp_path / "real").files["geography"]
    delivery = stood_in("demo", tmp_path / "invented", {"geography": geography})
    assert delivery.publication.regions.regions == read_regions(plan, geography).regions  # type: ignore[union-attr]
    assert note(tmp_path / "invented")["persons"] == 20_000


@pytest.mark.slow
def test_a_census_folder_becomes_a_plan_file(shared_data: Path, tmp_path: Path) -> None:
    toy = shared_data / "tables" / "toy_dataset"
    stood_in(str(toy / "input_dir_zcdp"), tmp_path / "invented", {"geography": toy / "GRF-C.txt"})
    assert len(list((tmp_path / "invented" / "definitions").iterdir())) == 4


@pytest.mark.slow
def test_definitions_that_a_plan_waits_for_are_copied(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "tables" / "NMFv7-2020"
    plan = Plan.load(f"safetab-2022:{folder}")
    geography = generate(plan, persons=5_000, seed=5, out=tmp_path / "real").files["geography"]
    (tmp_path / "invented").mkdir()
    written, files = standing_in.stand_in(f"safetab-2022:{folder}", {"geography": geography}, tmp_path / "invented")
    assert replace(Plan.load(written), title=plan.title) == plan
    assert (files["geography"], pq.read_metadata(files["persons"]).num_rows) == (geography, 20_000)


def test_a_geography_is_asked_of_the_census_alone(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(toml_of(VALUES))
    (tmp_path / "blocks.txt").write_text("")
    for name, files in (("demo", {}), (str(tmp_path / "plan.toml"), {"geography": tmp_path / "blocks.txt"})):
        with pytest.raises(ParameterError, match="geography"):
            stood_in(name, tmp_path / name.replace("/", "-"), files)
    with pytest.raises(PlanError):
        stood_in("demo", tmp_path / "other", {"geography": tmp_path / "blocks.txt"})

"""A plan file of custom tables is read whole, or refused with every problem at its key."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.tables.plan import Plan
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.region_levels import WHOLE

FILE = """title = "Members"

[privacy]
unit = "person"
neighbours = "add-remove"
measure = "rho"
stage-1-share = "0.1"

[records]
of-a-person = 1
expected = 5000

[[columns]]
name = "Age"
from = 0
to = 110

[[columns]]
name = "sex"
values = ["F", "M"]

[[columns]]
name = "illness"
file = "illnesses.csv"
separator = ";"
most = 2

[regions]
column = "district"
file = "districts.csv"
levels = ["county", "district"]
small = ["district"]

[[groups]]
name = "by illness"
columns = ["illness"]

[[groups]]
name = "age bands"
columns = ["Age"]
cuts = { Age = [0, 18, 65] }
detail = "total"

[detail]
columns = ["sex", "Age"]
steps = [{ sex = true }, { sex = true, Age = [0, 18] }]

[publication]
negative-counts = true
suppression = "0.99"

[[levels]]
regions = "district"
groups = "by illness"
margins = [{ number = "cell", within = 20 }]
thresholds = [10, 100]

[[levels]]
regions = "county"
groups = "age bands"
budget = "0.1"
"""
LEAST: dict[str, Any] = {
    "title": "Least",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
    "records": {"of-a-person": 1},
    "columns": [{"name": "sex", "values": ["F", "M"]}],
    "groups": [{"name": "by sex", "columns": ["sex"]}],
    "publication": {"negative-counts": True},
    "levels": [{"groups": "by sex", "budget": "1"}],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A plan file with the files that it names."""
    (tmp_path / "plan.toml").write_text(FILE)
    (tmp_path / "illnesses.csv").write_text('code,text\nA01,"Fever, high"\nB02,Cough\n')
    (tmp_path / "districts.csv").write_text("county,district,note\nwest,d2,x\nwest,d1,x\neast,d3,x\n")
    return tmp_path / "plan.toml"


def test_a_whole_file(file: Path) -> None:
    plan = Plan.load(file)
    records = custom_records(plan)
    assert records.read().fields == ("district", "sex", "Age", "illness")
    assert records.areas.codes == ("d1", "d2", "d3")
    assert records.expected == 5000
    assert [level.name for level in plan.levels] == ["(county, 2)", "(district, 1)"]
    assert [each.name for each in plan.levels[0].iterations] == ["0 to 17", "18 to 64", "65 to 110"]
    assert [each.name for each in plan.levels[1].iterations] == ["Fever, high", "Cough"]
    assert [level.stability for level in plan.levels] == [1, 2]
    assert plan.detail.names[2] == "sex by 2 ages"
    assert plan.regions.of("district").small
    assert not plan.regions.of("county").small
    assert plan.levels[0].total_only.all()


def test_without_regions_and_detail_there_are_totals_of_all(tmp_path: Path) -> None:
    plan = Plan.of(LEAST, folder=tmp_path)
    assert [level.geography for level in plan.levels] == [WHOLE]
    assert plan.detail.steps == 0
    assert plan.levels[0].total_only.all()
    assert plan.levels[0].stability == 1


@pytest.mark.parametrize(
    ("old", "new", "field", "problem"),
    [
        ("of-a-person = 1", "of-a-person = 2", "records.of-a-person", "nothing says whose"),
        ("of-a-person = 1", "of-a-household = 1", "records.of-a-household", "unknown key"),
        ('unit = "person"', 'unit = "point"', "privacy.unit", "person or household"),
        ('"F", "M"', '"F", "F"', "column sex: code F", "more than once"),
        ('"F", "M"', '"F", " M"', "column sex: codes", "no field"),
        ("from = 0\nto = 110", "from = 5\nto = 4", "columns[1].to", "not an integer from 6"),
        ('values = ["F", "M"]', "", "columns[2].name", "no domain"),
        ("most = 2", "most = 99", "columns[3].most", "not an integer"),
        ('separator = ";"\nmost = 2', "most = 2", "columns[3].most", "several values"),
        ('file = "illnesses.csv"', 'file = "none.csv"', "columns[3].file", "cannot be read"),
        ('file = "districts.csv"', 'file = "illnesses.csv"', "regions.file", "no column 'district'"),
        ('small = ["district"]', 'small = ["distict"]', "regions.small", "no level"),
        ('columns = ["illness"]', 'columns = ["ilness"]', "groups by illness", "no column of the plan"),
        ("cuts = { Age = [0, 18, 65] }", "cuts = { Age = [18, 0] }", "groups age bands", "cuts do not cut"),
        ("cuts = { Age = [0, 18, 65] }", 'match = "all"', "groups age bands", "no sets"),
        ("{ sex = true, Age = [0, 18] }", "{ Age = [0, 18] }", "detail 2", "no refinement"),
        ("{ sex = true }", "{ sex = [0, 1] }", "detail.steps[1].sex", "list of values"),
        ('columns = ["sex", "Age"]', 'columns = ["illness"]', "detail.steps[1].sex", "unknown key"),
        ("thresholds = [10, 100]", "thresholds = [10]", "levels[1].thresholds", "two strictly increasing"),
        (
            'groups = "age bands"\n',
            'groups = "age bands"\nthresholds = [1, 2]\n',
            "levels[2].thresholds",
            "measured once",
        ),
        ('regions = "county"', 'regions = "country"', "levels[2].regions", "is not county or district"),
        ('budget = "0.1"', "", "levels[2].budget", "missing"),
        ("[records]", "[area]\nstates = 'all'\n[records]", "area", "unknown key"),
    ],
)
def test_what_cannot_be_is_refused_at_its_key(file: Path, old: str, new: str, field: str, problem: str) -> None:
    assert old in FILE
    file.write_text(FILE.replace(old, new, 1))
    with pytest.raises(PlanError) as refused:
        Plan.load(file)
    assert any(field in each.field and problem in each.problem for each in refused.value.problems), refused.value


def test_a_column_of_several_values_is_no_detail(file: Path) -> None:
    old = 'columns = ["sex", "Age"]\nsteps = [{ sex = true }, { sex = true, Age = [0, 18] }]'
    new = 'columns = ["illness"]\nsteps = [{ illness = true }]'
    file.write_text(FILE.replace(old, new).replace("thresholds = [10, 100]", "thresholds = [10]"))
    with pytest.raises(PlanError, match="several values"):
        Plan.load(file)


@pytest.mark.parametrize(("measure", "degree"), [("epsilon", 10), ("rho", 50)])
@pytest.mark.parametrize("unit", ["person", "household"])
def test_several_records_of_one_divide_the_budget(file: Path, measure: str, degree: int, unit: str) -> None:
    """Decision 23: k s for epsilon, k^2 s for rho; s is 2."""
    records = f'of-a-{unit} = 5\n{unit} = "whose"'
    text = FILE.replace("of-a-person = 1", records).replace('unit = "person"', f'unit = "{unit}"')
    file.write_text(text.replace('measure = "rho"', f'measure = "{measure}"'))
    plan = Plan.load(file)
    assert "whose" in custom_records(plan).read().fields
    assert [plan.degree(level) for level in plan.levels] == [degree // 2, degree]
    assert str(plan.guarantee.relation) == f"add or remove one {unit}"
    assert plan.cost.amount == sum(level.budget for level in plan.levels)
    assert Plan.of(plan.values()) == plan

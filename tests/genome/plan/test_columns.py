"""What a plan states of dosages; covariates and components are in test_model_phenotypes.py."""

from dataclasses import replace
from pathlib import Path

from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import Plan
from tests.genome.plan.test_model_phenotypes import PHENOTYPES, VALUES


def test_dosages_are_counted_where_the_plan_says_so(tmp_path: Path) -> None:
    plan = Plan.of({**VALUES, "analysis": {**VALUES["analysis"], "genotypes": "dosages", "x-model": 1}})
    plan.save(tmp_path / "plan.toml")
    write_plan(tmp_path, plan)
    for again in (Plan.load(tmp_path / "plan.toml"), read_plan(tmp_path)):
        assert (again.digest, again.genotypes, again.x_model) == (plan.digest, "dosages", 1)
    assert plan.digest != replace(plan, x_model=2).digest
    assert plan.digest != PHENOTYPES.digest == Plan.of(VALUES).digest
    assert (plan.as_json()["genotypes"], plan.as_json()["x_model"]) == ("dosages", 1)
    assert "additive, of dosages; tests score" in str(plan)
    assert not {"genotypes", "x_model", "x-model"} & (
        PHENOTYPES.as_json().keys() | PHENOTYPES.values()["analysis"].keys()
    )

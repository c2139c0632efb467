"""What a plan states of dosages and of components of other chromosomes; the rest is in test_model_phenotypes.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import Plan
from tests.genome.plan.test_model import plan_with
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


def test_a_chromosome_may_be_left_out_of_its_components(tmp_path: Path) -> None:
    snps = Plan.snp_list([("rs1", "1", 10, "A", "C"), ("rs2", "2", 20, "A", "C")])
    values = {**VALUES, "snps": snps}
    plan = Plan.of({**values, "analysis": {**VALUES["analysis"], "chromosome-out": True}})
    plan.save(tmp_path / "plan.toml")
    write_plan(tmp_path, plan)
    for again in (Plan.load(tmp_path / "plan.toml"), read_plan(tmp_path)):
        assert (again.digest, again.chromosome_out) == (plan.digest, True)
    assert plan.digest != Plan.of(values).digest
    assert plan.as_json()["chromosome_out"] is True
    assert "2 principal components of the SNPs on other chromosomes" in str(plan)
    for wrong in ({"snps": VALUES["snps"]}, {"analysis": {**VALUES["analysis"], "components": 0}}):
        other = {**values, **wrong}
        with pytest.raises(PlanError, match=r"analysis\.chromosome-out leaves nothing out"):
            Plan.of({**other, "analysis": {**other["analysis"], "chromosome-out": True}})
    with pytest.raises(PlanError, match="chromosome-out have no proof where all of a person is protected"):
        plan_with(chromosome_out=True)

"""Validation says of calls and dosages that say too little what they count as: by the plan's unit, and by what it counts."""

from pathlib import Path

import numpy as np

from starling.genome.source import open_genotypes, validate
from tests.genome.source.test_dosages import dosage_plan, write_vcf
from tests.genome.source.test_validation_missingness import study_with
from tests.genome.studies import plan_of, write_bed


def test_a_missing_call_is_no_copy_where_persons_are_protected_and_the_mean_where_phenotypes_are(
    tmp_path: Path,
) -> None:
    study = study_with(0.3)
    plan = plan_of(study, tmp_path)
    genotypes = open_genotypes(write_bed(study, tmp_path / "x"), plan)
    scan = plan_of(study, tmp_path, "additive", "score")
    for each, meaning in ((plan, "missing counts as no copy"), (scan, "missing counts as the mean of all calls")):
        notes = validate(each, genotypes).value.notes
        assert notes.by_field["missing calls"] == 1
        assert any(meaning in str(one) for one in notes.listed)


def test_uncertain_dosages_are_not_called_missing_calls(tmp_path: Path) -> None:
    people = 400
    random = np.random.default_rng(3)
    sure = random.integers(0, 3, (3, people)).astype(float)
    sure[1, : people // 2] += np.where(random.random(people // 2) < 0.3, 0.4, 0) * (sure[1, : people // 2] < 2)
    sure[2] = 0.5
    write_vcf(tmp_path / "x.vcf", [("C", "DS", [f"{number:.1f}" for number in row]) for row in sure])
    (tmp_path / "x.txt").write_text("#IID T\n" + "".join(f"p{row} {2 - 2 * row // people}\n" for row in range(people)))
    plan = dosage_plan(3, people)
    found = validate(plan, open_genotypes(tmp_path / "x.vcf", plan, tmp_path / "x.txt")).value
    assert found.problems.by_field == {"all dosages uncertain or missing": 1}
    assert str(found.problems.listed[0]).startswith(
        "rs2 has nothing but dosages that are missing, or further than .1 from 0, 1 and 2; those that are there count as they are"
    )
    assert found.notes.by_field["uncertain or missing dosages"] == 1
    (note,) = [str(one) for one in found.notes.listed if one.field.startswith("uncertain")]
    assert "uncertain or missing dosages of rs1 are " in note
    assert note.endswith("counts as it is, what is missing as the mean")
    assert not any("no copy" in str(one) for one in (*found.notes.listed, *found.problems.listed))

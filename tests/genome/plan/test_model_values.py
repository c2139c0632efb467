"""Plans of a study from values of Python: the same plan as from a file, the same problems, and a round trip to the file."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError, PlanError
from starling.genome import Plan
from tests.genome.plan.test_grammar import FULL
from tests.genome.plan.test_grammar import load as load_full

ROWS = [
    ("rs3", "chr2", 500, "T", "C"),
    ("rs1", "1", 1000, "A", "G"),
    ("rs2", "1", 2000, "C", "T"),
]
VALUES: dict[str, Any] = {
    "title": "Small",
    "privacy": {"unit": "person", "neighbours": "replace-one"},
    "study": {"people": 200},
    "snps": Plan.snp_list(ROWS),
    "analysis": {"model": "dominant", "tests": ["g", "fisher"], "alpha": "0.05"},
}


def changed(**sections: Any) -> dict[str, Any]:
    return {
        **VALUES,
        **{key: {**VALUES[key], **each} if isinstance(each, dict) else each for key, each in sections.items()},
    }


def test_values_make_a_plan_and_its_file(tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    assert plan.snps.ids == ("rs1", "rs2", "rs3"), "by place"
    assert plan.snps.carried == ("A", "C", "T")
    assert [region.name for region in plan.regions] == ["1", "2"]
    plan.save(tmp_path / "plan.toml")
    again = Plan.load(tmp_path / "plan.toml")
    assert (again.title, again.digest) == (plan.title, plan.digest)
    assert Plan.of(plan.values()).digest == plan.digest


def test_every_choice_of_a_file_survives(tmp_path: Path) -> None:
    plan = load_full(tmp_path, FULL)
    plan.save(tmp_path / "again.toml")
    again = Plan.load(tmp_path / "again.toml")
    assert (again.title, again.digest) == (plan.title, plan.digest)
    assert again.digest != Plan.of(VALUES).digest


def test_files_are_looked_for_in_the_folder(tmp_path: Path) -> None:
    Plan.of(VALUES).save(tmp_path / "plan.toml")
    plan = Plan.of({**VALUES, "snps": {"list": Path("plan.pvar")}}, folder=tmp_path)
    assert plan.digest == Plan.of(VALUES).digest


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (changed(study={"people": 200.0}), "plan: study.people is not an integer"),
        (changed(analysis={"alpha": 0.05}), "plan: analysis.alpha is a float"),
        (changed(analysis={"tests": "g"}), "plan: analysis.tests is not a list of strings"),
        (changed(analysis={"model": "both"}), "plan: analysis.model is not"),
        (changed(study={"case": 2}), "plan: study.case is not a text"),
        ({**VALUES, "snps": ROWS}, "plan: snps is not a table"),
        (changed(note="x"), "plan: note is an unknown key"),
    ],
)
def test_mistakes_have_the_words_of_a_file(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.of(values)
    assert any(str(each).startswith(problem) for each in caught.value.problems), str(caught.value)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([*ROWS, ROWS[0]], "snps:4: rs3 is there twice"),
        ([("rs1", "1", "1000", "A", "G")], "snps:1: row is not the five values"),
        ([("rs1", "1", True, "A", "G")], "snps:1: row is not the five values"),
        ([("rs 1", "1", 1000, "A", "G")], "snps:1: row is not the five values"),
        (["rs1"], "snps:1: row is not the five values"),
        ([("rs1", "1", 1000, "A", "A")], "snps:1: rs1 has one allele twice"),
        ([], "snps: list keeps no SNP"),
    ],
)
def test_wrong_rows_of_a_list_are_named(rows: Any, problem: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.snp_list(rows)
    assert str(caught.value).startswith(problem)


def test_nothing_is_written_over_or_left_behind(tmp_path: Path) -> None:
    plan = Plan.of(VALUES)
    (tmp_path / "plan.toml").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        plan.save(tmp_path / "plan.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]
    with pytest.raises(OutputError, match="does not end in"):
        plan.save(tmp_path / "plan.txt")


def test_a_plan_shows_itself() -> None:
    plan = Plan.of({**VALUES, "title": "<b>Small</b>"})
    for part in ("replace one person", "200; a case is", "3 on 2 chromosomes", "dominant; tests g, fisher", "0.05 / 3"):
        assert part in repr(plan)
        assert part in plan._repr_html_()
    assert "&lt;b&gt;Small" in plan._repr_html_()
    assert not [name for name in dir(plan) if name.startswith("_")]

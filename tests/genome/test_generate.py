"""An invented study: the same bytes for the same seed, read by PLINK and by its own plan, with the effects it states."""

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import OutputError, ParameterError
from starling.genome.counts.basis import study_basis
from starling.genome.counts.study import count_study
from starling.genome.distance.significance import distance_to_significance
from starling.genome.generate import Linkage, coalescent, generate, runs
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, validate
from starling.privacy.trust import inspect
from tests.genome.plink import plink


@pytest.mark.slow
def test_a_study_is_ready_to_be_asked(tmp_path: Path) -> None:
    made = generate(people=1501, snps=3000, seed=5, out=tmp_path / "g", cases=750, causal={100: 2.5, 2000: 0.4})
    with warnings.catch_warnings():
        # Its list is not the .bim of its genotypes, of which the plan would warn.
        warnings.simplefilter("error")
        plan = Plan.load(tmp_path / "g" / "plan.toml")
    opened = open_genotypes(made.records, plan)
    found = validate(plan, opened).value
    assert found.values == {"people": 1501, "cases": 750, "missing_calls": 0.0}
    assert found.problems.total == found.notes.total == 0
    tables = inspect(count_study(plan, opened)).value.tables()
    distances = distance_to_significance(tables, "g", plan.p_threshold)
    assert {plan.snps.ids[at] for at in np.flatnonzero(distances <= 0)} == {"s100", "s2000"}
    note = json.loads(made.note.read_text())
    assert [(one["snp"], one["odds_ratio"]) for one in note["causal"]] == [("s100", 2.5), ("s2000", 0.4)]
    assert note["notice"].startswith("Invented data.")


@pytest.mark.parametrize("linkage", ["independent", "coalescent"])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linkage: Linkage
) -> None:
    monkeypatch.setattr(runs, "_RUN", 20_000)
    monkeypatch.setattr(coalescent, "STRETCH", 100_000)
    monkeypatch.setattr(coalescent, "PER_STRETCH", 30)

    def content(name: str, seed: int, workers: int) -> dict[str, bytes]:
        generate(
            people=101, snps=200, seed=seed, out=tmp_path / name, linkage=linkage, workers=workers, causal={9: 1.5}
        )
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    first = content("a", 1, 1)
    assert set(first) == {"study.bed", "study.bim", "study.fam", "array.bim", "plan.toml", "GENERATED.json"}
    assert first["array.bim"] == first["study.bim"]
    assert first == content("b", 1, 3)
    assert first["study.bed"] != content("c", 2, 1)["study.bed"]


def test_a_study_of_populations_asks_to_be_adjusted(tmp_path: Path) -> None:
    """Its component tells them apart, and its plan protects phenotypes."""
    made = generate(people=400, snps=1500, seed=5, out=tmp_path / "g", populations=2)
    plan = Plan.load(tmp_path / "g" / "plan.toml")
    assert (plan.unit, plan.components, plan.covariates) == ("phenotype", 1, ())
    with_file = replace(plan, covariates=("population",))
    opened = open_genotypes(made.records, with_file, None, tmp_path / "g" / "populations.txt")
    by_file, by_snps = study_basis(replace(with_file, components=0), opened), study_basis(plan, opened)
    assert abs(by_file[:, 1] @ by_snps[:, 1]) > 0.95
    assert json.loads(made.note.read_text())["populations"] == 2


def test_plink_reads_it(tmp_path: Path) -> None:
    made = generate(people=30, snps=70, seed=1, out=tmp_path / "g", cases=10)
    plink("plink1.9", "--bfile", made.records, "--make-bed", "--keep-allele-order", "--out", tmp_path / "again")
    for ending in ("bed", "bim", "fam"):
        assert (tmp_path / f"again.{ending}").read_text("latin1").split() == Path(f"{made.records}.{ending}").read_text(
            "latin1"
        ).split()
    plink("plink2", "--bfile", made.records, "--make-pgen", "--out", tmp_path / "x")
    assert (tmp_path / "x.psam").read_text().count("\t2\n") == 10


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"people": 1}, "people is not a whole number from 2 to 16777216"),
        ({"people": 10.0}, "people is not a whole number"),
        ({"snps": 0}, "snps is not a whole number from 1"),
        ({"seed": -1}, "seed is not a whole number from 0"),
        ({"cases": 10}, "cases is not a whole number from 1 to 9"),
        ({"cases": 0}, "cases is not a whole number from 1 to 9"),
        ({"causal": {6: 2.0}}, "causal are not numbers from 1 to 5"),
        ({"causal": {0: 2.0}}, "causal are not numbers from 1 to 5"),
        ({"causal": {1: 0.0}}, "causal has an odds ratio not from 0.01 to 100"),
        ({"causal": {1: float("nan")}}, "causal has an odds ratio"),
        ({"linkage": "tight"}, "linkage is not independent or coalescent"),
        ({"populations": 0}, "populations is not a whole number from 1 to 1"),
        ({"people": 80, "populations": 11}, "populations is not a whole number from 1 to 10"),
        ({"people": 80, "populations": 2, "linkage": "coalescent"}, "populations are several, of SNPs with linkage"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        generate(**{"people": 10, "snps": 5, "seed": 1, "out": tmp_path / "g", **changes})
    assert not (tmp_path / "g").exists()


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    with pytest.raises(OutputError, match="exists"):
        generate(people=10, snps=5, seed=1, out=tmp_path / "g")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        generate(people=10, snps=5, seed=1, out=tmp_path / "file" / "g")
    assert list((tmp_path / "g").iterdir()) == []

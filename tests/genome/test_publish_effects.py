"""Effects from files to a release: slopes of least squares with a covariate, of cases and of a quantitative trait."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.genome.measurements import ExploredEffects, NoisyScores
from starling.genome.plan import ExploreEffects, SnpEffects
from starling.genome.session import Plan
from tests.genome.studies import write_bed
from tests.genome.worlds import PEOPLE, a_study

STUDY = a_study()
SNPS = (STUDY.ids[2], STUDY.ids[0])
SURE = Fraction(10**9)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Genotypes, ages and a trait of everybody."""
    folder = tmp_path_factory.mktemp("effects")
    write_bed(STUDY, folder / "study")
    generator = np.random.default_rng(3)
    ages, traits = generator.integers(20, 80, PEOPLE), generator.normal(30, 6, PEOPLE).round(1)
    people = [line.split() for line in (folder / "study.fam").open()]
    ids = [f"{family} {name}" for family, name, *_ in people]
    for name, values in (("age", ages), ("trait", traits)):
        lines = [f"{each} {value}" for each, value in zip(ids, values, strict=True)]
        (folder / f"{name}.txt").write_text("\n".join([f"FID IID {name}", *lines, ""]))
    np.savez(folder / "values.npz", ages=ages, traits=traits)
    return folder


def a_plan(**study: object) -> Plan:
    rows = zip(STUDY.ids, STUDY.places, STUDY.alleles, strict=True)
    return Plan.of(
        {
            "title": "Effects",
            "privacy": {"unit": "phenotype", "neighbours": "replace-one"},
            "study": {"people": PEOPLE, **study},
            "snps": Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows]),
            "analysis": {"model": "additive", "tests": ["score"], "covariates": ["age"]},
        }
    )


def least_squares(phenotypes: Any, ages: Any, snp: int) -> float:
    copies = STUDY.copies[STUDY.ids.index(SNPS[snp])].astype(float)
    table = np.column_stack((copies, np.ones(PEOPLE), ages))
    return float(np.linalg.lstsq(table, np.asarray(phenotypes, dtype=float), rcond=None)[0][0])


def test_slopes_are_those_of_least_squares(study: Path) -> None:
    values = np.load(study / "values.npz")
    asked: dict[str, Any] = {"covariates": study / "age.txt"}
    release = a_plan().release(study / "study", SnpEffects(SNPS, SURE, SURE / 2), study / "cases", **asked)
    release.verify()
    frame = release.to_pandas("effects")
    assert list(frame["SNP"]) == list(SNPS)
    cases = [word == "2" for word in STUDY.phenotypes]
    for row in (0, 1):
        assert frame["SLOPE"][row] == pytest.approx(least_squares(cases, values["ages"], row), abs=1e-5)
    share = np.mean(cases)
    assert np.log(frame["OR"]).to_numpy() == pytest.approx(frame["SLOPE"].to_numpy() / (share * (1 - share)), rel=1e-4)
    assert int(release.to_pandas("cases")["CASES"][0]) == sum(cases)
    assert "Genotypes, covariates and who takes part are not protected" in str(release)
    header, *lines = [
        line.split("\t") for line in release.export(study / "cases.glm", "plink-glm")[0].read_text().splitlines()
    ]
    ratios = {line[header.index("ID")]: float(line[header.index("OR")]) for line in lines}
    assert ratios == pytest.approx(dict(zip(frame["SNP"], frame["OR"], strict=True)), rel=1e-5)
    assert "unless it was asked for as chosen" in str(release)
    noisy = a_plan().release(study / "study", SnpEffects(SNPS, Fraction(1, 2)), study / "noisy", **asked)
    assert isinstance(noisy.drawn, NoisyScores)
    assert noisy.to_pandas("effects")["OR"].isna().all()
    assert "suppose as many cases as controls" in str(noisy)


def test_slopes_of_a_quantitative_trait_are_in_its_unit(study: Path) -> None:
    values = np.load(study / "values.npz")
    plan = a_plan(between=["10", "50"], steps=400, phenotype="trait")
    release = plan.release(
        study / "study",
        SnpEffects(SNPS, SURE),
        study / "trait",
        phenotype=study / "trait.txt",
        covariates=study / "age.txt",
    )
    frame = release.to_pandas("effects")
    clipped = np.clip(values["traits"], 10, 50)
    for row in (0, 1):
        assert frame["SLOPE"][row] == pytest.approx(least_squares(clipped, values["ages"], row), abs=1e-4)


def test_an_exploration_tells_number_places_and_effects(study: Path) -> None:
    asked: dict[str, Any] = {"covariates": study / "age.txt"}
    whole = a_plan().release(
        study / "study", ExploreEffects("score", SURE, most=2, prevalence_epsilon=SURE / 4), study / "explored", **asked
    )
    whole.verify()
    assert isinstance(whole.drawn, ExploredEffects)
    places, effects = whole.to_pandas("snps"), whole.to_pandas("effects")
    assert list(places["SNP"]) == list(effects["SNP"]) == list(whole.drawn.located.snps)
    assert int(whole.to_pandas("number")["LOW"][0]) >= len(places) == 2
    alone = (
        a_plan()
        .release(study / "study", SnpEffects(tuple(places["SNP"]), SURE, SURE / 2), study / "alone", **asked)
        .to_pandas("effects")
    )
    assert (effects["L95"] < alone["L95"]).all(), "the same phenotypes named them"
    assert "although the same phenotypes named the SNPs" in str(whole)
    for column in ("SLOPE", "OR", "Z"):
        assert effects[column].to_numpy() == pytest.approx(alone[column].to_numpy(), rel=1e-4)
    cases = sum(word == "2" for word in STUDY.phenotypes)
    assert int(whole.to_pandas("cases")["CASES"][0]) == cases
    text = str(whole)
    assert text.index("Genotypes, covariates and who takes part are not protected") < text.index("significant")
    assert "the threshold and effects follow from that number" in text
    report = (study / "explored" / "report.html").read_text()
    assert "who takes part are not protected" in report
    assert "intervals of effects of the sample too" in report


def test_an_exploration_of_a_quantitative_trait_pays_its_variance_once(study: Path) -> None:
    plan = a_plan(between=["10", "50"], steps=400, phenotype="trait")
    release = plan.release(
        study / "study",
        ExploreEffects("score", SURE, most=1, prevalence_epsilon=SURE / 4),
        study / "trait-explored",
        phenotype=study / "trait.txt",
        covariates=study / "age.txt",
    )
    release.verify()
    assert int(release.to_pandas("number")["HIGH"][0]) == 0
    assert "So nothing was followed up." in str(release)
    assert len(release.to_pandas("variance")) == 1
    assert release.to_pandas("effects").empty

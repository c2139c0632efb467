"""Scans of two hospitals combined from their releases: the numbers are those of the formulas, and what cannot be combined is refused."""

import json
from dataclasses import replace
from fractions import Fraction
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import pytest

from starling import genome, open_release
from starling.errors import OutputError, ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.inference.scans import ScanRows
from starling.genome.plan import Question
from tests.genome.studies import a_study, write_bed

QUESTION = genome.Scan(Fraction(8))


def released(folder: Path, seed: int, question: Question = QUESTION, **choices: Any) -> Path:
    """A study of 80 people and six SNPs, of which the second study counts the other allele of the first SNP and lacks the last."""
    study = a_study(snps=6, people=80, seed=seed)
    turned = seed == 2
    rows = list(zip(study.ids, study.places, study.alleles, strict=True))
    listed = [
        (name, *place, *(alleles[::-1] if turned and at == 0 else alleles))
        for at, (name, place, alleles) in enumerate(rows[:5] if turned else rows)
    ]
    plan = genome.plan(listed, people=80, **{"unit": "phenotype", **choices})
    out = folder / f"hospital-{seed}{question.kind}"
    plan.release(write_bed(study, folder / f"{seed}"), question, out).close()
    return out


def opened(path: Path) -> GenomeRelease:
    """A scan, as `open_release` gives it."""
    release = open_release(path)
    assert isinstance(release, GenomeRelease)
    return release


def effects_of(release: GenomeRelease) -> ScanRows:
    """What a scan tells of each SNP."""
    assert release.estimated.rows is not None
    return release.estimated.rows


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two."""
    folder = tmp_path_factory.mktemp("hospitals")
    return released(folder, 1), released(folder, 2)


def test_two_hospitals_are_combined_by_inverse_variance(scans: tuple[Path, Path], tmp_path: Path) -> None:
    with opened(scans[0]) as first, opened(scans[1]) as second:
        combined = genome.combine([first, second])
        rows = [effects_of(release) for release in (first, second)]
    table = {row["SNP"]: row for row in combined.table.to_pylist()}
    assert list(table) == [f"rs{at}" for at in range(1, 7)]
    for at, (name, row) in enumerate(table.items()):
        one = rows[0].beta[at], rows[0].se[at]
        if name == "rs6":
            assert (row["STUDIES"], row["BETA"], row["Q"]) == (1, one[0], 0)
            continue
        other = rows[1].beta[at] * (-1 if at == 0 else 1), rows[1].se[at]
        weights = [1 / error**2 for _, error in (one, other)]
        mean = (weights[0] * one[0] + weights[1] * other[0]) / sum(weights)
        error = 1 / sqrt(sum(weights))
        assert (row["BETA"], row["SE"]) == (pytest.approx(mean), pytest.approx(error))
        assert row["OR"] == pytest.approx(exp(mean))
        assert row["L95"] < row["OR"] < row["U95"]
        assert row["DIRECTION"] == "".join("-" if beta < 0 else "+" for beta in (one[0], other[0]))
    calls = [effects.calls for effects in rows]
    assert [row["OBS_CT"] for row in table.values()] == [*(calls[0][:5] + calls[1]), calls[0][5]]
    assert (
        str(combined)
        .splitlines()[1]
        .endswith("Genotypes, covariates and who takes part are not protected: each person's phenotype alone is.")
    )
    assert "2 studies of 160 people (hospital-1scan, hospital-2scan), combined by inverse variance" in str(combined)
    written = combined.write(tmp_path / "together")
    lines = [line.split("\t") for line in (written / "scan.tsv").read_text().splitlines()]
    assert lines[0] == combined.table.column_names
    assert [line[1] for line in lines[1:]] == list(table)
    assert list(combined.to_pandas().columns) == combined.table.column_names
    origin = json.loads((written / "origin.json").read_text())
    assert [each["name"] for each in origin["releases"]] == ["hospital-1scan", "hospital-2scan"]
    for each, path in zip(origin["releases"], scans, strict=True):
        assert each["manifest_sha256"] == json.loads((path / "SIGNATURE").read_text())["manifest_sha256"]
    assert {path.name for path in written.iterdir()} == {*origin["files"], "origin.json"}
    page = (written / "index.html").read_text()
    assert page.index("are not protected") < page.index("2 studies of 160 people") < page.index("<svg")
    with pytest.raises(OutputError, match="exists"):
        combined.write(written)


def test_regions_of_several_studies_are_those_of_their_p_values(scans: tuple[Path, Path]) -> None:
    with opened(scans[0]) as first, opened(scans[1]) as second:
        combined = genome.combine([first, second])
    strong = replace(
        combined,
        result=replace(
            combined.result, beta=combined.result.beta * 0 + 1, standard_error=combined.result.standard_error * 0 + 0.1
        ),
    )
    assert combined.plan.p_threshold == combined.plans[0].alpha / 6
    found = strong.tables["regions"].to_pylist()
    assert sum(region["SIGNIFICANT"] for region in found) == 6
    assert strong.inflation == pytest.approx(100 / 0.454936423119572, rel=1e-3)
    assert "6 of 6 SNPs at or below" in str(strong)
    assert list(strong.plot().pictures) == ["scan", "scan-qq"]


def test_what_cannot_be_combined_is_refused(scans: tuple[Path, Path], tmp_path: Path) -> None:
    dominant = released(tmp_path, 3, model="dominant")
    other = released(tmp_path, 4, genome.NumSig("score", 1, Fraction(1)))

    def refused(*paths: Path) -> str:
        with pytest.raises(ParameterError) as problem:
            genome.combine(opened(path) for path in paths)
        return str(problem.value)

    first = scans[0]
    assert "are fewer than two" in refused(first)
    assert "is of the people of hospital-1scan, who would count twice" in refused(first, first)
    assert "has the dominant model, and hospital-1scan the additive one" in refused(first, dominant)
    assert "is no scan, and no effects of SNPs; name releases of starling genome scan, or of snp-effects" in refused(
        first, other
    )


def test_people_of_one_population_do_not_count_twice(scans: tuple[Path, Path]) -> None:
    """Also where two scans of a ledger have other requests; hospitals may call their populations alike."""
    with opened(scans[0]) as first, opened(scans[1]) as second:

        def of(release: GenomeRelease, signer: str) -> GenomeRelease:
            account = release.statement["account"]
            account["ledger"] = {**account["ledger"], "inside": False, "population": "patients", "signer": signer}
            return release

        genome.combine([of(first, "a"), of(second, "b")])
        with pytest.raises(ParameterError, match="who would count twice"):
            genome.combine([of(first, "a"), of(second, "a")])


def test_two_scans_of_the_same_people_show_by_their_exact_frequencies(tmp_path: Path) -> None:
    """Each has a ledger of its own, so that nothing else says it; a few SNPs may be alike by chance."""
    for snps in (19, 20):
        study = a_study(snps=snps, people=80, seed=5)
        rows = zip(study.ids, study.places, study.alleles, strict=True)
        plan = genome.plan([(name, *place, *alleles) for name, place, alleles in rows], people=80, unit="phenotype")
        prefix = write_bed(study, tmp_path / f"{snps}")
        for name in ("a", "b"):
            plan.release(prefix, QUESTION, tmp_path / f"{snps}{name}").close()
        with opened(tmp_path / f"{snps}a") as first, opened(tmp_path / f"{snps}b") as second:
            if snps == 19:
                genome.combine([first, second])
                continue
            with pytest.raises(
                ParameterError, match="20b has the allele frequencies of 20a at 20 SNPs: both are of the same"
            ):
                genome.combine([first, second])


def test_builds_of_the_genome_must_not_differ(scans: tuple[Path, Path]) -> None:
    with opened(scans[0]) as first, opened(scans[1]) as second:
        first.plan, second.plan = replace(first.plan, build="GRCh37"), replace(second.plan, build="GRCh38")
        with pytest.raises(ParameterError, match="has positions of GRCh38, and hospital-1scan of GRCh37"):
            genome.combine([first, second])


def test_effects_are_combined_by_the_variance_of_their_samples_and_noise(tmp_path: Path) -> None:
    """One hospital has ten times the noise; it counts the other allele of the first SNP, and does not tell of the third."""
    few, more = ("rs1", "rs2"), ("rs3", "rs1", "rs2")
    asked = [genome.SnpEffects(more, Fraction(400), Fraction(4)), genome.SnpEffects(few, Fraction(40), Fraction(4))]
    paths = [released(tmp_path, seed, question) for seed, question in zip((1, 2), asked, strict=True)]
    with opened(paths[0]) as first, opened(paths[1]) as second:
        combined = genome.combine([first, second])
        answers: list[Any] = [release.answer for release in (first, second)]
    table = {row["SNP"]: row for row in combined.table.to_pylist()}
    assert list(table) == ["rs1", "rs2", "rs3"]
    assert [row["STUDIES"] for row in table.values()] == [2, 2, 1]
    assert list(combined.tables) == ["effects"]
    effects = [{each.snp: each for each in answer.effects} for answer in answers]
    only = effects[0]["rs3"].odds_ratio
    assert [table["rs3"][name] for name in ("OR", "L95", "U95")] == pytest.approx(
        [only.estimate, only.low, only.high], rel=1e-4
    )
    for name in ("rs1", "rs2"):
        ratios = [each[name].odds_ratio for each in effects]
        # Where z is that of an effect, its standard error follows.
        betas = [log(ratio.estimate) for ratio in ratios]
        errors = [abs(beta / each[name].z) for beta, each in zip(betas, effects, strict=True)]
        betas[1] *= -1 if name == "rs1" else 1
        weights = [1 / error**2 for error in errors]
        mean = sum(weight * beta for weight, beta in zip(weights, betas, strict=True)) / sum(weights)
        q = sum(weight * (beta - mean) ** 2 for weight, beta in zip(weights, betas, strict=True))
        row = table[name]
        assert (row["BETA"], row["SE"]) == (
            pytest.approx(mean, rel=1e-3),
            pytest.approx(1 / sqrt(sum(weights)), rel=1e-3),
        )
        assert (row["OR"], row["Q"]) == (pytest.approx(exp(mean), rel=1e-3), pytest.approx(q, rel=1e-2, abs=1e-4))
        assert row["L95"] < row["OR"] < row["U95"]
    for says in (
        "Genotypes, covariates and who takes part are not protected",
        "rs1: odds ratio of each copy about",
        "by one study.",
    ):
        assert says in str(combined)
    written = combined.write(tmp_path / "together")
    origin = json.loads((written / "origin.json").read_text())
    assert {path.name for path in written.iterdir()} == {*origin["files"], "origin.json"}
    assert set(origin["files"]) == {"effects.tsv", "effects.svg", "index.html"}
    assert [row["SNP"] for row in combined.as_json()["effects"]] == [*table]  # type: ignore[union-attr,index,call-overload]


@pytest.mark.slow
def test_slopes_of_whole_persons_are_combined_and_said_to_be(tmp_path: Path) -> None:
    """Where noise leaves open whether copies vary at all, a study tells nothing of the SNP."""
    paths = []
    for seed, epsilon in ((1, 400), (2, 400), (3, "0.01")):
        study = a_study(snps=3, people=80, seed=seed, missing=0)
        rows = zip(study.ids, study.places, study.alleles, strict=True)
        plan = genome.plan(
            [(name, *place, *alleles) for name, place, alleles in rows], people=80, between=("0", "4"), steps=4
        )
        question = genome.SnpEffects(tuple(study.ids[:2]), Fraction(epsilon))
        plan.release(write_bed(study, tmp_path / f"{seed}"), question, tmp_path / f"of-{seed}").close()
        paths.append(tmp_path / f"of-{seed}")
    with opened(paths[0]) as first, opened(paths[1]) as second, opened(paths[2]) as noisy:
        combined = genome.combine([first, second, noisy])
        scan = released(tmp_path, 4, genome.SnpEffects(("rs1",), Fraction(1)))
        with (
            opened(scan) as other,
            pytest.raises(ParameterError, match="protects each phenotype, and of-1 each person"),
        ):
            genome.combine([first, other])
    assert all(each.endswith("?") for each in combined.table["DIRECTION"].to_pylist())
    assert "OR" not in combined.table.column_names
    assert "Each person is protected whole" in str(combined)
    assert "not protected" not in str(combined)
    origin = json.loads((combined.write(tmp_path / "together") / "origin.json").read_text())
    assert "protected" in origin
    assert "unprotected" not in origin


@pytest.mark.slow
def test_effects_that_cannot_be_combined_are_refused(scans: tuple[Path, Path], tmp_path: Path) -> None:
    snps, one = ("rs1", "rs2"), Fraction(1)
    ratios, shares, chosen, ends, others = (
        released(tmp_path, seed, question, **choices)
        for seed, (question, choices) in enumerate(
            (
                (genome.SnpEffects(snps, one, one / 2), {}),
                (genome.SnpEffects(snps, one), {}),
                (genome.SnpEffects(snps, one, one / 2, chosen=True), {}),
                (genome.SnpEffects(snps, one), {"between": ("0", "4"), "steps": 4}),
                (genome.SnpEffects(snps, one), {"between": ("0", "8"), "steps": 8}),
            ),
            start=11,
        )
    )
    for paths, problem in (
        ((ratios, shares), "is effects by shares of cases, and hospital-11snp_effects effects by odds ratios"),
        ((ratios, chosen), "has effects of SNPs that its own phenotypes named"),
        ((scans[0], ratios), "is effects by odds ratios, and hospital-1scan a scan of cases and controls"),
        (
            (ends, others),
            "is effects by a phenotype from 0 to 8, and hospital-14snp_effects effects by a phenotype from 0 to 4",
        ),
        ((ratios, ratios), "who would count twice"),
    ):
        with pytest.raises(ParameterError, match=problem):
            genome.combine(opened(path) for path in paths)

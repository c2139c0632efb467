"""Men's copies on X as one or as two, beside sums over people; other chromosomes are as they are written."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.arrays import Float64
from starling.genome.counts.men import Men
from starling.genome.counts.scan import read_scores
from starling.genome.counts.study import count_study
from starling.genome.distance.adjusted import adjusted_distance, whole_columns
from starling.genome.plan import Plan
from starling.genome.source import Dosages, open_genotypes
from starling.genome.source.dosages import NO_DOSAGE
from starling.genome.source.held import as_files
from starling.privacy.trust import inspect
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.plink import plink
from tests.genome.studies import MISSING, Study, vcf_text, write_bed, write_phenotypes

PEOPLE = 43
PLACES = (("1", 7), ("X", 10_000), ("X", 5_000_000), ("X", 6_000_000), ("XY", 9), ("Y", 5), ("MT", 4), ("X", 7_000_000))
"""The second lies in the first pseudo-autosomal region."""
ON_X = np.array([False, False, True, True, False, False, False, True])
RANDOM = np.random.default_rng(11)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path, Plan, list[str]]:
    """Copies of A1, of which some SNPs carry A2; sexes 1, M, 2, and none."""
    folder = tmp_path_factory.mktemp("men")
    copies = RANDOM.choice([MISSING, 0, 1, 2], (len(PLACES), PEOPLE), p=[0.1, 0.3, 0.3, 0.3]).astype(np.int8)
    made = Study(copies, (("A", "C"),) * len(PLACES), tuple(RANDOM.choice(["1", "2"], PEOPLE).tolist()), PLACES)
    write_bed(made, folder / "x")
    sexes = RANDOM.choice(["1", "1", "2", "0"], PEOPLE).tolist()
    lines = (f"f p{row} 0 0 {sexes[row]} {made.phenotypes[row]}\n" for row in range(PEOPLE))
    (folder / "x.fam").write_text("".join(lines))
    listed = Plan.snp_list(
        [
            (name, *place, "CA"[row % 2], "AC"[row % 2])
            for row, (name, place) in enumerate(zip(made.ids, PLACES, strict=True))
        ]
    )
    plan = replace(Plan.of({**VALUES, "study": {"people": PEOPLE}, "snps": listed}), covariates=(), components=0)
    return made, folder / "x", plan, sexes


def columns(made: Study, plan: Plan, sexes: list[str]) -> dict[str, tuple[Float64, float]]:
    """The slow twin: by id what each person counts as, missing ones NaN, and the share of the carried allele."""
    men, twin = np.array([sex == "1" for sex in sexes]), {}
    for row, name in enumerate(made.ids):
        copies = made.copies[row].astype(float)
        copies[copies == MISSING] = np.nan
        if plan.snps.carried[plan.snps.indices[name]] == "C":
            copies = 2 - copies
        alleles = np.full(PEOPLE, 2)
        if plan.x_model == 1 and ON_X[row]:
            alleles[men] = 1
            copies[men] = np.where(copies[men] == 1, np.nan, copies[men] / 2)
        called = ~np.isnan(copies)
        twin[name] = copies, float(copies[called].sum() / alleles[called].sum())
    return twin


@pytest.mark.parametrize("x_model", [1, 2])
def test_scores_and_distances_count_men_as_the_plan_says(
    study: tuple[Study, Path, Plan, list[str]], x_model: int
) -> None:
    made, path, plan, sexes = study
    plan = replace(plan, x_model=x_model)
    genotypes, response = open_genotypes(path, plan), (RANDOM.random(PEOPLE) < 0.5).astype(np.float64)
    scores, rest = read_scores(plan, genotypes, response), response - response.mean()
    distances = inspect(count_study(plan, genotypes)).value.score_distances(None, 1 << 24)
    cases = np.array([word == "2" for word in made.phenotypes])
    for name, (copies, share) in columns(made, plan, sexes).items():
        at, called = plan.snps.indices[name], ~np.isnan(copies)
        column = np.where(called, copies, copies[called].mean()) - copies[called].mean()
        wanted = column @ rest, column**2 @ rest**2, column @ column, called.sum(), share
        told = [float(part[at]) for part in scores[1:]]
        np.testing.assert_allclose(told, wanted, rtol=1e-9, atol=1e-9)
        assert distances[at] == adjusted_distance(whole_columns(column[np.newaxis]), cases, 1 << 24)[0]


def test_dosages_of_men_are_halved(study: tuple[Study, Path, Plan, list[str]], tmp_path: Path) -> None:
    _, path, plan, _ = study
    dosages = replace(plan, x_model=1, genotypes="dosages")
    plink("plink2", "--bfile", path, "--make-pgen", "--sort-vars", "--out", tmp_path / "p")
    (tmp_path / "p.psam").write_text("#IID SEX PHENO1\np0 1 2\np1 2 1\n" + "p2 M 1\n" * (PEOPLE - 2))
    men = Men.of(dosages, open_genotypes(tmp_path / "p", dosages))
    assert men.flags.tolist() == [True, False] + [True] * (PEOPLE - 2)
    row = [32_768, 32_768, 1, 0, NO_DOSAGE, 16_384, 3] + [0] * (PEOPLE - 7)
    at = plan.snps.indices["rs3"], plan.snps.indices["rs1"]
    halved = men.counted(Dosages(np.array(at), np.array([row, row], dtype=np.uint16)))
    assert isinstance(halved, Dosages)
    (on_x, on_1) = halved.steps.tolist()
    assert on_x == [16_384, 32_768, 1, 0, NO_DOSAGE, 8_192, 2] + [0] * (PEOPLE - 7)
    assert on_1 == row


def test_without_sexes_one_copy_is_refused(study: tuple[Study, Path, Plan, list[str]], tmp_path: Path) -> None:
    made, _, plan, _ = study
    plan = replace(plan, x_model=1)
    (tmp_path / "x.vcf").write_text(vcf_text(made))
    write_phenotypes(made, tmp_path / "x.txt")
    with pytest.raises(
        SourceError, match=r"x\.vcf: genotypes states no sex, and the plan counts a man's copy on X as one"
    ):
        open_genotypes(tmp_path / "x.vcf", plan, tmp_path / "x.txt")
    with pytest.raises(SourceError, match="records state no sex"), as_files(plan, {}, {}):
        pass


def test_plink_finds_the_same_effects_of_dosages_and_of_men(tmp_path: Path) -> None:
    """Effects of one unit by least squares, and frequencies, on 1 and X, by --xchr-model 1."""
    people, places = 200, (("1", 10), ("1", 20), ("X", 5_000_000), ("X", 5_000_010))
    numbers = RANDOM.choice([0.0, 1.0, 2.0, 0.3, 1.6], (4, people))
    sexes, trait = RANDOM.choice(["1", "2"], people), RANDOM.normal(size=people)
    numbers[2:, sexes == "1"] = np.where(numbers[2:, sexes == "1"] == 1, 1.2, numbers[2:, sexes == "1"])
    names = "\t".join(f"p{row}" for row in range(people))
    columns_of = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
    lines = [f'##fileformat=VCFv4.2\n##FORMAT=<ID=DS,Number=A,Type=Float,Description="d">\n{columns_of}\t{names}\n']
    for row, (place, at) in enumerate(places):
        cells = "\t".join(f"./.:{number:.2f}" for number in numbers[row])
        lines.append(f"{place}\t{at}\trs{row}\tA\tC\t.\t.\t.\tGT:DS\t{cells}\n")
    (tmp_path / "x.vcf").write_text("".join(lines))
    (tmp_path / "x.psam").write_text("#IID\tSEX\n" + "".join(f"p{row}\t{sex}\n" for row, sex in enumerate(sexes)))
    (tmp_path / "y.txt").write_text("#IID\tY\n" + "".join(f"p{row}\t{each:.17g}\n" for row, each in enumerate(trait)))
    made = ("--make-pgen", "--out", tmp_path / "p")
    plink("plink2", "--vcf", tmp_path / "x.vcf", "dosage=DS", "--psam", tmp_path / "x.psam", *made)
    glm = ("--glm", "allow-no-covars", "no-x-sex", "cols=+a1freq,+nobs", "--xchr-model", "1")
    named = ("--pheno", tmp_path / "y.txt", "--out", tmp_path / "g")
    plink("plink2", "--pfile", tmp_path / "p", *glm, *named)
    header, *rows = [line.split("\t") for line in (tmp_path / "g.Y.glm.linear").read_text().splitlines()]
    listed = Plan.snp_list([(f"rs{row}", *place, "C", "A") for row, place in enumerate(places)])
    plan = Plan.of(
        {
            **VALUES,
            "study": {"people": people},
            "snps": listed,
            "analysis": {
                "model": "additive",
                "tests": ["score"],
                "genotypes": "dosages",
                "x-model": 1,
            },
        }
    )
    genotypes = open_genotypes(tmp_path / "p", plan, tmp_path / "y.txt")
    scores = read_scores(plan, genotypes, trait)
    for row, told in enumerate(dict(zip(header, each, strict=True)) for each in rows):
        sign = 1 if told["A1"] == "C" else -1
        assert sign * scores.scores[row] / scores.squares[row] == pytest.approx(float(told["BETA"]), rel=1e-4)
        share = scores.frequencies[row] if sign == 1 else 1 - scores.frequencies[row]
        assert share == pytest.approx(float(told["A1_FREQ"]), rel=1e-4)


def test_effects_have_the_calls_and_frequencies_of_a_scan(study: tuple[Study, Path, Plan, list[str]]) -> None:
    _, path, plan, _ = study
    plan = replace(plan, x_model=1)
    exact, some = inspect(count_study(plan, open_genotypes(path, plan))).value, np.array([6, 2, 0, 3])
    scan, joint = exact.score_tests(np.zeros(PEOPLE)), exact.joint_scores(some, 1 << 20)
    assert joint.calls.tolist() == scan.calls[some].tolist()
    assert joint.frequencies.tolist() == scan.frequencies[some].tolist()

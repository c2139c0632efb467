"""A scan from files to a release: numbers as of least squares, pictures and exports, and the response in none of its files."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import yaml

from starling.errors import ParameterError, RunFailed
from starling.genome.analysis import opened
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.counts.basis import study_bases
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.measurements import Scanned
from starling.genome.mechanism import scan as mechanism
from starling.genome.plan import NumSig, Scan
from starling.genome.plan.scanning import LEAST_SCAN
from starling.genome.session import Plan
from starling.genome.source import Genotypes
from starling.privacy.sampling.response import randomized_response
from starling.release.reading import open_release
from tests.genome.studies import write_bed
from tests.genome.worlds import PEOPLE, a_study
from tests.screens.conftest import Reader

STUDY = a_study()
QUESTION = Scan(Fraction(3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with covariates, a plan of it, and a release of a scan."""
    folder = tmp_path_factory.mktemp("scan")
    write_bed(STUDY, folder / "study")
    ages = np.random.default_rng(3).integers(20, 80, PEOPLE)
    lines = [f"{line.split()[1]} {age}" for line, age in zip((folder / "study.fam").open(), ages, strict=True)]
    (folder / "covariates.txt").write_text("\n".join(["IID age", *lines[1:], ""]))
    rows = zip(STUDY.ids, STUDY.places, STUDY.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = Plan.of(
        {
            "title": "A scan",
            "privacy": {"unit": "phenotype", "neighbours": "replace-one"},
            "study": {"people": PEOPLE},
            "snps": listed,
            "analysis": {"model": "additive", "tests": ["score"], "covariates": ["age"]},
        }
    )
    plan.save(folder / "plan.toml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism, "randomized_response", remembered)
        plan.release(folder / "study", QUESTION, folder / "release", covariates=folder / "covariates.txt")
    return folder


RESPONSES: list[bytes] = []


def remembered(answers: Flags, epsilon: Fraction) -> Flags:
    """A response that this test knows."""
    response = randomized_response(answers, epsilon)
    RESPONSES.append(response.tobytes())
    return response


def test_its_numbers_are_those_of_least_squares(folder: Path) -> None:
    """Of the response on the copies and the covariate, with robust variances."""
    release = opened(open_release(folder / "release"))
    drawn = release.drawn
    assert isinstance(drawn, Scanned)
    response = np.frombuffer(RESPONSES[-1], dtype=np.bool_).astype(np.float64)
    assert drawn.ones == response.sum()
    lines = (folder / "covariates.txt").read_text().splitlines()[1:]
    ages = np.array([float(line.split()[1]) for line in lines])
    basis = np.linalg.qr(np.column_stack((np.ones(PEOPLE), np.concatenate(([ages.mean()], ages)))))[0]
    rest = response - basis @ (basis.T @ response)
    frame = release.to_pandas("scan")
    for row, copies in enumerate(STUDY.copies.astype(np.float64)):
        column = copies - basis @ (basis.T @ copies)
        z = column @ rest / np.sqrt(column**2 @ rest**2)
        assert frame.Z[row] == pytest.approx(z, abs=2e-6)
        assert frame.A1_FREQ[row] == pytest.approx(copies.mean() / 2, abs=1e-6)
    assert frame.OBS_CT.tolist() == [PEOPLE] * len(STUDY.copies)


def test_the_response_is_in_no_file_and_the_release_verifies(folder: Path) -> None:
    release = opened(open_release(folder / "release"))
    assert release.verify()
    response = np.frombuffer(RESPONSES[-1], dtype=np.bool_)
    packed = np.packbits(response, bitorder="little").tobytes(), np.packbits(response).tobytes()
    for file in (folder / "release").rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        assert all(each not in content for each in (RESPONSES[-1], *packed)), file
    assert "Genotypes, covariates and who takes part are not protected" in str(release)
    assert release.headline().note == "Genotypes, covariates and who takes part are not protected."
    statement = (folder / "release" / "privacy.json").read_text()
    assert '"mechanism": "randomized response"' in statement
    assert "A1_FREQ of each SNP: genotypes are not protected" in statement


def test_pictures_and_exports_are_made_of_it(folder: Path, tmp_path: Path) -> None:
    release = opened(open_release(folder / "release"))
    assert [*release.plot().pictures] == ["scan", "scan-qq"]
    path, about = release.export(tmp_path / "scan.glm", "plink-glm")
    header, *lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert header[:8] == ["#CHROM", "POS", "ID", "REF", "ALT", "A1", "A1_FREQ", "TEST"]
    assert [line[2] for line in lines] == STUDY.ids
    assert {line[7] for line in lines} == {"ADD"}
    frame = release.to_pandas("scan")
    assert [float(line[13]) for line in lines] == pytest.approx(frame.Z.tolist(), rel=1e-5)
    assert "allele frequencies and numbers of calls are exact" in about.read_text()
    path, about = release.export(tmp_path / "scan.tsv")
    header, *lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert header[7:13] == ["p_value", "ci_lower", "ci_upper", "rsid", "n", "snp"]
    assert yaml.safe_load(about.read_text())["adjusted_covariates"] == ["age"]
    assert [float(line[7]) for line in lines] == pytest.approx(frame.P.tolist(), rel=1e-3)
    with pytest.raises(ParameterError, match="is plink-assoc, which is of p-values that were asked"):
        release.export(tmp_path / "scan.assoc", "plink-assoc")


def test_what_is_no_scan_of_the_plan_is_refused(folder: Path) -> None:
    release = opened(open_release(folder / "release"))
    drawn = release.drawn
    assert isinstance(drawn, Scanned)
    assert answer_problem(release.plan, QUESTION, drawn) is None
    tests = drawn.tests
    wrong = [
        (Scanned(PEOPLE + 1, tests), "more people"),
        (Scanned(1, tests._replace(adjusted=2)), "more people or covariates"),
        (Scanned(1, tests._replace(variances=-tests.variances)), "variance below 0"),
        (Scanned(1, tests._replace(scores=tests.scores * np.nan)), "no number"),
        (Scanned(1, tests._replace(calls=tests.calls + 1)), "people with a call"),
        (Scanned(1, tests._replace(frequencies=tests.frequencies + 1)), "frequency"),
        (Scanned(1, tests._replace(scores=tests.scores[1:])), "one test for each SNP"),
    ]
    for answer, problem in wrong:
        assert problem in str(answer_problem(release.plan, QUESTION, answer))


def test_the_exact_questions_take_the_covariates_too(folder: Path, tmp_path: Path) -> None:
    plan = Plan.load(folder / "plan.toml")
    huge = NumSig("score", 2, Fraction(10**5))
    answered = plan.release(folder / "study", huge, tmp_path / "number", covariates=folder / "covariates.txt")
    assert "Genotypes, covariates and who takes part are not protected" in str(answered)


def test_a_covariate_file_that_changes_fails_after_the_charge_with_the_one_message(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(Plan.load(folder / "plan.toml"), components=2)
    file = tmp_path / "covariates.txt"
    file.write_text((folder / "covariates.txt").read_text())

    def shrunk(plan: Plan, genotypes: Genotypes) -> Iterator[tuple[Int64 | None, Float64]]:
        file.write_text("IID age\n")
        return study_bases(plan, genotypes)

    monkeypatch.setattr("starling.genome.counts.scan.study_bases", shrunk)
    with pytest.raises(RunFailed):
        plan.release(folder / "study", QUESTION, tmp_path / "out", covariates=file)


def test_its_page_says_what_is_not_protected_and_leads_to_its_exports(folder: Path) -> None:
    reader = Reader(opened(open_release(folder / "release")))
    page = reader.read("/genome").decode()
    assert "Genotypes, covariates and who takes part are not protected." in page
    assert page.count(">odds ratio ") == len(STUDY.copies)
    assert reader.get("/genome/plink-glm").status == reader.get("/genome/gwas-ssf").status == 200
    assert "plink-assoc" not in page


def test_a_scan_is_answered_at_its_least(folder: Path, tmp_path: Path) -> None:
    plan, file = Plan.load(folder / "plan.toml"), folder / "covariates.txt"
    least = plan.release(folder / "study", Scan(LEAST_SCAN), tmp_path / "least", covariates=file)
    assert least.to_pandas("scan").P.notna().all()
    with pytest.raises(ParameterError, match="epsilon is below 1/1024"):
        plan.release(folder / "study", Scan(LEAST_SCAN / 2), tmp_path / "less", covariates=file)
    assert not (tmp_path / "less").exists()


def test_its_report_speaks_of_sampling_and_coins_alone(folder: Path) -> None:
    """What holds of noisy counts, such as that intervals are of the noise alone, is not said of a scan; nor is it in its gallery."""
    text = " ".join((folder / "release" / "report.html").read_text().split())
    assert "Errors of genotyping, and who was recruited, are not in them." in text
    assert "of the exact counts" not in text
    assert "noise alone" not in text
    pages = opened(open_release(folder / "release")).plot("scan").save(folder / "gallery")
    assert "A range holds the exact value" not in pages[0].read_text()

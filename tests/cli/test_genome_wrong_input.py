"""Wrong input that parses, as a geneticist would give it to the commands on genomes: refused before the charge where it is public."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Payer
from tests.genome.plink import plink


@pytest.fixture(scope="module")
def files(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of 300 people and 60 SNPs in every form: study.bed, study.pgen, study.vcf.gz, study.bcf, and study.pheno."""
    folder = tmp_path_factory.mktemp("forms")
    shutil.copytree(study, folder, dirs_exist_ok=True)
    fam = (folder / "study.fam").read_text().splitlines()
    (folder / "study.pheno").write_text(
        "#IID CASE\n" + "".join(f"{line.split()[1]} {line.split()[5]}\n" for line in fam)
    )
    for words in (
        ("--make-pgen", "--out", folder / "study"),
        ("--export", "vcf", "bgz", "id-paste=iid", "--out", folder / "study"),
    ):
        plink("plink2", "--bfile", folder / "study", *words)
    plink("plink2", "--bfile", folder / "study", "--export", "bcf", "id-paste=iid", "--out", folder / "study")
    return folder


def ask(files: Path, genotypes: Path, out: Path, *more: object) -> list[object]:
    """Words of a question."""
    words = [
        "genome",
        "num-sig",
        files / "plan.toml",
        "--genotypes",
        genotypes,
        "--epsilon",
        "1",
        "--out",
        out,
        "--yes",
        "--unvalidated",
    ]
    return [*words, *more]


@pytest.mark.parametrize("name", ["study.vcf.gz", "study.bcf", "study.pgen", "study.bed"])
def test_attack_a29_a_file_that_was_cut_off_is_refused_before_the_charge(
    call: Call, files: Path, payer: Payer, tmp_path: Path, name: str
) -> None:
    """An archive cut in the middle was published: nobody carried the SNPs after the cut."""
    cut = tmp_path / "cut"
    shutil.copytree(files, cut)
    whole = (cut / name).read_bytes()
    (cut / name).write_bytes(whole[: 2 * len(whole) // 3])
    phenotype = () if name.endswith((".bed", ".pgen")) else ("--phenotype", cut / "study.pheno")
    before = payer.charges()
    refused = call(*ask(cut, cut / name, tmp_path / "out", *phenotype, *payer.of("study")))
    assert (refused.exit_code, refused.stdout) == (65, "")
    said = {"study.pgen": "does not end where", "study.bed": "does not have the 4503 bytes"}.get(name, "was cut off")
    assert f"{name}: genotypes {said}" in refused.stderr
    assert payer.charges() == before
    assert not (tmp_path / "out").exists()


def test_attack_a29_a_plan_whose_list_is_the_studys_own_is_warned_of_by_every_command(
    call: Call, files: Path, tmp_path: Path
) -> None:
    plan = files / "own.toml"
    plan.write_text((files / "plan.toml").read_text().replace("array.bim", "study.bim"))
    genotypes = ("--genotypes", files / "study.bed")
    for words in (
        ("plan", plan),
        ("preview", plan, "--question", "num-sig"),
        ("validate", plan, *genotypes),
        ("num-sig", plan, *genotypes, "--epsilon", "1", "--out", tmp_path / "out", "--yes", "--unvalidated"),
    ):
        done = call("genome", *words)
        assert done.exit_code == 0, done.output
        warning = (
            "starling: warning: own.toml: snps.list is the .bim of study.bed: such a list tells of those genotypes;"
        )
        assert done.stderr.count(warning) == 1
        assert warning not in call("genome", words[0], files / "plan.toml", *words[2:]).stderr


@pytest.mark.parametrize("form", ["study.bed", "study.vcf.gz"])
def test_attack_a29_the_phenotypes_of_another_study_are_refused_where_ids_are_public(
    call: Call, files: Path, payer: Payer, tmp_path: Path, form: str
) -> None:
    """A VCF whose ids match no phenotype was published: everybody was a control."""
    text = (files / "plan.toml").read_text()
    (files / "open.toml").write_text(text.replace("people = 300", 'people = 300\nids = "public"'))
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("#IID CASE\n" + "".join(f"q{row} {1 + row % 2}\n" for row in range(300)))
    words = ["genome", "num-sig", files / "open.toml", "--genotypes", files / form, "--epsilon", "1"]
    out = ("--out", tmp_path / "out", "--yes", "--unvalidated", *payer.of("study"))
    before = payer.charges()
    refused = call(*words, "--phenotype", theirs, *out)
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert "theirs.txt: person names nobody of the genotypes, where p1" in refused.stderr
    assert payer.charges() == before
    assert not (tmp_path / "out").exists()


def stated(out: Path) -> tuple[bool, str]:
    """What privacy.json says of the records, and its words, which the report has, too."""
    account = json.loads((out / "privacy.json").read_text())["account"]
    assert account["validation"] in (out / "report.html").read_text()
    return account["validated"], account["validation"]


def test_attack_a29_files_that_nobody_accepted_are_not_released(
    call: Call, files: Path, payer: Payer, tmp_path: Path
) -> None:
    """A phenotype coded 0 and 1, read with case 2, was published: everybody was a control."""
    mine = tmp_path / "mine"
    shutil.copytree(files, mine)
    coded = mine / "coded.txt"
    people = [line.split() for line in (mine / "study.fam").read_text().splitlines()]
    coded.write_text("".join(f"{family} {person} {int(word) - 1}\n" for family, person, *_, word in people))
    study = (mine / "plan.toml", "--genotypes", mine / "study.bed", "--phenotype", coded)
    ask = ("genome", "snp-pval", *study, "--snp", "s1", "--epsilon", "1", *payer.of("study"), "--yes")
    before = payer.charges()

    def refused(out: str) -> None:
        result = call(*ask, "--out", tmp_path / out)
        assert (result.exit_code, result.stdout) == (4, "")
        assert (
            "records were not accepted as those of study, or were changed since; look at them by starling genome"
            in result.stderr
        )
        assert not (tmp_path / out).exists()

    refused("one")
    assert "nobody is a case" in call("genome", "validate", *study).stderr
    assert call("genome", "validate", *study, "--accept", *payer.of("study"), "--yes").exit_code == 0
    # The custodian says that these files were looked at; another phenotype is another file.
    other = call(
        "genome",
        "snp-pval",
        *study[:3],
        "--snp",
        "s1",
        "--epsilon",
        "1",
        *payer.of("study"),
        "--out",
        tmp_path / "one",
        "--yes",
    )
    assert other.exit_code == 4
    assert payer.charges() == before
    assert call(*ask, "--out", tmp_path / "one").exit_code == 0
    assert stated(tmp_path / "one") == (
        True,
        "The custodian had looked at the records that were read, and accepted them for release.",
    )
    assert call("verify", tmp_path / "one", "--ledger", payer.url).exit_code == 7
    coded.write_text(coded.read_text().replace(" 1\n", " 2\n"))
    ask = (*ask, "--test", "g", "--epsilon", "2")
    refused("two")
    assert payer.charges() == before + 1
    done = call(*ask, "--out", tmp_path / "two", "--unvalidated")
    assert done.exit_code == 0
    assert "The records that were read were not validated" in done.stdout
    assert stated(tmp_path / "two")[0] is False


def test_attack_a29_without_a_ledger_nothing_is_accepted(call: Call, files: Path, tmp_path: Path) -> None:
    refused = call(*[word for word in ask(files, files / "study.bed", tmp_path / "out") if word != "--unvalidated"])
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "records need --ledger, which says that they were looked at, or --unvalidated" in refused.stderr
    assert "or release them with --unvalidated, which the release then says" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    assert call(*ask(files, files / "study.bed", tmp_path / "out")).exit_code == 0
    assert stated(tmp_path / "out")[0] is False


def test_attack_a29_an_answer_about_other_files_is_not_told_as_answered_before(
    call: Call, files: Path, tmp_path: Path
) -> None:
    """The same question with another phenotype got the first study's answer, free, from the same folder."""
    mine = tmp_path / "mine"
    shutil.copytree(files, mine)
    out = tmp_path / "out"
    words = ask(mine, mine / "study.bed", out)
    assert call(*words).exit_code == 0
    assert "answered before" in call(*words).stdout
    other = call(*words, "--phenotype", mine / "study.pheno")
    assert (other.exit_code, other.stdout) == (74, "")
    assert (
        "answers the same request about other records, or about these before they were changed; choose a new"
        in other.stderr
    )
    (mine / "study.fam").write_text((mine / "study.fam").read_text().replace(" 2\n", " 1\n"))
    assert call(*words).exit_code == 74
    shutil.move(out, tmp_path / "moved")
    assert call(*ask(mine, mine / "study.bed", tmp_path / "moved")).exit_code == 74, "nobody knows whose answer it is"
    assert not any("records" in path.name for path in (tmp_path / "moved").rglob("*")), "never in a bundle"

"""Wrong input that parses, as a geneticist would give it to the commands on genomes: refused before the charge where it is public."""

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
        ("num-sig", plan, *genotypes, "--epsilon", "1", "--out", tmp_path / "out", "--yes"),
    ):
        done = call("genome", *words)
        assert done.exit_code == 0, done.output
        warning = (
            "starling: warning: own.toml: snps.list is the .bim of study.bed: such a list tells of those genotypes;"
        )
        assert done.stderr.count(warning) == 1
        assert warning not in call("genome", words[0], files / "plan.toml", *words[2:]).stderr

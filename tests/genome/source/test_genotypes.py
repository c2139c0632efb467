"""All kinds of files open by their public shape, and read as the same calls."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError, StarlingWarning
from starling.genome.plan import Plan
from starling.genome.source import Calls, open_genotypes, read
from starling.genome.source.calls import copies
from tests.genome.plink import plink
from tests.genome.studies import Copies, Study, a_study, plan_of, write_bed, write_phenotypes, write_vcf


def read_all(path: Path, plan: Plan, phenotypes: Path | None = None) -> tuple[Copies, list[bool]]:
    """Copies of the carried allele of every SNP, int8 (m, n), and who is a case."""
    opened = open_genotypes(path, plan, phenotypes)
    out = np.full((len(plan.snps), plan.people), 99, dtype=np.int8)

    def note(calls: Calls) -> None:
        number = copies(calls.packed, plan.people)
        out[calls.snps] = np.where(calls.second[:, np.newaxis] & (number >= 0), 2 - number, number)

    list(read(opened, plan, note))
    return out, opened.people.cases(plan.people).tolist()


@pytest.fixture
def study() -> Study:
    return a_study(snps=25, people=30)


FLIPS = [row % 3 == 0 for row in range(25)]


@pytest.fixture
def plan(study: Study, tmp_path: Path) -> Plan:
    carriers = "".join(f"rs{row + 1} {study.alleles[row][flip]}\n" for row, flip in enumerate(FLIPS))
    return plan_of(study, tmp_path, carriers=carriers)


def test_a_bed_in_any_order(study: Study, plan: Plan, tmp_path: Path) -> None:
    order = np.random.default_rng(2).permutation(25).tolist()
    found, cases = read_all(write_bed(study, tmp_path / "x", order), plan)
    assert np.array_equal(found, study.carried(FLIPS))
    assert cases == [word == "2" for word in study.phenotypes]


def test_every_kind_of_file_made_by_plink_reads_the_same(study: Study, plan: Plan, tmp_path: Path) -> None:
    prefix = write_bed(study, tmp_path / "x")
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    plink("plink1.9", "--bfile", prefix, "--make-bed", "--out", tmp_path / "flipped")
    plink("plink1.9", "--bfile", prefix, "--recode", "--out", tmp_path / "text")
    plink("plink1.9", "--file", tmp_path / "text", "--make-bed", "--out", tmp_path / "back")
    plink("plink2", "--bfile", prefix, "--make-pgen", "--out", tmp_path / "x2")
    for kind in ("vcf", "vcf bgz", "bcf"):
        plink("plink2", "--bfile", prefix, "--export", *kind.split(), "id-paste=iid", "--out", tmp_path / "x")
    expected = read_all(prefix, plan)
    assert np.array_equal(expected[0], study.carried(FLIPS))
    # PLINK 1.9 makes the rarer allele A1, and writes 0 for one that it did not see: the plan's allele is carried all the same.
    assert (tmp_path / "flipped.bim").read_text() != Path(f"{prefix}.bim").read_text()
    for path, given in (
        (tmp_path / "flipped", None),
        (tmp_path / "back.bed", None),
        (tmp_path / "x2", None),
        (tmp_path / "x2.pgen", phenotypes),
        (tmp_path / "x.vcf", phenotypes),
        (tmp_path / "x.vcf.gz", phenotypes),
        (tmp_path / "x.bcf", phenotypes),
    ):
        found, cases = read_all(path, plan, given)
        assert np.array_equal(found, expected[0]), path
        assert cases == expected[1], path


def test_plink_reads_what_we_count_as_carried(study: Study, plan: Plan, tmp_path: Path) -> None:
    """PLINK's own additive coding of the plan's alleles, person by person."""
    prefix = write_bed(study, tmp_path / "x")
    plink(
        "plink1.9",
        "--bfile",
        prefix,
        "--recode",
        "A",
        "--recode-allele",
        tmp_path / "carriers.txt",
        "--out",
        tmp_path / "x",
    )
    lines = [line.split()[6:] for line in (tmp_path / "x.raw").read_text().splitlines()[1:]]
    theirs = np.array([[-1 if word == "NA" else int(word) for word in line] for line in lines], dtype=np.int8).T
    assert np.array_equal(read_all(prefix, plan)[0], theirs)


def test_some_snps_alone_are_read(study: Study, plan: Plan, tmp_path: Path) -> None:
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    for path in (write_bed(study, tmp_path / "x"), write_vcf(study, tmp_path / "x.vcf")):
        seen: list[int] = []
        opened = open_genotypes(path, plan, phenotypes)
        list(read(opened, plan, lambda calls, seen=seen: seen.extend(calls.snps.tolist()), np.array([9, 3, 4])))  # type: ignore[misc]
        assert sorted(seen) == [3, 4, 9]


def test_what_is_opened_shows_no_person(study: Study, plan: Plan, tmp_path: Path) -> None:
    opened = open_genotypes(write_vcf(study, tmp_path / "x.vcf"), plan, write_phenotypes(study, tmp_path / "p.txt"))
    assert "p1" not in repr(opened)
    assert str(opened.size) not in repr(opened)


def test_what_is_not_there_is_refused(study: Study, plan: Plan, tmp_path: Path) -> None:
    prefix = write_bed(study, tmp_path / "x")

    def refusal(path: Path, phenotypes: Path | None = None) -> str:
        with pytest.raises(SourceError) as error:
            open_genotypes(path, plan, phenotypes)
        return str(error.value)

    assert "is not the prefix of a .bed or .pgen; give the prefix" in refusal(tmp_path / "absent")
    assert refusal(write_vcf(study, tmp_path / "v.vcf")).startswith(
        "v.vcf: phenotype has no phenotypes; give a phenotype file"
    )
    assert refusal(prefix, tmp_path / "absent.txt").startswith("absent.txt: phenotype cannot be opened")
    (tmp_path / "x.pgen").write_bytes(b"")
    assert "is the prefix of a .bed and of a .pgen; name one" in refusal(prefix)
    assert "x.psam: people cannot be opened" in refusal(tmp_path / "x.pgen")
    write_bed(a_study(snps=25, people=29), tmp_path / "y")
    assert refusal(tmp_path / "y").startswith("y.fam: people does not name 30 people, as the plan has")
    write_bed(a_study(snps=24, people=30), tmp_path / "z")
    assert refusal(tmp_path / "z").startswith(
        "z.bim: rs13 is at another place"
    ) or "rs25 of the plan's list" in refusal(tmp_path / "z")


def test_a_compressed_pvar_is_refused_with_the_way_out(study: Study, plan: Plan, tmp_path: Path) -> None:
    for name in ("x.pgen", "x.psam", "x.pvar.zst"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(SourceError, match="is there compressed only; write it by plink2 --make-pgen without vzs"):
        open_genotypes(tmp_path / "x", plan)


def test_real_data_made_by_plink_reads_as_plink_counts_it(shared_data: Path, tmp_path: Path) -> None:
    """503 Europeans x 24,990 sites of chromosome 20: copies of every allele, against plink1.9 --freq counts."""
    prefix = shared_data / "genome" / "chr20_1kg_eur" / "chr20_eur503"
    text = 'title = "x"\n[privacy]\nunit = "person"\nneighbours = "replace-one"\n[study]\npeople = 503\n'
    text += f'[snps]\nlist = "{prefix}.bim"\n[analysis]\nmodel = "dominant"\ntests = ["g"]\n'
    (tmp_path / "plan.toml").write_text(text)
    with pytest.warns(StarlingWarning, match="snps.list is the .bim of "):
        plan = Plan.load(tmp_path / "plan.toml")
    assert (len(plan.snps), plan.ranges) == (24_990, {"20": (0, 24_990)})
    found, cases = read_all(prefix, plan)
    assert not any(cases)
    plink("plink1.9", "--bfile", prefix, "--keep-allele-order", "--freq", "counts", "--out", tmp_path / "f")
    counted = {}
    for line in (tmp_path / "f.frq.counts").read_text().splitlines()[1:]:
        fields = line.split()
        counted[fields[1]] = int(fields[4])
    assert found.sum(axis=1).tolist() == [counted[name] for name in plan.snps.ids]

"""Counts of a study are deferred computations: run after the charge, total, and equal to counting person by person."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import BoundaryError, SourceError, StarlingWarning
from starling.genome.counts.pairs import pair_tables
from starling.genome.counts.study import CARRYING, count_study, read_carriers
from starling.genome.distance.significance import distance_to_significance
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.plink import plink
from tests.genome.studies import MISSING, Study, a_study, plan_of, tables_of, write_bed, write_phenotypes, write_vcf

MODELS = ("dominant", "recessive", "genotypic", "allelic")
FLIPS = [row % 2 == 0 for row in range(40)]


@pytest.fixture
def study() -> Study:
    return a_study(snps=40, people=133)


def planned(study: Study, folder: Path, model: str) -> Plan:
    carriers = "".join(f"rs{row + 1} {study.alleles[row][flip]}\n" for row, flip in enumerate(FLIPS))
    return plan_of(study, folder, model, carriers=carriers)


@pytest.mark.parametrize("model", MODELS)
def test_tables_are_those_of_the_people(study: Study, tmp_path: Path, model: str) -> None:
    plan = planned(study, tmp_path, model)
    cases = np.array([word == "2" for word in study.phenotypes])
    expected = tables_of(study.carried(FLIPS), cases, model)
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    order = np.random.default_rng(3).permutation(40).tolist()
    for path in (write_bed(study, tmp_path / "x", order), write_vcf(study, tmp_path / "x.vcf")):
        opened = open_genotypes(path, plan, phenotypes)
        assert np.array_equal(inspect(count_study(plan, opened)).value.tables(), expected)
        some = np.array([31, 2, 17])
        assert np.array_equal(inspect(count_study(plan, opened)).value.tables(some), expected[some])


@pytest.mark.parametrize("model", MODELS)
def test_carriers_are_those_people(study: Study, tmp_path: Path, model: str) -> None:
    plan = planned(study, tmp_path, model)
    opened = open_genotypes(write_bed(study, tmp_path / "x"), plan)
    indices = np.array([31, 2, 17])
    least = 2 if CARRYING[plan.model] == "recessive" else 1
    has = study.carried(FLIPS)[indices] >= least
    bits = read_carriers(plan, opened, indices)
    assert bits.shape == (3, 3)
    unpacked = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    assert np.array_equal(unpacked[:, :133].astype(bool), has)
    assert not unpacked[:, 133:].any()
    table = pair_tables(bits, 133, np.array([[0, 2]]))[0]
    first, second = has[0], has[2]
    assert table.tolist() == [
        np.sum(first & second),
        np.sum(first & ~second),
        np.sum(~first & second),
        np.sum(~first & ~second),
    ]


def test_nothing_is_read_before_the_recipe_runs(study: Study, tmp_path: Path) -> None:
    plan = planned(study, tmp_path, "dominant")
    opened = open_genotypes(write_bed(study, tmp_path / "x"), plan)
    Path(tmp_path / "x.bed").unlink()
    computation = count_study(plan, opened)
    with pytest.raises(BoundaryError):
        len(computation)  # type: ignore[arg-type] # a deferred computation has no length
    with pytest.raises(SourceError, match="changed or vanished"):
        inspect(computation.map(lambda study: study.tables()))


def test_a_replaced_person_moves_one_unit_of_every_table(tmp_path: Path) -> None:
    """Whatever the other record is, missing calls and phenotype included: what every score's sensitivity rests on."""
    study = a_study(snps=40, people=30)
    random = np.random.default_rng(4)
    for trial, model in enumerate(MODELS * 3):
        other = study.copies.copy()
        person = int(random.integers(30))
        other[:, person] = random.integers(-1, 3, 40)
        words = list(study.phenotypes)
        words[person] = ["2", "1", "-9"][int(random.integers(3))]
        neighbour = Study(other, study.alleles, tuple(words), study.places)
        plan = planned(study, tmp_path, model)
        both = [
            inspect(count_study(plan, open_genotypes(write_bed(one, tmp_path / f"{name}{trial}"), plan))).value.tables()
            for name, one in (("x", study), ("y", neighbour))
        ]
        moved = both[0] - both[1]
        assert not moved.sum(axis=1).any()
        assert np.abs(moved).sum(axis=1).max() <= 2


@pytest.mark.parametrize("model", MODELS)
def test_an_empty_person_is_a_control_who_carries_nothing(tmp_path: Path, model: str) -> None:
    """So files may be filled up to a public n: a person who is added takes the place of an empty one, which is a replacement."""
    study = a_study(snps=40, people=30)
    empty = np.full((40, 1), MISSING, dtype=np.int8)
    filled = Study(np.hstack((study.copies, empty)), study.alleles, (*study.phenotypes, "-9"), study.places)
    few, many = (
        inspect(count_study(plan, open_genotypes(write_bed(one, tmp_path / name), plan))).value.tables()
        for name, one in (("few", study), ("many", filled))
        for plan in [planned(one, tmp_path, model)]
    )
    more = np.zeros_like(few[0])
    more[3] = 1  # Controls: fourth of six cells by copies, 0 first; fourth of four, who carry and who do not.
    np.testing.assert_array_equal(many - few, np.broadcast_to(more, few.shape))


HAPSAMPLE = """title = "Simulated from HapMap"

[privacy]
unit = "person"
neighbours = "replace-one"

[study]
people = 2000

[snps]
list = "{prefix}.bim"

[analysis]
model = "dominant"
tests = ["g"]
"""


def test_the_causal_snps_of_hapsample_are_the_significant_ones(shared_data: Path, tmp_path: Path) -> None:
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    (tmp_path / "plan.toml").write_text(HAPSAMPLE.format(prefix=prefix))
    with pytest.warns(StarlingWarning, match="snps.list is the .bim of "):
        plan = Plan.load(tmp_path / "plan.toml")
    assert (len(plan.snps), plan.ranges) == (9935, {"9": (0, 4761), "13": (4761, 9935)})
    opened = open_genotypes(prefix, plan)
    tables = inspect(count_study(plan, opened)).value.tables()
    assert (tables[:, :2].sum(axis=1) == 1000).all()
    assert (tables[:, 2:].sum(axis=1) == 1000).all()
    distances = distance_to_significance(tables, "g", plan.p_threshold)
    order = np.argsort(distances, kind="stable")
    assert [plan.snps.ids[at] for at in order[:2]] == ["rs4111409", "rs2324591"]
    assert np.flatnonzero(distances <= 0).tolist() == sorted(order[:2].tolist())


@pytest.mark.slow
def test_tables_equal_plinks_own_where_nothing_is_missing(shared_data: Path, tmp_path: Path) -> None:
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    plink(
        "plink1.9",
        "--bfile",
        prefix,
        "--allow-no-sex",
        "--keep-allele-order",
        "--model",
        "--cell",
        "0",
        "--out",
        tmp_path / "m",
    )
    theirs: dict[str, dict[str, list[int]]] = {"DOM": {}, "REC": {}, "GENO": {}, "ALLELIC": {}}
    for line in (tmp_path / "m.model").read_text().splitlines()[1:]:
        _, name, _, _, test, case, control, *_ = line.split()
        if test in theirs:
            theirs[test][name] = [int(part) for text in (case, control) for part in text.split("/")]
    for model, test in (("dominant", "DOM"), ("recessive", "REC"), ("genotypic", "GENO")):
        (tmp_path / "plan.toml").write_text(HAPSAMPLE.format(prefix=prefix).replace("dominant", model))
        with pytest.warns(StarlingWarning, match="snps.list is the .bim of "):
            plan = Plan.load(tmp_path / "plan.toml")
        ours = inspect(count_study(plan, open_genotypes(prefix, plan))).value.tables()
        expected = np.array([theirs[test][name] for name in plan.snps.ids])
        if model == "genotypic":
            expected = expected[:, [2, 1, 0, 5, 4, 3]]  # PLINK counts two copies first
        assert np.array_equal(ours, expected)

"""SNPs are found by id, at their place, with their alleles either way round; and what does not fit is refused."""

from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.source.genotypes import MOST_LISTED, match_sites
from tests.genome.studies import a_study, plan_of, write_bim


def test_rows_and_alleles(tmp_path: Path) -> None:
    study = a_study()
    plan = plan_of(study, tmp_path)
    order = [6, 2, 0, 1, 5, 4, 3]
    path = write_bim(study, tmp_path / "x.bim", order)
    text = path.read_text().replace("rs3\t0\t3000\tT\tA", "rs3\t0\t3000\tA\tT") + "9 other 0 5 A C\n0 rs999 0 0 A C\n"
    path.write_text(text)
    rows, second, carried, alleles = match_sites(path, plan)
    assert carried.tolist() == [1, 1, 0, 1, 1, 1, 1]
    assert alleles.tolist() == [2] * 9
    assert rows.tolist() == [order.index(row) for row in range(7)]
    assert second.tolist() == [False, False, True, False, False, False, False]


def test_an_allele_that_plink_did_not_see_fits(tmp_path: Path) -> None:
    study = a_study()
    plan = plan_of(study, tmp_path)
    path = write_bim(study, tmp_path / "x.bim")
    text = path.read_text()
    # Sites of one allele: A1 is written 0, whichever of the two it was.
    path.write_text(
        text.replace("rs1\t0\t1000\tA\tC", "rs1\t0\t1000\t0\tC").replace("rs2\t0\t2000\tG\tT", "rs2\t0\t2000\t0\tG")
    )
    rows, second, *_ = match_sites(path, plan)
    assert second.tolist() == [False, True, False, False, False, False, False]
    assert rows.tolist() == list(range(7))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("rs3\t", "rs33\t", "x.bim: rs3 of the plan's list is not there"),
        ("rs3\t", "rs2\t", "x.bim:3: rs2 is there twice"),
        ("rs3\t0\t3000", "rs3\t0\t3001", "x.bim:3: rs3 is at another place than in the plan's list"),
        ("2\trs5", "3\trs5", "x.bim:5: rs5 is at another place than in the plan's list"),
        ("3000\tT\tA", "3000\tT\tG", "x.bim:3: rs3 has other alleles than in the plan's list"),
        ("3000\tT\tA", "3000\tT", "x.bim:3: line does not have 6 fields"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    study = a_study()
    plan = plan_of(study, tmp_path)
    path = write_bim(study, tmp_path / "x.bim")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(SourceError) as error:
        match_sites(path, plan)
    assert str(error.value.problems[0]).startswith(problem)


def test_so_many_are_told_and_no_more(tmp_path: Path) -> None:
    study = a_study(snps=MOST_LISTED + 5, people=3)
    plan = plan_of(study, tmp_path)
    (tmp_path / "x.bim").write_text("1 other 0 5 A C\n")
    with pytest.raises(SourceError) as error:
        match_sites(tmp_path / "x.bim", plan)
    assert len(error.value.problems) == MOST_LISTED


def test_every_order_is_undone(tmp_path: Path) -> None:
    study = a_study(snps=30, people=3)
    plan = plan_of(study, tmp_path)
    random = np.random.default_rng(5)
    for _ in range(20):
        order = random.permutation(30)
        rows, *_ = match_sites(write_bim(study, tmp_path / "x.bim", order.tolist()), plan)
        assert np.array_equal(order[rows], np.arange(30))

"""Pictures of a scan: every SNP or one that lies on it, the threshold, names of regions, lambda."""

import numpy as np

from starling.genome.inference.scans import regions, scan_rows
from starling.genome.pictures import scans
from starling.genome.pictures.answers import Answers
from starling.genome.pictures.gallery import KINDS
from starling.genome.plan import Scan
from tests.genome.inference.test_scans import FAR, PLAN, scanned


def answers(*z: float) -> Answers:
    rows = scan_rows(PLAN, Scan(FAR), scanned([*z]))
    return Answers(PLAN, scan=rows, regions=regions(PLAN, rows))


def test_a_manhattan_plot_names_the_strongest_of_each_region() -> None:
    shown = answers(8.0, 1.0, 0.0, 0.5, -7.0, 0.2)
    text = scans.manhattan(shown).svg("m", "Manhattan")
    assert ">rs0<" in text
    assert ">rs4<" in text
    assert ">rs1<" not in text
    assert "at or below it: 2 SNPs, in 2 regions" in scans.manhattan_caption(shown)
    assert "p-values of 5 SNPs" in scans.manhattan_caption(shown)


def test_a_qq_plot_has_lambda_and_all_snps() -> None:
    shown = answers(1.0, -1.0, 0.5, 2.0, 0.1, 0.3)
    assert "6 SNPs, λ = " in scans.quantiles(shown).svg("q", "QQ")
    assert "lambda is above 1" in scans.quantiles_caption(shown)


def test_points_on_each_other_are_drawn_once() -> None:
    x = np.repeat(np.arange(100.0), 100)
    drawn = scans._once(x, np.tile(np.arange(100.0) / 200, 100))
    assert len(drawn) == 100


def test_without_a_snp_that_says_anything_there_is_no_picture() -> None:
    for name in ("scan", "scan-qq"):
        assert KINDS[name].shown(answers(1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        assert not KINDS[name].shown(answers(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        assert not KINDS[name].shown(Answers(PLAN))

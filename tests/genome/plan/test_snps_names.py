"""One SNP by all the ways to write its id."""

import numpy as np
import pytest

from starling.genome.plan.snps import Snps, in_plan_order


def snps(*ids: str, chromosomes: tuple[str, ...] = ()) -> Snps:
    places = chromosomes or ("1",) * len(ids)
    return Snps(ids, places, np.arange(1, len(ids) + 1), ("A",) * len(ids), ("G",) * len(ids))


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("rs1", ["rs1", "rs1;rs999", "rs999;rs1", "rs1;1:5:A:G"]),
        ("rs1;rs999", ["rs1", "rs999", "rs1;rs999", "rs999;rs5"]),
        (
            "chr1:1000:G:A",
            ["1:1000:G:A", "chr1:1000:G:A", "1:1000:A:G", "01_1000_g_a", "NC_000001.11:1000:G:A", "rs7;1:1000:G:A"],
        ),
        ("X_5_A_AT", ["chrX:5:A:AT", "23:5:AT:A"]),
    ],
)
def test_ways_to_write_an_id_are_one(listed: str, names: list[str]) -> None:
    index = snps("rs0", listed, "rs2")
    assert [index.find(name) for name in names] == [1] * len(names)


def test_no_other_id_is_taken_for_one() -> None:
    index = snps("rs1", "1:1000:G:A", "rs3;rs4")
    others = [
        "rs11",
        "",
        ";",
        "rs1:",
        "1:1001:G:A",
        "2:1000:G:A",
        "1:1000:G:T",
        "1:1000",
        "rs",
        "1:1000:G:A,T",
        "x" * 5000,
    ]
    assert [index.find(name) for name in others] == [None] * len(others)


def test_an_id_as_it_is_written_comes_first() -> None:
    index = snps("rs1;rs2", "rs2", "1:5:A:G", "chr1:5:G:A")
    assert [index.find(name) for name in ("rs1", "rs2", "1:5:A:G", "chr1:5:G:A")] == [0, 1, 2, 3]


def test_lists_of_old_releases_keep_accessions() -> None:
    assert in_plan_order(snps("a", "b", chromosomes=("1", "NC_000002.12")))
    assert not in_plan_order(snps("a", "b", chromosomes=("1", "chr2")))

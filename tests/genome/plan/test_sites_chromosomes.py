"""One chromosome by all the ways to write it."""

import pytest

from starling.genome.plan.sites import chromosome

WAYS = {
    "1": ["1", "01", "chr1", "CHR1", "chr01", "NC_000001.11", "NC_000001.10", "CM000663.2"],
    "9": ["9", "09", "chr9", "NC_000009.12", "CM000671.1"],
    "22": ["22", "chr22", "NC_000022.11", "CM000684.2"],
    "X": ["X", "x", "23", "chrX", "chr23", "0X", "chr0X", "NC_000023.11", "CM000685.2"],
    "Y": ["Y", "24", "chrY", "0Y", "NC_000024.10", "CM000686.2"],
    "XY": ["XY", "25", "chrXY", "PAR1", "PAR2", "par1"],
    "MT": ["MT", "M", "26", "chrM", "chrMT", "mt", "0M", "NC_012920.1", "J01415.2"],
}


@pytest.mark.parametrize("name", WAYS)
def test_every_way_to_write_a_chromosome_is_one(name: str) -> None:
    assert {chromosome(way) for way in WAYS[name]} == {name}


@pytest.mark.parametrize("name", ["NC_000067.7", "CM000994.3", "chr1_KI270706v1_random", "HLA-A*01", "27", ""])
def test_what_is_no_human_chromosome_keeps_its_name(name: str) -> None:
    assert chromosome(name) == name.removeprefix("chr")

"""The tables of a release say whether a SNP was found by the study or asked for, by their columns."""

import pyarrow as pa

from starling.genome.pictures.answers import Pair, PValue, Stretch
from starling.genome.pictures.rows import answers
from tests.genome.pictures.studies import three_chromosomes

P = {"TEST": "g", "LOG10_P": -3.0, "LOG10_P_LOW": -4.0, "LOG10_P_HIGH": -2.0}


def test_a_p_value_that_was_asked_for() -> None:
    found = answers(three_chromosomes(), {"snps": pa.Table.from_pylist([{"SNP": "rs3", **P}])})
    assert found.p_values == (PValue("rs3", "g", -3.0, -4.0, -2.0, found=False),)
    assert found.located == ()


def test_located_snps() -> None:
    found = answers(three_chromosomes(), {"snps": pa.Table.from_pylist([{"ROUND": 1, "SNP": "rs3"}])})
    assert (found.p_values, found.located) == ((), ("rs3",))


def test_an_exploration() -> None:
    snps = pa.Table.from_pylist([{"ROUND": 1, "SNP": "rs3", **P}])
    blocks = pa.Table.from_pylist([{"FIRST": "rs2", "LAST": "rs4"}, {"FIRST": None, "LAST": None}])
    found = answers(three_chromosomes(), {"number": pa.table({}), "snps": snps, "blocks": blocks})
    assert found.p_values[0].found
    assert found.located == ("rs3",)
    assert found.blocks == (Stretch("rs2", "rs4"),), "an answer of no block has no place"


def test_correlations() -> None:
    ends = {"SNP_A": "rs1", "SNP_B": "rs2"}
    squared = pa.Table.from_pylist([ends | {"R2": 0.5, "R2_LOW": 0.4, "R2_HIGH": 0.6}])
    prime = pa.Table.from_pylist([ends | {"DP": 0.9, "DP_LOW": 0.8, "DP_HIGH": 1.0}])
    assert answers(three_chromosomes(), {"pairs": squared}).pairs == (Pair("rs1", "rs2", "r2", 0.5, 0.4, 0.6),)
    assert answers(three_chromosomes(), {"pairs": prime}).pairs == (Pair("rs1", "rs2", "dprime", 0.9, 0.8, 1.0),)


def test_a_number_has_no_place() -> None:
    found = answers(three_chromosomes(), {"number": pa.Table.from_pylist([{"LOW": 1, "HIGH": 1}])})
    assert (found.p_values, found.located, found.blocks, found.pairs) == ((), (), (), ())

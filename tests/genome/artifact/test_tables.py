"""The tables of a release hold what is told, row by row, and its CSV the same."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from starling.genome.artifact.tables import filled, schemas, tables
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.postprocess.estimates import estimate
from starling.release.table_files import write_tables
from tests.genome.mechanism.distributions import tiny_plan

ONE, FIFTH = Fraction(1), Fraction(1, 5)
PLAN = tiny_plan(60, 9, p=Fraction(1, 1000))
CELLS = Cells((35, -3, 2, 26))
PLACE = {"CHR": "1", "SNP": "rs1", "BP": 2, "A1": "A", "A2": "C"}


def made(question: Any, drawn: Any, plan: Any = PLAN) -> dict[str, list[dict[str, Any]]]:
    return {name: table.to_pylist() for name, table in filled(plan, question, estimate(plan, question, drawn)).items()}


def test_a_number_is_one_row() -> None:
    found = made(NumSig("g", 2, ONE), Number(4, 7))
    assert found["number"] == [{"TEST": "g", "LOW": 4, "HIGH": 7}]
    (row,) = found["selections"]
    assert (row["WHAT"], row["CANDIDATES"], row["ROUNDS"], row["EPSILON"]) == ("answer", 5, 1, "1")


def test_places_stand_in_the_order_of_selection() -> None:
    found = made(LocSig("g", 2, FIFTH), SelectedSnps(("rs3", "rs1")))
    assert [(row["ROUND"], row["SNP"], row["BP"]) for row in found["snps"]] == [(1, "rs3", 4), (2, "rs1", 2)]
    assert found["selections"][0]["EPSILON"] == "1/5"


def test_a_block_is_a_row_as_plink_writes_it_and_no_block_is_too() -> None:
    question = LocBlock("r2", FIFTH, ("rs1",), ONE)
    assert made(question, Block("rs0", "rs2", 3))["blocks"] == [
        {
            "ROUND": 1,
            "CHR": "1",
            "BP1": 1,
            "BP2": 3,
            "KB": 0.003,
            "NSNPS": 3,
            "FIRST": "rs0",
            "LAST": "rs2",
            "SNPS": "rs0|rs1|rs2",
        }
    ]
    (row,) = made(question, Block(None, None, 0))["blocks"]
    assert row == dict.fromkeys(row) | {"ROUND": 1, "NSNPS": 0}


def test_a_p_value_has_its_counts_and_its_interval() -> None:
    ((row,),) = made(SnpPval("rs1", "g", ONE), CELLS).values()
    assert row | PLACE == row
    assert [row[name] for name in ("CASES_CARRY", "CASES_NOT", "CONTROLS_CARRY", "CONTROLS_NOT")] == [35, -3, 2, 26]
    assert row["P_LOW"] <= row["P"] <= row["P_HIGH"] < 1
    assert row["LOG10_P_LOW"] <= row["LOG10_P"] <= row["LOG10_P_HIGH"] < 0
    # 35, 0, 2 and 26 are three too many; an empty cell counts as 1/2.
    assert (row["OR"], row["F_A"]) == (832.0, 1.0)
    assert 1 < row["OR_LOW"] < row["OR"] < row["OR_HIGH"]
    assert all(row[f"{name}_LOW"] <= row[name] <= row[f"{name}_HIGH"] for name in ("OR", "F_A", "F_U"))


def test_three_columns_have_six_counts() -> None:
    plan = tiny_plan(60, 9, "genotypic", p=Fraction(1, 100))
    ((row,),) = made(SnpPval("rs1", "g", ONE), Cells((10, 11, 12, 13, 14, 0)), plan).values()
    names = [f"{who}_{copies}" for who in ("CASES", "CONTROLS") for copies in range(3)]
    assert [row[name] for name in names] == [10, 11, 12, 13, 14, 0]


@pytest.mark.parametrize(("measure", "column"), [("r2", "R2"), ("dprime", "DP")])
def test_a_pair_is_named_by_its_measure(measure: Any, column: str) -> None:
    ((row,),) = made(SnpCorr("rs1", "rs2", measure, ONE), Cells((30, 2, 2, 26))).values()
    assert [row[name] for name in ("SNP_A", "SNP_B", "BOTH", "NEITHER")] == ["rs1", "rs2", 30, 26]
    assert row[f"{column}_LOW"] <= row[column] <= row[f"{column}_HIGH"]


def test_an_exploration_has_four_tables_and_stops_with_empty_ones() -> None:
    question = Explore("g", "r2", FIFTH, Fraction(4))
    full = Explored(Number(1, 1), 1, SelectedSnps(("rs1",)), (Block(None, None, 0),), (Cells((15,) * 4),))
    assert [len(rows) for rows in made(question, full).values()] == [1, 1, 1, 3]
    stopped = Explored(Number(0, 0), 0, SelectedSnps(()), (), ())
    assert [len(rows) for rows in made(question, stopped).values()] == [1, 0, 0, 1]


def test_text_says_what_the_table_says(tmp_path: Path) -> None:
    question = Explore("g", "r2", FIFTH, Fraction(4))
    drawn = Explored(Number(1, 1), 1, SelectedSnps(("rs1",)), (Block(None, None, 0),), (Cells((15,) * 4),))
    found = filled(PLAN, question, estimate(PLAN, question, drawn))
    write_tables(tmp_path, tables(PLAN, question), [found])
    for name, table in found.items():
        path = tmp_path / "data" / f"{name}.parquet"
        assert table.schema == schemas(PLAN, question)[name]
        assert pq.read_table(path).equals(table)
        options = pacsv.ConvertOptions(column_types=table.schema, strings_can_be_null=True)
        assert pacsv.read_csv(path.with_suffix(".csv"), convert_options=options).equals(table)

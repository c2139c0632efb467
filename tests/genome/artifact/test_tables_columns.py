"""Every column of every table is declared, with a type and words."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.genome.artifact.files import SNP_SCHEMA
from starling.genome.artifact.tables import COLUMNS, TABLES, list_sheet, schemas, tables
from starling.genome.plan import NumSig, Scan, SnpEffects
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.plan.test_model_phenotypes import PHENOTYPES
from tests.genome.worlds import QUESTIONS

PLAN = tiny_plan(60, 9)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("model", ["dominant", "recessive", "genotypic", "allelic"])
def test_each_table_is_described(name: str, model: str) -> None:
    made = tables(tiny_plan(60, 9, model), QUESTIONS[name])
    assert {table.name for table in made} <= TABLES.keys()
    for table in made:
        parquet, csv = table.sheets()
        assert [column.name for column in csv.columns] == table.schema.names
        assert set(csv.key) <= set(table.schema.names)
        assert (parquet.path, parquet.delimiter) == (f"data/{table.name}.parquet", "")
        assert (csv.path, csv.delimiter) == (f"data/{table.name}.csv", ",")


def test_every_declared_column_is_used() -> None:
    of_scans = schemas(PHENOTYPES, Scan(Fraction(1)))
    used = {name for schema in of_scans.values() for name in schema.names} | {
        column
        for model in ("dominant", "genotypic")
        for question in (*QUESTIONS.values(), replace(QUESTIONS["snp_corr"], correlation="dprime"))
        for schema in schemas(tiny_plan(60, 9, model), question).values()
        for column in schema.names
    }
    paid = NumSig("score", 1, Fraction(1), prevalence_epsilon=Fraction(1, 10))
    of_cases = tiny_plan(60, 9, "additive", "score")
    used |= {*schemas(of_cases, paid)["cases"].names}
    used |= {*schemas(replace(of_cases, between=(Fraction(0), Fraction(1))), paid)["variance"].names}
    used |= {*schemas(PHENOTYPES, SnpEffects(("rs1",), Fraction(1)))["effects"].names}
    of_trait = replace(PHENOTYPES, between=(Fraction(0), Fraction(1)))
    used |= {
        name
        for schema in schemas(of_trait, Scan(Fraction(1), median_epsilon=Fraction(1, 2))).values()
        for name in schema.names
    }
    used |= {*schemas(replace(PLAN, missing="cell"), QUESTIONS["snp_pval"])["snps"].names}
    assert used == set(COLUMNS)


def test_the_list_is_described_as_it_is_written() -> None:
    described = list_sheet("plan/snps.parquet", SNP_SCHEMA)
    assert [column.name for column in described.columns] == SNP_SCHEMA.names
    assert all(COLUMNS[column.name][0] == column.type for column in SNP_SCHEMA)


def test_only_a_block_may_miss_its_place() -> None:
    missing = {
        (table.name, column.name)
        for table in tables(PLAN, QUESTIONS["explore"])
        for sheet in table.sheets()
        for column in sheet.columns
        if not column.required
    }
    assert missing == {("blocks", name) for name in ("CHR", "BP1", "BP2", "KB", "FIRST", "LAST", "SNPS")}


def test_every_column_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "genome-release.md").read_text()
    assert not [name for name in COLUMNS if f"`{name}`" not in page]

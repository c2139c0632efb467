"""The public files of a release give back the plan and the question, and nothing else is read as one."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError, StarlingError
from starling.genome.artifact.files import PLAN, QUESTION, SNPS, read_public, write_public
from starling.genome.plan import Explore, LocBlock, LocSig, Plan, Region, Snps
from starling.genome.publication import request_body
from tests.genome.worlds import QUESTIONS


@pytest.fixture
def plan() -> Plan:
    ids = ("rs1", "rs2", "x|3", "rs4", "rs5", "rs6", "rs7", "rs8")
    places = ("1", "1", "1", "2", "2", "X", "MT", "scaffold")
    snps = Snps(
        ids,
        places,
        np.array([1, 1, 9, 5, 6, 1, 1, 1]),
        ("A", "AT", "C", "G", "T", "A", "A", "A"),
        ("T",) * 4 + ("C",) * 4,
    )
    return Plan("Ein Plan, geprüft", 200, snps, "dominant", ("g", "wald"), Fraction(1, 20), case="T2D", phenotype="x")


MORE: dict[str, Any] = {
    **QUESTIONS,
    "everything": LocSig("g", 1, Fraction(1, 3), ("1", "2"), (("rs4", "rs5"),)),
    "blocks": LocBlock("dprime", Fraction(1, 2), ("rs1", "rs4"), Fraction(2), ("1", "2"), 5, (("rs5", "rs5"),)),
    "independent": Explore("g", "r2", Fraction(1, 5), Fraction(1), ("1",), 2, 3, "laplace", True, "exponential"),
}


@pytest.mark.parametrize("name", MORE)
def test_what_is_written_is_read(tmp_path: Path, plan: Plan, name: str) -> None:
    write_public(tmp_path, plan, MORE[name])
    found, question = read_public(tmp_path)
    assert question == MORE[name]
    assert type(question) is type(MORE[name])
    assert found.title == plan.title
    assert request_body(found, question) == request_body(plan, MORE[name])


def test_regions_and_gaps_of_a_plan_are_kept(tmp_path: Path, plan: Plan) -> None:
    narrow = replace(
        plan,
        regions=(Region("a gene", "1", 1, 5), Region("other", "X", 1, 2**31 - 1)),
        phenotype=None,
        build="T2T-CHM13v2.0",
    )
    question = replace(QUESTIONS["num_sig"], selection="exponential")
    write_public(tmp_path, narrow, question)
    found, _ = read_public(tmp_path)
    assert (found.regions, found.phenotype, found.tests) == (narrow.regions, None, ("g", "wald"))
    assert (found.build, plan.build) == ("T2T-CHM13v2.0", None)
    assert request_body(found, question) != request_body(replace(narrow, build=None), question)


def changed(column: str, values: Any) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        at = table.column_names.index(column)
        return table.set_column(at, column, pa.array(values, table.schema.field(column).type))

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.slice(0, 0),
        lambda table: table.take([7, *range(7)]),
        lambda table: table.drop_columns(["A2"]),
        lambda table: table.append_column("A3", table["A2"]),
        changed("SNP", ["rs1"] * 8),
        changed("SNP", [None, *"bcdefgh"]),
        changed("SNP", [".", *"bcdefgh"]),
        changed("BP", [0, *range(1, 8)]),
        changed("BP", [2**31, *range(1, 8)]),
        changed("A1", ["T"] * 8),
        changed("CHR", ["chr1"] * 8),
        changed("CHR", ["0"] * 8),
        lambda table: table.cast(table.schema.set(2, pa.field("BP", pa.int32()))),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, plan: Plan, change: Callable[[pa.Table], pa.Table]) -> None:
    write_public(tmp_path, plan, QUESTIONS["num_sig"])
    pq.write_table(change(pq.read_table(tmp_path / SNPS)), tmp_path / SNPS)
    with pytest.raises(IntegrityError, match=r"plan/(snps|plan)\.\w+ is no"):
        read_public(tmp_path)


@pytest.mark.parametrize("name", ["rs\x1b[2J", "rs\u202e1", "rs\x00", "r" * 1001])
@pytest.mark.parametrize("column", ["SNP", "A2", "CHR"])
def test_a_name_that_a_terminal_would_obey_is_refused(tmp_path: Path, plan: Plan, column: str, name: str) -> None:
    write_public(tmp_path, plan, QUESTIONS["num_sig"])
    table = pq.read_table(tmp_path / SNPS)
    values = table[column].to_pylist()
    pq.write_table(changed(column, [*values[:-1], name])(table), tmp_path / SNPS)
    with pytest.raises(IntegrityError, match="holds a name that cannot be shown"):
        read_public(tmp_path)


def test_a_small_file_does_not_become_a_large_list(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    write_public(tmp_path, plan, QUESTIONS["num_sig"])
    table = pq.read_table(tmp_path / SNPS)
    many = pa.concat_tables([table.slice(0, 1)] * 100_000).combine_chunks()
    pq.write_table(many, tmp_path / SNPS, compression="zstd")
    assert (tmp_path / SNPS).stat().st_size < 100_000
    monkeypatch.setattr(pq.ParquetFile, "read", lambda _: pytest.fail("read"))
    with pytest.raises(IntegrityError, match="is not as Starling writes it"):
        read_public(tmp_path)


@pytest.mark.parametrize("name", [PLAN, SNPS, QUESTION])
@pytest.mark.parametrize("content", [b"", b"null", b"{}", b"PAR1", b"\xff"])
def test_another_file_is_refused(tmp_path: Path, plan: Plan, name: str, content: bytes) -> None:
    write_public(tmp_path, plan, QUESTIONS["num_sig"])
    (tmp_path / name).write_bytes(content)
    with pytest.raises(IntegrityError, match="is not as Starling writes it"):
        read_public(tmp_path)


def test_a_question_that_the_plan_has_not_is_refused(tmp_path: Path, plan: Plan) -> None:
    write_public(tmp_path, plan, replace(QUESTIONS["snp_pval"], snp="rs99"))
    with pytest.raises(StarlingError, match="rs99 is not in the SNP list"):
        read_public(tmp_path)

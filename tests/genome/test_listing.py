"""SNPs of the list are found by name, chromosome, position and answer, as a plain loop finds them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import starling
from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.inference.scans import scan_rows
from starling.genome.listing import COLUMNS, FindSnps, find_snps
from starling.genome.pictures.answers import Answers
from starling.genome.plan import Scan
from tests.genome.hostile import NAMES, write_hostile
from tests.genome.inference.test_scans import FAR, scanned
from tests.genome.inference.test_scans import PLAN as SCANNED


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GenomeRelease]:
    opened = {}
    for kind, folder in write_hostile(tmp_path_factory.mktemp("hostile")).items():
        release = starling.open_release(folder)
        assert isinstance(release, GenomeRelease)
        opened[kind] = release
    return opened


def told(release: GenomeRelease, **question: Any) -> list[dict[str, Any]]:
    answer: Any = release.tell({"kind": "find_snps", **question})
    assert answer["columns"] == [*COLUMNS]
    return [dict(zip(COLUMNS, row, strict=True)) for row in answer["rows"]]


@pytest.mark.slow
def test_every_released_number_of_a_snp_stands_in_its_row(releases: dict[str, GenomeRelease]) -> None:
    explored = releases["explore"]
    rows = {row["SNP"]: row for row in told(explored)}
    assert [*rows] == [*NAMES]
    assert explored.pictured.p_values
    for each in explored.pictured.p_values:
        row = rows[each.snp]
        assert (row["TEST"], row["P"], row["P_LOW"], row["P_HIGH"]) == (each.test, each.p, each.low, each.high)
        assert row["ANSWER"].endswith("p-value")
    for number, snp in enumerate(explored.pictured.located, 1):
        assert f"located {number}" in rows[snp]["ANSWER"]
    for number, (first, last) in enumerate(explored.pictured.blocks, 1):
        inside = NAMES[NAMES.index(first) : NAMES.index(last) + 1]
        assert [snp for snp in NAMES if f"block {number}" in rows[snp]["ANSWER"].split("; ")] == [*inside]
    (pair,) = releases["snp_corr"].pictured.pairs
    assert {row["SNP"] for row in told(releases["snp_corr"], answered=True)} == {pair.first, pair.second}
    assert told(releases["num_sig"], answered=True) == []


@given(
    name=st.sampled_from(["", "rs", "RS1", "script", "x" * 100, "nothing"]),
    chromosome=st.sampled_from([None, "1", "2"]),
    low=st.integers(0, 9000),
    length=st.none() | st.integers(0, 9000),
    answered=st.booleans(),
    first=st.integers(0, 9),
    most=st.integers(1, 9),
)
def test_they_are_those_that_a_loop_finds(
    releases: dict[str, GenomeRelease],
    name: str,
    chromosome: str | None,
    low: int,
    length: int | None,
    answered: bool,
    first: int,
    most: int,
) -> None:
    release = releases["explore"]
    high = None if length is None else low + length
    wanted = [
        row
        for row in told(release)
        if name.lower() in row["SNP"].lower()
        and chromosome in (None, row["CHR"])
        and low <= row["BP"] <= (10**10 if high is None else high)
        and (row["ANSWER"] or not answered)
    ]
    question: dict[str, Any] = {"name": name, "chromosome": chromosome, "low": low, "high": high, "answered": answered}
    answer: Any = release.tell({"kind": "find_snps", **question, "first": first, "most": most})
    assert answer["rows"] == [[*row.values()] for row in wanted[first : first + most]]
    assert answer["more"] == (len(wanted) > first + most)


@pytest.mark.parametrize(
    "wrong",
    [{"chromosome": "X"}, {"low": 5, "high": 4}, {"name": "x" * 201}, {"most": 1001}, {"first": -1}, {"low": "1"}],
)
def test_what_the_list_cannot_have_is_refused(releases: dict[str, GenomeRelease], wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        told(releases["explore"], **wrong)


def test_a_long_list_is_more_work_than_a_short_one(releases: dict[str, GenomeRelease]) -> None:
    with pytest.raises(ParameterError, match="work"):
        releases["explore"].tell({"kind": "find_snps"}, most=0)


def test_every_snp_of_a_scan_has_its_p_value_and_odds_ratio() -> None:
    rows = scan_rows(SCANNED, Scan(FAR), scanned([3.0, 0.0, -1.0, 1.0, 1.0, 1.0]))
    listed: Any = find_snps(SCANNED, Answers(SCANNED, scan=rows), FindSnps(answered=True, most=2))
    assert listed["rows"][0] == [
        "rs0",
        "1",
        10,
        "A",
        "C",
        "odds ratio 1.35 (1.11 to 1.64)",
        "score",
        0.0027,
        None,
        None,
    ]
    assert [row[0] for row in listed["rows"]] == ["rs0", "rs2"]
    silent: Any = find_snps(SCANNED, Answers(SCANNED, scan=rows), FindSnps(name="rs1"))
    assert silent["rows"] == [["rs1", "1", 500_010, "A", "C", "", None, None, None, None]]

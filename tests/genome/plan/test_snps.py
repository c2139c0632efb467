"""The public SNP list: what is kept, in which order, and which allele is carried."""

from dataclasses import replace
from pathlib import Path

import pytest

from starling.errors import ParameterError, Problem
from starling.genome.plan.sites import Site, Sites
from starling.genome.plan.snps import Snps, chosen, in_plan_order, read_carriers, read_extract

LISTED = [
    Site("2", 50, "d", "A", "C"),
    Site("1", 200, "b", "G", "T"),
    Site("1", 100, "a", "T", "G"),
    Site("1", 200, "c", "C", "A"),
    Site("X", 5, "e", "C", "A"),
]


def choose(
    sites: list[Site],
    extract: frozenset[str] | None = None,
    ranges: list[tuple[str, int, int]] | None = None,
    carriers: dict[str, str] | None = None,
) -> tuple[Snps | None, list[str]]:
    problems: list[Problem] = []
    listed = Sites("x.bim", sites, list(range(1, len(sites) + 1)))
    found = chosen(listed, extract=extract, ranges=ranges, carriers=carriers, problems=problems)
    return found, [str(problem) for problem in problems]


def made(sites: list[Site], **choices: object) -> Snps:
    found, problems = choose(sites, **choices)  # type: ignore[arg-type] # each test gives one of the choices
    assert found is not None, problems
    return found


def test_plan_order_is_chromosome_position_and_then_the_list() -> None:
    snps = made(LISTED)
    assert snps.ids == ("a", "b", "c", "d", "e")
    assert snps.chromosome_ranges == {"1": (0, 3), "2": (3, 4), "X": (4, 5)}
    assert snps.carried == ("T", "G", "C", "A", "C")
    assert snps.other == ("G", "T", "A", "C", "A")


def test_a_list_that_was_written_down_is_checked() -> None:
    snps = made(LISTED)
    assert in_plan_order(snps)
    for wrong in (
        {"chromosomes": ("1", "1", "2", "1", "X")},
        {"chromosomes": ("2", "2", "2", "1", "X")},
        {"chromosomes": ("1", "1", "1", "02", "X")},
        {"positions": snps.positions[[1, 0, 2, 3, 4]]},
        {"ids": ("a", "b", "c", "d", "a")},
        {"carried": snps.other},
        {"carried": (".", *snps.carried[1:])},
    ):
        assert not in_plan_order(replace(snps, **wrong)), wrong


def test_the_carried_allele_can_be_named() -> None:
    snps = made(LISTED[:2], carriers={"d": "C", "b": "G", "unknown": "A"})
    assert (snps.carried, snps.other) == (("G", "C"), ("T", "A"))


def test_snps_are_kept_by_id_and_by_place() -> None:
    assert made(LISTED, extract=frozenset("bd")).ids == ("b", "d")
    assert made(LISTED, ranges=[("1", 100, 150), ("1", 120, 199), ("2", 50, 50)]).ids == ("a", "d")
    assert made(LISTED, ranges=[("1", 1, 300)], extract=frozenset("cd")).ids == ("c",)


def test_snps_without_a_place_are_left_out_as_plink_does() -> None:
    sites = [*LISTED[:1], Site("0", 7, "x", "A", "C"), Site("3", -7, "y", "A", "C"), Site("3", 0, "z", "A", "C")]
    assert made(sites).ids == ("d",)


def test_a_range_of_base_pairs_is_a_range_of_the_list() -> None:
    snps = made(LISTED)
    assert snps.within("1", 101, 200) == (1, 3)
    assert snps.within("1", 100, 100) == (0, 1)
    assert snps.within("1", 300, 400) == (3, 3)
    assert snps.within("7", 1, 10**9) == (0, 0)


@pytest.mark.parametrize(
    ("sites", "choices", "problem"),
    [
        ([LISTED[0], LISTED[0]], {}, "x.bim:2: d is there twice"),
        ([Site("1", 5, ".", "A", "C")], {}, "x.bim:1: id is missing"),
        ([Site("1", 5, "r", "0", "C")], {}, "x.bim:1: r has no carried allele; give a file of carried alleles"),
        (LISTED, {"carriers": {"a": "T"}}, "x.bim:2: b has no carried allele; name it in the file of carried alleles"),
        (LISTED[:1], {"carriers": {"d": "T"}}, "x.bim:1: d does not have the allele that is to be carried"),
        ([Site("1", 5, "r", "A", "A")], {}, "x.bim:1: r has one allele twice"),
        (LISTED, {"extract": frozenset("az")}, "x.bim: z is to be extracted and is not in the list"),
        (LISTED, {"extract": frozenset()}, "x.bim: list keeps no SNP"),
        ([Site("1", 5, "r\x1b", "0", "C")], {}, "x.bim:1: r\\x1b has no carried allele"),
    ],
)
def test_what_is_wrong_is_told(sites: list[Site], choices: dict[str, object], problem: str) -> None:
    found, problems = choose(sites, **choices)  # type: ignore[arg-type] # each case gives some of the choices
    assert found is None
    assert any(one.startswith(problem) for one in problems)


def test_an_unknown_snp_is_refused_with_a_near_one() -> None:
    snps = made([Site("1", 5, "rs4111409", "A", "C"), Site("1", 6, "rs9", "A", "C")])
    assert snps.index("rs9") == 1
    with pytest.raises(ParameterError, match="rs411140 is not in the SNP list of the plan; did you mean rs4111409"):
        snps.index("rs411140")
    with pytest.raises(ParameterError, match="take one of the plan's SNP list"):
        snps.index("x")


def test_the_digest_depends_on_every_column() -> None:
    sites = [
        LISTED[0],
        LISTED[0]._replace(id="z"),
        LISTED[0]._replace(position=51),
        LISTED[0]._replace(chromosome="3"),
        LISTED[0]._replace(first="G"),
        LISTED[0]._replace(second="G"),
    ]
    assert len({made([site]).digest for site in sites}) == len(sites)
    assert made([sites[0]]).digest == made([sites[0]]).digest


def test_lists_of_ids_and_of_alleles(tmp_path: Path) -> None:
    problems: list[Problem] = []
    (tmp_path / "ids").write_text("rs1 rs2\nrs3\n\n")
    assert read_extract(tmp_path / "ids", problems) == {"rs1", "rs2", "rs3"}
    (tmp_path / "alleles").write_text("rs1 A\nrs2 C\nrs1 A\n")
    assert read_carriers(tmp_path / "alleles", problems) == {"rs1": "A", "rs2": "C"}
    assert not problems
    (tmp_path / "alleles").write_text("rs1 A\nrs1 C\nrs2\nrs3 A 0\n")
    read_carriers(tmp_path / "alleles", problems)
    assert [problem.line for problem in problems] == [2, 3, 4]

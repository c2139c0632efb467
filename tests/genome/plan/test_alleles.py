"""A record of several alternate alleles is a SNP for each, by a rule that reads the list alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.plan import Plan
from starling.genome.plan.alleles import MOST_ALTERNATES
from starling.genome.plan.sites import Site
from starling.genome.plan.snps import Snps, in_plan_order
from tests.genome.plan.test_snps import choose, made
from tests.genome.studies import PLAN

SITES = [Site("1", 20, "rs2", "C,T", "G"), Site("1", 10, "rs1", "A", "C"), Site("1", 20, "rs3;rs4", "c,<DEL>,GA", "G")]


def test_each_allele_is_a_snp_in_the_order_of_the_record() -> None:
    snps = made(SITES)
    assert snps.ids == ("rs1", "rs2:C", "rs2:T", "rs3:C;rs4:C", "rs3:<DEL>;rs4:<DEL>", "rs3:GA;rs4:GA")
    assert snps.carried == ("A", "C", "T", "c", "<DEL>", "GA")
    assert snps.other == ("C", "G", "G", "G", "G", "G")
    assert snps.positions.tolist() == [10, 20, 20, 20, 20, 20]
    assert in_plan_order(snps)
    assert snps.split_sites == (5, 2)
    assert made(SITES[1:2]).split_sites == (0, 0)


def test_an_id_extracts_all_alleles_of_a_record_or_one() -> None:
    assert made(SITES, extract=frozenset(["rs2"])).ids == ("rs2:C", "rs2:T")
    assert made(SITES, extract=frozenset(["rs2:T", "rs1"])).ids == ("rs1", "rs2:T")
    assert made(SITES, extract=frozenset(["rs2:T", "rs2"])).ids == ("rs2:C", "rs2:T")
    assert made(SITES, extract=frozenset(["rs2:T"])).split_sites == (0, 0)


def test_a_file_of_carried_alleles_names_the_snps() -> None:
    names = {"rs2:C": "C", "rs2:T": "G"}
    snps = made(SITES[:1], carriers=names)
    assert (snps.carried, snps.other) == (("C", "G"), ("G", "T"))
    assert snps.of_record("rs2", ("G", "C", "T")) == (0, 1)


@pytest.mark.parametrize(
    ("sites", "problem"),
    [
        ([Site("1", 5, "r", "A,.", "G")], "x.bim:1: r has an unknown allele among several; name each"),
        ([Site("1", 5, "r", "A,,C", "G")], "x.bim:1: r has an unknown allele among several"),
        ([Site("1", 5, "r", "A,a", "G")], "x.bim:1: r has one allele twice; give every allele once"),
        ([Site("1", 5, "r", "A,G", "G")], "x.bim:1: r has one allele twice"),
        ([Site("1", 5, ".", "A,C", "G")], "x.bim:1: id is missing"),
        ([SITES[0], SITES[0]], "x.bim:2: rs2 is there twice"),
        ([SITES[0], Site("1", 20, "rs2", "A", "G")], "x.bim:2: rs2 is there twice"),
        ([Site("1", 20, "rs2", "A", "G"), SITES[0]], "x.bim:1: rs2 is there twice"),
        ([SITES[0], Site("1", 20, "rs2:C", "C", "G")], "x.bim:2: rs2:C is there twice"),
        ([Site("1", 5, "r" * 600, f"A,{'C' * 400}", "G")], "x.bim:1: " + "r" * 199),
        (
            [Site("1", 5, "r", ",".join("C" * each for each in range(1, MOST_ALTERNATES + 2)), "G")],
            "x.bim:1: r has more than 254 alternate alleles",
        ),
    ],
)
def test_what_is_wrong_with_a_record_is_told(sites: list[Site], problem: str) -> None:
    found, problems = choose(sites)
    assert found is None
    assert problems[0].startswith(problem)


def test_a_wrong_record_that_is_not_kept_refuses_nothing() -> None:
    sites = [*SITES, Site("1", 30, "r", "A,A", "G")]
    assert made(sites, extract=frozenset(["rs2"])).ids == ("rs2:C", "rs2:T")
    assert made(sites, ranges=[("1", 1, 15)]).ids == ("rs1",)
    assert "r has one allele twice" in choose(sites, extract=frozenset(["r"]))[1][0]


def test_lists_of_two_alleles_are_as_they_were() -> None:
    rows = [
        ("rs1", "1", 10, "A", "C"),
        ("1:20:G:T", "1", 20, "T", "G"),
        ("1:20:G:C", "1", 20, "C", "G"),
        ("rs7;rs8", "X", 5, "A", "AT"),
        ("rs9:C", "2", 9, "c", "T"),
    ]
    assert Plan.snp_list(rows).digest == "f26bdac2e0af94bb66b24d35812f7a4dc8868169df80b88084aaf3fdbbdeaa32"


def test_a_plan_of_a_pvar_is_saved_and_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "public.pvar").write_text("#CHROM\tPOS\tID\tREF\tALT\n1\t20\trs2\tG\tC,T\n2\t5\trs9\tA\tG\n")
    text = PLAN.format(people=9, model="dominant", test="g").replace("public.bim", "public.pvar")
    (tmp_path / "plan.toml").write_text(text)
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.snps.ids == ("rs2:C", "rs2:T", "rs9")
    plan.save(tmp_path / "again.toml")
    assert "1\t20\trs2:T\tG\tT\n" in (tmp_path / "again.pvar").read_text()
    assert Plan.load(tmp_path / "again.toml").digest == plan.digest


NAMES = st.sampled_from(["rs1", "rs1;rs5", "1:7", "1:7:G", "1:7:G:A", "x"])
ALLELES = st.lists(st.sampled_from(["A", "C", "t", "GA", "<DEL>", "*"]), min_size=2, max_size=5, unique=True)


@given(NAMES, ALLELES, st.randoms(use_true_random=False))
def test_records_whole_split_or_in_part_are_the_snps_that_they_have(
    name: str, alleles: list[str], random: object
) -> None:
    """Whatever alleles a record has, and in whichever order, it is the SNPs of those, under any of its ids, and of no other."""
    snps: Snps = made([Site("1", 6, "y", "A", "G"), Site("1", 7, name, ",".join(alleles), "G")])
    assert len(snps) == 1 + len(alleles)
    having = random.sample(alleles, random.randint(1, len(alleles)))  # type: ignore[attr-defined]
    for written in (name, *name.split(";"), f"rs77;{name}"):
        wanted = {1 + alleles.index(allele) for allele in having}
        assert set(snps.of_record(written, ("G", *having))) == wanted
        assert set(snps.of_record(written, (*map(str.swapcase, having), "g"))) == wanted
    assert snps.of_record("rs10", ("G", *having)) == ()
    for at, each in enumerate(snps.ids):
        assert snps.of_record(each, ("G", *having)) == (at,)

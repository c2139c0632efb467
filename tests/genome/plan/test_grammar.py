"""Plan files of a study: what they say, and what is refused with its line."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError, StarlingWarning
from starling.genome.plan import Plan
from tests.genome.studies import a_study, write_bim

FULL = """title = "Small"

[privacy]
unit = "person"
neighbours = "replace-one"

[study]
people = 11
case = "1"
phenotype = "T2D"

[snps]
list = "public.bim"
carriers = "alleles.txt"
extract = "ids.txt"
ranges = "regions.bed"
gene-list = "genes.txt"
genes = ["IL23R"]
around = 1000

[analysis]
model = "recessive"
tests = ["g", "fisher"]
alpha = "0.1"

[[regions]]
name = "start"
chromosome = "chr1"
from = 1
to = 2000
"""


def load(folder: Path, text: str = FULL) -> Plan:
    study = a_study()
    write_bim(study, folder / "public.bim")
    (folder / "alleles.txt").write_text("".join(f"rs{row + 1} {study.alleles[row][1]}\n" for row in range(7)))
    (folder / "ids.txt").write_text("rs1 rs2 rs3 rs5\n")
    (folder / "regions.bed").write_text("1\t0\t1000\n")
    (folder / "genes.txt").write_text("1 3000 3000 IL23R\n2 1 9000 OTHER\n2 100000 200000 BUILD38\n")
    (folder / "plan.toml").write_text(text)
    return Plan.load(folder / "plan.toml")


def test_the_genome_build_is_read_where_it_is_stated(tmp_path: Path) -> None:
    assert load(tmp_path, FULL.replace("people = 11", 'people = 11\nbuild = "GRCh37"')).build == "GRCh37"
    with pytest.raises(PlanError, match=r"study.build is not NCBI36 or .*; write one of NCBI36, GRCh37"):
        load(tmp_path, FULL.replace("people = 11", 'people = 11\nbuild = "hg19"'))


def test_every_key_is_read(tmp_path: Path) -> None:
    plan = load(tmp_path)
    assert (plan.title, plan.people, plan.case, plan.phenotype) == ("Small", 11, "1", "T2D")
    assert plan.build is None
    assert (plan.model, plan.tests, plan.alpha) == ("recessive", ("g", "fisher"), Fraction(1, 10))
    # rs1 by the BED region, rs2 and rs3 within 1,000 base pairs of the gene, rs5 in neither.
    assert plan.snps.ids == ("rs1", "rs2", "rs3")
    assert plan.snps.carried == ("C", "T", "A")
    assert plan.ranges == {"start": (0, 2)}


def test_what_is_optional_has_its_default(tmp_path: Path) -> None:
    short = FULL.split("[[regions]]", maxsplit=1)[0]
    for line in FULL.splitlines():
        if line.split(" ")[0] in (
            "case",
            "phenotype",
            "carriers",
            "extract",
            "ranges",
            "gene-list",
            "genes",
            "around",
            "alpha",
        ):
            short = short.replace(line + "\n", "")
    plan = load(tmp_path, short)
    assert (plan.case, plan.phenotype, plan.alpha) == ("2", None, Fraction(1, 20))
    assert len(plan.snps) == 7
    assert plan.snps.carried[0] == "A"
    assert plan.ranges == {"1": (0, 4), "2": (4, 7)}


@pytest.mark.parametrize(("sites", "calls"), [("public.bim", "public.bed"), ("public.pvar", "public.pgen")])
def test_attack_a29_a_list_that_lies_beside_genotypes_is_warned_of(tmp_path: Path, sites: str, calls: str) -> None:
    """The plan of the tutorial's study had its own .bim as the "public" list."""
    plain = FULL.replace("public.bim", "elsewhere.bim")
    load(tmp_path)
    header = "#CHROM\tPOS\tID\tREF\tALT\n" if sites.endswith("pvar") else ""
    lines = [line.split("\t") for line in (tmp_path / "public.bim").read_text().splitlines()]
    body = [(c, p, i, b, a) if header else (c, i, "0", p, a, b) for c, i, _, p, a, b in lines]
    (tmp_path / sites).write_text(header + "".join("\t".join(fields) + "\n" for fields in body))
    (tmp_path / "elsewhere.bim").symlink_to(sites)
    linked = tmp_path / f"elsewhere{Path(sites).suffix}"
    if not linked.exists():
        linked.symlink_to(sites)
    (tmp_path / calls).touch()
    for name in (sites, linked.name):
        (tmp_path / "plan.toml").write_text(plain.replace("elsewhere.bim", name))
        with pytest.warns(
            StarlingWarning, match=f"plan.toml: snps.list is the .* of {calls}: such a list tells of"
        ) as warned:
            Plan.load(tmp_path / "plan.toml")
        assert [each.filename for each in warned] == [__file__]


BAD = [
    ("title =", "titel =", "plan.toml:1: titel is an unknown key; did you mean title?"),
    ('unit = "person"', 'unit = "point"', "plan.toml:4: privacy.unit is not person"),
    ('"replace-one"', '"add-remove"', "plan.toml:5: privacy.neighbours is not replace-one; write neighbours"),
    ("people = 11", "people = 1", "plan.toml:8: study.people is not an integer from 2 to 16777216"),
    ("people = 11", 'people = "11"', "plan.toml:8: study.people is not an integer"),
    ("people = 11\n", "", "plan.toml:7: study.people is missing"),
    ('case = "1"', "case = 1", "plan.toml:9: study.case is not a text"),
    ('case = "1"', 'case = "is case"', "plan.toml:9: study.case is not a word"),
    ('list = "public.bim"\n', "", "plan.toml:12: snps.list is missing"),
    ("public.bim", "absent.bim", "absent.bim: file cannot be read (No such file or directory)"),
    ("regions.bed", "ids.txt", "ids.txt:1: region does not end after its start"),
    (
        'genes = ["IL23R"]',
        'genes = ["IL23"]',
        "plan.toml:18: snps.genes hold a name that is not in the gene list; did you mean IL23R?",
    ),
    (
        'genes = ["IL23R"]',
        'genes = ["IL23R", "OTHER", "BUILD38"]',
        "plan.toml:18: snps.genes hold BUILD38, which holds no SNP of the list; take a gene list of",
    ),
    ('genes = ["IL23R"]\n', "", "plan.toml:12: snps.genes are missing"),
    ('gene-list = "genes.txt"\n', "", "plan.toml:12: snps.gene-list is missing"),
    ("around = 1000", "around = -1", "plan.toml:19: snps.around is not an integer"),
    ('"recessive"', '"overdominant"', "plan.toml:22: analysis.model is not dominant or recessive"),
    (
        '["g", "fisher"]',
        '["g", "fischer"]',
        "plan.toml:23: analysis.tests hold one that the recessive model has not; did you mean fisher?",
    ),
    ('["g", "fisher"]', "[]", "plan.toml:23: analysis.tests are none"),
    ('alpha = "0.1"', "alpha = 0.1", "plan.toml:24: analysis.alpha is a float"),
    ('alpha = "0.1"', 'alpha = "1"', "plan.toml:24: analysis.alpha is not above 0 and below 1"),
    (
        'alpha = "0.1"',
        'alpha = "0.95"',
        "plan.toml:24: analysis.alpha is not such that alpha / m is from 1e-250 to 0.3",
    ),
    ("from = 1", "from = 0", "plan.toml:29: regions[1].from is not an integer from 1"),
    ("to = 2000", "to = 20\nsize = 4", "plan.toml:31: regions[1].size is an unknown key"),
    ("from = 1", "from = 5000", "plan.toml:30: regions[1].to is before from"),
    ("to = 2000", "to = 20", "plan.toml: region start holds no SNP of the list"),
    ("[analysis]", "[analyses]", "plan.toml: analyses is an unknown key; did you mean analysis?"),
]


@pytest.mark.parametrize(("old", "new", "problem"), BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in FULL
    with pytest.raises(PlanError) as error:
        load(tmp_path, FULL.replace(old, new, 1))
    assert any(str(one).startswith(problem) for one in error.value.problems), str(error.value)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    text = FULL.replace("people = 11", "people = 1").replace('"recessive"', '"odd"').replace("public.bim", "absent.bim")
    with pytest.raises(PlanError) as error:
        load(tmp_path, text)
    assert [problem.field for problem in error.value.problems] == ["study.people", "file", "analysis.model"]

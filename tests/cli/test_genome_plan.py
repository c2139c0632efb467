"""A genome plan in words and for machines: every public choice, and only the questions that it has."""

from dataclasses import replace

from starling.genome.plan import Region
from starling.genome.plan.choices import ONLY_OF_PHENOTYPES, QUESTIONS
from tests.genome.preview.conftest import a_plan


def test_text_has_sizes_threshold_regions_and_questions() -> None:
    text = str(a_plan(2000, 400, tests=("g", "wald")))
    for says in (
        "people     2,000; a case is '2', everybody else a control",
        "SNPs       400 on 1 chromosome, list ",
        "carried    public alleles, such as A of s1",
        "threshold  p at or below 0.000125 = 0.05 / 400",
        "snp-pval   the p-value of a SNP                       g, wald",
        "loc-sig    which are, or are nearest to it            g\n",
        "build      not stated",
        "where it is the commoner one, strong pairs look weak",
    ):
        assert says in text
    assert all(f"\n{name.replace('_', '-')} " in text for name in QUESTIONS if name not in ONLY_OF_PHENOTYPES)


def test_a_plan_without_a_distance_has_fewer_questions() -> None:
    text = str(replace(a_plan(), tests=("wald",)))
    assert "snp-pval" in text
    assert "num-sig" not in text
    assert "explore" not in text


def test_a_text_stays_short_where_regions_are_many() -> None:
    many = tuple(Region(f"gene{number}", "1", number, number) for number in range(1, 36))
    plan = replace(a_plan(), regions=many)
    text = str(plan)
    assert "gene30 " in text
    assert "gene31" not in text
    assert "and 5 more: --json has all of them" in text
    assert len(plan.as_json()["regions"]) == 35  # type: ignore[arg-type] # a list


def test_json_is_exact() -> None:
    found = a_plan(2000, 400).as_json()
    assert found["alpha"] == "1/20"
    assert found["p_threshold"] == {"exact": "1/8000", "float": 0.000125}
    assert found["regions"] == [{"name": "1", "chromosome": "1", "from": 1, "to": 400, "snps": 400}]
    assert found["neighbours"] == "replace one person"

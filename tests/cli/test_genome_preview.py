"""`starling genome preview`: natural for each question, complete for machines, and it cannot name genotypes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.cli.genome import COSTS, OF
from starling.genome.plan.intervals import normal_share
from tests.cli.conftest import Call, document


def test_all_questions_at_a_ladder_of_costs(call: Call, study: Path) -> None:
    shown = call("genome", "preview", study / "plan.toml")
    assert (shown.exit_code, shown.stderr) == (0, "... computing how far each answer may be off\n")
    known = [
        name for name in OF if name not in ("scan", "snp-effects", "explore-effects")
    ]  # of plans that protect phenotypes alone
    for name in known:
        assert f"\n{name}: " in shown.stdout
    assert "150 cases, alleles no rarer than 0.01" in shown.stdout
    found = document(call("genome", "preview", study / "plan.toml", "--json"))
    assert list(found["questions"]) == known
    for seen in found["questions"].values():
        assert [one["query"]["epsilon"] for one in seen] == ["1/5", "1/2", "1", "2", "5"]
    assert "snp" not in found["questions"]["snp-pval"][0]["query"]
    assert COSTS.count(",") == 4


def test_no_option_can_name_genotypes(call: Call, study: Path) -> None:
    refused = call("genome", "preview", study / "plan.toml", "--genotypes", study / "study")
    assert refused.exit_code == 2
    assert "No such option '--genotypes'" in refused.stderr


def test_an_exploration_quarter_by_quarter(call: Call, study: Path) -> None:
    words = ("genome", "preview", study / "plan.toml", "--question", "explore", "--epsilon", "4,1/3")
    shown = call(*words)
    assert shown.exit_code == 0
    for says in (
        "ε = 0.333334",
        "places of 1 SNP ",
        "1/4",
        "The number: ",
        "The places: ",
        "Each block: ",
        "Each p-value: ",
    ):
        assert says in shown.stdout
    (first, second) = document(call(*words, "--k", "3", "--json"))["questions"]["explore"]
    assert (first["k"], first["located"]["query"]["epsilon"], second["block"]["query"]["epsilon"]) == (3, "1", "1/36")


def test_questions_about_correlations_say_whose_they_are(call: Call, study: Path) -> None:
    for name, warned in (("snp-corr", True), ("loc-block", True), ("num-sig", False)):
        result = call("genome", "preview", study / "plan.toml", "--question", name, "--epsilon", "1")
        assert result.exit_code == 0
        assert ("strong pairs look weak" in result.stdout) == warned


def test_the_epsilon_of_a_wanted_error(call: Call, study: Path) -> None:
    words = ("genome", "preview", study / "plan.toml", "--question", "loc-sig", "--k", "1", "--error", "10")
    assert "for an error of  10, 95 times of 100: epsilon " in call(*words).stdout
    cost = document(call(*words, "--json"))["epsilon_for_error"]
    seen = document(call(*words[:5], "--k", "1", "--epsilon", cost, "--json"))["questions"]["loc-sig"]
    assert seen[0]["within"]["patients"][1] == 10


def test_a_page_is_written_once(call: Call, study: Path, tmp_path: Path) -> None:
    words = ("genome", "preview", study / "plan.toml", "--question", "loc-block", "--out", tmp_path / "page")
    result = call(*words)
    assert result.exit_code == 0
    assert "starling: wrote" in result.stderr
    assert '<td class="heat-' in (tmp_path / "page" / "preview.html").read_text()
    assert call(*words).exit_code == 74


def test_what_is_supposed_can_be_said(call: Call, study: Path) -> None:
    words = ("genome", "preview", study / "plan.toml", "--question", "num-sig", "--epsilon", "1", "--json")
    plain, rare = (document(call(*words, *more)) for more in ((), ("--rarest", "0.2", "--cases", "100")))
    assert rare["supposed"] == {"cases": 100, "rarest": "1/5"}
    right = [found["questions"]["num-sig"][0]["truths"][0]["right"] for found in (plain, rare)]
    assert right[0] < right[1]


def test_questions_that_a_plan_has_not_are_left_out_and_said(call: Call, study: Path) -> None:
    plan = study / "wald.toml"
    plan.write_text((study / "plan.toml").read_text().replace('["g"]', '["wald"]'))
    shown = call("genome", "preview", plan)
    assert shown.exit_code == 0
    assert (
        "starling: warning: num-sig is left out: test wald has no distance to significance that is private"
        in shown.stderr
    )
    assert "\nsnp-pval: The p-value of a SNP by the test Wald" in shown.stdout
    assert "\nnum-sig: " not in shown.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--epsilon", "0"], "--epsilon is not above 0"),
        (["--epsilon", "x"], "--epsilon is not a decimal number"),
        (["--epsilon", "1,"], "--epsilon is not a decimal number"),
        (["--question", "num-sig", "--k", "61"], "k is not a whole number from 0 to 60, the number of SNPs"),
        (["--question", "loc-sig", "--regions", "1,X"], "regions X is not in the plan"),
        (["--question", "loc-sig", "--test", "fisher"], "test is not among the plan's tests; take g"),
        (["--question", "loc-block", "--k", "2"], "--k is not of loc-block; leave it out"),
        (["--question", "loc-block", "--delta-c", "0.001"], "delta_c is below 1/n"),
        (["--question", "loc-block", "--delta-c", "a"], "--delta-c is not a decimal number"),
        (["--question", "explore", "--most", "0"], "most is not a whole number"),
        (["--question", "pvalue"], "Invalid value for '--question'"),
        (["--error", "5"], "--error is of one question; add --question NAME"),
        (["--question", "num-sig", "--error", "-5"], "error is below 0"),
        (["--question", "num-sig", "--error", "nan"], "--error is not a decimal number"),
        (["--cases", "300"], "cases are not 1 to 299"),
        (["--rarest", "0.7"], "rarest is not from 0 to 0.5"),
        (["--prevalence-epsilon", "0.1"], "--prevalence-epsilon is of some questions alone; add --question NAME"),
        (["--question", "num-sig", "--median-epsilon", "0.1"], "--median-epsilon is not of num-sig; leave it out"),
        (["--question", "scan", "--median-epsilon", "a"], "--median-epsilon is not a decimal number"),
        (["--question", "num-sig", "--prevalence-epsilon", "0.1"], "prevalence_epsilon is of the score test alone"),
        (["--question", "num-sig", "--prevalence-epsilon", "a"], "--prevalence-epsilon is not a decimal number"),
    ],
)
def test_mistakes_are_told_in_one_sentence(call: Call, study: Path, words: list[str], says: str) -> None:
    refused = call("genome", "preview", study / "plan.toml", *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert says in refused.stderr


def test_a_name_with_a_comma_is_a_region(call: Call, study: Path) -> None:
    region: Any = '[[regions]]\nname = "one, two"\nchromosome = "1"\nfrom = 1\nto = 9000000\n'
    plan = study / "comma.toml"
    plan.write_text((study / "plan.toml").read_text() + "\n" + region)
    words = ("--question", "loc-sig", "--k", "1", "--regions", "one, two")
    assert call("genome", "preview", plan, *words).exit_code == 0


def test_a_paid_threshold_is_previewed(call: Call, study: Path) -> None:
    """Of phenotypes, where few people are cases, less is asked of SNPs; of quantitative ones the page says what it supposes."""
    plan = study / "phenotypes.toml"
    text = (study / "plan.toml").read_text().replace('"person"', '"phenotype"').replace('["g"]', '["score"]')
    plan.write_text(text)
    words = ("genome", "preview", plan, "--epsilon", "1", "--cases", "30", "--question")
    for question in ("num-sig", "loc-sig"):
        plain, paid = (
            document(call(*words, question, "--json", *more)) for more in ((), ("--prevalence-epsilon", "0.1"))
        )
        needed = [each["questions"][question][0]["needed"][2]["significant"] for each in (plain, paid)]
        assert needed[0] > needed[1]
        assert paid["questions"][question][0]["query"]["prevalence_epsilon"] == "1/10"
    plan.write_text(text.replace("people = 300", 'people = 300\nbetween = ["1", "2"]'))
    shown = call(*words, "num-sig", "--prevalence-epsilon", "0.1").stdout
    assert "The threshold follows from the noisy variance. Supposed are 30 people at the upper end" in shown
    plain, paid = (
        document(call(*words, "scan", "--epsilon", "2.4", *more, "--json"))["questions"]["scan"][0]
        for more in ((), ("--median-epsilon", "0.5"))
    )
    shares = [{one["intervals"]: one["share"] for one in each["intervals"] if one["chosen"]} for each in (plain, paid)]
    assert ("median" in plain, paid["median"]) == (False, 30)
    assert shares[1] == {2: pytest.approx(normal_share(Fraction("1.9"), 2))}
    assert shares[0] == {3: pytest.approx(normal_share(Fraction("2.4"), 3))}
    shown = " ".join(call(*words, "scan", "--epsilon", "2.4", "--median-epsilon", "0.5").stdout.split())
    assert (
        "the noisy median, which has at most 30 people fewer on its smaller side than the best step, 95 times" in shown
    )
    refused = call(*words, "scan", "--median-epsilon", "1")
    assert (
        "median_epsilon does not leave 1/1024 of epsilon at least to the median, and to the response" in refused.stderr
    )

"""A scan of a quantitative phenotype by intervals: its numbers are least squares, and kept, exported, filtered and combined as such."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling import genome
from starling.errors import ParameterError, SourceError
from starling.genome.artifact.files import read_drawn
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.inference.answers import ALPHA, SelectionError
from starling.genome.measurements import Scanned
from starling.genome.plan import Scan
from starling.genome.plan.intervals import Intervals, median_value
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from starling.release.payment import PaymentOptions
from tests.genome.studies import a_study, write_bed
from tests.genome.test_combining import opened

PEOPLE, SNPS = 200, 6
FAR = Fraction(200)
"""At it no answer turns, with a chance above 1 - 1e-80."""


def study(folder: Path, seed: int) -> tuple[Any, Path]:
    """Invented, with a trait that the second SNP moves."""
    made = a_study(snps=SNPS, people=PEOPLE, seed=seed)
    random = np.random.default_rng(seed)
    trait = random.normal(30, 5, PEOPLE) + 4 * np.maximum(made.copies[1], 0)
    rows = "".join(f"f{row} p{row} {value:.1f}\n" for row, value in enumerate(trait.tolist()))
    prefix = write_bed(made, folder / f"study{seed}")
    listed = [(snp, *place, *alleles) for snp, place, alleles in zip(made.ids, made.places, made.alleles, strict=True)]
    ids = [line.split()[:2] for line in Path(f"{prefix}.fam").read_text().splitlines()]
    rows = "".join(
        f"{family} {person} {value:.1f}\n" for (family, person), value in zip(ids, trait.tolist(), strict=True)
    )
    (folder / f"trait{seed}.txt").write_text("FID IID bmi\n" + rows)
    plan = genome.plan(listed, people=PEOPLE, unit="phenotype", between=("15", "45"), steps=300)
    return plan, prefix


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hospitals' scans in five intervals."""
    folder = tmp_path_factory.mktemp("quantitative")
    for seed in (1, 2):
        plan, prefix = study(folder, seed)
        out = folder / f"scan{seed}"
        plan.release(prefix, Scan(FAR, intervals=5), out, phenotype=folder / f"trait{seed}.txt").close()
    return folder


def test_effects_are_least_squares_of_the_scores(folder: Path) -> None:
    release = opened(folder / "scan1")
    made, divided = a_study(snps=SNPS, people=PEOPLE, seed=1), Intervals.of(release.plan, 5)
    words = [line.split()[2] for line in (folder / "trait1.txt").read_text().splitlines()[1:]]
    exact = np.searchsorted([float(cut) for cut in divided.cuts], np.clip(np.array(words, dtype=float), 15, 45))
    drawn = read_drawn(folder / "scan1", release.question)
    assert isinstance(drawn, Scanned)
    assert [drawn.ones, *drawn.above] == [int((exact > cut).sum()) for cut in range(4)]
    scores, table = np.array(divided.scores)[exact] * divided.width, release.to_pandas("scan")
    assert "OR" not in table.columns
    for at, copies in enumerate(made.copies.astype(float)):
        known = np.where(copies < 0, copies[copies >= 0].mean(), copies)
        x, r = known - known.mean(), scores - scores.mean()
        sign = 1 if np.isclose(table.A1_FREQ[at], copies[copies >= 0].mean() / 2, atol=1e-5) else -1
        assert table.BETA[at] == pytest.approx(sign * (x @ r) / (x @ x), abs=1e-5)
        assert table.SE[at] == pytest.approx(np.sqrt(x**2 @ r**2) / (x @ x), abs=1e-5)
        assert table.U95[at] - table.L95[at] == pytest.approx(2 * 1.959964 * table.SE[at], abs=1e-5)
    regions = release.to_pandas("regions")
    assert regions.LEAD_BETA.tolist() == [table.BETA[regions.LEAD[0] == table.SNP].item()]
    assert abs(regions.LEAD_BETA_CORRECTED[0]) <= abs(regions.LEAD_BETA[0])


def test_what_is_said_is_of_intervals_and_of_no_odds(folder: Path) -> None:
    release = opened(folder / "scan1")
    assert not starling.verify(folder / "scan1").findings
    for text in ((folder / "scan1" / "report.html").read_text(), str(release.filter(threshold="0.01"))):
        words = " ".join(text.split())
        assert "divided into 5 intervals, at 25.35, 28.65, 31.35, 34.65; BETA is of the interval" in words
        assert "of what exact intervals would tell" in words
        assert "Odds ratios are of first order" not in words
    exports = {name: release.export(folder / name, name)[0].read_text() for name in ("plink-glm", "gwas-ssf")}
    assert exports["plink-glm"].splitlines()[0].split("\t")[9:] == [
        *["BETA", "SE", "L95", "U95", "T_STAT", "P", "ERRCODE"]
    ]
    assert exports["gwas-ssf"].splitlines()[0].split("\t")[4] == "beta"
    assert f"{release.to_pandas('scan').BETA[1]:z.6g}" in exports["gwas-ssf"]


def test_scans_of_one_scale_are_combined_and_others_are_not(folder: Path) -> None:
    one, two = (opened(folder / name) for name in ("scan1", "scan2"))
    table = genome.combine([one, two]).to_pandas()
    assert {"BETA", "L95"} <= {*table.columns}
    assert "OR" not in table.columns
    assert ((table.L95 < table.BETA) & (table.BETA < table.U95)).all()
    plan, prefix = study(folder, 3)
    files: dict[str, Any] = {"phenotype": folder / "trait3.txt"}
    plan.release(prefix, Scan(FAR), folder / "two", **files).close()
    cases = genome.plan(
        [
            *zip(
                plan.snps.ids,
                plan.snps.chromosomes,
                plan.snps.positions.tolist(),
                plan.snps.carried,
                plan.snps.other,
                strict=True,
            )
        ],
        people=PEOPLE,
        unit="phenotype",
    )
    cases.release(prefix, Scan(FAR), folder / "cases").close()
    for name, scale in (("two", "from 15 to 45 in 2 intervals"), ("cases", "a scan of cases and controls")):
        with pytest.raises(
            ParameterError, match=f"{scale}, and scan1 a scan of a phenotype from 15 to 45 in 5 intervals"
        ):
            genome.combine([one, opened(folder / name)])


@pytest.fixture
def payment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PaymentOptions:
    """By a ledger of phenotypes with a cap of 5."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("people", "epsilon", REPLACE_PHENOTYPE, 5)
    ledger.custody.add_dataset("study", "people", {})
    ledger.custody.grant("people", "ann", 5)
    return PaymentOptions(ledger, "study", "ann", unvalidated=True)


def test_a_kept_response_is_scanned_again_in_its_intervals_alone(tmp_path: Path, payment: PaymentOptions) -> None:
    plan, prefix = study(tmp_path, 1)
    files: dict[str, Any] = {"phenotype": tmp_path / "trait1.txt", "payment": payment}
    first = genome.release(plan, Scan(Fraction(4), intervals=5), prefix, tmp_path / "first", **files)
    charge = first._stored_response
    assert charge is not None
    assert f"--response {charge} --intervals 5" in str(first)
    other = replace(plan, model="dominant")
    again = genome.release(other, Scan(Fraction(4), charge, 5), prefix, tmp_path / "again", **files)
    drawn = [read_drawn(each.folder, each.question) for each in (first, again)]
    told = [(each.ones, each.above) for each in drawn if isinstance(each, Scanned)]
    assert told[0] == told[1]
    with pytest.raises(SourceError, match="was drawn of 5 intervals of the phenotype, and 2 are asked for"):
        genome.release(plan, Scan(Fraction(4), charge), prefix, tmp_path / "third", **files)


def test_a_paid_median_is_released_kept_and_used_again(tmp_path: Path, payment: PaymentOptions) -> None:
    """One charge pays for median and response; a further scan has the same of both, and nothing else scans them."""
    plan, prefix = study(tmp_path, 1)
    files: dict[str, Any] = {"phenotype": tmp_path / "trait1.txt", "payment": payment}
    question = Scan(Fraction(4), intervals=5, median_epsilon=Fraction(1))
    first = genome.release(plan, question, prefix, tmp_path / "first", **files)
    charge, ledger = first._stored_response, payment.ledger
    assert charge is not None
    assert isinstance(ledger, Ledger)
    assert f"--epsilon 4 --response {charge} --intervals 5 --median-epsilon 1" in str(first)
    kept = replace(question, response=charge)
    (tmp_path / "trait1.txt").write_text("FID IID bmi\n")
    again = genome.release(replace(plan, model="dominant"), kept, prefix, tmp_path / "again", **files)
    drawn = [read_drawn(each.folder, each.question) for each in (first, again)]
    told = [(each.ones, each.above, each.median) for each in drawn if isinstance(each, Scanned)]
    assert told[0] == told[1]
    assert ledger.reading.account("people").caps[0].spent == 4 * 10**9
    ledger.reading.verify()
    for other in (None, Fraction(2)):
        with pytest.raises(SourceError, match=r"was drawn at median_epsilon 1, and (none|2) is asked for"):
            genome.release(plan, replace(kept, median_epsilon=other), prefix, tmp_path / "third", **files)
    words = " ".join((tmp_path / "again" / "report.html").read_text().split())
    median = told[0][2]
    assert median is not None
    value, people = median * Fraction(1, 10) + Fraction("15.05"), SelectionError(300, Fraction(1)).within(ALPHA)
    assert (
        f"The median of the phenotype is about {float(value):z.6g}: the side with fewer people has at most {people} people"
        in words
    )
    assert not [each for each in starling.verify(tmp_path / "again").findings if "ledger" not in str(each)]
    assert again.as_json()["answer"]["median"] == {"step": median, "value": float(value), "people": people}  # type: ignore[index,call-overload]


def test_a_scan_with_a_median_is_filtered_exported_and_combined_with_its_own_scale(
    folder: Path, tmp_path: Path
) -> None:
    """At an epsilon at which nothing is drawn the median is the exact one, and effects are least squares about it."""
    plan, prefix = study(tmp_path, 1)
    out, question = tmp_path / "scan", Scan(2 * FAR, intervals=3, median_epsilon=FAR)
    plan.release(prefix, question, out, phenotype=tmp_path / "trait1.txt").close()
    release = opened(out)
    words = [line.split()[2] for line in (tmp_path / "trait1.txt").read_text().splitlines()[1:]]
    trait, made = np.clip(np.array(words, dtype=float), 15, 45), a_study(snps=SNPS, people=PEOPLE, seed=1)
    drawn = read_drawn(out, question)
    assert isinstance(drawn, Scanned)
    levels = np.rint((trait - 15) * 10)
    assert min((levels <= drawn.median).sum(), (levels > drawn.median).sum()) == max(
        min((levels <= step).sum(), (levels > step).sum()) for step in range(300)
    )
    divided = Intervals.of(plan, 3, drawn.median)
    exact = np.searchsorted(np.array(divided.edges), levels)
    assert [drawn.ones, *drawn.above] == [int((exact > cut).sum()) for cut in range(2)]
    copies, table = made.copies[1].astype(float), release.to_pandas("scan")
    known = np.where(copies < 0, copies[copies >= 0].mean(), copies)
    x, scores = known - known.mean(), np.array(divided.scores)[exact] * divided.width
    assert abs(table.BETA[1]) == pytest.approx(abs(x @ scores) / (x @ x), abs=1e-5)
    assert drawn.median is not None
    (row,) = release.to_pandas("median").to_dict("records")
    assert row == {"MEDIAN": float(median_value(plan, drawn.median)), "OFF_BY": 0, "EPSILON": str(FAR)}
    cuts = f"at {', '.join(f'{float(cut):z.6g}' for cut in divided.cuts)}"
    assert cuts in str(release.filter(threshold="0.01"))
    assert cuts in release.export(tmp_path / "glm", "plink-glm")[1].read_text()
    assert f"of which {FAR} paid for its median" in (tmp_path / "glm.README.txt").read_text()
    with pytest.raises(ParameterError, match="in 3 intervals about"):
        genome.combine([opened(folder / "scan1"), release])
    for median, problem in (
        (None, "a median that was not asked for"),
        (300, "none of the steps"),
        (-1, "none of the st"),
    ):
        assert problem in str(answer_problem(plan, question, replace(drawn, median=median)))
    assert "a median" in str(answer_problem(plan, replace(question, median_epsilon=None), drawn))

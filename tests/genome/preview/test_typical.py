"""Typical studies are what they are said to be: their p-values, their sums, their odds ratios."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.counts.study import read_tables
from starling.genome.plan import Plan
from starling.genome.plan.distances import signed_distances
from starling.genome.preview import typical
from starling.genome.preview.typical import FREQUENCIES, Assumed, ladders, needed_odds_ratio, pair_tables
from starling.genome.source import open_genotypes
from starling.genome.statistics.association import allele_tables, correlation, log10_p_values, p_values
from tests.genome.preview.conftest import a_plan
from tests.genome.studies import PLAN

MODELS = ["dominant", "recessive", "genotypic", "allelic"]


@pytest.mark.parametrize(("model", "test"), [*((model, "g") for model in MODELS), ("genotypic", "trend")])
def test_snps_without_effect_have_even_p_values(model: str, test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables that distances are taken of: all people in each, cases and controls, and p-values that fill 0 to 1."""
    expected: list[Any] = []

    def spy(plan: Any, tables: Any, test: str, variance: Any) -> Any:
        expected.append(tables)
        return signed_distances(plan, tables, test, variance)

    monkeypatch.setattr(typical, "signed_distances", spy)
    plan = replace(a_plan(20_000, 2000, model), tests=(test,))
    others = Assumed.of(plan, 7000, "0.1").without_effect(test, 2000)
    (tables,) = expected
    assert (tables.sum(axis=1) == 20_000).all()
    assert (tables[:, : tables.shape[1] // 2].sum(axis=1) == 7000).all()
    p = np.sort(p_values(allele_tables(tables) if model == "allelic" else tables, test))
    assert np.abs(p - (np.arange(2000) + 0.5) / 2000).max() < 0.03
    assert log10_p_values(allele_tables(tables) if model == "allelic" else tables, test).min() == pytest.approx(
        -3.6, abs=0.4
    )
    assert (others.count, len(others.distances)) == (2000, 2000)
    assert others.distances.min() == others.smallest(1)


def test_long_lists_are_laid_out_in_groups() -> None:
    """As if each SNP were laid out alone."""
    plan = a_plan(5000, 10)
    few, many = (Assumed.of(plan).without_effect("g", snps) for snps in (4000, 200_000))
    assert (few.count, many.count) == (4000, 200_000)
    assert len(many.distances) < 20_000
    assert many.groups.sum() == 200_000
    # Deep in the list ranks stand for parts of it.
    for part in (0.05, 0.3, 0.9):
        assert many.smallest(round(part * 200_000)) == pytest.approx(few.smallest(round(part * 4000)), abs=2)
    assert many.smallest(1) < few.smallest(1)
    assert Assumed.of(plan).without_effect("g", 0).count == 0


def test_rare_alleles_are_nearer_to_significance(assumed: Assumed) -> None:
    plan = assumed.plan
    nearest = [Assumed.of(plan, rarest=rarest).without_effect("g", 400).smallest(20) for rarest in ("0", "0.01", "0.2")]
    assert nearest == sorted(nearest)
    assert nearest[0] < nearest[2]


def test_distances_are_those_of_a_real_study(shared_data: Path, tmp_path: Path) -> None:
    """Of HAP-SAMPLE's SNPs that are as frequent as supposed, the i-th nearest to significance is about where it is foretold."""
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    (tmp_path / "public.bim").write_bytes(Path(f"{prefix}.bim").read_bytes())
    (tmp_path / "plan.toml").write_text(PLAN.format(people=2000, model="dominant", test="g"))
    plan = Plan.load(tmp_path / "plan.toml")
    tables = read_tables(plan, open_genotypes(prefix, plan), None)
    frequency = 1 - np.sqrt(1 - (tables[:, 0] + tables[:, 2]) / 2000)
    real = np.sort(signed_distances(plan, tables, "g")[frequency > 0.05])
    others = Assumed.of(plan, rarest="0.05").without_effect("g", len(real))
    # Two are causal.
    assert real[1] < 0 < real[2]
    for rank in (3, 10, 100, 1000, 5000):
        assert others.smallest(rank) == pytest.approx(real[rank + 1], rel=0.2)


@pytest.mark.parametrize("model", MODELS)
def test_causal_tables_have_their_odds_ratio(model: str) -> None:
    plan = a_plan(2_000_000, 400, model)
    assumed = Assumed.of(plan, 500_000)
    ratios = np.array([1.0, 2.7])
    for frequency in FREQUENCIES:
        tables = assumed.tables(frequency, ratios)
        assert (tables.sum(axis=1) == 2_000_000).all()
        if model == "allelic":
            a, b, c, d = allele_tables(tables).T
            assert (a * d / (b * c)).tolist() == pytest.approx(ratios.tolist(), rel=0.01)
        assert p_values(tables, "g")[0] > 0.9
        assert p_values(tables, "g")[1] < 1e-6


def test_ladders_climb(assumed: Assumed) -> None:
    for frequency, beyond in ladders(assumed, "g").items():
        first, far = needed_odds_ratio(beyond, 0), needed_odds_ratio(beyond, 30)
        assert first is not None
        assert far is not None
        assert 1 < first < far
        assert needed_odds_ratio(beyond, 2000) is None
        table = assumed.tables(frequency, np.array([first, 1 + (first - 1) * 0.97]))
        assert (signed_distances(assumed.plan, table, "g") <= 0).tolist() == [True, False]


@pytest.mark.parametrize("measure", ["r2", "dprime"])
def test_pairs_have_their_correlation(measure: Any) -> None:
    values = np.array([0.1, 0.5, 0.9])
    tables = pair_tables(1_000_000, 0.3, values, measure)
    assert (tables.sum(axis=1) == 1_000_000).all()
    assert correlation(tables, measure).tolist() == pytest.approx(values.tolist(), abs=1e-4)


def test_what_is_no_study_is_refused() -> None:
    plan = a_plan()
    assert Assumed.of(plan).cases == 1000
    assert Assumed.of(plan).rarest == Fraction(1, 100)
    for cases in (0, 2000, -1):
        with pytest.raises(ParameterError, match="cases are not 1 to 1999"):
            Assumed.of(plan, cases)
    for wrong in (2.5, True, "5"):
        with pytest.raises(ParameterError, match=f"cases is a {type(wrong).__name__}, not an int"):
            Assumed.of(plan, wrong)  # type: ignore[arg-type]
    for rarest in ("-0.1", "0.6", "x"):
        with pytest.raises(ParameterError, match="rarest is not"):
            Assumed.of(plan, rarest=rarest)

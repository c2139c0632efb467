"""Simulated chromosomes have linkage, common SNPs and the effects that were asked for."""

import sys
from pathlib import Path

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.generate import coalescent, generate
from starling.genome.generate.runs import Design
from starling.genome.source.calls import copies


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of 200,000 base pairs and 60 SNPs, to be quick."""
    monkeypatch.setattr(coalescent, "STRETCH", 200_000)
    monkeypatch.setattr(coalescent, "PER_STRETCH", 60)


@pytest.mark.usefixtures("short")
def test_linkage_frequencies_and_effects() -> None:
    design = Design(600, 300, 150, 1, {30: 4.0})
    made = list(coalescent.runs(design, 2))
    assert [len(run.sites) for run in made] == [60, 60, 30]
    numbers = np.concatenate([copies(run.calls, 600) for run in made]).astype(float)
    frequencies = np.concatenate([run.frequencies for run in made])
    assert np.abs(numbers[:, 300:].mean(axis=1) / 2 - frequencies).max() < 1e-12
    assert frequencies.min() > 0.02
    p = frequencies[29]
    expected = 4 * p / (1 + 3 * p)
    # Two standard deviations of 600 alleles are .04; cases are drawn from a pool that is not endless.
    assert abs(numbers[29, :300].mean() / 2 - expected) < 0.08
    correlations = np.corrcoef(numbers) ** 2
    near = np.mean([correlations[row, row + 1] for row in range(59)])
    apart = np.mean(correlations[:60, 60:120])
    assert near > 0.1 > 10 * apart
    sites = [site for run in made for site in run.sites]
    assert sites == sorted(sites)


@pytest.mark.usefixtures("short")
def test_a_stretch_with_few_common_sites_is_made_denser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalescent, "STRETCH", 2000)
    run = next(coalescent.runs(Design(20, 10, 40, 1, {}), 1))
    assert run.calls.shape == (40, 5)


def test_without_msprime_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msprime", None)
    with pytest.raises(ParameterError, match="install 'starling-dp"):
        generate(people=10, snps=5, seed=1, out=tmp_path / "g", linkage="coalescent")
    assert not (tmp_path / "g").exists()

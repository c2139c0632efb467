"""The most significant SNPs of the regions."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from starling.genome.counts.study import count_study
from starling.genome.mechanism.selections import LocSigMechanism
from starling.genome.plan import LocSig, Plan
from starling.genome.plan.distances import signed_distances
from starling.genome.plan.sites import read_sites
from starling.genome.plan.snps import chosen
from starling.genome.source import open_genotypes
from starling.privacy.sampling import selection
from starling.privacy.trust import inspect
from tests.genome.mechanism.distributions import HUGE, TinyStudy
from tests.privacy.sources import Seeded


def test_with_a_huge_epsilon_they_come_in_order(study: TinyStudy, plan: Plan) -> None:
    distances = signed_distances(plan, study.tables(), "g")
    located = LocSigMechanism(plan, LocSig("g", 4, HUGE)).draw(study).snps
    assert located == tuple(f"rs{place}" for place in np.argsort(distances, kind="stable")[:4])
    outside = LocSigMechanism(plan, LocSig("g", 1, HUGE, excluding=(("rs0", "rs3"),))).draw(study).snps
    assert outside == (f"rs{4 + int(np.argmin(distances[4:]))}",)


def test_loc_sig_finds_the_causal_snps_of_hapsample(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Epsilon 1 for both, among all 9,935: 20 of 20 seeds."""
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    snps = chosen(read_sites(prefix.with_suffix(".bim"), []), extract=None, ranges=None, carriers=None, problems=[])
    assert snps is not None
    plan = Plan("HapSample", 2000, snps, "dominant", ("g",))
    exact = inspect(count_study(plan, open_genotypes(prefix, plan))).value
    mechanism = LocSigMechanism(plan, LocSig("g", 2, Fraction(1)))
    for seed in range(20):
        source = Seeded(seed)
        monkeypatch.setattr(selection, "system", lambda source=source: source)
        assert set(mechanism.draw(exact).snps) == {"rs4111409", "rs2324591"}

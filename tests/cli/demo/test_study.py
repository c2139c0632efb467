"""The study of the demo: what is planted, and how near a found SNP lies to it."""

from pathlib import Path

import pytest

from starling import genome
from starling.cli.demo import study
from starling.genome.counts.study import count_study
from starling.genome.plan.distances import signed_distances
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect


@pytest.mark.parametrize(
    ("snp", "said"), [("s1200", "s1200"), ("s1199", "s1200, 1 SNP away"), ("s3900", "s3800, 100 SNPs away")]
)
def test_the_nearest_planted_snp_is_named(snp: str, said: str) -> None:
    assert study._near(snp, {"s1200": 0.1, "s3800": 0.1}) == said


@pytest.mark.slow
def test_the_planted_snps_stand_out(tmp_path: Path) -> None:
    """So that the demo finds them nearly always: each is beyond the threshold by many patients, and far SNPs are not."""
    made = genome.generate(
        people=study.PEOPLE,
        snps=study.SNPS,
        seed=study.SEED,
        out=tmp_path / "study",
        causal=study.CAUSAL,
        linkage="coalescent",
    )
    plan = genome.Plan.load(tmp_path / "study" / "plan.toml")
    distances = signed_distances(
        plan, inspect(count_study(plan, open_genotypes(made.records, plan))).value.tables(), "g"
    )
    planted = [number - 1 for number in study.CAUSAL]
    assert all(distances[planted] < -60)
    far = [place for place in range(study.SNPS) if min(abs(place - one) for one in planted) > 300]
    assert min(distances[far]) > 0

import numpy as np
import pytest

from starling.genome.generate.listed import BLOCK, INHERITED, INHERITED_BITS, ODDS_RATIOS, Listed, calls_of
from starling.genome.plan import Plan
from starling.genome.plan.snps import Snps
from starling.genome.source.calls import copies


def a_list(*chromosomes: int) -> Snps:
    """So many SNPs of each chromosome."""
    return Plan.snp_list(
        (f"c{place}s{at}", str(place), 100 * at, "A", "C")
        for place, many in enumerate(chromosomes, 1)
        for at in range(1, many + 1)
    )


def carried(design: Listed, workers: int = 2) -> np.ndarray:
    """Copies of the carried allele, int8 (m, n)."""
    return np.concatenate([copies(calls, design.people) for calls in calls_of(design, workers)])


def test_blocks_begin_with_chromosomes_and_are_no_longer_than_they_may_be() -> None:
    starts = Listed(a_list(6, 1, 7), 10, 5, 1).starts()
    assert np.flatnonzero(starts).tolist() == [0, 4, 6, 7, 8, 12]
    assert np.diff(np.flatnonzero(starts)).max() <= BLOCK


@pytest.mark.parametrize("snps", [1, 4, 9, 5000])
def test_a_few_first_snps_of_blocks_are_causal(snps: int) -> None:
    design = Listed(a_list(snps), 10, 5, 1)
    causal = design.causal()
    assert len(causal) == min(len(ODDS_RATIOS), int(design.starts().sum()))
    assert set(causal.values()) == set(ODDS_RATIOS[: len(causal)])
    assert design.starts()[list(causal)].all()
    assert list(causal) == sorted(causal)


def test_neighbours_of_a_block_hang_together_and_others_do_not() -> None:
    """Means over 1,000 blocks of correlations whose deviation is 1/sqrt(2,000): off by .01 with a chance below 1e-20; the seed is fixed."""
    design = Listed(a_list(4000), 2000, 1000, 1)
    found = carried(design)
    standard = (found - found.mean(axis=1, keepdims=True)) / found.std(axis=1, keepdims=True)
    blocks = standard.reshape(-1, BLOCK, design.people)
    kept = INHERITED / (1 << INHERITED_BITS)
    for distance in range(1, BLOCK):
        correlation = (blocks[:, 0] * blocks[:, distance]).mean()
        assert correlation == pytest.approx(kept**distance, abs=0.01)
    assert (blocks[:-1, -1] * blocks[1:, 0]).mean() == pytest.approx(0, abs=0.01)


def test_causal_snps_differ_between_cases_and_controls_as_their_odds_ratio_says_and_others_do_not() -> None:
    design = Listed(a_list(400), 20_000, 10_000, 3)
    found, causal = carried(design), design.causal()
    cases, controls = found[:, :10_000].mean(axis=1) / 2, found[:, 10_000:].mean(axis=1) / 2
    ratios = cases / (1 - cases) / (controls / (1 - controls))
    for at, ratio in causal.items():
        assert ratios[at] == pytest.approx(ratio, rel=0.15)
    linked = {at + behind for at in causal for behind in range(BLOCK)}
    others = [at for at in range(400) if at not in linked]
    assert np.abs(np.log(ratios[others])).max() < 0.2
    assert ((found >= 0) & (found <= 2)).all()


def test_any_number_of_workers_gives_the_same_calls_and_another_seed_others() -> None:
    """40,000 people, so that there are several runs."""
    design, other = (Listed(a_list(700), 40_000, 1, seed) for seed in (1, 2))
    one, two, apart = (
        b"".join(map(bytes, calls_of(each, workers))) for each, workers in ((design, 1), (design, 3), (other, 2))
    )
    assert one == two != apart
    assert len(list(calls_of(design, 1))) > 1
    assert len(one) == 700 * 10_000


def test_named_snps_are_causal_wherever_they_lie_and_begin_blocks() -> None:
    """A SNP within a block, its neighbour, and the last one; the SNP before it has no effect, those behind follow."""
    named = {6: 3.0, 7: 1 / 3, 399: 2.0}
    design = Listed(a_list(400), 20_000, 10_000, 3, named=named)
    assert design.causal() == named
    assert np.flatnonzero(design.starts())[:5].tolist() == [0, 4, 6, 7, 8]
    found = carried(design)
    cases, controls = found[:, :10_000].mean(axis=1) / 2, found[:, 10_000:].mean(axis=1) / 2
    ratios = np.log(cases / (1 - cases) / (controls / (1 - controls)))
    assert [ratios[at] for at in named] == pytest.approx([np.log(ratio) for ratio in named.values()], abs=0.15)
    assert np.abs(np.delete(ratios, list(named))).max() < 0.2

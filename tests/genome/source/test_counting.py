"""Tables from packed bytes against a slow twin that goes from person to person, and against the HAP-SAMPLE study."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.source.counting import (
    Allele,
    Carrying,
    carrier_bits,
    carrier_tables,
    code_counts,
    genotype_tables,
    missing_calls,
    status_masks,
)
from starling.genome.statistics.association import allele_tables, g_statistic
from tests.genome.packed import MISSING, encoded

COPIES_OF_A1 = {0: 2, 1: None, 2: 1, 3: 0}


def copies(code: int, allele: Allele) -> int:
    """Of the allele, of one person; a missing call has none."""
    of_a1 = COPIES_OF_A1[code]
    if of_a1 is None:
        return 0
    return of_a1 if allele == "a1" else 2 - of_a1


def slow_genotypes(codes: np.ndarray, is_case: np.ndarray, allele: Allele) -> np.ndarray:
    """2x3 tables, one person after the other."""
    out = np.zeros((len(codes), 2, 3), dtype=np.int64)
    for snp, row in enumerate(codes.tolist()):
        for code, case in zip(row, is_case.tolist(), strict=True):
            out[snp, 0 if case else 1, copies(code, allele)] += 1
    return out.reshape(-1, 6)


@given(st.integers(1, 150), st.integers(1, 4), st.integers(0, 2**32), st.sampled_from(["a1", "a2"]))
def test_kernels_equal_the_slow_twin(people: int, snps: int, seed: int, allele: Allele) -> None:
    numbers = np.random.default_rng(seed)
    codes = numbers.integers(0, 4, (snps, people))
    is_case = numbers.random(people) < 0.5
    bed, among = encoded(codes), status_masks(is_case)
    wanted = slow_genotypes(codes, is_case, allele)
    assert np.array_equal(genotype_tables(bed, among, allele), wanted)
    none, one, two = wanted[:, [0, 3]], wanted[:, [1, 4]], wanted[:, [2, 5]]
    dominant = np.stack([(one + two)[:, 0], none[:, 0], (one + two)[:, 1], none[:, 1]], axis=1)
    recessive = np.stack([two[:, 0], (none + one)[:, 0], two[:, 1], (none + one)[:, 1]], axis=1)
    assert np.array_equal(carrier_tables(bed, among, "dominant", allele), dominant)
    assert np.array_equal(carrier_tables(bed, among, "recessive", allele), recessive)
    alleles = np.stack(
        [(one + 2 * two)[:, 0], (one + 2 * none)[:, 0], (one + 2 * two)[:, 1], (one + 2 * none)[:, 1]], axis=1
    )
    assert np.array_equal(allele_tables(wanted), alleles)
    assert (alleles.sum(axis=1) == 2 * people).all()


@given(
    st.integers(1, 200),
    st.integers(0, 2**32),
    st.sampled_from(["dominant", "recessive"]),
    st.sampled_from(["a1", "a2"]),
)
def test_carrier_bits_equal_the_slow_twin(people: int, seed: int, carrying: Carrying, allele: Allele) -> None:
    codes = np.random.default_rng(seed).integers(0, 4, (3, people))
    bits = carrier_bits(encoded(codes), people, carrying, allele)
    assert bits.shape == (3, -(-people // 64))
    least = 1 if carrying == "dominant" else 2
    wanted = np.array([[copies(code, allele) >= least for code in row] for row in codes.tolist()])
    found = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little").astype(bool)
    assert np.array_equal(found[:, :people], wanted)
    assert not found[:, people:].any()


@pytest.mark.parametrize("people", [1, 3, 4, 5, 63, 64, 65, 200])
def test_missing_calls_of_cases_and_of_controls_are_counted(people: int) -> None:
    numbers = np.random.default_rng(people)
    codes, is_case = numbers.integers(0, 4, (20, people)), numbers.random(people) < 0.4
    bed, expected = encoded(codes), [((codes == MISSING) & who).sum(axis=1) for who in (is_case, ~is_case)]
    for unused in (0, 0xFF << (2 * ((people - 1) % 4 + 1)) & 0xFF):
        # Unused places count for nobody, whatever is in them.
        bed[:, -1] |= np.uint8(unused)
        assert missing_calls(bed, status_masks(is_case)).tolist() == np.stack(expected, axis=1).tolist()


@given(st.integers(1, 150), st.integers(1, 4), st.integers(0, 2**32))
def test_codes_are_counted_and_nobody_beyond_the_last_person(people: int, snps: int, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    codes = numbers.integers(0, 4, (snps, -(-people // 4) * 4))
    counts = [np.bincount(row, minlength=4).tolist() for row in codes[:, :people]]
    assert code_counts(encoded(codes), people).tolist() == counts


def test_missing_calls_carry_nothing() -> None:
    bed, among = encoded(np.full((1, 9), MISSING)), status_masks(np.arange(9) < 4)
    for allele in ("a1", "a2"):
        assert genotype_tables(bed, among, allele).tolist() == [[4, 0, 0, 5, 0, 0]]
        assert not carrier_bits(bed, 9, "dominant", allele).any()


@pytest.fixture(scope="module")
def hapsample(shared_data: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Packed calls, who is a case, and names of SNPs."""
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    status = [line.split()[5] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    names = [line.split()[1] for line in prefix.with_suffix(".bim").read_text().splitlines()]
    content = np.fromfile(prefix.with_suffix(".bed"), dtype=np.uint8)
    return content[3:].reshape(len(names), -1), np.array(status) == "2", names


def test_the_causal_snps_of_a_simulated_study_rank_first(hapsample: tuple[np.ndarray, np.ndarray, list[str]]) -> None:
    bed, is_case, names = hapsample
    found = g_statistic(carrier_tables(bed, status_masks(is_case), "dominant", "a1"))
    order = np.argsort(-found)
    assert [names[index] for index in order[:2]] == ["rs4111409", "rs2324591"]
    assert found[order[:2]].round(1).tolist() == [60.9, 52.9]
    assert int((found >= 20.8).sum()) == 2

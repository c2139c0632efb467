"""Scores of num_sig and loc_sig: what they mean, and sensitivity 1 over all neighbours of all small databases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.genome.distance.significance import distance_to_significance
from starling.genome.scores.locations import loc_sig_scores, num_sig_outputs, num_sig_scores
from starling.genome.statistics.association import Test
from tests.genome.small_tables import all_tables, most_changed


def databases(patients: int, snps: int) -> np.ndarray:
    """All databases of that size, each as the 2x2 tables of its SNPs: int64 (databases, snps, 4).

    A record is one of 2^snps genotypes, as a case or a control; a database is how many patients have each record, so that
    `small_tables.neighbours` are those that differ by one replaced patient.
    """
    records = np.arange(2 ** (snps + 1))
    counts = all_tables(patients, len(records))
    case = records % 2 == 1
    tables = []
    for snp in range(snps):
        carries = (records >> (snp + 1)) % 2 == 1
        cells = [
            counts[:, carries == with_allele][:, case[carries == with_allele] == is_case].sum(axis=1)
            for is_case in (True, False)
            for with_allele in (True, False)
        ]
        tables.append(np.stack(cells, axis=1))
    return np.stack(tables, axis=1)


def signed_distances(patients: int, snps: int, test: Test, p: float) -> np.ndarray:
    """Of every database and SNP."""
    tables = databases(patients, snps)
    return distance_to_significance(tables.reshape(-1, 4), test, p).reshape(-1, snps)


# Fisher's p of 4 patients is never below 1/3.
@pytest.mark.series(2)
@pytest.mark.parametrize(
    ("patients", "snps", "test"), [(6, 2, "g"), (6, 2, "chi2"), (6, 2, "fisher"), (5, 3, "g"), (4, 3, "chi2")]
)
def test_scores_have_sensitivity_one(patients: int, snps: int, test: Test) -> None:
    found = signed_distances(patients, snps, test, 0.3)
    assert most_changed(found, patients, 2 ** (snps + 1)) == 1
    for k in range(snps + 1):
        outputs = num_sig_outputs(k, snps)
        scores = np.array([num_sig_scores(row, outputs) for row in found])
        assert most_changed(scores, patients, 2 ** (snps + 1)) == 1
    assert most_changed(loc_sig_scores(found), patients, 2 ** (snps + 1)) == 1


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=40), st.integers(0, 40))
def test_the_true_output_alone_scores_zero_or_more(distances: list[int], k: int) -> None:
    signed = np.array(distances)
    outputs = num_sig_outputs(min(k, len(distances)), len(distances))
    scores = num_sig_scores(signed, outputs)
    true = int(np.searchsorted(outputs, int((signed <= 0).sum()), side="right")) - 1
    assert scores[true] >= 0
    assert (np.delete(scores, true) <= -1).all()


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7), st.integers(0, 7))
def test_a_score_is_how_far_all_snps_must_move_together(distances: list[int], k: int) -> None:
    """Score -q: the fewest steps, each moving every SNP by at most one, until the output is true."""
    signed = np.array(distances)
    outputs = num_sig_outputs(min(k, len(distances)), len(distances))
    ends = [*outputs[1:], len(distances) + 1]
    for output, end, score in zip(outputs, ends, num_sig_scores(signed, outputs), strict=True):
        reachable = [
            steps for steps in range(12) if (signed <= -steps).sum() < end and (signed <= steps).sum() >= output
        ]
        assert max(0, -score) == reachable[0]


def test_outputs_double_above_k() -> None:
    assert num_sig_outputs(5, 100_000)[:9] == (0, 1, 2, 3, 4, 5, 8, 16, 32)
    assert num_sig_outputs(5, 100_000)[-1] == 65_536
    assert num_sig_outputs(0, 1) == (0, 1)
    assert num_sig_outputs(4, 4) == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(("k", "snps"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_outputs_are_refused(k: int, snps: int) -> None:
    with pytest.raises(ParameterError):
        num_sig_outputs(k, snps)


def test_loc_sig_prefers_the_most_significant() -> None:
    assert loc_sig_scores(np.array([4, -7, 0])).tolist() == [-4, 7, 0]

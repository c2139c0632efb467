"""The inverse of the Haar transform that `privlet` measures."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.measurements import MeasuredCoefficients
from starling.places.mechanism.privlet import haar
from starling.places.postprocess.wavelet import cells
from starling.privacy.distributions.discrete import DiscreteLaplace


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32))
def test_coefficients_without_noise_give_the_counts_back(rows: int, columns: int, seed: int) -> None:
    exact = np.random.default_rng(seed).integers(0, 1000, (rows, columns))
    whole = np.zeros([1 << (side - 1).bit_length() for side in (rows, columns)], dtype=np.int64)
    whole[:rows, :columns] = exact
    coefficients = np.ascontiguousarray(haar(haar(whole).T).T)
    created = cells(MeasuredCoefficients((rows, columns), coefficients, DiscreteLaplace(Fraction(5))))
    assert created.grid() == pytest.approx(exact)
    assert created.counts.sum() == pytest.approx(exact.sum())

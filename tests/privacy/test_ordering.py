"""A stable order within kernels: that of NumPy, of any numbers, with ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.ordering import stable_order


@given(st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False)), max_size=70))
def test_it_is_the_order_of_numpy(keys: list[float]) -> None:
    assert stable_order(np.array(keys)).tolist() == np.argsort(np.array(keys), kind="stable").tolist()

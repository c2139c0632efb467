"""Text columns are coded by their places."""

import numpy as np

from starling.tables.postprocess.rows import coded


def test_names_are_found_by_their_places() -> None:
    result = coded(np.array([1, 0, 1]), ("a", "b"))
    assert result.to_pylist() == ["b", "a", "b"]
    assert len(result.dictionary) == 2

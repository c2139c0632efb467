"""Processes that are measured: what is told of one is its own."""

import sys

import numpy as np
import pytest

from bench.process import run


@pytest.mark.slow
def test_memory_is_that_of_the_process_and_not_of_what_starts_it() -> None:
    """This process holds 300 MB; an interpreter that imports nothing takes a tenth of that, one that takes 100 MB shows them."""
    held = np.ones(37_500_000)
    small = run([sys.executable, "-I", "-S", "-c", "print(5)"])
    large = run([sys.executable, "-I", "-S", "-c", "print(len(bytes(100_000_000).replace(b'\\0', b'1')))"])
    assert (small.output, large.output) == ("5\n", "100000000\n")
    assert 0 < small.peak_gb < 0.06
    assert 0.1 < large.peak_gb < held.nbytes / 1e9
    assert min(small.seconds, small.cpu_seconds) > 0


def test_a_process_that_ends_otherwise_is_told_with_its_words() -> None:
    assert run([sys.executable, "-c", "raise SystemExit(7)"], right=7).output == ""
    with pytest.raises(RuntimeError, match="ended with 1: no luck"):
        run([sys.executable, "-c", "raise SystemExit('no luck')"])
    with pytest.raises(RuntimeError, match="no-such-command did not start"):
        run(["no-such-command"])

"""Genotypes of tests as the kernels take them: bytes of a .bed."""

import numpy as np
import numpy.typing as npt

from starling.genome.source.calls import bytes_a_snp

MISSING = 1
"""The code of a missing call."""


def encoded(codes: npt.NDArray[np.integer]) -> npt.NDArray[np.uint8]:
    """Two-bit codes (snps, people) as the bytes of a .bed; unused places 0, as PLINK writes them."""
    snps, people = codes.shape
    padded = np.zeros((snps, 4 * bytes_a_snp(people)), dtype=np.uint8)
    padded[:, :people] = codes
    four = padded.reshape(snps, -1, 4)
    return np.ascontiguousarray(four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6)

"""The slow twin: generalised least squares with every measurement and every count in one dense system."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def projection(design: Floats, values: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """The best linear unbiased estimate x of values = design x + noise, and its covariance."""
    weighted = design.T / variances
    covariance = np.asarray(np.linalg.inv(weighted @ design), dtype=np.float64)
    return covariance @ (weighted @ values), covariance

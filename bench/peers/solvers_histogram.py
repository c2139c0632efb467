"""OSQP and HiGHS on the relaxed problem of the optimum on histograms: a convex quadratic program of all cells, in real numbers."""

from time import process_time
from typing import Any

import highspy
import numpy as np
import osqp
from scipy import sparse

from bench.group_shapes import problem
from bench.peers.answering import answer


def program(counties: int, sizes: int, groups: int) -> tuple[Any, Any, Any]:
    """The noisy counts of all cells, the matrix of the equations, and their right side."""
    noisy, parents, total = problem(counties, sizes, groups)
    starts = np.cumsum([0, *map(len, noisy)])
    tree = sparse.lil_array((int(starts[-2]), int(starts[-1])))
    for level, rows in enumerate(parents, start=1):
        for row, parent in enumerate(rows):
            tree[int(starts[level - 1] + parent), int(starts[level] + row)] = 1.0
    for region in range(int(starts[-2])):
        tree[region, region] = -1.0
    consistent = sparse.kron(tree.tocsc(), sparse.eye_array(sizes), format="csc")
    faithful = sparse.csc_array((np.ones(sizes), (np.zeros(sizes, int), np.arange(sizes))), (1, consistent.shape[1]))
    right = np.append(np.zeros(consistent.shape[0]), total)
    return np.concatenate(noisy).ravel().astype(float), sparse.vstack([consistent, faithful], format="csc"), right


def by_osqp(noisy: Any, equations: Any, right: Any) -> float:
    """CPU seconds of OSQP at its own tolerances."""
    cells = len(noisy)
    matrix = sparse.csc_matrix(sparse.vstack([equations, sparse.eye_array(cells)]))
    lower, upper = np.append(right, np.zeros(cells)), np.append(right, np.full(cells, np.inf))
    began = process_time()
    solver = osqp.OSQP()
    solver.setup(sparse.csc_matrix(2 * sparse.eye_array(cells)), -2 * noisy, matrix, lower, upper, verbose=False)
    solver.solve()
    return process_time() - began


def by_highs(noisy: Any, equations: Any, right: Any) -> float:
    """CPU seconds of HiGHS."""
    cells = len(noisy)
    model = highspy.HighsModel()
    model.lp_.num_col_, model.lp_.num_row_ = cells, len(right)
    model.lp_.col_cost_ = -2 * noisy
    model.lp_.col_lower_, model.lp_.col_upper_ = np.zeros(cells), np.full(cells, highspy.kHighsInf)
    model.lp_.row_lower_ = model.lp_.row_upper_ = right
    model.lp_.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.lp_.a_matrix_.start_, model.lp_.a_matrix_.index_ = equations.indptr, equations.indices
    model.lp_.a_matrix_.value_ = equations.data
    model.hessian_.dim_, model.hessian_.format_ = cells, highspy.HessianFormat.kTriangular
    model.hessian_.start_, model.hessian_.index_ = np.arange(cells + 1), np.arange(cells)
    model.hessian_.value_ = np.full(cells, 2.0)
    solver = highspy.Highs()
    solver.silent()
    began = process_time()
    solver.passModel(model)
    solver.run()
    took = process_time() - began
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError("HiGHS found no optimum")
    return took


def measure(solver: str, counties: int, sizes: int, groups: int) -> float:
    """CPU seconds of one solver."""
    return {"osqp": by_osqp, "highs": by_highs}[solver](*program(counties, sizes, groups))


if __name__ == "__main__":
    answer(("osqp", "highspy", "scipy", "numpy"), measure)

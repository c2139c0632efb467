"""All tables of up to some columns by ResidualPlanner, whose code its authors publish (github.com/dkifer/ResidualPlanner).

It is no package: RESIDUAL_PLANNER names a folder that has class_resplan.py and cdp2adp.py. Its noise is made of doubles, so that privacy
holds but for their rounding.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from bench.peers.answering import answer

sys.path.insert(0, os.environ["RESIDUAL_PLANNER"])
from class_resplan import ResidualPlanner


def measure(data: str, sizes: dict[str, int], tables: list[list[str]], rho: float, out: str) -> float:
    """Seconds from Parquet to the cells of each table, which are written to `out` in the order of their codes; a record is a person.

    The largest variance of a cell is made least, by cvxpy's default solver. What it prints is left out.
    """
    began = perf_counter()
    names = list(sizes)
    frame = pd.read_parquet(data, columns=names)
    with contextlib.redirect_stdout(io.StringIO()):
        planner = ResidualPlanner(list(sizes.values()))
        asked = [tuple(names.index(column) for column in table) for table in tables]
        for table in asked:
            planner.input_mech(table)
        planner.input_data(frame, names)
        planner.selection(choice="maxvar", pcost=2 * rho)
        planner.measurement()
        planner.reconstruction()
    found = [np.asarray(planner.mech_dict[table].get_noisy_answer(), dtype=float).ravel().tolist() for table in asked]
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


if __name__ == "__main__":
    answer(("cvxpy", "numpy", "scipy", "pandas"), measure)

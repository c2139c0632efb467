"""OpenDP's contingency table of all tables of up to some columns, each measured with an equal part of rho (`Fixed`)."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl
from mbi import CliqueVector, MarkovRandomField
from opendp.extras.mbi import Count, Fixed

from bench.peers.answering import answer

dp.enable_features("contrib")


def measure(data: str, sizes: dict[str, int], tables: list[list[str]], rho: float, out: str) -> float:
    """Seconds from Parquet to the cells of each table, which are written to `out` in the order of their codes; a record is a person.

    OpenDP adds a value for what is none of the public ones to each column, which is left out here. The number of all records is none of its
    queries: it is the sum of the first table.
    """
    began = perf_counter()
    context = dp.Context.compositor(
        data=pl.scan_parquet(data),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=rho),
        split_evenly_over=1,
    )
    asked = [Count(by=tuple(table)) for table in tables if table]
    keys = {column: list(range(size)) for column, size in sizes.items()}
    query = context.query().contingency_table(keys=keys, algorithm=Fixed(queries=asked, estimator=as_measured))
    measured = {tuple(each.clique): each.noisy_measurement for each in query.release().marginals.flatten()}
    found = []
    for columns in tables:
        named = tuple(columns or asked[0].by)
        cells = np.asarray(measured[named], dtype=float).reshape([sizes[column] + 1 for column in named])
        inside = cells[tuple(slice(sizes[column]) for column in named)]
        found.append(inside.ravel().tolist() if columns else [float(inside.sum())])
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


def as_measured(domain: Any, *_: Any, **__: Any) -> MarkovRandomField:
    """In place of an estimator of OpenDP: a model of nothing."""
    nothing = CliqueVector.zeros(domain, [])
    return MarkovRandomField(potentials=nothing, marginals=nothing, total=1.0)


if __name__ == "__main__":
    answer(("opendp", "mbi", "polars"), measure)

from itertools import product

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
domains = {"sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
context = dp.Context.compositor(
    data=pl.scan_csv("visits.csv"),
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
)
keys = pl.LazyFrame(list(product(*domains.values())), schema=list(domains), orient="row")
query = context.query().group_by("sex", "age").agg(dp.len()).with_keys(keys)
query.release().collect().write_csv("counts.csv")

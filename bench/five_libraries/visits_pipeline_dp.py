from itertools import product

import pandas as pd
import pipeline_dp

domains = {"sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
visits = pd.read_csv("visits.csv")
accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=0)
engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
parameters = pipeline_dp.AggregateParams(
    noise_kind=pipeline_dp.NoiseKind.LAPLACE,
    metrics=[pipeline_dp.Metrics.COUNT],
    max_partitions_contributed=1,
    max_contributions_per_partition=1,
)
extractors = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row.Index,
    partition_extractor=lambda row: (row.sex, row.age),
    value_extractor=lambda row: 1,
)
groups = list(product(*domains.values()))
result = engine.aggregate(list(visits.itertuples()), parameters, extractors, public_partitions=groups)
accountant.compute_budgets()
counts = pd.DataFrame([(*group, metrics.count) for group, metrics in result], columns=[*domains, "count"])
counts.to_csv("counts.csv", index=False)

import numpy as np
import pandas as pd
from diffprivlib.tools import histogramdd

domains = {"sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
visits = pd.read_csv("visits.csv")
codes = np.column_stack([pd.Categorical(visits[name], values).codes for name, values in domains.items()])
counts, _ = histogramdd(codes, epsilon=1, bins=(2, 3), range=[(0, 2), (0, 3)])
groups = pd.MultiIndex.from_product(domains.values(), names=domains)
pd.Series(counts.ravel(), groups, name="count").to_csv("counts.csv")

"""Places: location histograms that answer any rectangle (Shaham et al. 2021, "HTF", and what is better)."""

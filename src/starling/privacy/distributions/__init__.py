"""The distributions of noise as values: probabilities, tails, quantiles and sums. Nothing here draws."""

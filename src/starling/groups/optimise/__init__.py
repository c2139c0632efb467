"""Exact optimisers: from noisy counts to consistent ones. Post-processing: pure functions of arrays that draw nothing."""

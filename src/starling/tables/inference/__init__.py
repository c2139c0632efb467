"""What noisy measurements say of the truth: better estimates at the same cost, and exact distributions of their error.

Public in, public out, no randomness, the same on every machine: weights are rationals, sums are of integers or, in a fixed order, of
floats whose every operation IEEE 754 defines.
"""

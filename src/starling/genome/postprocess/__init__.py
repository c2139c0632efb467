"""From noisy answers to what a release tells: public in, public out, deterministic."""

from starling.genome.postprocess.estimates import (
    Answer,
    Correlated,
    Effect,
    Error,
    Estimated,
    Exploration,
    ExplorationError,
    PValue,
    estimate,
)

__all__ = [
    "Answer",
    "Correlated",
    "Effect",
    "Error",
    "Estimated",
    "Exploration",
    "ExplorationError",
    "PValue",
    "estimate",
]

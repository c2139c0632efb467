"""From noisy answers to what a release tells: public in, public out, deterministic."""

from starling.genome.postprocess.told import (
    Answer,
    Correlated,
    Effect,
    Error,
    Exploration,
    ExplorationError,
    PValue,
    Told,
    tell,
)

__all__ = ["Answer", "Correlated", "Effect", "Error", "Exploration", "ExplorationError", "PValue", "Told", "tell"]

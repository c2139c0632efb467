"""Words of the field with their definitions, as pages explain them where they stand."""

from typing import Final

TERMS: Final = {
    "interval": "The range in which the true number lies with the stated probability. It speaks of the noise alone.",
    "margin": "Half of the interval: the number is off by at most so much, with the stated probability.",
    "noise": "A random number that was added on purpose, of a known distribution, so that nobody can be recognised.",
    "privacy loss": "How much more an attacker can learn because one person took part. Smaller is safer; it adds up over releases.",
    "epsilon": "The unit of privacy loss of pure differential privacy. At 0 nothing is learned, and nothing is published.",
    "rho": "The unit of privacy loss of zero-concentrated differential privacy.",
    "budget": "The privacy loss that a population may have in all. What is spent is spent for good.",
    "expected error": "How far a number of this kind is off on average, known before anything is counted.",
    "population": "The people, or other units, whose privacy losses add up.",
    "invented": "Made up by a program. Such records describe nobody.",
}
"""Each definition by its term."""

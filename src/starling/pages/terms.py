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
    "sandbox": "A copy of these pages with made-up records of nobody. Its budget is for play, so that you can try everything.",
    "cap": "The most that may be spent in all: by you, on a dataset, or on a population. A custodian sets it.",
    "grant": "A custodian's word that you may spend, up to a cap.",
    "spent": "What your answers have cost so far. It is spent for good.",
    "approved": "What a custodian allowed for requests of yours, and what is not paid yet.",
    "reserved": "What is kept for the custodian. You cannot spend it.",
    "left": "What you can still spend.",
    "unavailable": "What you cannot spend, since a cap that you share with others has too little left.",
    "retired": "What nobody spends any more, since the data are no longer asked.",
}
"""Each definition by its term."""

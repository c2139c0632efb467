"""The confidential files of a study: opened by their public shape, read as packed calls by total rules, checked for the custodian."""

from starling.genome.source.calls import Calls, Flags
from starling.genome.source.genotypes import Genotypes, open_genotypes, read, study_files
from starling.genome.source.people import People
from starling.genome.source.validation import Validation, validate

__all__ = ["Calls", "Flags", "Genotypes", "People", "Validation", "open_genotypes", "read", "study_files", "validate"]

"""The confidential files of a study: opened by their public shape, read as packed calls by total rules, checked for the custodian."""

from starling.genome.source.calls import Calls
from starling.genome.source.dosages import Dosages
from starling.genome.source.genotypes import Genotypes, open_genotypes, read, read_counted, read_dosages, study_files
from starling.genome.source.validation import validate

__all__ = [
    "Calls",
    "Dosages",
    "Genotypes",
    "open_genotypes",
    "read",
    "read_counted",
    "read_dosages",
    "study_files",
    "validate",
]

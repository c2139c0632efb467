"""The confidential person records of a tables release: opened by their public shape, read by one total rule, checked for the custodian."""

from starling.tables.source.persons import Persons, open_persons
from starling.tables.source.validation import Validation, validate

__all__ = ["Persons", "Validation", "open_persons", "validate"]

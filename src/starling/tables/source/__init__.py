"""The confidential person records of a tables release: opened by their public shape, read by one total rule, checked for the custodian."""

from starling.tables.source.persons import Persons, open_persons
from starling.tables.source.validation import validate

__all__ = ["Persons", "open_persons", "validate"]

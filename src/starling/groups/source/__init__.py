"""Confidential records of groups: their public shape, their rows, and what is wrong with them."""

from starling.groups.source.files import Records, open_records
from starling.groups.source.validation import validate

__all__ = ["Records", "open_records", "validate"]

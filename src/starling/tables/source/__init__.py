"""The confidential person records of a tables release: opened by their public shape, read by one total rule, checked for the custodian."""

from pathlib import Path
from typing import TypeAlias

from starling.engine.held_records import InMemory
from starling.errors import SHOWN, SourceError
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.tables.plan import Geography, Plan
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.source.census_records import Persons, open_persons
from starling.tables.source.declared_records import DeclaredRecords, open_declared
from starling.tables.source.declared_validation import validate_declared
from starling.tables.source.validation import validate as validate_persons

__all__ = ["InMemory", "Opened", "Persons", "open_persons", "open_records", "validate"]

Opened: TypeAlias = Persons | DeclaredRecords
"""Records of a public shape that fits a plan: those of the Census, and custom ones in files or in this process."""


def open_records(data: str | Path | InMemory, plan: Plan) -> Opened:
    """Check the public shape of the records that a plan is about; reads nothing of a record.

    Raises:
        SourceError: they are of another shape.
    """
    if isinstance(plan.records, CustomRecords):
        return open_declared(data, plan.records.read(plan.aggregates, plan.cross))
    if not isinstance(data, str | Path):
        raise SourceError("persons", "are in this session, and those of the Census are a file", "give text or Parquet")
    return open_persons(data, plan)


def validate(plan: Plan, geography: Geography, records: Opened, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian what breaks the rules that a release reads them by.

    Args:
        plan: Public choices.
        geography: The regions of the plan.
        records: The checked records.
        most: How many faults are listed, and how many notes; all are counted.

    Raises:
        SourceError: the records are no longer what was checked.
    """
    if isinstance(records, Persons):
        return validate_persons(plan, geography, records, most=most)
    return validate_declared(records, most=most)

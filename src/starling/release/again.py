"""What verification makes again, whatever the domain, and compares with what a release says: its statement, and its pages."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from starling.errors import Problem, StarlingError
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release import statement
from starling.release.manifest import AGAIN
from starling.release.report.pages import words
from starling.release.statement import Domain

OTHER_VERSION: Final = "the wording of report and registry entry, by another version of Starling"
"""What is left open where another version wrote the pages: it has other words."""


def stated(guarantee: Guarantee, domain: Domain) -> dict[str, Any]:
    """The fields of privacy.json that follow from the public choices in the folder, as they are read from JSON."""
    relation = guarantee.relation
    said = {
        "domain": domain.name,
        "neighbours": {"change": relation.change, "unit": relation.unit, "words": str(relation)},
        "cost": statement.readings(guarantee),
        "composition": statement.composition(guarantee),
        "bounds": domain.bounds,
        "invariants": list(domain.invariants),
        "mechanism": domain.mechanism,
        "adds_to": statement.added_to(domain.adds_to),
    }
    # As JSON says it: a tuple is a list there.
    again: dict[str, Any] = json.loads(json.dumps(said))
    return again


def unlike(field: str) -> Problem:
    """A field of privacy.json is another one than `stated` gives."""
    return Problem(field, "is not what the public plan in the folder gives", AGAIN, statement.FILE)


def pages(
    folder: Path, said: Mapping[str, Any], guarantee: Guarantee, make: Callable[[Receipt], Mapping[str, str]]
) -> list[Problem]:
    """What the pages of a release say otherwise than its plan, released values and the stated charge give.

    Args:
        folder: Of the release.
        said: Its privacy.json.
        guarantee: What its plan gives.
        make: The text of each page by its name, from the receipt; its pictures are left out (`undrawn`).
    """
    expected: Mapping[str, str] = {}
    try:
        receipt = statement.receipt(said["account"], guarantee)
        same = statement.account(receipt) == said["account"]
        if same:
            expected = make(receipt)
    except (KeyError, TypeError, ValueError, AttributeError, StarlingError):
        same = False
    if not same:
        return [Problem("account", "is not as a charge is told", AGAIN, statement.FILE)]
    problem = "is not what the plan, the charge and the released values give"
    return [Problem(name, problem, AGAIN) for name, text in expected.items() if _words(folder / name) != text]


def _words(page: Path) -> str:
    """A page without its pictures; what is no text differs from every page."""
    text = page.read_bytes().decode("utf-8", errors="replace")
    return words(text) if page.suffix == ".html" else text

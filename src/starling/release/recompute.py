"""What verification makes again, whatever the domain, and compares with what a release says: its statement, and its pages."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from starling.errors import Problem, StarlingError
from starling.privacy.accounting.conversion import DELTA
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release import datapackage, registry, statement
from starling.release.manifest import AGAIN, content
from starling.release.report.markup import stray
from starling.release.report.pages import amounts, words
from starling.release.statement import Domain

OTHER_VERSION: Final = "the wording of report, registry entry and data package, by another version of Starling"
"""What is left open where another version wrote them: it has other words."""

_WORDS: Final = {"limits": "", "validation": ""}
"""Of an account, what another version may word otherwise."""


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
        "together": statement.all_losses(guarantee, domain.adds_to),
    }
    # As JSON says it: a tuple is a list there.
    again: dict[str, Any] = json.loads(json.dumps(said))
    return again


def unlike(field: str) -> Problem:
    """A field of privacy.json is another one than `stated` gives."""
    return Problem(field, "is not what the public plan in the folder gives", AGAIN, statement.FILE)


def by_this_version(said: Mapping[str, Any]) -> bool:
    """Whether this version of Starling wrote a release, so that its pages have our words; by what privacy.json says."""
    return said.get("software") == statement.software()


def pages(
    folder: Path,
    said: Mapping[str, Any],
    guarantee: Guarantee,
    make: Callable[[Receipt], Mapping[str, str]],
    together: Guarantee | None = None,
) -> list[Problem]:
    """What the pages of a release say otherwise than its plan, released values and the stated charge give.

    Of a release by another version, which has other words, what is compared is the stated amounts and the protected unit.

    Args:
        folder: Of the release.
        said: Its privacy.json, with an epsilon that was compared with ours.
        guarantee: What its plan gives.
        make: The text of each page by its name, from the receipt; its pictures are left out (`undrawn`).
        together: What its plan gives with all that it adds to; without it, the release stands alone.
    """
    expected: Mapping[str, str] = {}
    ours = by_this_version(said)
    try:
        receipt = statement.receipt(said["account"], guarantee)
        account = statement.account(receipt)
        same = account == said["account"] or (not ours and account | _WORDS == said["account"] | _WORDS)
        if same:
            expected = make(receipt)
    except (KeyError, TypeError, ValueError, AttributeError, StarlingError):
        same = False
    if not same:
        return [Problem("account", "is not as a charge is told", AGAIN, statement.FILE)]
    problems = []
    for name, text in expected.items():
        # What is no text differs from every page.
        found = (folder / name).read_bytes().decode("utf-8", errors="replace")
        page = name.endswith(".html")
        if page and (markup := stray(found)) is not None:
            problems.append(Problem(name, f"holds {markup}, which no report has", AGAIN))
        elif ours and (words(found) if page else found) != text:
            problems.append(Problem(name, "is not what the plan, the charge and the released values give", AGAIN))
        elif not ours and _amounts(name, found) != _amounts(name, _with_epsilons(text, said, guarantee, together)):
            problems.append(Problem(name, "states another privacy loss or unit than privacy.json", AGAIN))
    return problems


def package(
    folder: Path, title: str, sheets: Sequence[datapackage.Sheet], notes: Mapping[str, str], hashes: Mapping[str, str]
) -> list[Problem]:
    """What the data package of a release by this version says otherwise than its plan gives: titles, descriptions, keys.

    `datapackage.check` has found nothing in it, but what differs in the files themselves.

    Args:
        folder: Of the release.
        title: Of the release.
        sheets: Its tables.
        notes: For files that hold no table: what each is.
        hashes: SHA-256 of each of its files.
    """
    files = {name: path for name, path in content(folder).items() if name != datapackage.FILE}
    try:
        ours = _wording(json.loads(datapackage.described(files, hashes, title, sheets, notes)))
    except (OSError, pa.ArrowException):
        # A table that cannot be read is found where it is read.
        return []
    found = _wording(datapackage.read_json(folder / datapackage.FILE))
    if ours == found or {each["path"] for each in ours[1]} != {each["path"] for each in found[1]}:
        return []
    return [Problem(datapackage.FILE, "says other words of the files than the plan gives", AGAIN)]


def _wording(package: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Title and resources of a data package, without sizes, hashes and names of files, which `datapackage.check` compares."""
    measured = ("bytes", "hash")
    return package["title"], [
        {key: value for key, value in each.items() if key not in measured} for each in package["resources"]
    ]


def _amounts(name: str, text: str) -> object:
    """The amounts that a page states; None where it is no such page."""
    if name.endswith(".html"):
        return amounts(text) or None
    try:
        return registry.amounts(text)
    except (ValueError, KeyError, TypeError):
        return None


def _with_epsilons(text: str, said: Mapping[str, Any], guarantee: Guarantee, together: Guarantee | None) -> str:
    """A page of ours with what another version's accountant found; arithmetic.py says how near it must be to ours."""
    told = [(guarantee, said)] if together is None else [(together, said["together"]), (guarantee, said)]
    for each, theirs in told:
        ours, stated, delta = statement.approximate_dp(each), theirs["approximate_dp"], DELTA
        for form in ("epsilon {} at delta {} (by: {})", "ε = {} at δ = {} ({})"):
            text = text.replace(
                form.format(ours.epsilon, delta, ours.by), form.format(stated["epsilon"], delta, stated["by"])
            )
    return text

"""What verification makes again, whatever the domain, and compares with what a release says: its statement, and its pages."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from starling.engine.machine import in_order
from starling.errors import IntegrityError, ParameterError, PlanError, Problem, StarlingError
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release import contents, datapackage, registry, statement
from starling.release.checks import FORMS, PAGES, PRIVACY, Check, Checks, Findings, InvalidRelease
from starling.release.claims import claim, composition
from starling.release.domain import Domain, Publication
from starling.release.manifest import DOWNLOAD_AGAIN, OWN_LEDGER, SIGNATURE, content
from starling.release.report.markup import find_disallowed_markup
from starling.release.report.pages import amounts
from starling.release.statement import Particulars
from starling.release.table_comparison import TableComparison

OTHER_VERSION: Final = "the wording of report, registry entry and data package, by another version of Starling"
"""What is left open where another version wrote them: it has other words."""

_WORDS: Final = {"limits": "", "validation": ""}
"""What another version may word otherwise in an account."""


COMMON: Final = (statement.FILE, registry.FILE, datapackage.FILE, contents.REPORT)
"""Files that every release has, beside its tables, its measurements and its public choices."""
OPTIONAL: Final = (SIGNATURE, OWN_LEDGER)


def check(domain: Domain, folder: Path, claims: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
    """The checks of a release beyond hashes, signature and arithmetic: all is computed again from the public plan and the measurements.

    The files are as they were signed. Post-processing is run again, piece by piece, and must give every published number bit for bit: the
    values of the Parquet files, the bytes of the text.
    """
    checks = domain.checks()
    findings = Findings(checks.holds)
    try:
        publication = domain.reopen(folder)
        guarantee = statement.as_proved(publication.guarantee, claims)
    except IntegrityError as error:
        findings.add(FORMS, *error.problems)
        return findings.checks()
    except (PlanError, ParameterError) as error:
        # A plan refuses what would make its guarantee untrue.
        problems = (Problem(each.field, each.problem, DOWNLOAD_AGAIN, contents.PLAN) for each in error.problems)
        findings.add(PRIVACY, *problems)
        return findings.checks()
    if publication.checks is not None:
        checks = publication.checks
        findings = Findings(checks.holds)
    _statement(publication, guarantee, checks, claims, findings)
    if _files(publication, domain, hashes, findings):
        _numbers(publication, checks, folder, claims, hashes, findings)
    return (*findings.checks(), *_earlier(publication, claims, hashes))


def _statement(
    publication: Publication[Any, Any],
    guarantee: Guarantee,
    checks: Checks,
    claims: Mapping[str, Any],
    findings: Findings,
) -> None:
    """What privacy.json states otherwise than the plan in the folder gives it."""
    expected = stated(guarantee, _particulars(publication, claims), claims)
    mechanism = expected.pop("mechanism")
    differing = [(field, PRIVACY) for field, value in expected.items() if claims.get(field) != value]
    differing += checks.differences(mechanism, claims.get("mechanism"), "mechanism")
    if claims["approximate_dp"]["delta"] != guarantee.delta:
        differing.append(("approximate_dp", PRIVACY))
    for field, name in differing:
        findings.add(name, unlike(field))
    findings.reached(PRIVACY)


def _files(publication: Publication[Any, Any], domain: Domain, hashes: Mapping[str, str], findings: Findings) -> bool:
    """Whether a release has the files of its domain's releases, and only those."""
    texts = {table.text_path(text): text for table in publication.tables for text in table.texts}
    required = {*COMMON, *publication.notes, *publication.earlier, *(sheet.path for sheet in publication.sheets)}
    required |= {table.path for table in publication.tables}
    required |= {path for path, text in texts.items() if text.most_rows is None}
    missing, beyond = sorted(required - hashes.keys()), sorted(hashes.keys() - required - {*OPTIONAL, *texts})
    findings.add(FORMS, *(Problem(name, "is missing from the release", DOWNLOAD_AGAIN) for name in missing))
    findings.add(FORMS, *(Problem(name, f"is no file of a {domain.name} release", DOWNLOAD_AGAIN) for name in beyond))
    return not missing and not beyond


def _numbers(
    publication: Publication[Any, Any],
    checks: Checks,
    folder: Path,
    claims: Mapping[str, Any],
    hashes: Mapping[str, str],
    findings: Findings,
) -> None:
    """Post-process the shipped measurements again, piece by piece, and compare tables and pages."""
    try:
        drawn = publication.read(folder)
        publication.check(drawn)
        computed = publication.contents(folder, drawn)
        published = {table.name: TableComparison(folder, table, hashes, checks) for table in publication.tables}

        def compare(piece: Mapping[str, pa.Table]) -> None:
            for name, rows in piece.items():
                published[name].compare(rows)

        # A thread compares, in order, while the next piece is computed.
        for _ in in_order(compare, computed.pieces(), workers=1):
            continue
        differing = [each for table in published.values() for each in table.finish()]
    except InvalidRelease as invalid:
        findings.add(invalid.failed, *invalid.problems)
        return
    except IntegrityError as error:
        findings.add(FORMS, *error.problems)
        return
    for name, problem in differing:
        findings.add(name, problem)
    # Of a table with more or fewer rows the columns are not known.
    whole = all(table.whole for table in published.values())
    findings.reached(*({*checks.own} if whole else {checks.types} & {*checks.own}), FORMS)
    guarantee = statement.as_proved(publication.guarantee, claims)
    earlier = [each.guarantee for each in _particulars(publication, claims).adds_to]
    joint = statement.joint_as_stated(guarantee, earlier, claims.get("joint")) if earlier else None
    make = partial(contents.pages, publication, sections=computed.sections(), whole=joint)
    findings.add(PAGES, *pages(folder, claims, guarantee, make, joint))
    if by_this_version(claims):
        findings.add(PAGES, *package(folder, *contents.described(publication), hashes))
        findings.reached(PAGES)
    else:
        findings.leave_open(PAGES, OTHER_VERSION)


def _earlier(
    publication: Publication[Any, Any], claims: Mapping[str, Any], hashes: Mapping[str, str]
) -> tuple[Check, ...]:
    """Which releases this one adds to, and whether the earlier measurements are those that the plan, and so its charge, names."""
    earlier = _particulars(publication, claims).adds_to
    if not earlier:
        return ()
    other = [name for name, digest in publication.earlier.items() if hashes.get(name) != digest]
    problem = "is not what the release that the plan adds to published"
    named = "; ".join(f"request {each.request_id} of {each.cost}, manifest {each.manifest}" for each in earlier)
    guarantee = statement.as_proved(publication.guarantee, claims)
    whole = statement.joint_as_stated(guarantee, [each.guarantee for each in earlier], claims.get("joint"))
    together = claim(whole)
    says = f"adds to {named}; each charged on its own, {whole.cost} together with this one: epsilon {together.epsilon}"
    says += f" at delta {together.delta} ({together.by})"
    return (Check("top-up", says, tuple(Problem(name, problem, DOWNLOAD_AGAIN) for name in other)),)


def _particulars(publication: Publication[Any, Any], claims: Mapping[str, Any]) -> Particulars:
    """What a domain says of its release, with the guarantees of what it adds to as privacy.json states them."""
    particulars = publication.particulars
    adds_to = (replace(each, guarantee=statement.as_proved(each.guarantee, claims)) for each in particulars.adds_to)
    return replace(particulars, adds_to=tuple(adds_to))


def stated(guarantee: Guarantee, particulars: Particulars, claims: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of privacy.json that follow from the public choices in the folder; `claims` is what the release states, with its proof and
    its composition with what it adds to.
    """
    earlier = [each.guarantee for each in particulars.adds_to]
    fields = {
        "domain": particulars.name,
        "neighbours": statement.neighbours(guarantee.relation),
        "cost": claim(guarantee).adjacencies(),
        "composition": composition(guarantee),
        "bounds": particulars.bounds,
        "invariants": list(particulars.invariants),
        "mechanism": particulars.mechanism,
        "adds_to": statement.added_to(particulars.adds_to),
        "joint": statement.losses_as_stated(guarantee, earlier, claims.get("joint")),
    }
    # As JSON says it: a tuple is a list there.
    parsed: dict[str, Any] = json.loads(json.dumps(fields))
    return parsed


def unlike(field: str) -> Problem:
    """A field of privacy.json is another one than `stated` gives."""
    return Problem(field, "is not what the public plan in the folder gives", DOWNLOAD_AGAIN, statement.FILE)


def by_this_version(claims: Mapping[str, Any]) -> bool:
    """Whether this version of Starling wrote a release, so that its pages have our words; by what privacy.json says."""
    return claims.get("software") == statement.software()


def pages(
    folder: Path,
    claims: Mapping[str, Any],
    guarantee: Guarantee,
    make: Callable[[Receipt], Mapping[str, str]],
    joint: Guarantee | None = None,
) -> list[Problem]:
    """What the pages of a release say otherwise than its plan, released values and the stated charge give.

    Of a release by another version, which has other words, what is compared is the stated amounts and the protected unit.

    Args:
        folder: The folder of the release.
        claims: Its privacy.json, with an epsilon that was compared with ours.
        guarantee: What its plan gives.
        make: The text of each page by its name, from the receipt.
        joint: What its plan gives with all that it adds to; without it, the release stands alone.
    """
    expected: Mapping[str, str] = {}
    current = by_this_version(claims)
    try:
        receipt = statement.receipt(claims["account"], guarantee)
        account = statement.account(receipt)
        same = account == claims["account"] or (not current and account | _WORDS == claims["account"] | _WORDS)
        if same:
            expected = make(receipt)
    except (KeyError, TypeError, ValueError, AttributeError, StarlingError):
        same = False
    if not same:
        return [Problem("account", "is not as a charge is told", DOWNLOAD_AGAIN, statement.FILE)]
    problems = []
    for name, text in expected.items():
        # What is no text differs from every page.
        written = (folder / name).read_bytes().decode("utf-8", errors="replace")
        if name.endswith(".html") and (markup := find_disallowed_markup(written)) is not None:
            problems.append(Problem(name, f"holds {markup}, which no report has", DOWNLOAD_AGAIN))
        elif current and written != text:
            problems.append(
                Problem(name, "is not what the plan, the charge and the released values give", DOWNLOAD_AGAIN)
            )
        elif not current and _amounts(name, written) != _amounts(name, _with_epsilons(text, claims, guarantee, joint)):
            problems.append(Problem(name, "states another privacy loss or unit than privacy.json", DOWNLOAD_AGAIN))
    return problems


def package(
    folder: Path, title: str, sheets: Sequence[datapackage.Sheet], notes: Mapping[str, str], hashes: Mapping[str, str]
) -> list[Problem]:
    """What the data package of a release by this version says otherwise than its plan gives: titles, descriptions, keys."""
    files = {name: path for name, path in content(folder).items() if name != datapackage.FILE}
    try:
        computed = _wording(json.loads(datapackage.described(files, hashes, title, sheets, notes)))
    except (OSError, pa.ArrowException):
        # A table that cannot be read is written where it is read.
        return []
    other = [Problem(datapackage.FILE, "says other words of the files than the plan gives", DOWNLOAD_AGAIN)]
    try:
        published = _wording(datapackage.read_json(folder / datapackage.FILE))
        missing = {each["path"] for each in computed[1]} != {each["path"] for each in published[1]}
    except (KeyError, TypeError, AttributeError):
        return other
    # Files that are missing are written where they are read.
    return [] if computed == published or missing else other


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


def _with_epsilons(text: str, claims: Mapping[str, Any], guarantee: Guarantee, joint: Guarantee | None) -> str:
    """A page of ours with what another version's accountant computed; arithmetic.py says how near it must be to ours."""
    claimed = [(guarantee, claims)] if joint is None else [(joint, claims["joint"]), (guarantee, claims)]
    for each, fields in claimed:
        computed, stated, delta = claim(each), fields["approximate_dp"], each.delta
        for form in ("epsilon {} at delta {} (by: {})", "ε = {} at δ = {} ({})"):
            text = text.replace(
                form.format(computed.epsilon, delta, computed.by), form.format(stated["epsilon"], delta, stated["by"])
            )
    return text

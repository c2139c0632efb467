"""What can be verified of any release, offline: every hash, the signature, the data package, the arithmetic of the stated cost.

Files are parsed only where all of them are as they were signed or claim to be: whoever changed a byte has not chosen what a parser
reads. What a domain can repeat, and what a ledger says, comes after (starling.verification).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starling.errors import IntegrityError, ParameterError, Problem, StarlingError
from starling.ledger.keys import Pin
from starling.planfile.spelling import shown
from starling.privacy.guarantee import Guarantee
from starling.release import datapackage, statement
from starling.release.arithmetic import Stated, check_cost, earlier_guarantees
from starling.release.codec import text
from starling.release.ledger_check import Charged
from starling.release.manifest import DOWNLOAD_AGAIN, SIGNATURE, Signature, answer, digests, read_signature, walk
from starling.release.statement import FILE, AddsTo

WHERE: Final = "give the folder that a release was made as, or its zip"


@dataclass(slots=True)
class Checked:
    """A release after these checks; signature, privacy.json and the guarantee that it states are None where they cannot be read."""

    findings: list[Problem] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    signature: Signature | None = None
    stated: Stated | None = None
    guarantee: Guarantee | None = None


def check(folder: Path) -> Checked:
    """Check a release folder, which may come from anybody. One key answers for all files; `signed_by` says whether it is the right one."""
    checked = Checked()
    files, problems = walk(folder)
    checked.findings += problems
    checked.hashes = digests(files)
    if not _signed(folder, checked):
        return checked
    checked.findings += datapackage.check(folder, checked.hashes)
    stated = _stated(folder)
    if stated is None:
        checked.findings.append(Problem(FILE, "cannot be read", DOWNLOAD_AGAIN))
        return checked
    checked.stated = stated
    checked.guarantee, problems = check_cost(stated)
    checked.findings += problems
    checked.findings += _account(stated, checked.signature)
    if not checked.findings and checked.guarantee is not None:
        checked.findings += _form(folder, stated, checked.guarantee, adds_to(checked))
    return checked


def _signed(folder: Path, checked: Checked) -> bool:
    """Whether the files are those that the signature lists; whether it holds is among the findings."""
    if SIGNATURE not in checked.hashes and FILE not in checked.hashes:
        problem = f"is no release: it has neither {FILE} nor {SIGNATURE}"
        checked.findings.append(Problem(shown(folder.name) or "folder", problem, WHERE))
        return False
    if SIGNATURE not in checked.hashes:
        checked.findings.append(
            Problem(SIGNATURE, "is missing, so that no custodian answers for this release", DOWNLOAD_AGAIN)
        )
        return False
    try:
        signature = read_signature(folder / SIGNATURE)
    except IntegrityError as error:
        checked.findings += error.problems
        return False
    checked.signature = signature
    present = {name: digest for name, digest in checked.hashes.items() if name != SIGNATURE}
    missing, extra = signature.files.keys() - present.keys(), present.keys() - signature.files.keys()
    changed = {name for name in present.keys() & signature.files.keys() if present[name] != signature.files[name]}
    for names, problem in (
        (missing, "is missing"),
        (extra, "was added after signing"),
        (changed, "was changed after signing"),
    ):
        checked.findings += [Problem(shown(name), problem, DOWNLOAD_AGAIN) for name in sorted(names)]
    if not signature.holds:
        checked.findings.append(
            Problem(SIGNATURE, "is not the key's signature over the files that it lists", DOWNLOAD_AGAIN)
        )
    return not (missing or extra or changed)


def signed_by(checked: Checked, key: Pin | None) -> list[Problem]:
    """What speaks against `key` as the one that signed; nothing where no key was given or no signature can be read."""
    if key is None or checked.signature is None or key.names(checked.signature.key):
        return []
    problem = f"is by the key {checked.signature.key.fingerprint}, not by {key.fingerprint}"
    return [Problem(SIGNATURE, problem, DOWNLOAD_AGAIN)]


def _stated(folder: Path) -> Stated | None:
    try:
        stated = datapackage.read_json(folder / FILE)
    except (OSError, ValueError, RecursionError):
        return None
    return stated if isinstance(stated, dict) and _shows(stated) else None


def _shows(stated: object) -> bool:
    """Whether every text in a statement may be shown: it is told on terminals and pages. SQL texts have several lines."""
    left = [stated]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            left += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            left += each
        elif isinstance(each, str) and not each.replace("\n", "").isprintable():
            return False
    return True


def _form(folder: Path, stated: Stated, guarantee: Guarantee, earlier: tuple[AddsTo, ...]) -> list[Problem]:
    """What privacy.json holds that does not belong there: a key too many, a key twice, another order or other spaces."""
    try:
        repeated = statement.repeated(stated, guarantee, earlier)
    except (KeyError, TypeError, ValueError, AttributeError, StarlingError):
        return [Problem(FILE, "is not a statement of privacy as Starling writes it", DOWNLOAD_AGAIN)]
    differing = sorted(
        key for key in repeated.keys() | stated.keys() if key not in repeated or repeated[key] != stated.get(key)
    )
    if differing:
        problem = "is not as Starling writes it: something is missing, or does not belong there"
        return [Problem(shown(key), problem, DOWNLOAD_AGAIN, FILE) for key in differing]
    if (folder / FILE).read_bytes() != statement.text(repeated).encode():
        return [Problem(FILE, "is not in its one form: a key stands twice, or in another order", DOWNLOAD_AGAIN)]
    return []


def _account(stated: Stated, signature: Signature | None) -> list[Problem]:
    """Whether an account is stated, and whether the key that signed is that of the ledger which paid."""
    account = stated.get("account")
    if not isinstance(account, dict) or not all(isinstance(account.get(name), str) for name in ("name", "request_id")):
        return [Problem("account", "does not say who paid", DOWNLOAD_AGAIN, FILE)]
    ledger = _ledger(stated)
    if signature is None or ledger is None or ledger.get("signer") == signature.key.text:
        return []
    return [
        Problem("account", "names a ledger of another key than the one that signed the release", DOWNLOAD_AGAIN, FILE)
    ]


def adds_to(checked: Checked) -> tuple[AddsTo, ...]:
    """The earlier releases that a release says it adds to; none where that cannot be read, as its domain will find."""
    try:
        entries = (checked.stated or {}).get("adds_to") or []
        return tuple(
            AddsTo(text(each["request_id"]), text(each["ledger"]), text(each["manifest"]), guarantee)
            for each, guarantee in zip(
                entries, earlier_guarantees(checked.stated or {}) if entries else (), strict=True
            )
        )
    except (KeyError, TypeError, ValueError, AttributeError, ParameterError):
        return ()


def _ledger(stated: Stated) -> Mapping[str, Any] | None:
    account = stated.get("account")
    ledger = account.get("ledger") if isinstance(account, dict) else None
    return ledger if isinstance(ledger, dict) else None


def charged(checked: Checked) -> Charged | None:
    """What a release says of its charge; None where it names no place in a ledger."""
    if checked.stated is None or checked.guarantee is None:
        return None
    ledger, account = _ledger(checked.stated), checked.stated.get("account") or {}
    if ledger is None or type(ledger.get("position")) is not int:
        return None
    texts = [*map(account.get, ("name", "request_id")), *map(ledger.get, ("head", "dataset", "population"))]
    if not all(isinstance(each, str) for each in texts):
        return None
    name, request_id, head, dataset, population = texts
    return Charged(
        ledger=name,
        position=ledger["position"],
        head=head,
        request_id=request_id,
        dataset=dataset,
        population=population,
        guarantee=checked.guarantee,
        manifest=answer(checked.hashes),
        signer=None if checked.signature is None else checked.signature.key,
        inside=ledger.get("inside") is True,
        validated=account.get("validated") is True,
    )

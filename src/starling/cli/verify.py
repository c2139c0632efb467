"""`starling verify`: is this release what its publisher signed, and do its numbers and its privacy follow from what it states?"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli.auditing import public_key
from starling.cli.commands import Command, error_body, problem_json
from starling.errors import IntegrityError

if TYPE_CHECKING:
    from starling.verification import Verification


@click.command("verify", cls=Command, example="starling verify starling-demo/tables/release")
@click.argument("bundle", type=click.Path(path_type=Path), metavar="RELEASE")
@click.option(
    "--ledger",
    metavar="URL",
    help="Look the charge up in it: FILE (a ledger, or one that was exported) or postgresql://...  [default: the one in RELEASE]",
)
@click.option(
    "--key", metavar="PUBLIC", help="Who should have signed: 64 hexadecimal digits, or the name of a key that is here."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def verify(bundle: Path, ledger: str | None, key: str | None, as_json: bool) -> None:
    """Verify a release, a folder or its zip: hashes, signature, cost, tables, and the charge. Needs neither the data nor a key.

    Each check is told by its name and whether it holds, every finding in one sentence; any finding gives exit code 5. Without a
    ledger the charge is not checked.
    """
    from starling.verification import verify as check

    found = check(bundle, ledger=ledger, key=None if key is None else public_key(key))
    if found.findings:
        _refuse(found, as_json)
    elif as_json:
        click.echo(json.dumps(_json(bundle, found), indent=2, ensure_ascii=False))
    else:
        click.echo(_text(bundle, found))


def _refuse(found: "Verification", as_json: bool) -> None:
    """All findings, not the first ones alone: what was changed together is seen together."""
    if as_json:
        body = error_body(IntegrityError.exit_code, IntegrityError.__name__, found.findings)
        body |= {"verified": False, "checks": _checks(found)}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        click.echo(_states(found))
    for finding in found.findings:
        click.echo(f"starling: {finding}", err=True)
    sys.exit(IntegrityError.exit_code)


def _json(bundle: Path, found: "Verification") -> dict[str, Any]:
    from starling.release.statement import readings

    return {
        "release": str(bundle),
        "verified": True,
        "signer": None if found.signer is None else {"key": found.signer.text, "fingerprint": found.signer.fingerprint},
        "cost": None if found.guarantee is None else readings(found.guarantee),
        "request_id": found.request_id,
        "ledger": None if found.ledger is None else {"id": found.ledger[0], "position": found.ledger[1]},
        "charge_looked_up": found.compared,
        "checks": _checks(found),
    }


def _checks(found: "Verification") -> list[dict[str, Any]]:
    return [
        {
            "name": check.name,
            "state": check.state,
            "says": check.says,
            "findings": [problem_json(finding) for finding in check.findings],
        }
        for check in found.checks
    ]


def _states(found: "Verification") -> str:
    from starling.cli.text import facts

    return facts(
        [
            (check.name, f"{check.state}: {check.says}" if check.state == "holds" else check.state)
            for check in found.checks
        ]
    )


def _text(bundle: Path, found: "Verification") -> str:
    from starling.cli.text import facts

    pairs = [("verified", f"{bundle}: every file, signature, cost and number")]
    if found.signer is not None:
        pairs.append(("signed by", f"key {found.signer.fingerprint}; compare it with the publisher's"))
    if found.guarantee is not None:
        pairs.append(("promises", f"{found.guarantee.cost} for {found.guarantee.relation}"))
    if found.ledger is not None:
        name, position = found.ledger
        how = "looked up there" if found.compared else "not looked up: give --ledger"
        pairs.append(("charged as", f"event {position} of ledger {name}, {how}"))
    return f"{facts(pairs)}\n\n{_states(found)}"

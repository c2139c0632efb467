"""What custodians sign: each event of theirs in this ledger, and the approval of a raise."""

from collections.abc import Mapping
from typing import Any

from starling.ledger import rules
from starling.ledger.keys import Public


def approval_message(ledger: str, body: Mapping[str, Any]) -> bytes:
    """What a second custodian signs: this raise in this ledger, from the cap in force, so that it serves once."""
    named = {field: body[field] for field in ("population", "scope", "name", "from", "to")}
    return f"starling approve\n{ledger}\n{rules.canonical(named)}".encode()


def custodian_message(ledger: str, kind: str, body: Mapping[str, Any]) -> bytes:
    """What is signed of a custodian event."""
    return f"starling event\n{ledger}\n{kind}\n{rules.canonical(body)}".encode()


def signed_by(key: Public, ledger: str, kind: str, body: Mapping[str, Any]) -> bool:
    """Whether the event's own signature is `key`'s."""
    unsigned = {name: value for name, value in body.items() if name != "signature"}
    return key.holds(custodian_message(ledger, kind, unsigned), str(body.get("signature", "")))

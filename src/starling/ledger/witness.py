"""The signed head of a ledger, kept outside of it: a ledger that is behind its witness was rolled back or restored from a backup.

The witness is written after each commit, without a flush of its own: it may lag behind the ledger after a power cut, which
weakens nothing but the last moment, and it is never ahead of it.
"""

import fcntl
import json
from pathlib import Path

from starling.errors import IntegrityError
from starling.ledger.chain import Head
from starling.ledger.keys import Key, Public, folder


def message(ledger: str, head: Head) -> bytes:
    """What is signed of a head."""
    return f"starling head\n{ledger}\n{head.seq}\n{head.hash}".encode()


class Witness:
    """The highest head of one ledger that this machine has seen.

    Args:
        ledger: The ledger's id.
        path: Its file; by default below the folder of keys, away from the ledger's own file.
    """

    def __init__(self, ledger: str, path: Path | None = None) -> None:
        self._ledger = ledger
        self._path = path or folder() / "heads" / f"{ledger}.json"

    def read(self, signer: Public) -> Head | None:
        """The witnessed head, or None where there is none yet; raises IntegrityError when it was tampered with."""
        try:
            text = self._path.read_text()
        except FileNotFoundError:
            return None
        try:
            data = json.loads(text)
            head, signature = Head(int(data["seq"]), str(data["hash"])), str(data["signature"])
        except (ValueError, KeyError, TypeError):
            head, signature = Head(0, ""), ""
        if not signer.holds(message(self._ledger, head), signature):
            raise IntegrityError(
                field="witness",
                problem="is not signed by the ledger's key",
                fix="find out who changed the witnessed head",
            )
        return head

    def advance(self, head: Head, key: Key) -> None:
        """Remember `head`, if it is further than what is remembered."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            known = self.read(key.public)
            if known is not None and known.seq >= head.seq:
                return
            body = {"seq": head.seq, "hash": head.hash, "signature": key.sign(message(self._ledger, head))}
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(body))
            fresh.replace(self._path)

"""The manifest of a release folder: the SHA-256 of every file."""

import hashlib
import json
from pathlib import Path
from typing import Final

NOT_LISTED: Final = frozenset({"ledger.sqlite"})
"""Files of a folder that its manifest leaves out: the release's own ledger, which goes on when the manifest is its answer."""


def manifest(folder: Path) -> str:
    """Canonical JSON: path below `folder` -> SHA-256, sorted."""
    found = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in NOT_LISTED
    }
    return json.dumps(found, sort_keys=True, separators=(",", ":"))

"""Files that a custodian has looked at, named so that the ledger tells nothing of them.

`validate` shows a custodian what only records tell. That they looked at these very files is kept in the ledger, as a token: a keyed
hash of where each file lies, its size and the times of its last change. Without the custodian's key nobody can guess a file and try it.

Two times are taken: that of the content, which anybody may set back, and that of the file's entry, which the system alone sets.
"""

import hmac
from collections.abc import Iterable
from pathlib import Path

from starling.errors import SourceError
from starling.ledger.keys import Key
from starling.ledger.rules import canonical


def accepted_files(key: Key, paths: Iterable[Path]) -> str:
    """The token of these files, in whichever order: HMAC-SHA256 over absolute path, size and times of change of each.

    Args:
        key: The custodian's, from which the key of the hash is derived.
        paths: The files; of a folder, all files below it.

    Raises:
        SourceError: one of them is not there.
    """
    found = canonical({"files": files_now(paths)})
    return hmac.digest(key.derived("accepted files"), found.encode(), "sha256").hex()


def files_now(paths: Iterable[Path]) -> list[tuple[str, int, int, int]]:
    """Absolute path, size, time of change of the content and of the entry of each file, ascending; of a folder, of all files below it.

    Raises:
        SourceError: one of them is not there.
    """
    return sorted({file for path in paths for file in _files(path)})


def _files(path: Path) -> list[tuple[str, int, int, int]]:
    try:
        files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
        found = [(str(each.resolve(strict=True)), each.stat()) for each in files]
        return [(name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) for name, stat in found]
    except OSError:
        raise SourceError(field=path.name, problem="is not there", fix="name a file that you may read") from None

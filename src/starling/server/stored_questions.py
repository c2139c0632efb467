"""Questions that were asked of a dataset, as JSON: the ledger has the hash of each request alone, and a worker needs the question itself.

A question is kept before anything is charged for it. A reader makes the request of it again and compares its hash with the
ledger's, so that nothing here has to be believed.
"""

import json
import os
from pathlib import Path
from typing import Any

from starling.errors import IntegrityError, ParameterError
from starling.ledger.rules import Request
from starling.planfile.foreign import content
from starling.server.bodies import MOST_BYTES
from starling.server.files import write_new


class Questions:
    """The questions of a home: a file for each in a folder, named by the hash of its request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, request: Request, question: Any) -> None:
        """Keep a question, durably; raises OutputError where it cannot be written."""
        path = self._path(request.hash)
        if not path.exists():
            try:
                write_new(path, json.dumps(question))
            except ParameterError:
                # Another request asked the same at the same time.
                return
            owner = self._folder.stat()
            if owner.st_uid != os.geteuid():
                # Root's, which approves: the web process has an account of its own (accounts.py).
                os.chown(path, owner.st_uid, owner.st_gid)

    def question_of(self, request: Request) -> Any:
        """The question of a request; None where it is a release of a plan that says all. Raises IntegrityError as `find`."""
        return self.charged(request.hash)

    def charged(self, request_hash: str) -> Any:
        """As `question_of`, of a request whose hash is known."""
        return self.find(request_hash) if self._path(request_hash).exists() else None

    def find(self, request_hash: str) -> Any:
        """The question of a request; raises IntegrityError where it is not there, or is no JSON."""
        try:
            return json.loads(content(self._path(request_hash), 2 * MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            fix = "restore the questions folder of the home from its backup"
            raise IntegrityError("question", "is not there as it was asked", fix) from None

    def _path(self, request_hash: str) -> Path:
        return self._folder / f"{request_hash}.json"

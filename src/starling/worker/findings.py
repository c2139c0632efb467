"""What `validate` found in registered records, kept for their custodian: the worker looks as soon as files are there or were changed.

NOT PRIVATE. It lies in the worker's folder; no route of the API leads to it, and the custodian reads it on the command line of the home.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from starling.errors import SHOWN, IntegrityError, ParameterError, PolicyRefused
from starling.ledger.keys import Key
from starling.ledger.opening import Ledger
from starling.planfile.foreign import content
from starling.release.domain import Delivery
from starling.release.records import accept, accepted_files
from starling.server.files import write
from starling.server.home import Home

MOST_BYTES: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in the records of a dataset.

    Attributes:
        files: The token of the files, as they were when they were read (`accepted_files`, by the server's key).
        read: What was read, as a phrase.
        notes: The first notes: what is allowed and probably not meant.
    """

    files: str
    read: str
    total: int
    problems: Sequence[str]
    notes: Sequence[str]


class Inspections:
    """The findings of a home."""

    def __init__(self, home: Home) -> None:
        self._folder = home.folder / "worker" / "findings"
        self._key: Key = home.key

    def token(self, delivery: Delivery) -> str:
        """Which files a delivery is, as they are now; raises SourceError where one is not there."""
        return accepted_files(self._key, delivery.source.files())

    def inspect(self, name: str, delivery: Delivery) -> Findings:
        """Read the records of a dataset, unless these very files were read before; raises SourceError."""
        token = self.token(delivery)
        known = self._stored(name)
        if known is not None and known.files == token:
            return known
        validated = delivery.validate(SHOWN)
        problems = [*validated.problems.decisive, *validated.problems.listed]
        findings = Findings(
            token,
            validated.read,
            validated.problems.total,
            [str(each) for each in problems],
            list(map(str, validated.notes.listed)),
        )
        self._folder.mkdir(mode=0o700, exist_ok=True)
        write(self._folder / f"{name}.json", json.dumps(asdict(findings), indent=1))
        return findings

    def find(self, name: str, delivery: Delivery) -> Findings:
        """What was found in these files, as they are now.

        Raises:
            ParameterError: the worker has not looked at them yet.
            PolicyRefused: they were changed since it did.
        """
        findings = self._stored(name)
        if findings is None:
            raise ParameterError(
                "findings", "are not there yet", "start the worker: starling serve, or starling worker"
            )
        if findings.files != self.token(delivery):
            raise PolicyRefused("findings", "are of files that were changed since", "wait until the worker has looked")
        return findings

    def accept(self, ledger: Ledger, name: str, delivery: Delivery, findings: Findings) -> None:
        """Keep in the ledger that the custodian accepted these findings' files; raises PolicyRefused where they were changed since."""
        accept(ledger, name, self._key, [*delivery.source.files()], findings.files)

    def check_accepted(self, ledger: Ledger, name: str, delivery: Delivery) -> None:
        """Raises PolicyRefused unless these files, as they are now, were accepted."""
        if ledger.reading.accepted(name, self.token(delivery)) is None:
            fix = "look at them: starling server findings; accept them: starling server accept, with --again if their bytes are the same"
            raise PolicyRefused("records", f"were not accepted as those of {name}, or were changed since", fix)

    def _stored(self, name: str) -> Findings | None:
        path = self._folder / f"{name}.json"
        if not path.exists():
            return None
        try:
            values: Any = json.loads(content(path, MOST_BYTES))
            return Findings(**values)
        except (OSError, ValueError, TypeError, RecursionError):
            raise IntegrityError("findings", "are not written as Starling does", f"remove {path.name}") from None

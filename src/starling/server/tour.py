"""The tour of a demo's home: the datasets that it leads through, and an address that signs its user in, once.

tour.json   the names of the datasets, in order, of invented records
tour.begin  the user and the SHA-256 of the address' secret; removed when it is used
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Final

from starling.privacy.sampling.entropy import fresh_bytes

FILE: Final = "tour.json"
BEGIN: Final = "tour.begin"


@dataclass(frozen=True, slots=True)
class Tour:
    """A tour: the first dataset is asked twice, the second costs all that is left, and the third does not fit any more.

    Attributes:
        first: Its first dataset.
        second: Its second one, about the same people.
        third: Its third one, likewise.
    """

    first: str
    second: str
    third: str

    @property
    def datasets(self) -> tuple[str, str, str]:
        """The names of its datasets, in order."""
        return self.first, self.second, self.third


def write_tour(folder: Path, tour: Tour, user: str) -> str:
    """Write a tour into a home; the secret of the address that signs the user in, once."""
    secret = fresh_bytes(16).hex()
    (folder / FILE).write_text(json.dumps(tour.datasets), encoding="utf-8")
    begin = folder / BEGIN
    begin.touch(mode=0o600)
    begin.write_text(f"{user} {sha256(secret.encode()).hexdigest()}", encoding="utf-8")
    return secret


def read_tour(folder: Path) -> Tour | None:
    """The tour of a home; None where it has none."""
    file = folder / FILE
    return Tour(*json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def begin_tour(folder: Path, secret: str) -> str | None:
    """The user whom this secret signs in; None where it is another one, or was used already."""
    begin = folder / BEGIN
    try:
        user, digest = begin.read_text(encoding="utf-8").split()
        if not compare_digest(digest, sha256(secret.encode()).hexdigest()):
            return None
        # Of two at once, one removes it.
        begin.unlink()
    except FileNotFoundError:
        return None
    return user

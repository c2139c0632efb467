"""All that a forger, or a publisher of bad faith, would do to a finished release."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starling.ledger.keys import Key
from starling.release import datapackage
from starling.release.manifest import SIGNATURE, Signature, content, digest, digests, files_of, read_signature, sign

KEY = Key(bytes(range(32)))
OTHER = Key(bytes(range(1, 33)))


@dataclass(frozen=True)
class Forged:
    """A release folder that may be tampered with."""

    folder: Path

    def resign(self, key: Key = KEY) -> None:
        """Describe and sign whatever the folder holds now, as its publisher could."""
        (self.folder / SIGNATURE).unlink(missing_ok=True)
        self.describe()
        sign(self.folder, key)

    def rehash(self) -> None:
        """Describe and list what the folder holds now, under the old signature, as anybody could."""
        self.describe()
        old = read_signature(self.folder / SIGNATURE)
        files = {name: hashed for name, hashed in digests(files_of(self.folder)).items() if name != SIGNATURE}
        (self.folder / SIGNATURE).write_text(Signature(files, old.key, old.signature).text())

    def describe(self) -> None:
        """Hashes and sizes of the data package, as the files are now."""
        path = self.folder / datapackage.FILE
        package = json.loads(path.read_text())
        files = content(self.folder)
        package["resources"] = [each for each in package["resources"] if each["path"] in files]
        for resource in package["resources"]:
            file = files[resource["path"]]
            resource |= {"bytes": file.stat().st_size, "hash": f"sha256:{digest(file)}"}
        path.write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n")

    def edit(self, name: str, change: Callable[[Any], None]) -> None:
        """Change a JSON file in place."""
        path = self.folder / name
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data, indent=2 if name == "privacy.json" else 1, ensure_ascii=False) + "\n")

"""Releases of every domain whose fields are changed one by one, and what nobody notices of them: as docs/reference/verify.md says it."""

import shutil
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from starling.cli import main
from starling.ledger import keys
from starling.ledger.keys import Key
from starling.release.manifest import sign
from starling.verification import verify
from tests.groups.worlds import write_world as write_groups
from tests.places.plans import SLICED
from tests.places.plans import write_world as write_places
from tests.release.changing import Change
from tests.release.forging import Forged
from tests.worker.studies import write_study

DOMAINS: Final = ("tables", "genome", "groups", "places")
NOT_CHECKED: Final = {
    "ledger.sqlite": "rows of a ledger inside the release, but its events",
    "plan/plan.json: .expected changed": "the publicly expected number of points",
    "measurements/": "a measurement without which every number is the same",
    "data/measurements/": "a measurement without which every number is the same",
    "plan/plan.json: .levels[].targets": "the margins that a budget was chosen for, if it keeps the changed ones",
    "plan/plan.json: .definitions": "which codes a group of the Census counts",
    "plan/regions.json": "the name of a region without a row",
    "report.html: svg": "What the pictures of `report.html` show",
}
"""What may be changed unseen, by how its name begins, in the words of docs/reference/verify.md; without the ledger that was charged."""


def make(domain: str, folder: Path) -> Path:
    """A small release of a domain in a folder, signed by the key in STARLING_HOME."""
    folder.mkdir()
    out = folder / "release"
    words: list[Any]
    if domain == "tables":
        _run(["tables", "generate", "demo", "--persons", 300, "--out", folder / "invented"])
        files = ["--persons", folder / "invented/person-records.txt", "--geography", folder / "invented/GRF-C.txt"]
        words = ["tables", "release", "demo", *files]
    elif domain == "genome":
        study = write_study(folder)
        words = ["genome", "num-sig", study.plan, "--genotypes", study.files["genotypes"], "--epsilon", 1]
    elif domain == "groups":
        words = ["groups", "release", folder / "plan.toml", "--records", write_groups(folder)]
    else:
        words = ["places", "release", folder / "plan.toml", "--records", write_places(folder, SLICED, {"expected": 5})]
    _run([*words, "--out", out, "--unvalidated", "--yes"])
    return out


def _run(words: list[Any]) -> None:
    done = CliRunner().invoke(main, [str(each) for each in words])
    assert done.exit_code == 0, done.output


class Holder:
    """Whoever holds the key: changes one field, and signs all of it again.

    Args:
        release: The release, which stays as it is.
        copy: A folder for its copy.
    """

    def __init__(self, release: Path, copy: Path) -> None:
        self._key: Key = keys.load()
        self.folder = Path(shutil.copytree(release, copy))
        self._kept = {name: (copy / name).read_bytes() for name in ("datapackage.json", "SIGNATURE")}
        self.left_open = set(verify(copy).left_open)

    def is_noticed(self, change: Change) -> bool:
        """Whether `verify` finds anything, or says of anything more that it was not checked; the ledger is not asked."""
        path = self.folder / change.file
        before = path.read_bytes()
        path.write_bytes(change.content)
        try:
            if change.file == "datapackage.json":
                (self.folder / "SIGNATURE").unlink()
                sign(self.folder, self._key)
            else:
                Forged(self.folder).resign(self._key)
            result = verify(self.folder)
            found = [each for check in result.checks if check.name != "charge" for each in check.findings]
            return bool(found) or not {*result.left_open} <= self.left_open | {"bundle"}
        finally:
            path.write_bytes(before)
            for name, content in self._kept.items():
                (self.folder / name).write_bytes(content)


def is_named(change: Change) -> bool:
    """Whether docs/reference/verify.md says that this is not checked."""
    return any(str(change).startswith(begin) for begin in NOT_CHECKED)

"""Small signed releases for tests: charged to a ledger, drawn without noise, and all that a forger would do to them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from starling.ledger.keys import Key
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.rules import Request
from starling.ledger.witness import Witness
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Confidential, Released, publish
from starling.release import datapackage
from starling.release.manifest import OWN_LEDGER, SIGNATURE, content, digest, digests, files_of, manifest
from starling.release.signing import Signature, read_signature, sign
from starling.tables.artifact import keep_measurements, write_release
from starling.tables.measurements import TOTAL_ONLY, Measured, Measurements
from starling.tables.plan import Geography, Piece, Plan
from starling.tables.postprocess import tabulate
from tests.tables.small import small_geography, small_plan

KEY = Key(bytes(range(32)))
OTHER = Key(bytes(range(1, 33)))


@dataclass(frozen=True)
class Fixed:
    """A mechanism for tests: the plan's guarantee, and values that no noise made."""

    plan: Plan
    shift: int = 0

    @property
    def guarantee(self) -> Guarantee:
        return self.plan.guarantee

    def draw(self, _: int, /) -> Measurements:
        state = Measured(
            np.array([3, 12, 0]), np.array([0, 2, TOTAL_ONLY], dtype=np.int8), np.arange(20) - 2 + self.shift
        )
        bare = np.zeros(4, dtype=np.int8)
        county = Measured(np.arange(4), bare, np.arange(4) - 1)
        return (Piece(0, 0, 1, 3), state), (Piece(1, 0, 2, 2), county)


@dataclass(frozen=True)
class Bundle:
    """A release, and the ledger that paid for it."""

    folder: Path
    url: str
    plan: Plan
    geography: Geography
    ledger: Ledger

    def copy(self, folder: Path) -> "Bundle":
        """The same release in another folder, to be tampered with."""
        shutil.copytree(self.folder, folder)
        return Bundle(folder, self.url, self.plan, self.geography, self.ledger)

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
        path.write_text(json.dumps(package))

    def edit(self, name: str, change: Callable[[Any], None]) -> None:
        """Change a JSON file in place."""
        path = self.folder / name
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data, indent=2 if name == "privacy.json" else 1, ensure_ascii=False) + "\n")


def new_ledger(folder: Path, plan: Plan, name: str = "ledger.sqlite") -> tuple[str, Ledger]:
    """A ledger of KEY with room for two releases, in the folder."""
    url = f"sqlite:///{folder / name}"
    ledger = create_ledger(url, key=KEY, witness=lambda _: Witness("x", folder / f"{name}.heads"))
    ledger.custody.add_lineage("people", plan.measure, plan.guarantee.relation, plan.cost.amount * 2)
    ledger.custody.add_dataset("census", "people", {})
    ledger.custody.grant("people", "ann", plan.cost.amount * 2)
    return url, ledger


def write(folder: Path, plan: Plan, geography: Geography, measurements: Released[Measurements]) -> None:
    """The files of a release but its signature."""
    folder.mkdir(exist_ok=True)
    kept = measurements.then(partial(keep_measurements, folder, plan, geography))
    write_release(folder, plan, geography, kept.then(partial(tabulate, plan, geography)))


def make(place: Path, *, inside: bool = False, shift: int = 0, **options: Any) -> Bundle:
    """A release `place`/release of small_plan(**options) and its ledger; `inside`: the ledger lies in the release."""
    plan = small_plan(**options)
    geography = small_geography(plan)
    folder = place / "release"
    folder.mkdir()
    url, ledger = new_ledger(folder if inside else place, plan, OWN_LEDGER)
    account = ledger.account(Request("ann", "request-1", "census", "{}"), inside=inside)
    write(folder, plan, geography, publish(Confidential(lambda: 0), Fixed(plan, shift), account))
    (folder / f"{OWN_LEDGER}.heads").unlink(missing_ok=True)
    if not inside:
        sign(folder, KEY)
    account.answer("manifest", manifest(folder))
    if inside:
        ledger.close()
        (folder / f"{OWN_LEDGER}.heads").unlink()
        sign(folder, KEY)
    return Bundle(folder, url, plan, geography, ledger)

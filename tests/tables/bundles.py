"""Small signed releases for tests: charged to a ledger, drawn without noise, and all that a forger would do to them."""

import shutil
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from starling.ledger.account import RequestAccount
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.rules import Request
from starling.ledger.witness import Witness
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Confidential, Released, publish
from starling.release import contents
from starling.release.bundle import DRAW
from starling.release.commitment import Commitment, Written
from starling.release.manifest import OWN_LEDGER, manifest, sign
from starling.tables.artifact.measured import keep_measurements, read_measurements
from starling.tables.measurements import Measured, Measurements
from starling.tables.plan import Geography, Piece, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.publication import TablesPublication
from tests.release.forging import KEY, OTHER, Forged
from tests.release.plain import plain
from tests.tables.small import small_geography, small_plan

__all__ = ["KEY", "OTHER", "Bundle", "Fixed", "make", "new_ledger", "write", "write_paid"]


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
class Bundle(Forged):
    """A release, and the ledger that paid for it."""

    url: str
    plan: Plan
    geography: Geography
    ledger: Ledger

    def copy(self, folder: Path) -> "Bundle":
        """The same release in another folder, to be tampered with."""
        shutil.copytree(self.folder, folder)
        return Bundle(folder, self.url, self.plan, self.geography, self.ledger)


def new_ledger(folder: Path, plan: Plan, name: str = "ledger.sqlite") -> tuple[str, Ledger]:
    """A ledger of KEY with room for two releases, in the folder."""
    url = f"sqlite:///{folder / name}"
    ledger = create_ledger(url, key=KEY, witness=lambda _: Witness("x", folder / f"{name}.heads"))
    ledger.custody.add_population("people", plan.measure, plan.guarantee.relation, plan.cost.amount * 2)
    ledger.custody.add_dataset("census", "people", {})
    ledger.custody.grant("people", "ann", plan.cost.amount * 2)
    return url, ledger


def write(folder: Path, plan: Plan, geography: Geography, measurements: Released[Measurements]) -> None:
    """The files of a release but its signature."""
    folder.mkdir(exist_ok=True)
    remaining = measurements.then(partial(keep_measurements, folder, plain(folder), plan, geography))
    contents.write(folder, TablesPublication(plan, geography), remaining)


def write_paid(folder: Path, plan: Plan, geography: Geography, shift: int, account: RequestAccount) -> None:
    """The same, drawn as a release is: the charge is committed to the measurements."""
    folder.mkdir(exist_ok=True)
    read = partial(read_measurements, plan=plan, geography=geography)
    commitment = Commitment(account, folder, read, None)

    def keep(drawn: Measurements) -> None:
        keep_measurements(folder, commitment.create, plan, geography, drawn)

    drawn = publish(Confidential(lambda: 0), Written(Fixed(plan, shift), keep), commitment)
    shutil.rmtree(folder.parent / DRAW)
    contents.write(folder, TablesPublication(plan, geography), drawn)


def make(place: Path, *, inside: bool = False, shift: int = 0, accepted: int | None = None, **options: Any) -> Bundle:
    """A release `place`/release of small_plan(**options) and its ledger.

    Args:
        place: An empty folder.
        inside: The ledger lies in the release.
        shift: Added to the values.
        accepted: The event that the release takes for the custodian's word that the records were looked at.
        options: Of the plan.
    """
    plan = small_plan(**options)
    geography = small_geography(plan)
    folder = place / "release"
    folder.mkdir()
    url, ledger = new_ledger(folder if inside else place, plan, OWN_LEDGER)
    account = ledger.account(Request("ann", "request-1", "census", "{}"))
    account = replace(account, inside=inside, accepted=accepted)
    write_paid(folder, plan, geography, shift, account)
    (folder / f"{OWN_LEDGER}.heads").unlink(missing_ok=True)
    if not inside:
        sign(folder, KEY)
    account.answer("manifest", manifest(folder))
    if inside:
        ledger.close()
        (folder / f"{OWN_LEDGER}.heads").unlink()
        sign(folder, KEY)
    return Bundle(folder, url, plan, geography, ledger)

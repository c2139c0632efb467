"""The invented twin of registered data: made of their plan and public files, and registered in the sandbox of the home, ready to be asked.

No record is opened. Of the source, what names the plan is taken, and the files that the domain says are public, and nothing else: whatever
the records are, the sandbox is the same. Everything can be done again where it was cut off; what analysts see is written last.
"""

import shutil
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starling.domains import delivering_of
from starling.errors import OutputError, ParameterError, PolicyRefused, StarlingError
from starling.ledger.delegation import MOST_DAYS
from starling.ledger.opening import Ledger
from starling.privacy.budget import Measure
from starling.release.domain import Asking, Delivery
from starling.release.records import accepted_files
from starling.server.home import INVENTED, Home
from starling.server.sandbox import CAP, make_sandbox, open_custody
from starling.worker.sources import Registered, Sources

DEADLINE: Final = 1
"""Seconds from the charge of an invented release to its answer; how long one takes tells of nobody."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A dataset that has no twin, and what is in the way."""

    name: str
    why: str


def fill_sandbox(home: Home) -> tuple[tuple[str, ...], tuple[Missing, ...]]:
    """Make the twins that are missing in the sandbox of a home, and the sandbox where there is none: the names of all datasets that have
    one now, and those that have none. Raises OutputError where the sandbox cannot be made.
    """
    make_sandbox(home)
    missing = [reason for name in Sources(home).names() if (reason := stand_in(home, name)) is not None]
    without = {each.name for each in missing}
    return tuple(name for name in Sources(home).names() if name not in without), tuple(missing)


def stand_in(home: Home, name: str) -> Missing | None:
    """Make the twin of a registered dataset, unless there is one; None where it is there. Raises OutputError where the sandbox cannot be
    made.
    """
    sandbox = make_sandbox(home)
    if name in Sources(sandbox).names():
        return None
    try:
        invented = _invented(Sources(home).find(name), sandbox.folder / INVENTED / name)
        with closing(open_custody(sandbox)) as ledger:
            _admit(ledger, sandbox, name, invented.open())
        # The plan is the same, and so is what it may be expected to give.
        catalogue = home.catalogue
        purpose, preview = catalogue.find(name).purpose, catalogue.preview(name)
        Sources(sandbox).register(name, invented, deadline=DEADLINE, purpose=purpose, preview=preview)
    except StarlingError as error:
        return Missing(name, str(error))
    except Exception as error:  # noqa: BLE001 - what is real is registered, whatever a domain meets when it invents
        return Missing(name, f"a fault of Starling's own ({type(error).__name__})")
    return None


def _invented(real: Registered, folder: Path) -> Registered:
    """Invented records of a source's plan, in a new folder; raises as `Delivering.invent`, ParameterError where a domain invents none, and
    OutputError where the folder cannot be written.
    """
    delivering = delivering_of(real.domain)
    if delivering.invent is None:
        raise ParameterError("domain", f"{real.domain} invents no records", "ask the real data; previews are free")
    public = {each: path for each, path in real.files.items() if each in delivering.public}
    try:
        # Left by one that was cut off.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        invented = delivering.invent(real.plan, public, folder)
    except OSError as error:
        raise OutputError("sandbox", f"cannot be written ({error.strerror})", "make room in the folder") from None
    return Registered(real.domain, invented.plan, invented.files)


def _admit(ledger: Ledger, sandbox: Home, name: str, delivery: Delivery) -> None:
    """All that a custodian does in the ledger for data: open, cap, let the server charge, accept the files."""
    publication, custody, key = delivery.publication, ledger.custody, sandbox.key
    measure: Measure = "epsilon" if isinstance(publication, Asking) else publication.guarantee.cost.measure
    relation = publication.relation if isinstance(publication, Asking) else publication.guarantee.relation
    # Of all invented data of a kind: releases name it, in privacy.json too.
    population = f"{INVENTED}-{measure}-{relation.change}-{relation.unit}"
    if population not in ledger.reading.populations():
        custody.add_population(population, measure, relation, CAP)
    with suppress(PolicyRefused):
        # It is there where this was cut off.
        custody.add_dataset(name, population, {}, CAP)
    custody.delegate(name, key.public, days=MOST_DAYS)
    custody.accept(name, accepted_files(key, delivery.source.files()))

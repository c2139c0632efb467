"""Everything that a custodian does before data can be asked at a server, in one go: `starling server add`.

Each step looks first whether it was done, so that whatever stopped a run, the same again goes on. What was done otherwise is refused before
anything is changed. The right to charge comes last: nobody is charged for records that nobody accepted.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starling.errors import ParameterError, PolicyRefused
from starling.ledger import rules
from starling.ledger.delegation import DAY
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.privacy.budget import Exact, Measure
from starling.release.domain import Asking
from starling.server.datasets import Entry
from starling.server.home import Home
from starling.server.purposes import UNSAID, Purpose
from starling.worker.findings import Findings, Inspections
from starling.worker.sources import Registered, Sources
from starling.worker.standing_in import Missing, stand_in

REGISTERED_OTHERWISE: Final = "is registered with other data, plan, deadline or purpose"


@dataclass(frozen=True, slots=True)
class Addition:
    """What is to be added to a home.

    Attributes:
        name: Of the dataset, at the server and in the ledger.
        population: Whose data they are; made where the ledger does not have it, with the cap of the dataset.
        grants: What each analyst may spend on the population.
        deadline: Seconds from a charge to its answer.
        days: For how long the server may charge, and tokens let their users in.
        purpose: What the data may be used for.
    """

    name: str
    source: Registered
    population: str
    cap: Exact
    grants: Mapping[str, Exact]
    deadline: int
    days: int
    purpose: Purpose = UNSAID


@dataclass(frozen=True, slots=True)
class Added:
    """What was added.

    Attributes:
        missing: Why the sandbox has no twin of it; None where it has.
        tokens: New tokens, by analyst: of those who had none.
    """

    entry: Entry
    missing: Missing | None
    tokens: Mapping[str, str]


def add(home: Home, wanted: Addition, agree: Callable[[Findings], None], step: Callable[[str], None]) -> Added:
    """Register data, look at them, accept them, and let analysts ask for releases of them; the ledger is made where there is none.

    `agree` is shown what was found in the records, and raises where they are not to be accepted; `step` is called with the name of each
    step as it begins.

    Raises:
        ParameterError, PlanError, SourceError: something public is wrong, or was registered otherwise before.
        PolicyRefused: the ledger has other caps or another population, or files were changed meanwhile.
    """
    publication = wanted.source.open().publication
    relation = publication.relation if isinstance(publication, Asking) else publication.guarantee.relation
    measure: Measure = "epsilon" if isinstance(publication, Asking) else publication.guarantee.cost.measure
    with closing(_ledger(home, step)) as ledger:
        _check(home, ledger, wanted)
        custody, reading = ledger.custody, ledger.reading
        if wanted.population not in reading.populations():
            step(f"opening the population {wanted.population}: {relation}, {measure} {_shown(wanted.cap)} in all")
            custody.add_population(wanted.population, measure, relation, wanted.cap)
        if _cap(ledger, wanted.population, "dataset", wanted.name) is None:
            step(f"entering the dataset {wanted.name} in the ledger, with a cap of {_shown(wanted.cap)}")
            custody.add_dataset(wanted.name, wanted.population, {}, wanted.cap)
        sources = Sources(home)
        if wanted.name not in sources.names():
            step("registering it at the server: computing how far numbers may be off, from the plan alone")
            sources.register(wanted.name, wanted.source, deadline=wanted.deadline, purpose=wanted.purpose)
        sources.check_population(wanted.name)
        step("inventing records for the sandbox")
        missing = stand_in(home, wanted.name)
        step("looking at the records")
        inspections, delivery = Inspections(home), sources.open(wanted.name)
        findings = inspections.inspect(wanted.name, delivery)
        if ledger.reading.accepted(wanted.name, findings.files) is None:
            agree(findings)
            step("accepting the files")
            inspections.accept(ledger, wanted.name, delivery, findings)
        for analyst, cap in wanted.grants.items():
            if _cap(ledger, wanted.population, "analyst", analyst) is None:
                step(f"granting {analyst} {_shown(cap)} of {wanted.population}")
                custody.grant(wanted.population, analyst, cap)
        if not ledger.book.rights().held(home.key.public.text, wanted.name, int(time.time()) + (wanted.days - 1) * DAY):
            step(f"letting the server charge {wanted.name} for {wanted.days} days")
            custody.delegate(wanted.name, home.key.public, days=wanted.days)
    entry = home.catalogue.find(wanted.name)
    return Added(entry, missing, _let_in(home, wanted, step))


def _ledger(home: Home, step: Callable[[str], None]) -> Ledger:
    file = Path(home.settings.ledger.removeprefix("sqlite:///"))
    if file.is_file() and not file.stat().st_size:
        # Left by a run that was cut off before it wrote anything.
        file.unlink()
    try:
        ledger = create_ledger(home.settings.ledger)
    except ParameterError:
        # It is there.
        return open_ledger(home.settings.ledger)
    if (head := ledger.book.witnessed()) is not None:
        # The server's own witness sees it begin: else its first start would say that it might be an old copy.
        home.witness(ledger.book.id).advance(head, home.key)
    step(f"making the ledger {home.settings.ledger}, signed by {ledger.book.signer.fingerprint}")
    return ledger


def _check(home: Home, ledger: Ledger, wanted: Addition) -> None:
    """Refuse what was done otherwise, before anything is changed."""
    catalogue = home.catalogue
    if wanted.name in catalogue.names():
        entry = catalogue.find(wanted.name)
        same = (entry.deadline, entry.purpose) == (wanted.deadline, wanted.purpose)
        if Sources(home).find(wanted.name) != wanted.source or not same:
            raise ParameterError("NAME", f"{wanted.name} {REGISTERED_OTHERWISE}", "a new delivery has a new name")
    with suppress(ParameterError):
        # Where the ledger does not have the dataset yet, it is nobody's.
        if (known := ledger.reading.population_of(wanted.name)) != wanted.population:
            problem = f"{wanted.name} is a delivery of {known} in the ledger"
            raise PolicyRefused("population", problem, f"add --population {known}, or choose another name")
    caps: list[tuple[rules.Scope, str, Exact]] = [("dataset", wanted.name, wanted.cap)]
    caps += [("analyst", analyst, cap) for analyst, cap in wanted.grants.items()]
    for scope, name, cap in caps:
        units = _cap(ledger, wanted.population, scope, name)
        if units not in (None, rules.cap_units(cap)):
            assert units is not None
            problem = f"of {scope} {name} is {rules.shown(units)} in the ledger, not {_shown(cap)}"
            fix = f"give that, or raise it: starling ledger raise {home.settings.ledger} {wanted.population} {scope} {name} --cap AMOUNT"
            raise PolicyRefused("cap", problem, fix)


def _cap(ledger: Ledger, population: str, scope: rules.Scope, name: str) -> int | None:
    """The cap in force, in units; None where there is none."""
    if population not in ledger.reading.populations():
        return None
    caps = ledger.reading.account(population, latest=1).caps
    return next((cap.cap for cap in caps if (cap.scope, cap.name) == (scope, name)), None)


def _let_in(home: Home, wanted: Addition, step: Callable[[str], None]) -> dict[str, str]:
    """Make users of analysts who are none, and a token for each who has no way in."""
    tokens = {}
    for analyst in wanted.grants:
        if not home.access.knows(analyst):
            step(f"making {analyst} a user, an analyst")
            home.access.add_user(analyst, "analyst")
        if home.access.password(analyst) is None and analyst not in {each.user for each in home.access.tokens()}:
            step(f"making a token for {analyst}")
            tokens[analyst], _ = home.access.issue(analyst, days=wanted.days)
    return tokens


def _shown(cap: Exact) -> str:
    return rules.shown(rules.cap_units(cap))

"""The domains of Starling: the one place that names them. Verification, opening, the command line and the import contracts read it.

A domain is named here by text alone, so that naming it imports nothing; what it gives says `starling.release.domain`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starling.errors import ParameterError
from starling.lazy import resolve

if TYPE_CHECKING:
    from starling.release.domain import Delivering, Domain


@dataclass(frozen=True, slots=True)
class Registered:
    """Where a domain is found, each place as "package.module:name".

    Attributes:
        domain: The domain's value, a `starling.release.domain.Domain`.
        verbs: The click group of the domain's commands, `starling NAME VERB`.
        pages: What it adds to the pages of its releases, a `starling.screens.domain_pages.DomainPages`; empty where it adds nothing.
        plan_pages: The pages on which a plan of it is chosen, made of a plan; empty where there are none.
    """

    domain: str
    verbs: str
    pages: str = ""
    plan_pages: str = ""


DOMAINS: Final[dict[str, Registered]] = {
    "tables": Registered(
        "starling.tables.domain:TABLES",
        "starling.cli.tables:tables",
        "starling.screens.tables.cross:pages_of_tables",
        "starling.screens.tables.accuracy:AccuracyPages",
    ),
    "genome": Registered(
        "starling.genome.domain:GENOME", "starling.cli.genome:genome", "starling.screens.genome:GenomePages"
    ),
    "groups": Registered(
        "starling.groups.domain:GROUPS", "starling.cli.groups:groups", "starling.screens.groups:GroupsPages"
    ),
    "places": Registered(
        "starling.places.domain:PLACES", "starling.cli.places:places", "starling.screens.places.kinds:pages_of_places"
    ),
}
"""Every domain by its name, which is the name of its package too, in the order in which the command line lists them."""


def domain(name: str) -> "Domain | None":
    """The domain of this name, imported now; None where there is none."""
    instance: Domain | None = resolve(DOMAINS[name].domain) if name in DOMAINS else None
    return instance


def delivering_of(name: str) -> "Delivering":
    """How a server, or a command, is given data of a domain; raises ParameterError where none is served."""
    registered = domain(name)
    if registered is None or registered.delivering is None:
        served = [each for each in DOMAINS if (one := domain(each)) is not None and one.delivering is not None]
        raise ParameterError("domain", "is none that a server serves", f"choose one: {', '.join(served)}")
    return registered.delivering

"""A question that reads a kept response is refused when it is asked, wherever what is public decides: the worker would refuse it too late.

What is told follows from the ledger, public plans, the questions that were asked, and releases that have left. Whether a run is done
before its release leaves is not told: how long it takes may depend on records.
"""

from contextlib import suppress
from typing import Any

from starling.errors import IntegrityError, PolicyRefused
from starling.ledger import charged_noise
from starling.ledger.responses import charge_of, check_paid
from starling.server.authentication import Service
from starling.server.charges import Charges
from starling.server.datasets import Dataset, NotThere, Study


def check_further(service: Service, analyst: str, dataset: Dataset, question: Any) -> None:
    """Check what is asked, with its question as JSON, where it reads a kept response, and was not charged before.

    Raises:
        PolicyRefused: the event that it names paid for none of this population that this server has kept, at this cost; or for one of
            other people, or of another column of phenotypes.
        ParameterError: that response is of other people, another phenotype or another number of intervals.
        LedgerUnavailable: the ledger can't be read now, or it took too long.
    """
    seq = charge_of(dataset.guarantee)
    if seq is None or service.charges.release_of(analyst, dataset) is not None:
        return
    _check_paid(service, dataset, seq)
    charge = service.charges.find(seq)
    assert charge is not None
    catalogue, paid, earlier = service.home.catalogue, None, None
    with suppress(IntegrityError, NotThere):
        # What is not here any more the worker may still have: it compares all of it.
        paid, earlier = service.home.questions.charged(charge.request_hash), catalogue.study(charge.dataset)
    if paid is not None and earlier is not None and earlier.domain == dataset.domain:
        further = service.understanding.check_further
        further(catalogue, dataset.name, question, charge.dataset, paid, user=analyst)
        _check_identities(catalogue.study(dataset.name), earlier)


def _check_paid(service: Service, dataset: Dataset, seq: int) -> None:
    charges, charge = service.charges, service.charges.find(seq)
    if charge is not None and charges.population(charge.dataset) == charges.population(dataset.name):
        if charge.by != service.home.key.public.text:
            problem = f"names event {seq}, a charge that was not made by this server, which has not kept its response"
            raise PolicyRefused(
                "response", problem, "ask where it was charged, or leave it out: a new response is drawn"
            )
        if not _has_left(charges, seq):
            fix = f"ask again once it has: GET /v1/releases/{seq}"
            raise PolicyRefused("response", f"is that of event {seq}, whose release has not left yet", fix)
    paid = charges.responses(dataset.name)
    if all(each.charge != seq for each in paid):
        paid = [each for each in paid if _has_left(charges, each.charge)]
    check_paid(paid, charged_noise.noise(dataset.guarantee).fields)


def _check_identities(now: Study, earlier: Study) -> None:
    """What registered files are of, as far as both were compared when they were registered."""
    for kind, first in earlier.identities.items():
        if now.identities.get(kind, first) != first:
            fix = "give the study that it was drawn of, or leave it out: a new response is drawn and charged"
            raise PolicyRefused("response", f"is of {kind}", fix)


def _has_left(charges: Charges, seq: int) -> bool:
    with suppress(NotThere):
        return charges.progress(seq, None).state == "released"
    return False

"""Which domain a plan file is of, by the keys that no plan of another domain has."""

from collections.abc import Collection
from typing import Final

from starling.errors import PlanError, Problem
from starling.planfile.toml import Section

_KEYS: Final = (
    ("tables", {"records", "publication"}),
    ("groups", {"group", "member"}),
    ("places", {"point"}),
    ("places", {"trip"}),
    ("genome", {"study", "snps"}),
)
"""Of each domain keys that every plan of it states."""


def domain_of(keys: Collection[str]) -> str:
    """The domain of a plan with these keys at its top; "" of none.

    >>> domain_of(["title", "trip", "areas"]), domain_of(["title"])
    ('places', '')
    """
    return next((domain for domain, own in _KEYS if own <= {*keys}), "")


def check_domain(top: Section, domain: str) -> None:
    """Raises PlanError where the top of a plan file that is read as one of `domain` is of another domain."""
    stated = domain_of(top.values)
    if stated and domain and stated != domain:
        fix = f"write starling {stated} in place of starling {domain}, or in Python a plan of starling.{stated}"
        raise PlanError(problems=[Problem("plan", f"is one of {stated}, not of {domain}", fix, top.file)])

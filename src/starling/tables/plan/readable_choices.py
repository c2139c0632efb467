"""What every plan file says alike, whatever its records are: the measure, what is published, and what is made of the measurements."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure
from starling.tables.plan.choices import STRUCTURE, Choices
from starling.tables.plan.idle_choices import suppresses_nothing
from starling.tables.plan.variants import Variants

CHEAPEST: Final = "cheapest"
"""As the share of stage 1: the one with which the promised margins cost least."""

_ESTIMATES: Final = {"totals": ("second stage", "both stages"), "intervals": ("all groups", "published")}
"""Keys of [publication] that choose a variant, with the values for no and for yes."""
_MEASURES: Final[dict[str, Measure]] = {"epsilon": "epsilon", "rho": "rho"}


def read_privacy(section: Section, units: Sequence[str] = ("person",)) -> tuple[Measure, Fraction | None]:
    """Measure, and the share of a group's budget for stage 1; None for the cheapest. The unit must be one of `units`."""
    section.only(("unit", "neighbours", "measure", "stage-1-share"))
    section.choice("unit", units, f'write unit = "{units[0]}": whose data the guarantee hides')
    section.choice(
        "neighbours", ("add-remove",), 'write neighbours = "add-remove": databases that differ by one person'
    )
    measure = section.choice("measure", tuple(_MEASURES), 'write "epsilon" (pure DP) or "rho" (zCDP)')
    if section.values.get("stage-1-share") == CHEAPEST:
        return _MEASURES[measure], None
    fix = f'write a share such as "0.1", or "{CHEAPEST}"'
    gamma = section.number("stage-1-share", fix)
    if gamma is not None and not 0 < gamma < 1:
        section.refuse("stage-1-share", "is not above 0 and below 1", fix)
    return _MEASURES[measure], gamma if gamma is not None and 0 < gamma < 1 else Fraction(1, 2)


def read_publication(section: Section) -> tuple[Fraction, bool]:
    """Suppression chance, and whether negative counts are published."""
    section.only(("suppression", "negative-counts", *_ESTIMATES, "add-up", "data-structure"))
    suppression: Fraction | None = Fraction(0)
    if "suppression" in section.values:
        suppression = section.number("suppression", 'write a chance such as "0.9999"')
        if suppression is not None and not 0 <= suppression < 1:
            section.refuse("suppression", "is not 0 or more and below 1", "leave it out to publish every bare total")
    return suppression or Fraction(0), section.flag("negative-counts", "write true, or false to raise each count to 0")


def read_structure(section: Section) -> str:
    """The SDMX data structure that the numbers keep; empty where none is named."""
    if "data-structure" not in section.values:
        return ""
    fix = 'write it as data-structure = "AGENCY:ID(1.0)"'
    structure = section.text("data-structure", fix)
    if structure and not STRUCTURE.fullmatch(structure):
        section.refuse("data-structure", "is no data structure", fix)
    return structure


def read_variants(section: Section) -> Variants:
    """What is made of the measurements."""

    def chosen(key: str) -> bool:
        if key not in section.values:
            return False
        values = _ESTIMATES[key]
        return section.choice(key, values, f'write "{values[0]}" or "{values[1]}"') == values[1]

    add_up = "add-up" in section.values and section.flag("add-up", "write true or false")
    return Variants(chosen("totals"), add_up, chosen("intervals"))


def privacy_values(plan: Choices) -> dict[str, Any]:
    """The values that say [privacy] of a plan."""
    values = {"unit": plan.relation.unit, "neighbours": plan.relation.change, "measure": plan.measure}
    return {**values, "stage-1-share": exact_text(plan.gamma)} if plan.detail.steps else values


def publication_values(plan: Choices) -> dict[str, Any]:
    """The values that say [publication] of a plan; what is left out is as where nothing is said."""
    values: dict[str, Any] = {"negative-counts": plan.allow_negative}
    # A Census configuration may state one that leaves nothing out, which a plan file may not.
    if plan.suppression and not suppresses_nothing(plan):
        values["suppression"] = exact_text(plan.suppression)
    if plan.variants.both_stages:
        values["totals"] = _ESTIMATES["totals"][1]
    if plan.variants.given_published:
        values["intervals"] = _ESTIMATES["intervals"][1]
    if plan.variants.add_up:
        values["add-up"] = True
    if plan.data_structure:
        values["data-structure"] = plan.data_structure
    return values

"""Group sizes in a Python session: a plan that previews, validates, invents and releases, and a short way to a plan.

plan = groups.plan({"land": {"east": ["e1", "e2"], "west": ["w1"]}}, ["land", "state", "county"], largest=7, groups=9, epsilon=1)
plan.preview()
release = plan.release(frame)
release.number("e1", 4)
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from starling.errors import ParameterError
from starling.groups.analysis import GroupsRelease
from starling.groups.generate import world_of
from starling.groups.generate.files import Format, write
from starling.groups.plan import Kind, PublicShares
from starling.groups.plan import Plan as PlanChoices
from starling.groups.preview import Preview, known_shares, preview
from starling.groups.publish import GROUPS
from starling.privacy.budget import Exact
from starling.release.described import Generated
from starling.release.in_session import OfRecords, RecordsPlan


class Plan(PlanChoices, RecordsPlan[GroupsRelease]):
    """A plan of group sizes, and what a session does with it.

    It is made by `groups.plan`, read by `Plan.load`, or stated by the keys of a plan file in `Plan.of`. `cost` is what a release costs.
    """

    _of_records = OfRecords(GROUPS, GroupsRelease)

    def preview(self, shares: PublicShares | None = None) -> Preview:
        """How far numbers will be off, by method and level. Opens no records.

        Args:
            shares: Public shares of the sizes; those of the plan without it, and if it has none, they are assumed.
        """
        return preview(self, shares)

    def generate(
        self,
        out: str | Path,
        *,
        shares: PublicShares | None = None,
        format: Format = "parquet",
        seed: int = 1,
    ) -> Generated:
        """Invent records of the plan, to try everything with. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            shares: Public shares of the sizes; those of the plan without it, and if it has none, they are assumed.
            format: Of the records: "csv", as `[format]` of the plan has it, or "parquet".
            seed: Public: the same gives the same records.

        Raises:
            ParameterError: the seed is below 0.
            OutputError: the folder exists or cannot be written.
        """
        world = world_of(self, known_shares(self, shares)[0], seed=seed)
        return write(world, Path(out).absolute(), seed=seed, kind=self.kind, format=format, plan=self)


def plan(  # noqa: PLR0913 - what a plan may state, by name
    regions: str | Path | Mapping[str, Any],
    levels: Sequence[str],
    *,
    largest: int,
    groups: int | None = None,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    kind: Kind = "groups",
    register: str | Path | None = None,
    quantity: int = 1,
    totals: Literal["root", "region"] = "root",
    method: str | None = None,
    group: str = "group",
    member: str = "member",
    title: str = "Groups by size",
) -> Plan:
    """A plan that counts groups by size in nested regions; other choices are keys of a plan file, which `Plan.of` takes.

    Args:
        regions: A CSV file of region,parent; or nested dicts, as in {"land": ["e1", "e2"]}. A leaf may have its public number of groups.
        levels: The name of each level of regions, the root's first.
        largest: Larger groups count as of this size.
        groups: The public number of all groups, unless a register or the leaves have it.
        epsilon: What a release costs, exact: 1, "0.5" or a fraction.
        rho: What it costs by zCDP, instead.
        kind: What a record is: "groups", "counts", "persons" or "events".
        register: Of persons and events, the public list group,region.
        quantity: The most that one member, or one event, adds to a size.
        totals: Public is the number of all groups ("root"), or of every region ("region").
        method: By default the best by public facts.
        group: In a word: household.
        member: In a word: person.
        title: What is published.

    Raises:
        ParameterError: the price is not one of the two.
        PlanError: with every problem found.

    >>> plan({"land": ["north", "south"]}, ["land", "part"], largest=7, groups=1000, epsilon=1).cost
    epsilon 1
    """
    if (epsilon is None) == (rho is None):
        problem = f"is stated as {'neither epsilon nor rho' if rho is None else 'epsilon and rho'}"
        raise ParameterError("price", problem, "state one of them, as in epsilon=1")
    nested = regions if isinstance(regions, Mapping) else None
    values: dict[str, Any] = {
        "title": title,
        "group": group,
        "member": member,
        "regions": {"file": None if nested is not None else str(regions), "levels": list(levels)},
        "sizes": {"largest": largest, "quantity": quantity},
        "totals": {"public": totals, "groups": groups},
        "input": {"kind": kind, "register": register},
        "privacy": {
            "unit": "event" if kind == "events" else "member",
            "neighbours": "add-remove",
            "epsilon": epsilon,
            "rho": rho,
            "method": method,
        },
    }
    return Plan.of(values, nested)

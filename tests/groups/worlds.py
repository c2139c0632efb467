"""A small world of groups: two states of three counties in all, households of up to four persons, in every kind of records."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starling.groups.plan import Plan

REGIONS = "region,parent\nland,\neast,land\nwest,land\ne1,east\ne2,east\nw1,west\n"
SIZES = {"e1": (1, 1, 2, 4), "e2": (0, 3), "w1": (2, 2, 9)}
"""The size of each group of each county; one is beyond the largest."""
CELLS = [[0, 2, 1, 0, 1], [1, 0, 0, 1, 0], [0, 0, 2, 0, 1]]
"""Groups of each county by size, 0 to 4."""
GROUPS = 9


def plan_text(**changed: Any) -> str:
    """A plan file; `changed` takes the place of what stands under these names."""
    stated = {"levels": '["land", "state", "county"]', "largest": 4, "quantity": 1, "public": "root", "groups": GROUPS}
    stated |= {"kind": "groups", "unit": "member", "budget": 'epsilon = "1"', "more": "", "bands": ""} | changed
    register = 'register = "register.csv"\n' if stated["kind"] in ("persons", "events") else ""
    return (
        'title = "Households by size"\ngroup = "household"\nmember = "person"\n'
        f'[regions]\nfile = "regions.csv"\nlevels = {stated["levels"]}\n'
        f"[sizes]\nlargest = {stated['largest']}\nquantity = {stated['quantity']}\n"
        f'[totals]\npublic = "{stated["public"]}"\n'
        + (f"groups = {stated['groups']}\n" if stated["groups"] != "" else "")
        + f'[input]\nkind = "{stated["kind"]}"\n{register}'
        f'[privacy]\nunit = "{stated["unit"]}"\nneighbours = "add-remove"\n{stated["budget"]}\n{stated["more"]}\n{stated["bands"]}'
    )


def records(sizes: Mapping[str, tuple[int, ...]], kind: str) -> str:
    """The records of these groups, of a kind; the group g3 of e1 is named e1-3."""
    names = {f"{region}-{at}": (region, size) for region, each in sizes.items() for at, size in enumerate(each)}
    if kind == "groups":
        return "region,size\n" + "".join(f"{region},{size}\n" for region, size in names.values())
    if kind == "counts":
        return "region,size,groups\n" + "".join(f"{region},{size},1\n" for region, size in names.values())
    header = "person,group\n" if kind == "persons" else "group\n"
    rows = ((name, at) for name, (_, size) in names.items() for at in range(size))
    return header + "".join(f"p-{name}-{at},{name}\n" if kind == "persons" else f"{name}\n" for name, at in rows)


def write_world(folder: Path, kind: str = "groups", **changed: Any) -> Path:
    """Write plan, regions, register and records into a folder; the path of the records."""
    unit = "event" if kind == "events" else "member"
    (folder / "plan.toml").write_text(plan_text(**{"kind": kind, "unit": unit} | changed))
    (folder / "regions.csv").write_text(REGIONS)
    names = ((f"{region}-{at}", region) for region, each in SIZES.items() for at in range(len(each)))
    (folder / "register.csv").write_text("group,region\n" + "".join(f"{name},{region}\n" for name, region in names))
    (folder / "records.csv").write_text(records(SIZES, kind))
    return folder / "records.csv"


def world(folder: Path, kind: str = "groups", **changed: Any) -> Plan:
    """The plan of the written world."""
    write_world(folder, kind, **changed)
    return Plan.load(folder / "plan.toml")

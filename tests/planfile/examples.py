"""A plan of groups, places and genome with an example of every key, as tests of plan files share them."""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from starling.planfile.grammar import Key, Table
from starling.planfile.values import toml_of
from tests.genome.studies import a_study, write_bed, write_bim
from tests.groups import worlds
from tests.places import plans
from tests.places.flows import worlds as flows
from tests.places.trips import worlds as trips

NONE: Final = object()
"""A key that is left out."""
WHOLE: Final[dict[str, dict[str, Any]]] = {
    "groups": {
        "title": "Households by size",
        "group": "household",
        "member": "person",
        "regions": {"file": "regions.csv", "levels": ["land", "state", "county"]},
        "sizes": {"largest": 4},
        "totals": {"public": "root", "groups": worlds.GROUPS},
        "input": {"kind": "persons", "register": "register.csv"},
        "privacy": {"unit": "member", "neighbours": "add-remove", "epsilon": "1"},
    },
    "places": plans.values(plans.PERSON, plans.SLICED),
    "flows": flows.VALUES | flows.PERSON | flows.SLICED,
    "trips": trips.VALUES | trips.PERSON,
    "genome": {
        "title": "A study",
        "privacy": {"unit": "person", "neighbours": "replace-one"},
        "study": {"people": 11},
        "snps": {"list": "public.bim"},
        "analysis": {"model": "dominant", "tests": ["g"]},
    },
}
GENES: Final = {"snps.gene-list": "genes.txt", "snps.genes": ["G1"]}
SHARES: Final = {
    "privacy.shares": [{"size": 1, "share": "0.4"}, {"size": 2, "share": "0.6"}],
    "totals.groups": 10**5,
    "input.kind": "groups",
    "input.register": NONE,
}
RARE: Final = {"privacy.shares[0].share": "0.9999", "privacy.shares[1].share": "0.0001"}
FORMAT: Final = {
    "separator": ";",
    "decimal": ",",
    "thousands": "'",
    "dates": "%d.%m.%Y",
    "encoding": "cp1252",
    "sheet": "2024",
}
FORMATS: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    f"format.{key}": ({}, {f"format.{key}": value}) for key, value in FORMAT.items()
}
ORIGIN: Final = {"flows.origin_x": "lon", "flows.origin_y": "lat", "flows.origin": NONE}
DESTINATION: Final = {"flows.destination_x": "lon", "flows.destination_y": "lat", "flows.destination": NONE}
STOPPING: Final = {"flows.stops_x": ["vx"], "flows.stops_y": ["vy"]}
SORTS: Final = {"flows.category": "kind", "slices.categories": ["work", "other"]}
SPLIT: Final = ["0.2", "0.3", "0.5"]
BANDS: Final = [{"from": 0, "split": SPLIT}, {"from": 2, "split": SPLIT}]
KINDS: Final = {"input.category": "kind", "slices.categories": ["theft", "arson"]}
VALUED: Final = {"input.value": "fare", "value.lower": -2, "value.upper": 3}
PHENOTYPES: Final = {
    "privacy.unit": "phenotype",
    "analysis.model": "additive",
    "analysis.tests": ["score"],
    "analysis.covariates": ["age"],
    "analysis.components": 2,
}
REGION: Final = {"name": "first", "chromosome": "1", "from": 1000, "to": 3000}
CHANGES: Final[dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]]] = {
    "groups": {
        "title": ({}, {"title": "Another"}),
        "group": ({}, {"group": "vehicle"}),
        "member": ({}, {"member": "trip"}),
        "regions.file": ({}, {"regions.file": "others.csv"}),
        "regions.levels": ({}, {"regions.levels": ["land", "state", "area"]}),
        "sizes.largest": ({}, {"sizes.largest": 3}),
        "sizes.quantity": ({}, {"sizes.quantity": 2}),
        "totals.public": ({}, {"totals.public": "region"}),
        "totals.groups": ({}, {"totals.groups": 10}),
        "input.kind": ({}, {"input.kind": "groups", "input.register": NONE}),
        "input.register": ({}, {"input.register": "fewer.csv", "totals.groups": NONE}),
        **FORMATS,
        "privacy.unit": ({}, {"privacy.unit": "event"}),
        "privacy.neighbours": ({}, {"privacy.neighbours": "replace-one"}),
        "privacy.epsilon": ({}, {"privacy.epsilon": "2"}),
        "privacy.rho": ({}, {"privacy.epsilon": NONE, "privacy.rho": "1"}),
        "privacy.split": ({}, {"privacy.split": SPLIT}),
        "privacy.method": ({}, {"privacy.method": "h"}),
        "privacy.bands": ({}, {"privacy.bands": BANDS}),
        "privacy.bands.from": ({"privacy.bands": BANDS}, {"privacy.bands[1].from": 3}),
        "privacy.bands.split": ({"privacy.bands": BANDS}, {"privacy.bands[1].split": SPLIT[::-1]}),
        "privacy.shares": ({}, {"privacy.shares": "shares.csv"}),
        "privacy.shares.size": (SHARES, {"privacy.shares[1].size": 3}),
        "privacy.shares.share": (SHARES, RARE),
        "privacy.importance": (SHARES, {"privacy.importance": ["9", "4", "1"]}),
    },
    "flows": {
        "title": ({}, {"title": "Another"}),
        "trip": ({}, {"trip": "walk"}),
        "areas.file": ({}, {"areas.file": "other.geojson"}),
        "areas.id": ({}, {"areas.id": "name", "areas.name": NONE}),
        "areas.name": ({}, {"areas.name": NONE}),
        "areas.levels": ({}, {"areas.levels": NONE}),
        "flows.origin": ({}, {"flows.origin": "c"}),
        "flows.destination": ({}, {"flows.destination": "c"}),
        "flows.origin_x": ({}, ORIGIN),
        "flows.origin_y": ({}, ORIGIN),
        "flows.destination_x": ({}, DESTINATION),
        "flows.destination_y": ({}, DESTINATION),
        "flows.stops": ({}, {"flows.stops": ["via", "then"]}),
        "flows.stops_x": (STOPPING, {"flows.stops_x": ["mx"]}),
        "flows.stops_y": (STOPPING, {"flows.stops_y": ["my"]}),
        "flows.person": ({}, {"flows.person": "whose"}),
        "flows.time": ({}, {"flows.time": "begun"}),
        "flows.category": (SORTS, {"flows.category": "type"}),
        "slices.bounds": ({}, {"slices.bounds": ["2020-01-01", "2020-02-02", "2020-03-01"]}),
        "slices.names": ({}, {"slices.names": ["January", "later"]}),
        "slices.categories": (SORTS, {"slices.categories": ["work", "school"]}),
        **FORMATS,
        "privacy.unit": ({}, {"privacy.unit": "trip", "privacy.trips_per_person": NONE, "flows.person": NONE}),
        "privacy.trips_per_person": ({}, {"privacy.trips_per_person": 3}),
        "privacy.epsilon": ({}, {"privacy.epsilon": "2"}),
        "privacy.rho": ({}, {"privacy.rho": "2"}),
        "privacy.shares": ({}, {"privacy.shares": ["0", "1/3", "2"]}),
    },
    "trips": {
        "title": ({}, {"title": "Another"}),
        "trip": ({}, {"trip": "walk"}),
        "grid.crs": ({}, {"grid.crs": "equal-area"}),
        "grid.crs_name": ({"grid.crs": "plain", "grid.crs_name": "EPSG:2263"}, {"grid.crs_name": "EPSG:28992"}),
        "grid.box": ({}, {"grid.box": ["0", "0", "4", "4"]}),
        "grid.rows": ({}, {"grid.rows": 5}),
        "grid.columns": ({}, {"grid.columns": 5}),
        "flows.origin_x": ({}, {"flows.origin_x": "cx"}),
        "flows.origin_y": ({}, {"flows.origin_y": "cx"}),
        "flows.destination_x": ({}, {"flows.destination_x": "cx"}),
        "flows.destination_y": ({}, {"flows.destination_y": "cx"}),
        "flows.person": ({}, {"flows.person": "whose"}),
        **FORMATS,
        "privacy.unit": ({}, {"privacy.unit": "trip", "privacy.trips_per_person": NONE, "flows.person": NONE}),
        "privacy.trips_per_person": ({}, {"privacy.trips_per_person": 3}),
        "privacy.epsilon": ({}, {"privacy.epsilon": "2"}),
    },
    "places": {
        "title": ({}, {"title": "Another"}),
        "point": ({}, {"point": "sighting"}),
        "grid.crs": ({}, {"grid.crs": "equal-area"}),
        "grid.crs_name": ({"grid.crs": "plain", "grid.crs_name": "EPSG:2263"}, {"grid.crs_name": "EPSG:28992"}),
        "grid.box": ({}, {"grid.box": ["-1", "0", "3", "4"]}),
        "grid.rows": ({}, {"grid.rows": 4}),
        "grid.columns": ({}, {"grid.columns": 2}),
        "input.x": ({}, {"input.x": "lat"}),
        "input.y": ({}, {"input.y": "lon"}),
        "input.geometry": ({}, {"input.geometry": "geometry", "input.x": NONE, "input.y": NONE}),
        "input.h3": ({}, {"input.h3": "cell", "input.x": NONE, "input.y": NONE}),
        "input.time": ({}, {"input.time": "when"}),
        "input.person": ({}, {"input.person": "lon"}),
        "input.weight": ({}, {"input.weight": "lon"}),
        "input.weights": ({}, {"input.weights": "lon"}),
        **FORMATS,
        "privacy.unit": ({}, {"privacy.unit": "point", "privacy.points_per_person": NONE, "input.person": NONE}),
        "privacy.points_per_person": ({}, {"privacy.points_per_person": 3}),
        "privacy.distinct_cells": ({}, {"privacy.distinct_cells": True}),
        "privacy.epsilon": ({}, {"privacy.epsilon": "2"}),
        "method.name": ({}, {"method.name": "quadtree"}),
        "method.for": ({"method.name": "adaptive"}, {"method.for": "streets"}),
        "method.*": ({"method.name": "quadtree"}, {"method.height": 1}),
        "slices.bounds": ({}, {"slices.bounds": ["2020-01-01", "2020-02-02", "2020-03-01"]}),
        "slices.names": ({}, {"slices.names": ["January", "later"]}),
        "input.category": (KINDS, {"input.category": "type"}),
        "slices.categories": (KINDS, {"slices.categories": ["theft", "fire"]}),
        "input.value": (VALUED, {"input.value": "tip"}),
        "value.lower": (VALUED, {"value.lower": 1}),
        "value.upper": (VALUED, {"value.upper": 4}),
    },
    "genome": {
        "title": ({}, {"title": "Another"}),
        "privacy.unit": ({}, {"privacy.unit": "household"}),
        "privacy.neighbours": ({}, {"privacy.neighbours": "add-remove"}),
        "study.people": ({}, {"study.people": 12}),
        "study.case": ({}, {"study.case": "1"}),
        "study.above": ({}, {"study.above": "25.5"}),
        "study.phenotype": ({}, {"study.phenotype": "T2D"}),
        "study.between": (PHENOTYPES, {"study.between": ["15", "45"]}),
        "study.steps": (PHENOTYPES | {"study.between": ["15", "45"]}, {"study.steps": 30}),
        "study.build": ({}, {"study.build": "GRCh38"}),
        "study.ids": ({}, {"study.ids": "public"}),
        "snps.list": ({}, {"snps.list": "shorter.bim"}),
        "snps.carriers": ({}, {"snps.carriers": "carriers.txt"}),
        "snps.extract": ({}, {"snps.extract": "extract.txt"}),
        "snps.ranges": ({}, {"snps.ranges": "ranges.bed"}),
        "snps.gene-list": (GENES, {"snps.gene-list": "others.txt"}),
        "snps.genes": (GENES, {"snps.genes": ["G2"]}),
        "snps.around": (GENES, {"snps.around": 10**6}),
        "analysis.model": ({}, {"analysis.model": "recessive"}),
        "analysis.tests": ({}, {"analysis.tests": ["g", "fisher"]}),
        "analysis.alpha": ({}, {"analysis.alpha": "0.01"}),
        "analysis.covariates": (PHENOTYPES, {"analysis.covariates": ["age", "site"]}),
        "analysis.components": (PHENOTYPES, {"analysis.components": 3}),
        "analysis.missing": ({}, {"analysis.missing": "cell"}),
        "analysis.x-model": (PHENOTYPES, {"analysis.x-model": 1}),
        "analysis.genotypes": (PHENOTYPES, {"analysis.genotypes": "dosages"}),
        "regions.name": ({"regions": [REGION]}, {"regions[0].name": "other"}),
        "analysis.chromosome-out": (PHENOTYPES, {"analysis.chromosome-out": True}),
        "regions.chromosome": ({"regions": [REGION]}, {"regions[0].chromosome": "2"}),
        "regions.from": ({"regions": [REGION]}, {"regions[0].from": 2000}),
        "regions.to": ({"regions": [REGION]}, {"regions[0].to": 2000}),
    },
}
"""Of each key what a plan says before it is changed, and then the change."""
ELSEWHERE: Final[dict[str, dict[str, str]]] = {
    "groups": {},
    "places": {"expected": "tests/places/test_preview.py"},
    "flows": {
        "expected": "tests/places/flows/test_preview_plan.py",
        "areas.sha256": "tests/places/flows/test_preview_plan.py",
    },
    "trips": {"expected": "tests/places/trips/test_session.py"},
    "genome": {},
}
"""Keys that show in a preview alone, or not at all where they are right, and in which file."""


def keys(table: Table, above: str = "") -> Iterator[tuple[str, Key]]:
    """Every key of a grammar by its path, those of tables inside it too; all keys of a table that is open are one, `*`."""
    free = {} if table.free is None else {"*": table.free}
    for name, key in {**table.keys, **free}.items():
        yield f"{above}{name}", key
        if key.kind.inside is not None:
            yield from keys(key.kind.inside, f"{above}{name}.")


def place(domain: str, key: str) -> str:
    """Where the examples of a domain have a key: its path with the numbers of tables in a list."""
    return next((path for path in CHANGES[domain][key][1] if re.sub(r"\[\d+\]", "", path) == key), key)


def changed(domain: str, *changes: dict[str, Any]) -> str:
    """The file of the whole plan of a domain with changes, each of a path such as `regions[0].name`."""
    plan = deepcopy(WHOLE[domain])
    for path, value in (each for change in changes for each in change.items()):
        *tables, key = re.findall(r"[^.\[\]]+", path)
        here: Any = plan
        for name in tables:
            here = here[int(name)] if name.isdigit() else here.setdefault(name, {})
        if value is NONE:
            here.pop(key)
        else:
            here[key] = deepcopy(value)
    return toml_of(plan)


def write_files(folder: Path) -> None:
    """The public files and the records of each domain."""
    for domain in WHOLE:
        (folder / domain).mkdir()
    worlds.write_world(folder / "groups", "persons")
    (folder / "groups" / "sizes.csv").write_text(worlds.records(worlds.SIZES, "groups"))
    register = (folder / "groups" / "register.csv").read_text().splitlines(keepends=True)
    (folder / "groups" / "fewer.csv").write_text("".join(register[:-1]))
    (folder / "groups" / "others.csv").write_text(worlds.REGIONS.replace("w1,west", "w1,east\nw2,west"))
    (folder / "groups" / "shares.csv").write_text("size,share\n1,0.4\n2,0.6\n")
    plans.write_world(folder / "places", plans.PERSON, plans.SLICED)
    (folder / "trips" / "records.csv").write_text(trips.RECORDS)
    flows.write_areas(folder / "flows")
    (folder / "flows" / "other.geojson").write_text(
        (folder / "flows" / "areas.geojson").read_text().replace("5, 1", "6, 1")
    )
    study, here = a_study(), folder / "genome"
    write_bed(study, here / "study")
    write_bim(study, here / "public.bim")
    sites = (here / "public.bim").read_text().splitlines(keepends=True)
    (here / "shorter.bim").write_text("".join(sites[:-1]))
    chromosome, name, _, position, _, other = sites[0].split()
    (here / "carriers.txt").write_text(f"{name} {other}\n")
    (here / "extract.txt").write_text(f"{name}\n")
    (here / "ranges.bed").write_text(f"{chromosome}\t0\t{position}\n")
    last = sites[-1].split()
    genes = f"{chromosome} {position} {position} G1\n{last[0]} {last[3]} {last[3]} G2\n"
    (here / "genes.txt").write_text(genes)
    (here / "others.txt").write_text(genes.replace("G1", "G3").replace("G2", "G1"))

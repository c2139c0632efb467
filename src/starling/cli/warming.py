"""What `starling warm` does beyond the demo: plans of every kind on invented records, as users first come to them.

Plans are previewed, their records are validated, released and read, as CSV and as Parquet. Nothing is kept, so everything is small.
"""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

_PEOPLE: Final = 120
_SNPS: Final = tuple((f"s{at}", "1", 100 * at, "A", "C") for at in range(1, 5))
_ONE: Final = Fraction(1)
_GRID: Final = {"crs": "degrees", "box": ["0", "0", "4", "4"], "rows": 16, "columns": 16}


ReleaseT_co = TypeVar("ReleaseT_co", covariant=True)


class _OfRecords(Protocol[ReleaseT_co]):
    """A plan whose records are one file."""

    def validate(self, records: Path, /) -> object:
        """What breaks the rules of reading."""
        ...

    def release(self, records: Path, /) -> ReleaseT_co:
        """Publish and open."""
        ...


def tables(out: Path) -> None:
    """Custom tables with detail, sums, quantiles and several records a person, in epsilon and rho; tables that add up."""
    from starling import tables

    privacy: dict[str, Any] = {"unit": "person", "neighbours": "add-remove", "stage-1-share": "0.1"}
    visits: dict[str, Any] = {
        "title": "Visits",
        "records": {"of-a-person": 2, "person": "id", "expected": _PEOPLE},
        "columns": [
            {"name": "age", "from": 0, "to": 40},
            {"name": "sex", "values": ["F", "M"]},
            {"name": "needs", "values": ["a", "b", "c"], "separator": ";", "most": 2},
        ],
        "groups": [{"name": "sex", "columns": ["sex"]}, {"name": "needs", "columns": ["needs"]}],
        "detail": {"columns": ["age"], "steps": [{"age": [0, 20]}, {"age": [0, 10, 20, 30]}]},
        "publication": {"negative-counts": True},
        "levels": [{"groups": name, "budget": "1", "thresholds": [20, 50]} for name in ("sex", "needs")],
        "sums": [{"of": "age", "groups": "sex", "budget": "1"}],
        "quantiles": [{"of": "age", "groups": "sex", "shares": ["0.5"], "classes": [0, 10, 20, 30], "budget": "1"}],
    }
    (out / "areas.csv").write_text("state,county\nA,A1\nA,A2\nB,B1\n", encoding="utf-8")
    of_regions: dict[str, Any] = {
        **visits,
        "privacy": {**privacy, "measure": "rho"},
        "regions": {"column": "county", "file": "areas.csv", "levels": ["state", "county"]},
        "levels": [
            {"regions": name, "groups": "sex", "budget": "1", "thresholds": [20, 50]} for name in ("state", "county")
        ],
        "publication": {"negative-counts": True, "add-up": "evenly"},
        "sums": [{"regions": "county", **each} for each in visits["sums"]],
        "quantiles": [{"regions": "county", **each} for each in visits["quantiles"]],
    }
    values: dict[str, range | list[str]] = {"sex": ["F", "M"], "age": range(41)}
    plans = {
        "epsilon": tables.Plan.of({**visits, "privacy": {**privacy, "measure": "epsilon"}}),
        "rho": tables.Plan.of({**visits, "privacy": {**privacy, "measure": "rho"}}),
        "regions": tables.Plan.of(of_regions, folder=out),
        "crossed": tables.plan(["sex", "age"], values, rho="0.5", cross=2),
        "counts": tables.plan(["sex", "age"], values, margin=20),
    }
    for name, plan in plans.items():
        plan.preview()
        _released(plan, plan.generate(out / name, persons=_PEOPLE, format="parquet").records)


def genome(out: Path) -> None:
    """The questions of phenotypes, and of persons those of each test; calls of PLINK and of a VCF."""
    from starling import genome

    invented = genome.generate(people=_PEOPLE, snps=40, seed=1, out=out / "phenotypes", populations=2)
    assert invented.plan is not None
    plan = genome.Plan.load(invented.plan)
    effects = genome.SnpEffects(("s1", "s2"), _ONE, prevalence_epsilon=_ONE / 10)
    for question in (genome.Scan(_ONE), genome.NumSig("score", 1, _ONE), genome.LocSig("score", 1, _ONE), effects):
        plan.preview(question)
        plan.release(invented.records, question)
    copies = genome.plan(_SNPS, _PEOPLE, model="dominant", tests=("g", "fisher"))
    genotypes = genome.plan(_SNPS, _PEOPLE, model="genotypic", tests=("g", "trend"))
    for name, study in {"copies": copies, "genotypes": genotypes}.items():
        records = study.generate(out / name).records
        for test in study.tests:
            for question in (genome.NumSig(test, 1, _ONE), genome.LocSig(test, 1, _ONE)):
                study.preview(question)
                study.release(records, question)
            study.release(records, genome.SnpPval("s1", test, _ONE))
    pair = genome.SnpCorr("s1", "s2", "r2", _ONE)
    genotypes.release(_vcf(out / "study.vcf"), pair, phenotype=_phenotypes(out / "phenotypes.txt"))


def _vcf(path: Path) -> Path:
    """Calls of people p0, p1, ..., of whom every second has a copy."""
    head = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *_names()]
    calls = [("0/1", "0/0")[at % 2] for at in range(_PEOPLE)]
    rows = [[snp[1], str(snp[2]), snp[0], snp[4], snp[3], ".", ".", ".", "GT", *calls] for snp in _SNPS]
    lines = ["##fileformat=VCFv4.2", *map("\t".join, (head, *rows))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _phenotypes(path: Path) -> Path:
    """Every third of the people is a case."""
    path.write_text("".join(f"{name} {1 + (at % 3 == 0)}\n" for at, name in enumerate(_names())), encoding="utf-8")
    return path


def _names() -> list[str]:
    return [f"p{at}" for at in range(_PEOPLE)]


def groups(out: Path) -> None:
    """Previews by every method, and releases of both kinds of records that need no register."""
    from starling import groups

    regions = {"land": {"north": ["n1", "n2"], "south": ["s1", "s2"]}}
    counts = groups.plan(regions, ["land", "part", "place"], largest=9, groups=60, epsilon=1, kind="counts")
    sizes = groups.plan(regions, ["land", "part", "place"], largest=9, groups=60, epsilon=1)
    for name, plan in {"counts": counts, "sizes": sizes}.items():
        plan.preview()
        _released(plan, plan.generate(out / name).records)


def places(out: Path) -> None:
    """Previews by every method; points, areas, flows between areas and on a grid; rectangles, polygons, a map with hotspots."""
    from starling.places import AreasPlan, FlowsPlan, Plan, TripsPlan
    from starling.places.pictures.map_page import page

    squares = _write_areas(out / "areas.geojson")
    areas = {"file": "areas.geojson", "id": "code", "levels": ["side"]}
    point = {"title": "Points", "point": "point", "expected": 500, "privacy": {"unit": "point", "epsilon": "1"}}
    trip = {"title": "Trips", "trip": "trip", "expected": 500, "privacy": {"unit": "trip", "epsilon": "1"}}
    at = {"x": "x", "y": "y"}
    ends = {"origin_x": "ax", "origin_y": "ay", "destination_x": "bx", "destination_y": "by"}

    grid = Plan.of({**point, "grid": _GRID, "input": at})
    grid.preview()
    released = _released(grid, grid.generate(out / "points").records)
    released.count([[0.5, 0.5, 3.5, 3.5]])
    released.released().count_polygons(squares)
    released.rounded()
    released.hotspots(1, 2)
    page(released.map())

    of_areas = AreasPlan.of({**point, "areas": areas, "input": at}, folder=out)
    of_areas.preview()
    _released(of_areas, of_areas.generate(out / "areas").records).plot()
    of_flows = FlowsPlan.of({**trip, "areas": areas, "flows": ends}, folder=out)
    of_flows.preview()
    _released(of_flows, of_flows.generate(out / "flows").records).plot()
    of_trips = TripsPlan.of({**trip, "grid": _GRID, "flows": ends})
    of_trips.preview()
    _released(of_trips, of_trips.generate(out / "trips").records).plot()


def _write_areas(path: Path) -> list[dict[str, Any]]:
    """Four squares as GeoJSON; their geometries."""
    rings = [[[x, y], [x + 2, y], [x + 2, y + 2], [x, y + 2], [x, y]] for x in (0, 2) for y in (0, 2)]
    squares = [{"type": "Polygon", "coordinates": [ring]} for ring in rings]
    features = [
        {"type": "Feature", "properties": {"code": f"a{at}", "side": ("west", "east")[at // 2]}, "geometry": square}
        for at, square in enumerate(squares)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return squares


def _released(plan: _OfRecords[ReleaseT_co], records: Path) -> ReleaseT_co:
    """Validate and release a Parquet file, and its rows as CSV beside it."""
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    text = records.with_suffix(".csv")
    pacsv.write_csv(pq.read_table(records), text)
    plan.validate(records)
    plan.release(records)
    plan.validate(text)
    return plan.release(text)


FIRST_RUNS: Final[Mapping[str, Callable[[Path], None]]] = {
    "tables": tables,
    "genome": genome,
    "groups": groups,
    "places": places,
}
"""What is run of each domain, in a folder that is there."""

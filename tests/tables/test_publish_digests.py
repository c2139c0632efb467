"""Releases from a scripted source: a plan of today has the draws, the numbers and the files that it has always had.

The digests were made by the code before the detail and the regions of a plan became values of it. Where one changes, earlier
releases cannot be verified any more, or a plan draws otherwise: neither is what a change of structure may do.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from starling.ledger import charging
from starling.ledger.leases import Tokens
from starling.planfile.values import toml_of
from starling.privacy.sampling import entropy
from starling.release.payment import PaymentOptions
from starling.tables.artifact.public_plan import bounds, parameters, product, read_plan
from starling.tables.generate import generate
from starling.tables.plan import Plan
from starling.tables.publication import plan_digest
from starling.tables.publish import release
from tests.privacy.sources import Seeded

PERSONS = 4000
LONG = ("safetab-2022", "safetab-2022-geometric", "safetab-2022-printed", "safetab-2022-geometric-printed")
"""Plans of the production, each of which takes several seconds."""

DIGESTS: dict[str, dict[str, str]] = {
    "demo": {
        "data/t1.csv": "2b3cb309204e0acc",
        "data/t2.csv": "80541ea6e1a48834",
        "data/t1.txt": "3bf232d5fcb11ca4",
        "data/t2.txt": "68ff21e8eb6b7172",
        "plan/plan.json": "7f541852f848c849",
        "plan/regions.json": "f3db2cc6beef8f2d",
        "measurements": "8b0765a7573a1cfb",
        "parameters": "e465e72cc1df3322",
        "columns": "0d44f4ef4a9c5091",
        "request": "e701d0327a38f4eb",
        "cost": "961e5782e0758d0d",
        "words": "f0beec8f66c9d02f",
        "bounds": "66e482a9e4eb9294",
        "plan file": "743a019d3b556413",
        "people": "c4965eaee40c7b14",
    },
    "safetab-2022": {
        "data/t1.csv": "9cb5cd5dbb3c6e97",
        "data/t2.csv": "9df28273d55b42f6",
        "data/t1.txt": "6973de9445af849c",
        "data/t2.txt": "e0ef1b4f673e421f",
        "plan/plan.json": "581268034c3067df",
        "plan/regions.json": "d69c20259ef24d14",
        "measurements": "72a42cfec0460023",
        "parameters": "7b43b5eec8bfee39",
        "columns": "7a27d204f7d8e632",
        "request": "4eada8473da9e4a9",
        "cost": "b9b74aa1d4e29662",
        "words": "988aac607cab95a5",
        "bounds": "c13d30b3c11b362c",
        "plan file": "5de62cdfd25bb18f",
        "people": "4252ac9f6d014bbc",
    },
    "safetab-2022-geometric": {
        "data/t1.csv": "2b27d6eeccd585c4",
        "data/t2.csv": "a0268ca3f4b8c876",
        "data/t1.txt": "7c68b97c65533220",
        "data/t2.txt": "db2182f35f1f4b89",
        "plan/plan.json": "41575195be3b6d1d",
        "plan/regions.json": "d69c20259ef24d14",
        "measurements": "f1d80475ec3d2c2a",
        "parameters": "a466df42473014a0",
        "columns": "7a27d204f7d8e632",
        "request": "3102ab3c3253fb99",
        "cost": "30fa67053299118d",
        "words": "0d9b633b05a67140",
        "bounds": "c13d30b3c11b362c",
        "plan file": "f82c4334cd6404d8",
        "people": "4252ac9f6d014bbc",
    },
    "safetab-2022-printed": {
        "data/t1.csv": "63e1ee3effe62573",
        "data/t2.csv": "5a86f8b8b32a1000",
        "data/t1.txt": "33f92a0112105efd",
        "data/t2.txt": "09b9b872cfb73b15",
        "plan/plan.json": "8d80460aed11c42c",
        "plan/regions.json": "d69c20259ef24d14",
        "measurements": "500c0083c139a5ba",
        "parameters": "8bc5c678c6afc3ae",
        "columns": "7a27d204f7d8e632",
        "request": "29e460aacf842cb5",
        "cost": "5679854547bb166a",
        "words": "988aac607cab95a5",
        "bounds": "c13d30b3c11b362c",
        "plan file": "d57fa46ac9c33f84",
        "people": "4252ac9f6d014bbc",
    },
    "safetab-2022-geometric-printed": {
        "data/t1.csv": "17d14be48d625257",
        "data/t2.csv": "31665d7e1f17c5d3",
        "data/t1.txt": "a326b0320671a84c",
        "data/t2.txt": "2537a06a04575031",
        "plan/plan.json": "61ed3aa1a0176674",
        "plan/regions.json": "d69c20259ef24d14",
        "measurements": "67a4c38ceca255f9",
        "parameters": "7bcd96e5107c1fc9",
        "columns": "7a27d204f7d8e632",
        "request": "0ec630339990defa",
        "cost": "9b97c0110d8f6abd",
        "words": "0d9b633b05a67140",
        "bounds": "c13d30b3c11b362c",
        "plan file": "74f3de753d2cf163",
        "people": "4252ac9f6d014bbc",
    },
    "custom": {
        "data/t1.csv": "28a36ff94cbd8715",
        "data/t2.csv": "4dd0dff0b60acac1",
        "data/t3.csv": "281b3d535360fd11",
        "plan/plan.json": "4ccdbebca63250d4",
        "plan/regions.json": "df5c276c6864e415",
        "measurements": "2c5fd42483988da2",
        "parameters": "7146fdeb39a2adc9",
        "columns": "8e1b8ab632c8fca6",
        "request": "775e5a9e9f481dc8",
        "cost": "a73c0182b92de835",
        "words": "ac739fb38ae46e56",
        "bounds": "0668b70239cc73fb",
        "plan file": "bc7a2e0bc45c0070",
        "people": "28aa382974bcecc9",
    },
    "single stage": {
        "data/t1.csv": "eb3e6b3250663ee6",
        "data/t2.csv": "ee7c704b642dca92",
        "plan/plan.json": "86fcfe89e1b0fc3b",
        "plan/regions.json": "6bda5efe9a691435",
        "measurements": "9029065ce09d2d4c",
        "parameters": "713300f0df47c197",
        "columns": "00edcd1c08677586",
        "request": "4a129c5fdfc41cda",
        "cost": "d1df1e6fee1bb3c7",
        "words": "e96b73d60b689cb5",
        "bounds": "077dbf234b9de222",
        "plan file": "0e1ff42b996d2408",
        "people": "784394a38ab50c7f",
    },
    "evenly": {
        "data/t1.csv": "6dd3df7f770e90b3",
        "data/t2.csv": "ee7c704b642dca92",
        "plan/plan.json": "f93f6628d6f6dd8a",
        "plan/regions.json": "6bda5efe9a691435",
        "measurements": "9029065ce09d2d4c",
        "parameters": "c65fad8b2e16cca6",
        "columns": "00edcd1c08677586",
        "request": "abc0e3dafc6dc70d",
        "cost": "d1df1e6fee1bb3c7",
        "words": "e96b73d60b689cb5",
        "bounds": "077dbf234b9de222",
        "plan file": "524a0a28995190dd",
        "people": "784394a38ab50c7f",
    },
}


CUSTOM: dict[str, Any] = {
    "title": "Visits",
    "privacy": {"unit": "household", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"},
    "records": {"of-a-household": 3, "household": "home", "expected": 4000},
    "columns": [
        {"name": "sex", "values": {"F": "women", "M": "men"}},
        {"name": "age", "from": 0, "to": 99},
        {"name": "ills", "fields": ["ill 1", "ill 2"], "values": ["cough", "fever", "ache"], "most": 2},
        {"name": "cost", "from": "0", "to": "250.5", "decimals": 1},
        {"name": "day", "periods": ["2024-01-01", "2024-07-01", "2025-01-01"]},
    ],
    "regions": {
        "column": "ward",
        "levels": ["land", "town", "ward"],
        "small": ["ward"],
        "rows": [["w1", "a", "north"], ["w2", "a", "north"], ["w3", "a", "south"], ["w4", "b", "east"]],
    },
    "groups": [
        {"name": "ills", "columns": ["ills"]},
        {
            "name": "only ills",
            "columns": ["ills"],
            "sets": {"hot": ["fever"], "any": ["fever", "ache"]},
            "match": "all",
        },
        {"name": "age by day", "columns": ["age", "day"], "cuts": {"age": [0, 18, 65]}, "detail": "total"},
    ],
    "detail": {"columns": ["sex", "age"], "steps": [{"sex": True}, {"sex": True, "age": [0, 18, 65]}]},
    "publication": {"suppression": "0.99", "negative-counts": False, "totals": "both stages"},
    "levels": [
        {"regions": "land", "groups": "ills", "budget": "0.5", "thresholds": [20, 200]},
        {"regions": "ward", "groups": "ills", "budget": "0.5", "thresholds": [20, 200]},
        {"regions": "town", "groups": "only ills", "budget": "0.25", "thresholds": [20, 200]},
        {"regions": "town", "groups": "age by day", "budget": "1/4"},
    ],
    "sums": [{"of": "cost", "regions": "town", "groups": "age by day", "budget": "0.5"}],
    "quantiles": [
        {"of": "cost", "regions": "land", "groups": "ills", "budget": "0.5", "shares": ["0.5"], "classes": [0, 50, 150]}
    ],
}
"""Every part that a plan of custom tables can have."""
SINGLE_STAGE: dict[str, Any] = {
    "title": "People by sex and age",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
    "records": {"of-a-person": 1, "expected": 4000},
    "columns": [{"name": "sex", "values": ["F", "M"]}, {"name": "age", "from": 0, "to": 99}],
    "regions": {"column": "ward", "levels": ["land", "ward"], "rows": [["w1", "x"], ["w2", "x"], ["w3", "x"]]},
    "groups": [{"name": "sex by age", "columns": ["sex", "age"], "cuts": {"age": [0, 18, 65]}}],
    "publication": {"negative-counts": True, "add-up": True},
    "levels": [
        {"regions": "land", "groups": "sex by age", "budget": "0.5"},
        {"regions": "ward", "groups": "sex by age", "margins": [{"number": "total only", "within": 5}]},
    ],
}
EVENLY = SINGLE_STAGE | {"publication": {"negative-counts": True, "add-up": "evenly"}}
CUSTOM_PLANS = {"custom": CUSTOM, "single stage": SINGLE_STAGE, "evenly": EVENLY}


def plan_named(name: str, definitions: Path) -> Plan:
    """A preset, or a plan of custom tables."""
    if name in CUSTOM_PLANS:
        return Plan.of(CUSTOM_PLANS[name])
    return Plan.load(name if name == "demo" else f"{name}:{definitions}")


def digests(name: str, definitions: Path, folder: Path) -> dict[str, str]:
    """Of each part of a release of invented people, the first digits of its SHA-256."""
    plan = plan_named(name, definitions)
    people = generate(plan, persons=PERSONS, seed=1, out=folder / "people")
    out = folder / "out"
    files, payment = people.files, PaymentOptions(unvalidated=True)
    release(plan, files["persons"], files.get("geography"), out, names=files.get("names"), payment=payment)
    paths = [f"data/{table}.{ending}" for ending in ("csv", "txt") for table in ("t1", "t2", "t3")]
    paths += ["plan/plan.json", "plan/regions.json"]
    parts = {path: (out / path).read_bytes() for path in paths if (out / path).exists()}
    numbers = [
        pq.read_table(path).to_pydict()
        for path in sorted((out / "data").rglob("*.parquet"))
        if path.parent.name != "data"
    ]
    parts["measurements"] = json.dumps(numbers).encode()
    parts["parameters"] = json.dumps(parameters(*read_plan(out))).encode()
    resources = json.loads((out / "datapackage.json").read_text())["resources"]
    parts["columns"] = json.dumps([each["schema"] for each in resources if "schema" in each]).encode()
    parts["request"] = plan_digest(plan).encode()
    parts["cost"] = str(plan.cost).encode()
    parts["words"] = json.dumps(asdict(product(plan))).encode()
    parts["bounds"] = json.dumps(bounds(plan)).encode()
    parts["plan file"] = toml_of(
        plan.values(None if name == "demo" or name in CUSTOM_PLANS else "definitions")
    ).encode()
    parts["people"] = b"".join(files[name].read_bytes() for name in sorted(files))
    return {part: hashlib.sha256(content).hexdigest()[:16] for part, content in parts.items()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in DIGESTS]
)
def test_a_plan_of_today_releases_the_same_bytes(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "_SYSTEM", Seeded(7))
    # A name of the process for its leases and the key of a custodian are drawn once; here they are drawn for each release.
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(charging, "_LEASES", Tokens())
    assert digests(name, shared_data / "tables" / "NMFv7-2020", tmp_path) == DIGESTS[name]

"""Releases from a scripted source: a plan of today has the draws, the numbers and the files that it has always had.

The digests were made by the code before the detail and the regions of a plan became values of it. Where one changes, earlier
releases cannot be verified any more, or a plan draws otherwise: neither is what a change of structure may do.
"""

import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from starling.ledger import charging
from starling.ledger.leases import Tokens
from starling.privacy.sampling import entropy
from starling.release.payment import PaymentOptions
from starling.tables.artifact.public_plan import parameters, read_plan
from starling.tables.generate import generate
from starling.tables.plan import Plan
from starling.tables.publication import plan_digest
from starling.tables.publish import release
from tests.privacy.sources import Seeded

PERSONS = 4000

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
    },
}


def digests(name: str, definitions: Path, folder: Path) -> dict[str, str]:
    """Of each part of a release of invented people, the first digits of its SHA-256."""
    plan = Plan.load(name if name == "demo" else f"{name}:{definitions}")
    made = generate(plan, persons=PERSONS, seed=1, out=folder / "people")
    out = folder / "out"
    release(plan, made.persons, made.geography, out, names=made.names, payment=PaymentOptions(unvalidated=True))
    found = {path: (out / path).read_bytes() for path in ("data/t1.csv", "data/t2.csv", "data/t1.txt", "data/t2.txt")}
    found |= {path: (out / path).read_bytes() for path in ("plan/plan.json", "plan/regions.json")}
    numbers = [pq.read_table(path).to_pydict() for path in sorted((out / "data" / "measurements").iterdir())]
    found["measurements"] = json.dumps(numbers).encode()
    found["parameters"] = json.dumps(parameters(*read_plan(out))).encode()
    resources = json.loads((out / "datapackage.json").read_text())["resources"]
    found["columns"] = json.dumps([each["schema"] for each in resources if "schema" in each]).encode()
    found["request"] = plan_digest(plan).encode()
    found["cost"] = str(plan.cost).encode()
    return {part: hashlib.sha256(content).hexdigest()[:16] for part, content in found.items()}


@pytest.mark.parametrize("name", DIGESTS)
def test_a_plan_of_today_releases_the_same_bytes(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "_SYSTEM", Seeded(7))
    # A name of the process for its leases and the key of a custodian are drawn once; here they are drawn for each release.
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(charging, "_LEASES", Tokens())
    assert digests(name, shared_data / "tables" / "NMFv7-2020", tmp_path) == DIGESTS[name]

"""A release as a Five Safes RO-Crate: its folder, as it was signed, beside `ro-crate-metadata.json`, which says what is in it.

Catalogues read the same file as DCAT: title, publisher, licence, what area and time it is of, and each file with its media type, its bytes
and its SHA-256. The release lies below `release/` and verifies there as ever: nothing of it is changed, and nothing is added to what its
signature lists (docs/decisions/0034-exports.md). All that is said follows from the release and from what the publisher says here.

Five Safes RO-Crates describe a run of a workflow on data that nobody sees. Here the workflow is the public plan, the run is the release,
and the check of disclosure is the noise, whose guarantee is privacy.json.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.ledger.keys import Public
from starling.planfile.spelling import name_problem
from starling.release import datapackage
from starling.release.codec import Json
from starling.release.manifest import OWN_LEDGER, SIGNATURE, digests, files_of

FILE: Final = "ro-crate-metadata.json"
FOLDER: Final = "release"
PLAN: Final = f"{FOLDER}/plan/"
SPECIFICATION: Final = "https://w3id.org/ro/crate/1.2"
PROFILE: Final = "https://w3id.org/5s-crate/0.4"
DISCLOSURE_CHECK: Final = "https://w3id.org/shp#DisclosureCheck"
COMPLETED: Final = "http://schema.org/CompletedActionStatus"
VOCABULARIES: Final = {"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"}
TITLES: Final = {
    SIGNATURE: "Signature over every other file",
    OWN_LEDGER: "The ledger that paid for the release",
    datapackage.FILE: "Every file with its size and hash, every table with its columns",
}


@dataclass(frozen=True, slots=True)
class Publishing:
    """What a publisher says of a release that the release cannot; raises ParameterError.

    Attributes:
        license: The address of the licence.
        publisher: The name of the organisation.
        agent: The person who answers for the release; empty for the holder of the key that signed it.
        spatial: The area that the numbers are of, in words; empty where it is not said.
        temporal: The time that they are of, as in ISO 8601: 2025, 2025-01-01/2025-12-31; empty where it is not said.
    """

    license: str
    publisher: str
    agent: str = ""
    spatial: str = ""
    temporal: str = ""

    def __post_init__(self) -> None:
        address = urlsplit(self.license)
        if address.scheme not in ("http", "https") or not address.netloc or not self.license.isprintable():
            fix = "write https://creativecommons.org/licenses/by/4.0/ or another one"
            raise ParameterError("license", "is no address of a licence", fix)
        for name in ("publisher", "agent", "spatial", "temporal"):
            text = getattr(self, name)
            problem = name_problem(text) if text or name == "publisher" else None
            if problem is not None:
                raise ParameterError(name, problem, "write it in printed characters")


def write_crate(folder: Path, statement: Mapping[str, Any], signer: Public, publishing: Publishing, out: Path) -> None:
    """Write the crate of a release as a new folder.

    Args:
        folder: The folder of the release, compared with its signature.
        statement: Its privacy.json.
        signer: Who signed it.
        publishing: What its publisher says of it.
        out: The crate; must not exist.

    Raises:
        OutputError: `out` exists, or cannot be written.
    """
    with new_folder(out) as crate:
        shutil.copytree(folder, crate / FOLDER)
        package = datapackage.read_json(folder / datapackage.FILE)
        resources = {each["path"]: each for each in package["resources"]}
        files = list(_files(crate / FOLDER, resources))
        entities = [*_entities(package["title"], statement, publishing, signer, [str(each["@id"]) for each in files])]
        descriptor = _entity(FILE, "CreativeWork", about=_ref("./"), conformsTo=_ref(SPECIFICATION))
        graph = [descriptor, *entities, *files]
        content = {"@context": [f"{SPECIFICATION}/context", VOCABULARIES], "@graph": graph}
        (crate / FILE).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _ref(identifier: str) -> Json:
    return {"@id": identifier}


def _entity(identifier: str, kind: str | list[Json], **fields: Json) -> dict[str, Json]:
    return {"@id": identifier, "@type": kind, **fields}


def _files(folder: Path, resources: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Json]]:
    """Every file of the release, as a part of the crate and as a distribution."""
    files = files_of(folder)
    hashes = digests(files)
    for name, path in files.items():
        media = datapackage.MEDIA.get(path.suffix, "application/octet-stream")
        size = path.stat().st_size
        yield {
            "@id": quote(f"{FOLDER}/{name}"),
            "@type": ["File", "dcat:Distribution"],
            "name": name,
            "description": resources.get(name, {}).get("title") or TITLES.get(name, name),
            "encodingFormat": media,
            "contentSize": str(size),
            "sha256": hashes[name],
            "dcat:mediaType": media,
            "dcat:byteSize": size,
        }


def _entities(
    title: str, statement: Mapping[str, Any], publishing: Publishing, signer: Public, files: Sequence[str]
) -> Iterator[dict[str, Json]]:
    """What the crate is, and whom and what it speaks of; `files` are the ids of its files."""
    account = statement["account"]
    neighbours, cost = statement["neighbours"], statement["cost"][statement["neighbours"]["change"]]
    measure = statement["measure"]["name"]
    guarantee = f"differential privacy: {neighbours['words']}, {measure} {cost['decimal']}"
    people = publishing.agent or f"Holder of the key {signer.fingerprint}"
    root: dict[str, Json] = {
        "@id": "./",
        "@type": ["Dataset", "dcat:Dataset"],
        "name": title,
        "description": f"{title}. Noisy estimates with intervals, under {guarantee}.",
        "datePublished": account["day"],
        "license": _ref(publishing.license),
        "publisher": _ref("#publisher"),
        "author": _ref("#agent"),
        "sourceOrganization": _ref("#project"),
        "conformsTo": _ref(PROFILE),
        "mainEntity": _ref(PLAN),
        "mentions": [_ref("#run"), _ref("#disclosure")],
        "hasPart": [_ref(PLAN), *(_ref(each) for each in files if not each.startswith(PLAN))],
        "dcat:distribution": [_ref(each) for each in files],
        "identifier": _ref("#request"),
        "dct:title": title,
        "dct:publisher": _ref("#publisher"),
        "dct:license": _ref(publishing.license),
        "dct:issued": account["day"],
    }
    if publishing.spatial:
        root |= {"spatialCoverage": _ref("#place"), "dct:spatial": _ref("#place")}
        yield _entity("#place", ["Place", "dct:Location"], name=publishing.spatial)
    if publishing.temporal:
        root |= {"temporalCoverage": publishing.temporal, "dct:temporal": publishing.temporal}
    yield root
    yield _entity(PROFILE, ["CreativeWork", "Profile"], name="Five Safes RO-Crate profile")
    yield _entity(publishing.license, "CreativeWork", name=publishing.license)
    yield _entity("#publisher", "Organization", name=publishing.publisher)
    yield _entity("#project", "Project", name=title, parentOrganization=_ref("#publisher"))
    yield _entity("#agent", "Person", name=people, affiliation=_ref("#publisher"), memberOf=_ref("#project"))
    request = account["request_id"]
    yield _entity("#request", "PropertyValue", propertyID="request id of the charge", value=request)
    yield _entity(
        PLAN,
        "Dataset",
        name="The public plan",
        description="All that makes the tables of the noisy numbers, and of which the guarantee follows",
        hasPart=[_ref(each) for each in files if each.startswith(PLAN)],
    )
    version = statement["software"].removeprefix("starling ")
    yield _entity("#software", "CreativeWork", name="Starling", version=version)
    held = "Held by their custodian; nothing of them is in this crate but noisy numbers"
    yield _entity("#records", "CreativeWork", name="The confidential records", conditionsOfAccess=held)
    yield _entity(
        "#run",
        "CreateAction",
        name=f"Release of {title}, request {request}",
        agent=_ref("#agent"),
        instrument=_ref(PLAN),
        object=_ref("#records"),
        result=[_ref(each) for each in files if each.startswith(f"{FOLDER}/data/")],
        actionStatus=COMPLETED,
    )
    yield _entity(
        "#disclosure",
        "AssessAction",
        additionalType=_ref(DISCLOSURE_CHECK),
        name=f"Control of disclosure by {guarantee}",
        agent=_ref("#software"),
        instrument=_ref("#software"),
        object=_ref("./"),
        result=_ref(f"{FOLDER}/privacy.json"),
        actionStatus=COMPLETED,
    )
    yield _entity(DISCLOSURE_CHECK, "DefinedTerm", name="Disclosure check")

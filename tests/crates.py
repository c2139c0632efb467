"""What must hold of an RO-Crate: rules of RO-Crate 1.2 and of the Five Safes profile 0.4 that hold of any crate, and its files."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Entity = dict[str, Any]


def graph_of(crate: Path) -> dict[str, Entity]:
    """The entities of a crate by their ids."""
    entities = json.loads((crate / "ro-crate-metadata.json").read_text())["@graph"]
    graph = {each["@id"]: each for each in entities}
    assert len(graph) == len(entities)
    return graph


def references(value: Any) -> Iterator[str]:
    """The ids that a value names."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            # Flattened: an entity within another one has no place in a crate.
            assert set(each) == {"@id"}
            yield each["@id"]


def types(entity: Entity) -> set[str]:
    return {entity["@type"]} if isinstance(entity["@type"], str) else set(entity["@type"])


def problems(crate: Path) -> list[str]:
    """What a validator would refuse."""
    graph = graph_of(crate)
    document = json.loads((crate / "ro-crate-metadata.json").read_text())
    root, descriptor = graph["./"], graph["ro-crate-metadata.json"]

    def all_of(kind: str) -> list[Entity]:
        return [each for each in graph.values() if kind in types(each)]

    def targets(entity: Entity, key: str) -> list[Entity]:
        return [graph[each] for each in references(entity.get(key, []))]

    named = {each for entity in graph.values() for key in entity for each in references(entity[key])}
    outside = {"https://w3id.org/ro/crate/1.2"}
    (run,), checks = all_of("CreateAction"), all_of("AssessAction")
    files = {each["@id"]: each for each in all_of("File")}
    on_disk = {path.relative_to(crate).as_posix(): path for path in crate.rglob("*") if path.is_file()}
    parts = {each for entity in all_of("Dataset") for each in references(entity.get("hasPart", []))}
    rules = {
        "context of 1.2": document["@context"][0] == "https://w3id.org/ro/crate/1.2/context",
        "descriptor": (descriptor["about"], descriptor["conformsTo"])
        == ({"@id": "./"}, {"@id": "https://w3id.org/ro/crate/1.2"}),
        "every reference is an entity with a type": named - outside <= graph.keys(),
        "root": {"name", "description", "datePublished", "license"} <= root.keys(),
        "profile": list(references(root["conformsTo"])) == ["https://w3id.org/5s-crate/0.4"],
        "sourceOrganization is a project": [types(each) for each in targets(root, "sourceOrganization")]
        == [{"Project"}],
        "one mainEntity, a dataset": [types(each) for each in targets(root, "mainEntity")] == [{"Dataset"}],
        "actions are mentioned": {each["@id"] for each in (run, *checks)} <= set(references(root["mentions"])),
        "instrument is mainEntity": run["instrument"] == root["mainEntity"],
        "agent is a person": [types(each) for each in targets(run, "agent")] == [{"Person"}],
        "affiliation is an organisation": [types(each) for each in targets(targets(run, "agent")[0], "affiliation")]
        == [{"Organization"}],
        "actions have names and a status": all(
            len(each["name"]) >= 10 and each["actionStatus"] == "http://schema.org/CompletedActionStatus"
            for each in (run, *checks)
        ),
        "a check of disclosure": [each["additionalType"]["@id"] for each in checks]
        == ["https://w3id.org/shp#DisclosureCheck"],
        "every file is a part, once": files.keys() <= parts
        and {unquote(name) for name in files} == on_disk.keys() - {"ro-crate-metadata.json"},
        "sizes and hashes": all(
            (each["contentSize"], each["dcat:byteSize"], each["sha256"])
            == (
                str(size := len(content := on_disk[unquote(name)].read_bytes())),
                size,
                hashlib.sha256(content).hexdigest(),
            )
            for name, each in files.items()
        ),
        "distributions": set(references(root["dcat:distribution"])) == files.keys()
        and all(each["encodingFormat"] == each["dcat:mediaType"] for each in files.values()),
    }
    return [rule for rule, holds in rules.items() if not holds]

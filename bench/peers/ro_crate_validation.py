"""Asks roc-validator whether it accepts an RO-Crate, and rocrate whether it reads it; writes one JSON line for each profile.

Usage: python -m bench.peers.ro_crate_validation CRATE PROFILE,... CONTEXTS PROFILES, the last two folders or empty: of JSON-LD contexts by
the versions of RO-Crate (1.2.jsonld), which otherwise come from the network, and of further profiles.
"""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import requests
from rocrate.rocrate import ROCrate
from rocrate_validator import models, services


@contextmanager
def from_files(folder: str) -> Iterator[None]:
    """Answer for contexts from files, and for nothing else; without a folder by the network."""

    def send(_: requests.Session, request: requests.PreparedRequest, **__: Any) -> requests.Response:
        response = requests.Response()
        response.request, response.url = request, request.url or ""
        file = Path(folder) / f"{Path(response.url).parent.name}.jsonld"
        there = file.exists() and response.url.endswith("/context")
        response.status_code, response.raw = 200 if there else 404, io.BytesIO(file.read_bytes() if there else b"")
        response.headers["Content-Type"] = "application/ld+json"
        return response

    with patch.object(requests.Session, "send", send) if folder else nullcontext():
        yield


def main() -> None:
    """Answer, profile by profile."""
    crate, profiles, contexts, further = sys.argv[1:]
    entities = len(list(ROCrate(crate).get_entities()))
    for profile in profiles.split(","):
        began = process_time()
        settings = services.ValidationSettings(
            rocrate_uri=crate,
            profile_identifier=profile,
            requirement_severity=models.Severity.REQUIRED,
            extra_profiles_path=Path(further) if further else None,
            cache_max_age=0,
        )
        with from_files(contexts):
            result = services.validate(settings)
        issues = [f"{each.check.identifier}: {each.message}" for each in result.get_issues()]
        seconds = round(process_time() - began, 2)
        print(json.dumps({"profile": profile, "entities": entities, "issues": issues, "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()

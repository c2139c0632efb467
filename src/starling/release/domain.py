"""The contract between the frame and a domain, in one file: what a domain gives, and what the frame makes of it.

The frame is `starling.release` and `starling.cli`: it publishes, verifies, opens and shows releases, and knows no domain. A domain is
registered in `starling.domains` under its name, with the place of its `Domain` and of its commands; nothing else has to be changed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from starling.errors import Found
from starling.release.checks import Check
from starling.release.reading import Release
from starling.release.report.pages import Section
from starling.release.statement import Json


class Domain(Protocol):
    """One kind of statistics, from its plan to what analysts read."""

    @property
    def name(self) -> str:
        """The name under which the domain is registered; privacy.json of each of its releases bears it."""
        ...

    def check(self, folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
        """The domain's checks of one of its releases, beyond hashes, signature and arithmetic.

        Args:
            folder: The release, whose files are as they were signed.
            stated: The parsed privacy.json of the release.
            hashes: SHA-256 of each file of the release, by its path there.
        """
        ...

    def opened(self, release: Release) -> Release:
        """An opened release with what the domain offers to those who analyse it.

        Raises:
            IntegrityError: its plan or its measurements are not as Starling writes them.
        """
        ...


class Shown(Protocol):
    """A result of a verb that opens no records (`plan`, `preview`), or of one that publishes."""

    def text(self) -> str:
        """The result for people, as plain text of several lines."""
        ...

    def json(self) -> dict[str, Json]:
        """The result for programs; amounts are exact."""
        ...


class Previewed(Shown, Protocol):
    """The expected error of a plan, before anything is spent; it can be published."""

    @property
    def title(self) -> str:
        """The title of the page: the plan's."""
        ...

    @property
    def kind(self) -> str:
        """What the page is, with the cost of the plan, in one line below the title."""
        ...

    def sections(self) -> Sequence[Section]:
        """The content of the page."""
        ...


class Validated(Protocol):
    """What `validate` found in confidential files. NOT PRIVATE: for their custodian alone."""

    @property
    def problems(self) -> Found:
        """What breaks the rules; a file with problems is accepted only when its custodian says so."""
        ...

    @property
    def notes(self) -> Found:
        """What is allowed and probably not meant."""
        ...

    def summary(self) -> tuple[str, dict[str, Json]]:
        """What was read, as a phrase for people and as values for programs."""
        ...

"""The confidential records of a release that an engine counts."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.engine.spark import Spark, cluster_for
from starling.privacy.trust import Confidential
from starling.release.domain import ExactT


@dataclass(frozen=True, slots=True)
class CountedRecords(Generic[ExactT]):
    """A `release.domain.Source`: records that were checked when they were opened, what counts them by a running Spark or by DuckDB, and
    public files that are read with them.
    """

    records: Records | Held
    count: Callable[[Spark | None], Confidential[ExactT]]
    engine: str
    public: tuple[Path, ...] = ()

    def files(self) -> Iterable[Path]:
        """The files of the records, and the public ones."""
        return (*self.records.files, *self.public)

    def open(self) -> Callable[[ExitStack], Confidential[ExactT]]:
        """What is counted; a cluster is started for it where that is asked for."""
        files, sizes = self.records.files, self.records.sizes
        return lambda work: self.count(work.enter_context(cluster_for(self.engine, files, sizes)))

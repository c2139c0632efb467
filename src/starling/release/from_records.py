"""From one plan and one set of records to a release: the same steps for every kind of release that needs nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from starling.engine.held_records import Held, InMemory, check_session
from starling.engine.record_files import Records
from starling.engine.spark import DUCKDB, check_engine
from starling.privacy.trust import Confidential
from starling.release.counted import CountedRecords
from starling.release.domain import Delivery, Publication, Validated
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish


class _Shown(Protocol):
    """What validation shows to the custodian alone."""

    @property
    def value(self) -> Validated:
        """The findings."""


def _nothing(_: Any) -> tuple[Path, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class FromRecords:
    """How releases of a kind are made of records.

    Attributes:
        publication: Of a plan.
        open: Checks the public shape of records, given them and the plan.
        count: What the mechanism takes, of the plan, the records, and a running Spark or None.
        validate: What is wrong with the records, given the plan and them, and by name `most`.
        prepare: Makes what counting needs of the plan: what public choices can break breaks before the charge.
        public: The public files that are read with the records.
    """

    publication: Callable[[Any], Publication[Any, Any]]
    open: Callable[..., Records | Held]
    count: Callable[..., Confidential[Any]]
    validate: Callable[..., _Shown]
    prepare: Callable[[Any], object] = _nothing
    public: Callable[[Any], tuple[Path, ...]] = _nothing

    def release(
        self,
        plan: Any,
        records: str | Path | InMemory,
        out: str | Path,
        *,
        engine: str = DUCKDB,
        payment: PaymentOptions = DEFAULT_PAYMENT,
        listener: Listener = SILENT,
    ) -> Published:
        """Publish what a plan says of records as the folder `out`; arguments, and what is raised, are as of `places.release`."""
        check_engine(engine)
        opened = self.open(records, plan)
        check_session(opened.files, engine, Path(out))
        source = self._counted(plan, opened, engine)
        return publish(self.publication(plan), source, Path(out).absolute(), payment, listener)

    def deliver(self, plan: Any, records: Path, engine: str = DUCKDB) -> Delivery:
        """A plan with its records, opened; raises SourceError or ParameterError by public checks."""
        check_engine(engine)
        opened = self.open(records, plan)
        source = self._counted(plan, opened, engine)
        return Delivery(self.publication(plan), source, lambda most: self.validate(plan, opened, most=most).value)

    def _counted(self, plan: Any, opened: Records | Held, engine: str) -> CountedRecords[Any]:
        self.prepare(plan)
        return CountedRecords(opened, partial(self.count, plan, opened), engine, self.public(plan))

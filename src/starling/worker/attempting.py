"""One attempt at what a worker does: a release that was charged, or a look at registered records; and how it ended, in words.

What ended an attempt is told to the custodian alone. Of a fault of Starling's own its kind alone is named: its words could show values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from starling.errors import LedgerUnavailable, RunFailed, StarlingError, number_of
from starling.ledger.reading import Charge
from starling.server.home import Home
from starling.server.pauses import working
from starling.worker.findings import Inspections
from starling.worker.jobs import Jobs
from starling.worker.sources import Sources

Ending: TypeAlias = Literal["done", "busy", "refused", "failed"]
"""Done; not begun, since another worker is at it or the ledger is away; refused before anything was drawn; failed."""
LOOKING: Final = 0
"""In the place of a release's number: a look at registered records."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended.

    Attributes:
        notes: Of a look: by the name of each dataset what was found, in a sentence.
    """

    ending: Ending
    why: str = ""
    notes: tuple[tuple[str, str], ...] = ()


class Lane(Protocol):
    """Where one attempt at a time is made."""

    def begin(self, seq: int) -> None:
        """Begin to carry out the charge that is event `seq`, or LOOKING."""
        ...

    def outcome(self) -> Outcome | None:
        """How it ended; None while it goes on."""
        ...

    def close(self) -> None:
        """End it, and whatever it is at."""
        ...


def attempt(home: Home, jobs: Callable[[], Jobs], seq: int) -> Outcome:
    """Carry out the charge that is event `seq`, or look for LOOKING; `jobs` opens the ledger, without which a home can be looked at."""
    try:
        if seq == LOOKING:
            return _look(home)
        charge = jobs().find(seq)
    except StarlingError:
        # The ledger cannot be opened or read now.
        return Outcome("busy")
    return Outcome("done") if charge is None else _carry_out(home, jobs(), charge)


def _carry_out(home: Home, jobs: Jobs, charge: Charge) -> Outcome:
    try:
        with working(home.folder):
            jobs.carry_out(charge)
    except LedgerUnavailable:
        return Outcome("busy")
    except RunFailed as error:
        # The kind of what stopped it, where that is known.
        cause = "" if error.__context__ is None else f" ({type(error.__context__).__name__})"
        return Outcome("failed", f"{error}{cause}")
    except StarlingError as error:
        return Outcome("refused", str(error))
    except Exception as error:  # noqa: BLE001 - one release keeps no other from being made
        return Outcome("failed", _fault(error))
    return Outcome("done")


def _look(home: Home) -> Outcome:
    """Validate registered records that nobody has looked at as they are now."""
    sources, inspections = Sources(home), Inspections(home)
    notes = []
    for name in sources.names():
        try:
            with working(home.folder):
                findings = inspections.inspect(name, sources.open(name))
            ends = "nothing breaks the rules" if not findings.total else number_of(findings.total, "problem")
            words = f"looked at {findings.read}; {ends}: starling server findings"
        except StarlingError as error:
            words = str(error)
        except Exception as error:  # noqa: BLE001 - one dataset keeps no other from being looked at
            words = _fault(error)
        notes.append((name, f"dataset {name}: {words}"))
    return Outcome("done", notes=tuple(notes))


def _fault(error: BaseException) -> str:
    return f"a fault of Starling's own ({type(error).__name__})"

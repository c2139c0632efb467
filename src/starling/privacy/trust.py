"""The trust boundary between confidential and released values.

`Confidential[T]` is a deferred computation: nobody can see, compare, store or branch on what it would give. `publish` is
the only way from it to a `Released[R]`: it makes the charge durable first, then runs the computation, then draws, then commits the charge
to that draw. So reading before charging, showing an exact count and forging a release are type errors, and fail at run time too; and
nobody sees two draws of one charge.

A second way over it, `inspect`, serves a custodian's own `validate` and `evaluate`; what takes it is marked `NotPrivate`, which no
release, worker or server accepts.

The boundary holds against mistakes and careless code, today's or in years. It can't hold against code in the same process that
means to break it (`object.__setattr__`, the garbage collector); that is what keeping analysts' code out of the process is for.
"""

import warnings
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Generic, Never, Protocol, TypeVar, final

from starling.errors import BoundaryError, RunFailed
from starling.privacy.guarantee import Guarantee

T = TypeVar("T")
U = TypeVar("U")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


@final
class _Boundary:
    """The key of this module: `Released` takes no other."""

    __slots__ = ()


_BOUNDARY: Final = _Boundary()


def _closed(*_: object) -> Never:
    raise BoundaryError(
        "confidential value",
        "cannot be shown, compared, tested, copied or stored",
        "publish it through a mechanism, with an account that pays",
    )


@final
class Confidential(Generic[T]):
    """A deferred computation for a confidential value, which reads and computes; `publish` runs it once, after the charge."""

    __slots__ = ("__computation",)

    def __init__(self, computation: Callable[[], T], /) -> None:
        # Its own __setattr__ is closed: `data.__class__ = Other` would show the slot under another name.
        object.__setattr__(self, "_Confidential__computation", computation)

    def map(self, function: Callable[[T], U], /) -> "Confidential[U]":
        """The computation followed by `function`; still nothing is run."""
        return Confidential(lambda: function(_run(self)))

    # Not shown to the type checker, so that it finds no operator, call, length or truth value here and says so.
    if not TYPE_CHECKING:
        __repr__ = __str__ = __format__ = __bool__ = __hash__ = __iter__ = __len__ = __call__ = _closed
        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _closed
        __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _closed
        __setattr__ = __delattr__ = __init_subclass__ = _closed


def _run(data: Confidential[T], /) -> T:
    return data._Confidential__computation()  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a durable ledger wrote a charge.

    Attributes:
        position: Number of the event in the ledger's chain.
        head: Its hash, hexadecimal: of this event and all before it.
        dataset: Registered name of the data that were charged for.
        population: The population: the population whose data these are.
        signer: The public key that signs what the ledger pays for, 64 hexadecimal digits: the custodian's, or one that they let charge.
        inside: Whether the ledger was made for this one release and lies in it, so that nothing in the ledger limits a second one.
    """

    position: int
    head: str
    dataset: str
    population: str
    signer: str
    inside: bool = False


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that a charge was made.

    Attributes:
        request_id: The name under which the charge can be found, and a killed run resumed.
        guarantee: What was charged for.
        account: The id of the ledger that paid, or words that say that the account was held in memory.
        entry: The event in that ledger; None where nothing durable was written.
        day: The day of the charge, as 2026-01-31, UTC. It is taken before anything is read, so it tells nothing of the data.
        validated: Whether the custodian had looked at the very files that are read, and accepted them for release.
    """

    request_id: str
    guarantee: Guarantee
    account: str
    entry: Entry | None = None
    day: str = field(default_factory=_today, compare=False)
    validated: bool = False


class Account(Protocol[R]):
    """Somebody who pays for one draw. The ledger implements it; so does the account of a release, which keeps the draw on the disk."""

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Make the whole cost durable, or raise BudgetRefused or PolicyRefused; never a part of it."""

    def resume(self) -> R | None:
        """The draw that an earlier run of this charge was committed to; None where one is to be made now.

        Where that draw is lost it is paid for again, or BudgetRefused is raised: somebody may have seen it.
        """

    def commit(self, drawn: R, /) -> R:
        """Make durable that this is the draw of the charge, before anybody can see it; the same, to be seen from now on."""


class Mechanism(Protocol[T_contra, R_co]):
    """An immutable value: what it guarantees, from public parameters alone, and how it draws."""

    @property
    def guarantee(self) -> Guarantee:
        """What is charged, before anything is read."""

    def draw(self, exact: T_contra, /) -> R_co:
        """The noisy result, with fresh noise at each call."""


def _seal(value: object) -> None:
    """Arrays that were released are not written to any more: what a page says of them later is what was drawn."""
    # Not above: who reads a ledger needs no arrays, and would wait for them.
    import numpy as np

    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for part in value:
            _seal(part)


@final
@dataclass(frozen=True, slots=True)
class Released(Generic[T]):
    """A value that everybody may see, with the receipt of what it cost. Only `publish` and `then` make one. Its arrays are read-only."""

    value: T
    receipt: Receipt
    boundary: InitVar[_Boundary]

    def __post_init__(self, boundary: _Boundary) -> None:
        # An InitVar, not a kept field: `dataclasses.replace` would pass a kept key on to a forged value.
        if boundary is not _BOUNDARY:
            raise BoundaryError("released value", "can only come from publish", "publish a confidential value")
        if isinstance(self.value, Confidential | NotPrivate):
            raise BoundaryError("released value", "is marked confidential or not private", "release what was drawn")
        _seal(self.value)

    def __init_subclass__(cls) -> None:
        # `final` binds the type checker alone, and a subclass could leave out the check above.
        raise BoundaryError("released value", "has no other kinds", "publish a confidential value")

    def then(self, function: Callable[[T], U], /) -> "Released[U]":
        """Post-process: any function of released values is released at no further cost."""
        return Released(function(self.value), self.receipt, _BOUNDARY)

    def __reduce__(self) -> Never:
        raise BoundaryError("released value", "cannot be pickled or copied", "write it as a release artifact")

    def __setstate__(self, _: object) -> Never:
        # Otherwise dataclass would give it one that fills in whatever it gets.
        self.__reduce__()


@final
@dataclass(frozen=True, slots=True)
class NotPrivate(Generic[T]):
    """A confidential value shown to its own custodian: never to be published."""

    value: T
    boundary: InitVar[_Boundary]

    def __post_init__(self, boundary: _Boundary) -> None:
        if boundary is not _BOUNDARY:
            raise BoundaryError("inspected value", "can only come from inspect", "inspect a confidential value")

    def __reduce__(self) -> Never:
        _closed()


def publish(data: Confidential[T], mechanism: Mechanism[T, R], account: Account[R]) -> Released[R]:
    """Charge, then read, then draw, then commit the charge to the draw. Of a charge that is committed already, that draw comes back.

    Args:
        data: The computation of the exact value.
        mechanism: Declares the cost and draws the noise.
        account: Pays for one draw; its charge and its commitment are durable when they return.

    Raises:
        BoundaryError: when `data` are no computation (an inspected value, say); nothing is charged.
        BudgetRefused, PolicyRefused: by the account, before anything is read; or by its commitment, and nobody sees what was drawn.
        RunFailed: after the charge, with one constant message whatever the cause: which record, file or size made it fail
            would be an answer nobody paid for.
    """
    if not isinstance(data, Confidential):
        raise BoundaryError("data", "are not Confidential", "publish the computation, before it is run")
    receipt = account.charge(mechanism.guarantee)
    earlier = account.resume()
    if earlier is not None:
        return Released(earlier, receipt, _BOUNDARY)
    drawn: list[R] = []
    interrupted = False
    try:
        # A warning (NumPy's of an overflow, say) would tell of the data what the error must not.
        with warnings.catch_warnings(action="ignore"):
            drawn.append(mechanism.draw(_run(data)))
    except KeyboardInterrupt:
        interrupted = True
    except BaseException:  # noqa: BLE001, S110 - whatever it was, SystemExit too, what leaves must not depend on it
        pass
    # Raised outside the handlers, so that the cause is not kept as the context of the error.
    if interrupted:
        raise KeyboardInterrupt
    if not drawn:
        raise RunFailed
    return Released(account.commit(drawn[0]), receipt, _BOUNDARY)


def inspect(data: Confidential[T]) -> NotPrivate[T]:
    """Run the computation for the custodian's own eyes: `validate` and `evaluate` only (an import contract says so)."""
    return NotPrivate(_run(data), _BOUNDARY)

"""The door between confidential and released values.

`Confidential[T]` is a recipe that has not run: nobody can see, compare, store or branch on what it would give. `publish` is
the only way from it to a `Released[R]`: it makes the charge durable first, then runs the recipe, then draws. So reading
before charging, showing an exact count and forging a release are type errors, and fail at run time too.

A second door, `inspect`, serves a custodian's own `validate` and `evaluate`; what passes it is marked `NotPrivate`, which no
release, worker or server accepts.
"""

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from typing import Final, Generic, Never, Protocol, TypeVar, final

from starling.errors import DoorError, RunFailed
from starling.privacy.guarantee import Guarantee

T = TypeVar("T")
U = TypeVar("U")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


@final
class _Door:
    """The key of this module: `Released` takes no other."""

    __slots__ = ()


_DOOR: Final = _Door()


def _closed(*_: object) -> Never:
    raise DoorError(
        field="confidential value",
        problem="cannot be shown, compared, tested, copied or stored",
        fix="publish it through a mechanism, with an account that pays",
    )


@final
class Confidential(Generic[T]):
    """A recipe for a confidential value, not yet run.

    Args:
        recipe: Reads and computes; called once, by the door, after the charge.
    """

    __slots__ = ("__recipe",)

    def __init__(self, recipe: Callable[[], T], /) -> None:
        self.__recipe = recipe

    def map(self, function: Callable[[T], U], /) -> "Confidential[U]":
        """The recipe followed by `function`; still nothing is run."""
        recipe = self.__recipe
        return Confidential(lambda: function(recipe()))

    __repr__ = __str__ = __bool__ = __hash__ = __iter__ = __len__ = __call__ = _closed
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __format__ = _closed
    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _closed


def _run(data: Confidential[T], /) -> T:
    return data._Confidential__recipe()  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that a charge was made.

    Attributes:
        request_id: Under which the charge can be found, and a killed run resumed.
        guarantee: What was charged for.
        account: Where: the ledger's name, or that it was held in memory.
    """

    request_id: str
    guarantee: Guarantee
    account: str


class Account(Protocol):
    """Somebody who pays. The ledger implements it; so does the in-memory account of a single run."""

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Make the whole cost durable, or raise BudgetRefused or PolicyRefused; never a part of it."""
        ...


class Mechanism(Protocol[T_contra, R_co]):
    """An immutable value: what it guarantees, from public parameters alone, and how it draws."""

    @property
    def guarantee(self) -> Guarantee: ...

    def draw(self, exact: T_contra, /) -> R_co: ...


@final
@dataclass(frozen=True, slots=True)
class Released(Generic[T]):
    """A value that everybody may see, with the receipt of what it cost. Only `publish` and `then` make one."""

    value: T
    receipt: Receipt
    door: InitVar[_Door]

    def __post_init__(self, door: _Door) -> None:
        # An InitVar, not a kept field: `dataclasses.replace` would pass a kept key on to a forged value.
        if door is not _DOOR:
            raise DoorError(
                field="released value", problem="can only come from publish", fix="publish a confidential value"
            )

    def then(self, function: Callable[[T], U], /) -> "Released[U]":
        """Post-process: any function of released values is released at no further cost."""
        return Released(function(self.value), self.receipt, _DOOR)

    def __reduce__(self) -> Never:
        raise DoorError(
            field="released value", problem="cannot be pickled or copied", fix="write it as a release artifact"
        )


@final
@dataclass(frozen=True, slots=True)
class NotPrivate(Generic[T]):
    """A confidential value shown to its own custodian: never to be published."""

    value: T
    door: InitVar[_Door]

    def __post_init__(self, door: _Door) -> None:
        if door is not _DOOR:
            raise DoorError(
                field="inspected value", problem="can only come from inspect", fix="inspect a confidential value"
            )

    def __reduce__(self) -> Never:
        _closed()


def publish(data: Confidential[T], mechanism: Mechanism[T, R], account: Account) -> Released[R]:
    """Charge, then read, then draw.

    Args:
        data: The recipe of the exact value.
        mechanism: Declares the cost and draws the noise.
        account: Pays; its charge is durable when it returns.

    Raises:
        BudgetRefused, PolicyRefused: by the account, before anything is read.
        RunFailed: after the charge, with one constant message whatever the cause: which record, file or size made it fail
            would be an answer nobody paid for.
    """
    receipt = account.charge(mechanism.guarantee)
    drawn: list[R] = []
    try:
        drawn.append(mechanism.draw(_run(data)))
    except Exception:  # noqa: BLE001 - whatever it was, what leaves must not depend on it
        drawn.clear()
    # Raised outside the handler, so that the cause is not kept as the context of the error.
    if not drawn:
        raise RunFailed
    return Released(drawn[0], receipt, _DOOR)


def inspect(data: Confidential[T]) -> NotPrivate[T]:
    """Run the recipe for the custodian's own eyes: `validate` and `evaluate` only (an import contract says so)."""
    return NotPrivate(_run(data), _DOOR)

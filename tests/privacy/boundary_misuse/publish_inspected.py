"""Misuse: what a custodian has inspected is published."""

from starling.privacy.trust import Account, Confidential, Mechanism, NotPrivate, Released, inspect, publish


def write(table: Released[int]) -> int:
    return table.value


def publish_inspected(counts: Confidential[int], mechanism: Mechanism[int, int], account: Account[int]) -> None:
    seen = inspect(counts)
    publish(seen, mechanism, account)  # E: arg-type
    write(seen)  # E: arg-type
    released: Released[int] = seen  # E: assignment
    write(released)
    NotPrivate(5)  # E: call-arg
    publish(counts, mechanism, account).then(lambda _: seen).value + 1  # E: operator

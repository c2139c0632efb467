"""Misuse: a released value is made without publishing anything."""

from dataclasses import replace

from starling.privacy.trust import Receipt, Released


class Forged(Released[int]):  # E: misc
    """Leaves out the check."""

    def __post_init__(self, boundary: object) -> None:
        pass


def forge_released(genuine: Released[int], receipt: Receipt) -> None:
    Released(5, receipt)  # E: call-arg
    Released(5, receipt, object())  # E: arg-type
    Released(5, receipt, None)  # E: arg-type
    replace(genuine, value=5)  # E: call-arg
    replace(genuine, value=5, boundary=object())  # E: arg-type
    genuine.value = 5  # E: misc

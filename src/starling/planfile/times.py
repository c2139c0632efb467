"""Times that a public file states, as whole microseconds since 1970."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(text: str) -> int:
    """A date or time as microseconds since 1970; without a zone it is taken for UTC. Raises ValueError for another text.

    >>> microseconds("1970-01-02"), microseconds("1970-01-01T01:00:00+01:00")
    (86400000000, 0)
    """
    time = datetime.fromisoformat(text)
    away = (time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH
    return (away.days * 86400 + away.seconds) * 1_000_000 + away.microseconds


def time_text(time: int) -> str:
    """The date, or the date and time, of microseconds since 1970, as `microseconds` reads it.

    >>> time_text(86400000000), time_text(3600000000)
    ('1970-01-02', '1970-01-01T01:00:00')
    """
    text = (_EPOCH + timedelta(microseconds=time)).replace(tzinfo=None).isoformat()
    return text.removesuffix("T00:00:00")

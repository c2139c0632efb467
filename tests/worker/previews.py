"""The preview of what is registered, computed once in a process for all homes to which the same is given: it is simulated, for a second."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from starling.release.codec import Json
from starling.worker.sources import Registered, _preview

Preview = Sequence[Mapping[str, Json]]
_COMPUTED: dict[tuple[str, str, tuple[bytes, ...]], Preview] = {}


def preview_of(source: Registered) -> Preview:
    """What `Sources.register` would compute of this source."""
    plan = Path(source.plan)
    contents = tuple(path.read_bytes() for path in sorted(plan.parent.iterdir()) if path.is_file())
    key = source.domain, plan.name, contents
    if key not in _COMPUTED:
        _COMPUTED[key] = _preview(source)
    return _COMPUTED[key]

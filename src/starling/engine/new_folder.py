"""Files and folders that appear as a whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from starling.errors import OutputError


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """An empty folder beside `out`, which becomes `out` when the block has ended well and is removed otherwise.

    Raises:
        OutputError: when `out` exists, or it or something in the block cannot be written.
    """
    if out.exists():
        raise OutputError("out", f"{out} exists", "name a folder that does not exist")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".generate-", dir=out.parent) as scratch:
            folder = Path(scratch) / out.name
            folder.mkdir()
            yield folder
            folder.rename(out)
    except OSError as error:
        raise OutputError(
            "out", f"{out} cannot be written ({error.strerror})", "check path, permission and disk"
        ) from None


@contextmanager
def new_file(out: Path) -> Iterator[Path]:
    """A path beside `out` to write a file at, which becomes `out` when the block has ended well; nothing is left otherwise.

    Raises:
        OutputError: when `out` exists, or cannot be written.
    """
    if out.exists():
        raise OutputError(str(out), "exists", "name a new file; none is overwritten")
    part = out.with_name(f".{out.name}.part{out.suffix}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.rename(out)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(str(out), problem, "name a file in a place that you may write") from None
    finally:
        if part.exists():
            part.unlink()

"""Plans that a plan file states: read from one, and saved as one with the public files that it names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from starling.errors import OutputError, PlanError
from starling.planfile.grammar import Table, value_of
from starling.planfile.toml import Section, read_file
from starling.planfile.values import plan_path, section_of, toml_of, write_new
from starling.release.session import InSession


class PlanInFile(InSession):
    """A plan that a plan file states."""

    __slots__ = ()

    grammar: ClassVar[Table]
    """The keys of the file."""

    @classmethod
    def _fields(cls, top: Section, folder: Path) -> Mapping[str, Any]:
        """The fields that the top of a file states, with the public files of the folder; raises PlanError with every problem."""
        return cls.grammar.read(top, {"folder": folder})

    def _values(self) -> dict[str, Any]:
        """The plan as the keys of its file state it, but for what its public files say."""
        return self.grammar.values(self)

    def _files(self, path: Path) -> Mapping[Path, str]:
        """The text of a plan file at a path, after those of the public files that it names; raises PlanError where one has none."""
        return {path: toml_of(self._values())}

    @classmethod
    def of(cls, values: Mapping[str, Any], *, folder: str | Path = ".") -> Self:
        """The plan that values of Python state, with the keys of a plan file; checked as the file is.

        Args:
            values: Texts, integers, truth values, lists and dicts. Exact numbers are texts such as "0.1", integers or fractions; a float
                is refused. A key whose value is None is left out.
            folder: Where public files are looked for that the values name.

        Raises:
            PlanError: with every problem found.
        """
        top = section_of(values)
        return cls._stated(top, cls._fields(top, Path(folder).absolute()))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan file, with the public files that it names; raises PlanError with every problem found."""
        file = Path(path).absolute()
        top = read_file(file)
        return cls._stated(top, cls._fields(top, file.parent))

    @classmethod
    def _stated(cls, top: Section, fields: Mapping[str, Any]) -> Self:
        """The plan of these fields; raises PlanError, with lines where its class refuses them."""
        plan: Self | None = value_of(top, cls, fields)
        if plan is None:
            raise PlanError(problems=top.problems)
        return plan

    def save(self, path: str | Path) -> None:
        """Write the plan as a plan file, which `load` reads back as the same plan, and beside it public files that begin with its name.

        Args:
            path: File to make, ending in .toml; neither it nor those files may exist.

        Raises:
            PlanError: the plan is of a release, which knows a public file by its hash alone.
            OutputError: a file is there, the path does not end in .toml, or nothing can be written there.
        """
        written: list[Path] = []
        try:
            for file, text in self._files(plan_path(path)).items():
                write_new(file, text)
                written.append(file)
        except OutputError:
            for file in written:
                file.unlink()
            raise

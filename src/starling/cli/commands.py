"""Commands whose help starts with an example, groups that import a command when it is asked for, and the root that ends every run.

However a run ends, it ends in one way: an exit code of the house, a sentence on stderr, and with --json one document on
stdout, result or error. A stack trace never leaves: it would show values. What a command returns is printed here, so that
no command but this one declares --json.
"""

import difflib
import errno
import importlib
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Never

import click

from starling.cli.progress import note_compilation
from starling.distribution import NAME
from starling.errors import OutputError, ParameterError, Problem, StarlingError, StarlingWarning, plain
from starling.privacy import compiling
from starling.release.session import Described

INTERRUPTED: Final = 130
TERMINATED: Final = 143
INTERNAL: Final = StarlingError.exit_code
AS_JSON: Final = "starling.json"
"""The key of a click context's `meta` under which --json is kept."""
SENTENCE: Final = 400
"""Letters of the longest first sentence about a command."""
DISK: Final = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)


class _Example(click.Command):
    """A command whose help begins with what to paste.

    Args:
        example: A command line that works as it stands, in an empty folder after the lines of `generate`'s help.
    """

    def __init__(self, *args: Any, example: str, **options: Any) -> None:
        self.example = example
        super().__init__(*args, **options)
        for each in self.params:
            if (
                isinstance(each, click.Option)
                and each.metavar is None
                and isinstance(each.type, click.types.IntParamType)
            ):
                each.metavar = "N"

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_text("Example:")
        with formatter.indentation():
            for line in self.example.splitlines():
                # Written as it is: a wrapped command cannot be pasted.
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        formatter.write_paragraph()
        super().format_help(ctx, formatter)


@dataclass(frozen=True, slots=True)
class Result:
    """What a command ends in."""

    text: Callable[[], str]
    json: Callable[[], Any]
    exit_code: int = 0


class Command(_Example):
    """One verb. It has the option --json, and what it returns is printed as a text or as one JSON document."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        text = "Print one JSON document."
        self.params.append(
            click.Option(["--json", "as_json"], is_flag=True, expose_value=False, help=text, callback=_note)
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and print its result; gives the exit code."""
        result = super().invoke(ctx)
        if isinstance(result, Described):
            result = Result(partial(str, result), result.as_json)
        if _is_program:
            # What was asked for is there: a signal that comes now changes neither that nor the exit code that says so.
            _pass_once()
        if not isinstance(result, Result):
            return result
        click.echo(json_text(result.json()) if as_json() else result.text())
        return result.exit_code


def check_terminal(why: str, fix: str, *, machine: bool = False) -> None:
    """Raises ParameterError where --yes is missing and nobody can be asked: there is no terminal, or a machine reads the answer."""
    if machine or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError("--yes", f"is missing, {why}", fix)


def confirm(question: str, refused: str) -> None:
    """Ask on the terminal; where the answer is no, say so in the words `refused`, and end the run."""
    if not click.confirm(question, err=True):
        click.echo(refused, err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _note(ctx: click.Context, _: click.Parameter, flag: bool) -> None:
    ctx.meta[AS_JSON] = flag


def as_json() -> bool:
    """Whether the running command is to print one JSON document."""
    return bool(click.get_current_context().meta.get(AS_JSON))


def json_text(document: Any) -> str:
    """A JSON document as it is printed; no zero has a sign.

    >>> json_text([-0.0, {"a": -1.5}]).split()
    ['[', '0.0,', '{', '"a":', '-1.5', '}', ']']
    """
    return json.dumps(_unsigned(document), indent=2, ensure_ascii=False)


def _unsigned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unsigned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_unsigned(each) for each in value]
    return value + 0.0 if isinstance(value, float) else value


def command(name: str, *, example: str, hidden: bool = False) -> Callable[[Callable[..., Any]], click.Command]:
    """A decorator that makes a function one verb; a `hidden` one is for Starling itself, and in no list."""
    return click.command(name, cls=Command, example=example, hidden=hidden)


class Group(_Example, click.Group):
    """A group of commands, each imported when it is asked for.

    Args:
        lazy: The place of each command, "package.module:name", by the word that calls it.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, str], **options: Any) -> None:
        self.lazy = dict(lazy)
        super().__init__(*args, **options)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order in which they were given."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in self.lazy:
            return None
        module, name = self.lazy[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first sentence about each command, in as many lines as it takes: click would cut it at the end of one."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, each.get_short_help_str(limit=SENTENCE)) for name, each in commands if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; a near miss is answered with what was meant."""
        near = difflib.get_close_matches(args[0], list(self.lazy), n=1)
        if args[0] not in self.lazy and near and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)


class Root(Group):
    """The command `starling` itself: turns every ending into an exit code."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        version = click.version_option(package_name=NAME, message="%(prog)s %(version)s")
        version(self)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the words name; it says when it compiles."""
        try:
            with compiling.heard_by(note_compilation):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _Stopped(TERMINATED if _terminated else INTERRUPTED) from None

    def main(self, args: Sequence[str] | None = None, *positional: Any, **options: Any) -> Any:
        """Run; leaves by SystemExit, as a program does, unless `standalone_mode` is off.

        Without `args` it is a program of its own, which ends by the exit code that it has said, whatever signal comes on its way out.
        """
        if options.get("standalone_mode") is False:
            return super().main(args, *positional, **options)
        if args is None and threading.current_thread() is threading.main_thread():
            _is_program.append(True)
        try:
            self._run(args, *positional, **options)
        except KeyboardInterrupt:
            _end_stopped(TERMINATED if _terminated else INTERRUPTED, "--json" in (sys.argv if args is None else args))
        finally:
            if _is_program:
                # Python gives signals back to the system when it ends, which would end it by the signal: its code is then -2.
                for number in _SIGNALS:
                    signal.signal(number, signal.SIG_IGN)

    def _run(self, args: Sequence[str] | None, *positional: Any, **options: Any) -> Never:
        """Run, and say what is wrong."""
        arguments = list(sys.argv[1:] if args is None else args)
        options |= {"standalone_mode": False, "prog_name": options.get("prog_name") or "starling"}
        if threading.current_thread() is threading.main_thread():
            # Like Ctrl-C, which the boundary lets through: temporary folders are removed on the way out.
            signal.signal(signal.SIGTERM, _terminate)
        as_json = "--json" in arguments
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                returned = super().main(arguments, *positional, **options)
        except (click.Abort, _Stopped) as stopped:
            _end_stopped(stopped.code if isinstance(stopped, _Stopped) else INTERRUPTED, as_json)
        except click.exceptions.NoArgsIsHelpError as error:
            # A group without a command: its help is the answer.
            click.echo(error.format_message(), err=True)
            sys.exit(ParameterError.exit_code)
        except click.ClickException as error:
            message = error.format_message()
            context = error.ctx if isinstance(error, click.UsageError) else None
            fix = f"see {context.command_path} --help" if context else "see starling --help"
            _end(ParameterError.exit_code, "UsageError", [Problem("usage:", message.rstrip("."), fix)], as_json)
        except StarlingError as error:
            _end(error.exit_code, type(error).__name__, error.problems, as_json, str(error))
        except OSError as error:
            if error.errno not in DISK:
                _end_internal(as_json)
            problem = Problem("output", "cannot be written: the disk is full or fails", "make room and run it again")
            _end(OutputError.exit_code, "OutputError", [problem], as_json)
        except Exception:  # noqa: BLE001 - whatever it is, no stack trace may leave
            _end_internal(as_json)
        sys.exit(returned if isinstance(returned, int) else 0)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Starling's own warnings as one line; those of libraries, which speak to developers, not at all."""
    if issubclass(category, StarlingWarning):
        click.echo(f"starling: warning: {message}", err=True)


class _Stopped(Exception):
    """A run was stopped by Ctrl-C or SIGTERM."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


_terminated: list[int] = []
"""Not empty once SIGTERM came."""


def _terminate(number: int, _: object) -> Never:
    _terminated.append(number)
    raise KeyboardInterrupt


_is_program: list[bool] = []
"""Not empty where the process ends with the run."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def _pass_once() -> None:
    """Let the next signal pass without effect: one more ends what is still written, to a pipe that nobody reads, say."""
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in _SIGNALS}

    def restore(number: int, _: object) -> None:
        signal.signal(number, before[signal.Signals(number)])

    for number in _SIGNALS:
        signal.signal(number, restore)


def _end_stopped(code: int, as_json: bool) -> Never:
    fix = "start it again, unless its output is there, which is whole then"
    _end(code, "Interrupted", [Problem("run", "was stopped", fix)], as_json)


def _end_internal(as_json: bool) -> Never:
    problem = Problem(
        "run", "stopped by a fault of Starling's own", "report the command line and what starling --version says"
    )
    _end(INTERNAL, "InternalError", [problem], as_json)


def _end(code: int, kind: str, problems: Sequence[Problem], as_json: bool, message: str | None = None) -> Never:
    """Say what is wrong on stderr, with --json on stdout too, and leave."""
    try:
        if as_json:
            click.echo(json_text(error_body(code, kind, problems)))
        click.echo("\n".join(f"starling: {line}" for line in (message or str(problems[0])).splitlines()), err=True)
        # What could not be written is kept in a buffer, and Python would end with a code of its own when it tries again.
        sys.stdout.flush()
    except OSError:
        # Nobody can be told: the place to say it is what failed.
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until the process ends
    sys.exit(code)


def error_body(code: int, kind: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """The one shape of every error for machines."""
    return {"error": {"kind": kind, "exit_code": code, "problems": [problem_json(each) for each in problems]}}


def problem_json(problem: Problem) -> dict[str, str | int | None]:
    """One thing that is wrong, for machines."""
    return {
        "file": None if problem.file is None else plain(problem.file),
        "line": problem.line,
        "field": plain(problem.field),
        "problem": plain(problem.problem),
        "fix": plain(problem.fix),
    }

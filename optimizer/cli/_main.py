"""Finding commands by file name, and turning errors into messages and exit codes."""

import errno
import gc
import importlib
import os
import signal
import sys
import threading
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from optimizer import __version__
from optimizer.cli._common import default_language, warn
from optimizer.cli._help import help_in
from optimizer.cli.plan import plan
from optimizer.domain.text import LANGUAGES
from optimizer.errors import EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, InputError, OptimizeError, Problem

COMMAND_DIRECTORY = Path(__file__).parent

EPILOG = """\b
Examples:
  optimize --workload examples/lora-7b.yaml --budget 5000
  optimize --workload w.yaml --set workloads.0.hours_per_day=12 --lang zh
  optimize offers A100:80GB --country CN --term month
  optimize why H100 --plan plan.json
\b
Exit codes: 0 an answer, 1 our error, 2 bad input, 3 no feasible plan,
4 provider or network failed, 5 time limit without a plan, 6 a check said no,
130 interrupted.
"""


class CommandGroup(click.Group):
    """A group whose commands are the sibling files; `plan` is the form without a command word."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the command files; underscores are dashes, private files and the main form are left out."""
        names = (path.stem for path in COMMAND_DIRECTORY.glob("[!_]*.py"))
        return sorted(name.replace("_", "-") for name in names if name != "plan")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command's file and return its `command`."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"optimizer.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for a misspelt one."""
        if args and args[0] not in self.list_commands(ctx):
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first line of their file, without importing any."""
        rows = [(name, _summary(name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _summary(command_name: str) -> str:
    """The first line of a command file's docstring, read without compiling the file."""
    with (COMMAND_DIRECTORY / f"{command_name.replace('-', '_')}.py").open(encoding="utf-8") as source:
        first_line = source.readline()
    said = first_line.strip().strip('"').removeprefix(f"`optimize {command_name}`: ").rstrip(".")
    return said[:1].upper() + said[1:]


def _main_form(**given: Any) -> Any:
    """The form without a command word; a command that follows does its own work."""
    if click.get_current_context().invoked_subcommand is not None or plan.callback is None:
        return None
    return plan.callback(**given)


def _group() -> CommandGroup:
    return CommandGroup(
        name="optimize",
        callback=_main_form,
        params=[*plan.params, click.version_option(__version__)(lambda: None).__click_params__[0]],  # type: ignore[attr-defined]
        invoke_without_command=True,
        no_args_is_help=True,
        help=plan.help,
        epilog=EPILOG,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )


#: What stdout is sent to has no room left.
FULL_DISK = InputError(Problem("stdout", "", os.strerror(errno.ENOSPC), "room for the answer"))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit, also where a solver's thread does not end with us."""
    collect_seldom()
    code = run(sys.argv[1:] if arguments is None else arguments)
    _end_workers()
    if threading.active_count() > 1:
        _leave_at_once(code)
    sys.exit(code)


def collect_seldom() -> None:
    """Look for reference cycles seldom: a run makes some 100,000 records, keeps them to its end, and has few cycles."""
    gc.set_threshold(100_000, 50, 50)


def _end_workers() -> None:
    """Leave no process behind (OPTIMIZE_PARALLEL), also after an error or Ctrl-C; one more Ctrl-C changes nothing."""
    if "joblib" in sys.modules:
        from optimizer.explain.parallel import end_workers

        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        end_workers()
        signal.signal(signal.SIGINT, before)


def _leave_at_once(code: int) -> None:
    """End without waiting: a native thread that still solves would abort the interpreter on its way out."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return the exit code; every error becomes one message on stderr."""
    with help_in(_language(arguments)):
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        _refuse_negative_budget(arguments)
        result: Any = _group().main(args=_readable(arguments), prog_name="optimize", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=False)
        return 0
    except click.ClickException as error:
        _show_usage(error, _language(arguments))
        return EXIT_INPUT
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(arguments)
    except (BrokenPipeError, SystemExit):  # click makes the second of the first: the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OptimizeError as error:
        warn(_describe(error, _language(arguments)))
        return error.exit_code
    except Exception as error:  # the last line of defence: a traceback helps nobody here
        code = _unforeseen(error, arguments)
        if code is None:
            raise
        return code
    return result if isinstance(result, int) else 0


def _unforeseen(error: Exception, arguments: list[str]) -> int | None:
    """The exit code of an error that nobody foresaw, told in one message; `None` where its stack is asked for."""
    if "KeyboardInterrupt" in str(error):  # native code hands Ctrl-C on as an error of its own
        return _interrupted(arguments)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        warn(_describe(FULL_DISK, _language(arguments)))
        return EXIT_INPUT
    if os.environ.get("OPTIMIZE_DEBUG"):
        return None
    warn(_internal(error, _language(arguments)))
    return EXIT_INTERNAL


def _show_usage(error: click.ClickException, language: str) -> None:
    """What is wrong with the command line, in click's own words or in Chinese."""
    if language != "zh":
        error.show(sys.stderr)
        return
    from optimizer.cli._usage_words import told

    warn(told(error))


def _interrupted(arguments: list[str]) -> int:
    warn("已中断" if _language(arguments) == "zh" else "interrupted")
    return EXIT_INTERRUPTED


def _refuse_negative_budget(arguments: list[str]) -> None:
    """`--budget -5` and `--budget=-5`: --budget may stand alone, so that -5 would be read as an option."""
    for option, value in pairwise([word for argument in arguments for word in argument.split("=", 1)]):
        if option == "--budget" and value[:1] == "-" and value[1:2].isdigit():
            raise InputError(Problem("--budget", "", repr(value), "an amount above 0"))


def _describe(error: OptimizeError, language: str) -> str:
    if language == "zh":
        from optimizer.cli._error_words import described, told

        parts = [told(problem) for problem in error.problems] if isinstance(error, InputError) else [described(error)]
        return "\n".join(f"错误：{part}" for part in parts)
    if isinstance(error, InputError):
        return "\n".join(f"error: {problem}" for problem in error.problems)
    return f"error: {error}"


def _language(arguments: list[str]) -> str:
    """The language asked for with --lang, as far as it can be read, else that of the environment."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    given = [value for option, value in pairwise(words) if option == "--lang" and value in LANGUAGES]
    return given[-1] if given else default_language()


def _readable(arguments: list[str]) -> list[str]:
    """A line that asks for help goes without --lang: groups of commands have no such option, yet have Chinese help."""
    if not {"-h", "--help"} & set(arguments):
        return arguments
    pairs = pairwise(["", *arguments])
    return [word for before, word in pairs if "--lang" not in (before, word) and not word.startswith("--lang=")]


def _internal(error: Exception, language: str) -> str:
    what = f"{type(error).__name__}: {error}"
    if language == "zh":
        return f"内部错误（是我们的缺陷）：{what}。设 OPTIMIZE_DEBUG=1 重跑可得完整堆栈，请附上工作负载文件报告。"
    return f"internal error (our defect): {what}. Run again with OPTIMIZE_DEBUG=1 for the stack and please report it."

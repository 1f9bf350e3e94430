"""Every error that a user can meet, each with the exit code that the command line gives it.

OptimizeError (1)
├── InputError (2)        a file or option is wrong; carries every problem found, not the first
│   └── CatalogError (2)  a snapshot or fact table is missing, damaged or inconsistent
├── ProviderError (4)     a provider or the network failed
│   ├── MissingCredentials
│   ├── MissingLibrary    names the exact install command
│   ├── SourceUnreachable
│   ├── SourceChanged
│   └── RateLimited
├── NoPlanInTime (5)      the time limit passed without any plan
├── CheckFailed (6)       verify, catalog check, --fail-over or a contract comparison said no
└── InternalError (1)     we contradict ourselves; asks for a report

An infeasible problem (exit 3) is an answer, not an error.
"""

from collections.abc import Iterable
from dataclasses import dataclass

EXIT_OK = 0
EXIT_INTERNAL = 1
EXIT_INPUT = 2
EXIT_INFEASIBLE = 3
EXIT_PROVIDER = 4
EXIT_TIME_LIMIT = 5
EXIT_CHECK_FAILED = 6
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in one place of one input."""

    file: str
    field: str
    found: str
    expected: str
    line: int | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        where = f"{place}: {self.field}: " if self.field else f"{place}: "
        text = f"{where}found {self.found}, expected {self.expected}"
        return f"{text}. {self.suggestion}" if self.suggestion else text


class OptimizeError(Exception):
    """Base of all errors that this product raises on purpose."""

    exit_code = EXIT_INTERNAL
    code = "internal"


class InputError(OptimizeError):
    """A file or option is wrong. `problems` lists everything found, in file order."""

    exit_code = EXIT_INPUT
    code = "input"

    def __init__(self, problems: Iterable[Problem] | Problem) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class CatalogError(InputError):
    """A snapshot or fact table is missing, damaged or inconsistent."""

    code = "catalog"


class ProviderError(OptimizeError):
    """A provider or the network failed."""

    exit_code = EXIT_PROVIDER
    code = "provider"


class MissingCredentials(ProviderError):
    """No credentials where the provider's own convention looks for them; the provider is skipped."""

    code = "missing_credentials"


class MissingLibrary(ProviderError):
    """An optional SDK is not installed; the message names the exact install command."""

    code = "missing_library"


class SourceUnreachable(ProviderError):
    """Time-out, refused connection or a server error after all retries."""

    code = "source_unreachable"


class SourceChanged(ProviderError):
    """The answer does not have the shape that its documentation promises."""

    code = "source_changed"


class RateLimited(ProviderError):
    """The provider asked us to wait longer than the refresh may take."""

    code = "rate_limited"


class NoPlanInTime(OptimizeError):
    """The time limit passed before any plan was found."""

    exit_code = EXIT_TIME_LIMIT
    code = "no_plan_in_time"


class CheckFailed(OptimizeError):
    """A check that the user asked for said no."""

    exit_code = EXIT_CHECK_FAILED
    code = "check_failed"


class InternalError(OptimizeError):
    """The program contradicts itself: a defect of ours, to be reported."""

    code = "internal"

"""Verdicts of rules, as they travel from the rules to the plan and the reports."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from optimizer.domain.offer import Record


class VerdictKind(StrEnum):
    """What a rule says of one configuration."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"


class Severity(StrEnum):
    """What a verdict does: hard excludes, warn and advice are shown, note explains."""

    HARD = "hard"
    WARN = "warn"
    ADVICE = "advice"
    NOTE = "note"
    OFF = "off"


class Finding(Record):
    """One rule's verdict on one configuration with the numbers used.

    `source` names document and sentence; `below_strict` says that it passes a documented floor only.
    """

    id: str
    verdict: VerdictKind
    severity: Severity
    measured: str
    required: str
    source: Annotated[str, Field(min_length=1)]
    message_en: str = ""
    message_zh: str = ""
    confirm_en: str = ""
    confirm_zh: str = ""
    below_strict: bool = False

    @property
    def excludes(self) -> bool:
        """Whether it takes the configuration out of every plan."""
        return self.severity is Severity.HARD and self.verdict is VerdictKind.FAIL

    @property
    def is_conditional(self) -> bool:
        """Whether it admits the configuration only on confirmation."""
        return self.severity is Severity.HARD and self.verdict is VerdictKind.UNKNOWN

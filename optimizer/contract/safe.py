"""Text from outside, made harmless for each kind of file."""

import re
import unicodedata

#: What a spreadsheet reads as the start of a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$])")


def clean(text: str) -> str:
    """One line: control, direction-changing and unassigned characters are dropped, line ends become blanks."""
    kept = (" " if char in "\n\r\t\u2028\u2029" else char for char in text)
    return "".join(char for char in kept if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Cn", "Co"))


def markdown(text: str) -> str:
    """Plain text inside a Markdown table or paragraph: no markup, no HTML, no named link, no new line."""
    escaped = _MARKDOWN.sub(r"\\\1", clean(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_code(text: str) -> str:
    """A code span that may hold back-ticks and stand in a table."""
    inner = clean(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{pad}{inner}{pad}{fence}" if inner else ""

"""Text in both languages. Every sentence that a user reads is a `Text`, so a test can walk them all."""

from typing import Any, Literal, NamedTuple, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class Text(NamedTuple):
    """One sentence in English and Chinese with the same `{placeholders}`."""

    en: str
    zh: str

    def say(self, language: Language, **values: Any) -> str:
        """The sentence in one language, its placeholders filled."""
        template = self.zh if language == "zh" else self.en
        return template.format(**values) if values else template

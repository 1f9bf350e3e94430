"""The figures of findings ("measured" and "required") in Chinese; a plan file holds them in English."""

import re

from optimizer.rules import evidence
from optimizer.rules.cluster import BOUNDS
from optimizer.rules.storage import OUR_NAMES

#: Words inside a figure of a rule ("measured" and "required" of a finding).
_IN_FIGURES: tuple[tuple[str, str], ...] = (
    *((text.en, text.zh) for text in (*evidence.TEXTS, *OUR_NAMES.values(), *BOUNDS.values())),
    ("NVLink class", "NVLink 级"),
    ("GPUs", "块 GPU"),
    ("one shared store", "同一份共享存储"),
    ("share whole", "份额：整卡"),
    ("whole cards", "整卡"),
    ("no ECC", "无 ECC"),
    ("not input", "非数据读取"),
    ("nvlink_pairs", "NVLink 桥接对"),
    ("elastic", "弹性"),
    ("fixed", "固定"),
    ("share", "份额"),
    ("cores", "核"),
    ("days", "天"),
    ("none", "无"),
    ("or", "或"),
)
_LONGEST_FIRST = sorted((word for word, _ in _IN_FIGURES), key=len, reverse=True)
_FIGURE = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in _LONGEST_FIRST))


def figure_in_chinese(text: str) -> str:
    """A figure of a finding in Chinese: units, products and codes of the field stay, the words between are told."""
    words = dict(_IN_FIGURES)
    return _FIGURE.sub(lambda found: words[found[0]], text)

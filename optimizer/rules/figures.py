"""The figures of findings ("measured" and "required") in Chinese; a plan file holds them in English."""

import re

from optimizer.rules import evidence

#: Words inside a figure of a rule ("measured" and "required" of a finding).
_IN_FIGURES: tuple[tuple[str, str], ...] = (
    *((text.en, text.zh) for text in evidence.TEXTS),
    ("NVLink class", "NVLink 级"),
    ("local NVMe", "本地 NVMe"),
    ("one shared store", "同一份共享存储"),
    ("share whole", "份额：整卡"),
    ("whole cards", "整卡"),
    ("no ECC", "无 ECC"),
    ("not input", "非数据读取"),
    ("memory_bandwidth", "显存带宽"),
    ("intra_node", "节点内互联"),
    ("inter_node", "节点间网络"),
    ("nvlink_pairs", "NVLink 桥接对"),
    ("compute", "算力"),
    ("elastic", "弹性"),
    ("fixed", "固定"),
    ("share", "份额"),
    ("input", "数据读取"),
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

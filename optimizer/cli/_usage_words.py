"""Errors of usage in Chinese: what click says of arguments and options, and what the commands say of them.

click words its errors in English; names, values, choices and suggestions in them stay. A message that is not here is
shown in English.
"""

import re

import click

_QUOTED = r"'[^']*'"
_NUMBER = {"integer": "整数", "integer range": "整数", "float": "数", "float range": "数"}
_PATHS = {"File": "文件", "Directory": "文件夹", "Path": "路径"}
#: Whole messages; `rest` is a message of its own, `type` and `path` are named by the tables above.
_MESSAGES: tuple[tuple[str, str], ...] = (
    (r"Could not open file (?P<x>.+): (?P<rest>.+)", "无法打开文件 {x}：{rest}"),
    (r"Invalid value for (?P<x>.+?): (?P<rest>.+)", "{x} 的值无效：{rest}"),
    (r"Invalid value: (?P<rest>.+)", "值无效：{rest}"),
    (r"Missing argument(?P<x>.*?)\.(?P<rest>| .+)", "缺少参数{x}。{rest}"),
    (r"Missing option(?P<x>.*?)\.(?P<rest>| .+)", "缺少选项{x}。{rest}"),
    (r"Missing parameter: (?P<x>.+)", "缺少参数：{x}"),
    (r"Missing \w+(?P<x>.*?)\.(?P<rest>| .+)", "缺少{x}。{rest}"),
    (r"Missing (?:argument|option|parameter|command)\.?", "缺少参数、选项或命令。"),
    (r"Choose from:\s*(?P<list>.+)", "可选：{list}。"),
    (rf"No such option:? (?P<x>{_QUOTED}|[^\s']+?)\.?(?P<rest>| .+)", "没有选项 {x}。{rest}"),
    (rf"No such command (?P<x>{_QUOTED})\.(?P<rest>| .+)", "没有命令 {x}。{rest}"),
    (r"Did you mean (?P<x>.+)\?", "是否指 {x}？"),
    (r"\((?:Did you mean one of|Possible options): (?P<x>[^?]+)\??\)", "是否指以下之一：{x}？"),
    (r"Option (?P<x>.+) does not take a value\.", "选项 {x} 不带值。"),
    (r"Option (?P<x>.+) requires an argument\.", "选项 {x} 须带一个值。"),
    (r"Option (?P<x>.+) requires (?P<n>\S+) arguments\.", "选项 {x} 须带 {n} 个值。"),
    (r"Argument (?P<x>.+) takes (?P<n>\S+) values\.", "参数 {x} 须有 {n} 个值。"),
    (r"Takes (?P<n>\S+) values but (?P<x>\S+) (?:was|were) given\.", "须有 {n} 个值，现有 {x} 个。"),
    (r"(?P<n>\S+) values are required, but (?P<x>\S+) (?:was|were) given\.", "须有 {n} 个值，现有 {x} 个。"),
    (r"Value must be an iterable\.", "须为多个值。"),
    (r"Got unexpected extra arguments? \((?P<x>.*)\)", "多余的参数（{x}）。"),
    (r"(?P<x>.+) is not one of (?P<list>.+)\.", "{x} 不在可选值之内：{list}。"),
    (r"(?P<x>.+) is not in the range (?P<n>.+)\.", "{x} 不在范围 {n} 内。"),
    (r"(?P<x>.+) is not a valid boolean\. Recognized values: (?P<list>.+)", "{x} 不是布尔值。可用：{list}。"),
    (r"(?P<x>.+) is not a valid UUID\.", "{x} 不是 UUID。"),
    (r"(?P<x>.+) is not a valid (?P<type>[a-z ]+)\.", "{x} 不是{type}。"),
    (r"(?P<x>.+) does not match the formats? (?P<list>.+)\.", "{x} 不合格式 {list}。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) does not exist\.", "{path} {x} 不存在。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) is a file\.", "{path} {x} 是文件。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) is a directory\.", "{path} {x} 是文件夹。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) is not readable\.", "{path} {x} 不可读。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) is not writable\.", "{path} {x} 不可写。"),
    (r"(?P<path>File|Directory|Path) (?P<x>.+) is not executable\.", "{path} {x} 不可执行。"),
    (rf"(?P<x>{_QUOTED}) is not (?P<list>{_QUOTED})\.", "{x} 不是 {list}。"),
    (r"unknown error", "未知错误"),
    (
        r"give --workload FILE, or a command; `optimize --help` lists them",
        "请给出 --workload FILE 或一个命令；`optimize --help` 可列出。",
    ),
)
_COMPILED = tuple((re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in _MESSAGES)


def told(error: click.ClickException) -> str:
    """The whole message: usage (of `_help`) and where to find help, as click shows them, then what is wrong."""
    lines = []
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        lines.append(context.get_usage())
        names = context.command.get_help_option_names(context)
        if names:
            lines += [f"运行 '{context.command_path} {max(names, key=len)}' 可查看帮助。", ""]
    return "\n".join([*lines, f"错误：{message(error.format_message())}"])


def message(text: str) -> str:
    """One message of click in Chinese; any other as it stands."""
    text = text.strip()
    for pattern, chinese in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None:
            return chinese.format(**{name: _part(name, said) for name, said in found.groupdict().items()})
    return text


def _part(name: str, said: str) -> str:
    if name == "rest":
        return message(said) if said.strip() else ""
    if name == "type":
        return _NUMBER.get(said, said)
    if name == "path":
        return _PATHS[said]
    return ", ".join(said.split(",\n\t")) if name == "list" else said

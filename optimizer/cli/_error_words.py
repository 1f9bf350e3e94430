"""Errors in Chinese: the frame of a problem, and the phrases that its parts are made of.

Problems are written in English where they are found; names, values and figures in them stay. A phrase that is not
here is shown in English.
"""

import re

from optimizer.cli._error_phrases import PHRASES
from optimizer.errors import NoPlanInTime, OptimizeError, Problem

_N = r"(?P<n>[\d,.+-]+(?:e[+-]?\d+)?)"
_X = r"(?P<x>.+)"
#: A field that is not there and must be.
MISSING = ("nothing", "this field, which is mandatory")
#: What stands in the place of a file and is none.
PLACES = {"catalog version": "目录版本"}
#: How phrases begin of what is not there.
NOT_THERE = ("没有", "空缺", "既无", "不是")
_PHRASES: tuple[tuple[str, str], ...] = (
    # what was found
    ("nothing", "空缺"),
    ("an unknown field", "未知字段"),
    ("an unknown column", "未知列"),
    ("the same field twice", "同一字段出现两次"),
    ("values that do not go together", "互相矛盾的值"),
    ("a group of fields", "一组字段"),
    ("a list", "列表"),
    ("list", "列表"),
    ("a single value", "单个值"),
    ("an empty file", "空文件"),
    ("a folder", "文件夹"),
    ("a second document", "第二个文档"),
    ("a file that exists", "已存在的文件"),
    ("a damaged file", "损坏的文件"),
    (r"a file that ends too early \(its last line is not complete\)", "不完整的文件（最后一行不完整）"),
    (rf"a file that ends too early \({_X}\)", "不完整的文件（{x}）"),
    ("a plan file", "方案文件"),
    ("an answer file", "应答文件"),
    ("no object", "不是对象"),
    ("an object without items", "没有 items 的对象"),
    (r"an answer file \(JSON in UTF-8\)", "应答文件（UTF-8 的 JSON）"),
    ("a PDF", "PDF"),
    ("an Excel or zip file", "Excel 或 zip 文件"),
    ("a header of no known bill format", "无法识别的账单表头"),
    ("data in the first line", "第一行就是数据"),
    ("bytes that are no text", "不是文本的字节"),
    ("bytes that are not UTF-8", "不是 UTF-8 的字节"),
    ("bytes of an unknown encoding", "编码未知的字节"),
    (rf"byte {_N} is not UTF-8", "第 {n} 字节不是 UTF-8"),
    (rf"field larger than field limit \({_N}\)", "超过 {n} 字符的单元格"),
    ("too many levels", "层数过多"),
    (rf"more than {_N} levels", "超过 {n} 层"),
    (
        r"more than (?P<n>\d+) values or (?P<x>\d+) levels \(aliases count each time\)",
        "超过 {n} 个值或 {x} 层（别名每次都计）",
    ),
    (rf"the alias {_X} of no anchor", "没有锚点的别名 {x}"),
    (rf"the merge key {_X}", "合并键 {x}"),
    (rf"the tag {_X}", "标签 {x}"),
    (rf"the character {_X}", "字符 {x}"),
    (rf"the value {_X}", "值 {x}"),
    (rf"what is not YAML \({_X}\)", "不合 YAML 语法（{x}）"),
    (r"a key that is a (?P<x>\w+)", "不是名称的键（{x}）"),
    (rf"a key {_X}", "键 {x}"),
    (rf"{_N} bytes", "{n} 字节"),
    (rf"{_N} workloads", "{n} 个任务"),
    (rf"{_N} cells", "{n} 个单元格"),
    (rf"{_N} more problems", "另有 {n} 个问题"),
    ("NaN is not a number of JSON", "NaN 不是 JSON 的数"),
    *(
        (rf"Expecting {english}: line \d+ column \d+ \(char \d+\)", f"不合 JSON 语法（此处应有{chinese}）")
        for english, chinese in (
            ("value", "值"),
            ("property name enclosed in double quotes", "带双引号的字段名"),
            ("',' delimiter", "逗号"),
            ("':' delimiter", "冒号"),
        )
    ),
    (r"Extra data: line \d+ column \d+ \(char \d+\)", "不合 JSON 语法（结尾之后还有内容）"),
    ("No such file or directory", "没有此文件或文件夹"),
    ("Not a directory", "不是文件夹"),
    ("Permission denied", "没有权限"),
    ("Is a directory", "是文件夹"),
    ("No space left on device", "磁盘已满"),
    ("no file", "没有文件"),
    ("an architecture that does not agree", "自相矛盾的模型结构"),
    # what was expected
    ("none", "无"),
    ("a known field", "已知字段"),
    ("this field, which is mandatory", "此必填字段"),
    (r"this field: layers and hidden_size go together", "此字段：layers 与 hidden_size 须同时给出"),
    ("each field once", "每个字段一次"),
    (r"every field written out \(YAML 1\.2\)", "逐一写出各字段（YAML 1.2）"),
    ("a field name", "字段名"),
    ("plain values without tags", "不带标签的普通值"),
    (r"YAML 1\.2 text", "YAML 1.2 文本"),
    (r"UTF-8 text", "UTF-8 文本"),
    (r"UTF-8, UTF-16 or GBK text", "UTF-8、UTF-16 或 GBK 文本"),
    (r"CSV in UTF-8, UTF-16 or GBK", "UTF-8、UTF-16 或 GBK 的 CSV"),
    ("CSV text", "CSV 文本"),
    (r"CSV, gzipped CSV or Parquet", "CSV、gzip 压缩的 CSV 或 Parquet"),
    (r"FOCUS, AWS CUR, Alibaba, Tencent or plain", "FOCUS、AWS CUR、阿里云、腾讯云或普通格式"),
    ("one document", "一个文档"),
    ("a flatter file", "层次更少的文件"),
    ("a smaller file", "更小的文件"),
    ("a whole file", "完整的文件"),
    ("a file", "文件"),
    ("a file that can be written", "可写入的文件"),
    ("a readable file", "可读的文件"),
    ("a workload", "任务文件"),
    ("a bill", "账单"),
    ("a CSV file of quotes", "报价 CSV 文件"),
    ("a CSV file of aliases", "别名 CSV 文件"),
    ("a mapping file", "映射文件"),
    (r"a bill file, a glob or a folder with bills", "账单文件、通配符或含账单的文件夹"),
    (r"a column of quotes\.csv", "quotes.csv 的列"),
    ("a header line with column names", "含列名的表头"),
    (r"a plan file \(JSON\)", "方案文件（JSON）"),
    (r"a plan file in UTF-8", "UTF-8 的方案文件"),
    (r"a plan file: an object with status, cost, \.\.\.", "方案文件：含 status、cost 等的对象"),
    ("the list of the catalog's files", "目录的文件清单"),
    (r"fields such as model: and tokens:", "model:、tokens: 等字段"),
    ("true or false", "true 或 false"),
    ("a number", "数"),
    ("a finite number", "有限的数"),
    ("a whole number", "整数"),
    ("a smaller whole number", "更小的整数"),
    (r"a number without quotes or unit \(the unit is in the field's name\)", "不带引号和单位的数（单位在字段名中）"),
    ("a number above zero", "大于 0 的数"),
    (rf"a number above zero such as {_X}", "大于 0 的数，如 {x}"),
    (rf"a value above {_N}", "大于 {n}"),
    (rf"a value below {_N}", "小于 {n}"),
    (rf"an amount above {_N}", "大于 {n} 的金额"),
    (
        r'an amount such as 400000, 400000CNY or "CNY 400000" \(no thousands separators\)',
        "金额，如 400000、400000CNY 或 “CNY 400000”（不带千分位）",
    ),
    (rf"at least {_N} entry", "至少 {n} 项"),
    (rf"at most {_N} entries", "至多 {n} 项"),
    (rf"at most {_N} bytes", "至多 {n} 字节"),
    (rf"at least one sequence, {_N} tokens", "至少一个序列，即 {n} token"),
    (rf"at most {_N}", "至多 {n}"),
    (rf"at least {_N}", "至少 {n}"),
    (rf"a day not before {_N}", "不早于 {n} 的日期"),
    (rf"a date such as {_N}", "日期，如 {n}"),
    ("a currency code such as CNY", "货币代码，如 CNY"),
    ("an ISO code such as CNY or USD", "ISO 代码，如 CNY 或 USD"),
    (r"a currency with a rate \(add it under fx:\)", "有汇率的货币（可在 fx: 下添加）"),
    (rf"a currency with a rate: {_X}", "有汇率的货币：{x}"),
    (r"the file's currency, (?P<x>\w+)", "文件的货币 {x}"),
    (r'a full hour in quotes such as "09:00"', "带引号的整点，如 “09:00”"),
    (r"a list, in brackets: (?P<x>\[.+\])", "方括号中的列表：{x}"),
    (r"a group of fields \((?P<x>.+)\), or (?P<y>'.+')", "一组字段（{x}），或 {y}"),
    (r"a group of fields \((?P<x>.+)\)", "一组字段（{x}）"),
    (r"a whole number, or (?P<x>'.+')", "整数，或 {x}"),
    ("a text", "文本"),
    ("a text that is not empty", "非空文本"),
    ("a name", "名称"),
    (r"a new name, or --force", "新的文件名，或 --force"),
    ("a model of the catalog", "目录中的模型"),
    (r"a model; only work given as gpu_hours can do without one", "模型；只有按 gpu_hours 给出的任务可以没有"),
    ("a GPU model of the catalog or a pattern that matches one", "目录中的 GPU 型号，或与之匹配的通配符"),
    ("a GPU model of the catalog", "目录中的 GPU 型号"),
    ("a GPU of the catalog", "目录中的 GPU"),
    ("a provider of the catalog or a pattern of one", "目录中的供应商，或与之匹配的通配符"),
    (r"a country, jurisdiction or canonical region", "国家、法域或标准地域"),
    (r"a server of the catalog, or gpu and gpus spelled out", "目录中的服务器，或写明 gpu 与 gpus"),
    (r"a server of the catalog, or spell out gpu and gpus", "目录中的服务器，或写明 gpu 与 gpus"),
    (r"an offer of the catalog, or gpu_model and gpu_count", "目录中的报价，或写明 gpu_model 与 gpu_count"),
    ("an offer of the catalog", "目录中的报价"),
    ("the id of a rule", "规则编号"),
    (rf"a parameter of {_X}", "{x} 的参数"),
    (rf"ages in whole months as keys, such as {_X}", "以整月数为键，如 {x}"),
    ("max_gpus or max_nodes", "max_gpus 或 max_nodes"),
    (
        rf"exactly one of tokens, tokens_per_month, gpu_hours, or epochs with dataset_tokens; found {_X}",
        "tokens、tokens_per_month、gpu_hours、epochs 加 dataset_tokens 中恰好一种；现有：{x}",
    ),
    (rf"fx keys are USD and a currency, such as USDCNY; found {_X}", "fx 的键为 USD 加货币，如 USDCNY；现为 {x}"),
    (r"horizon_months is mandatory for steady work \((?P<x>.+)\)", "常驻任务须写 horizon_months（{x}）"),
    (
        r"(?P<x>.+): tokens_per_month has (?P<n>\d+) entries for (?P<y>\d+) months",
        "{x}：tokens_per_month 有 {n} 项，而期限为 {y} 个月",
    ),
    (r"names that differ among workloads; found twice: (?P<x>.+)", "互不相同的任务名；重复：{x}"),
    (
        r"latest_start_day of at least starts_day, (?P<n>\d+); found (?P<x>\d+)",
        "latest_start_day 不小于 starts_day（{n}）；现为 {x}",
    ),
    (
        "tokens_per_month with tokens in one month at least; found 0 in every month",
        "tokens_per_month 至少一个月有 token；现每月均为 0",
    ),
    (
        r"a day before (?P<n>\d+), on which its last month with tokens has ended",
        "第 {n} 天之前（其最后一个有 token 的月份于该天结束）",
    ),
    (
        r"(?P<n>\S+), as workload (?P<name>.+) says of the data set (?P<set>.+)",
        "{n}（与任务 {name} 对数据集 {set} 的写法一致）",
    ),
    (r"path=value, such as (?P<x>.+)", "路径=值，如 {x}"),
    ("a price or a discount_percent", "价格或 discount_percent"),
    ("one valid quote for an offer and term", "每个报价与租期只有一份有效报价单"),
    ("one valid quote for a place", "每个地点只有一份有效报价"),
    (r"a price \(0 where the seller says that it is free\)", "价格（卖方说明免费时写 0）"),
    (r"nothing: it says nothing of (?P<x>storage|cold-storage|egress)", "空缺：该列与 {x} 无关"),
    ("nothing: storage and traffic are paid as they are used", "空缺：存储与流量按使用付费"),
    ("a provider of the offers", "报价目录中的供应商"),
    (r"a region of (?P<x>.+)'s offers, or a pattern of one", "{x} 的地域，或与之匹配的通配符"),
    ("yes or no, or nothing where it is not known", "yes 或 no，未知则留空"),
    (r"one of (?P<x>.+) for the term (?P<y>\w+)", "租期 {y} 可用以下之一：{x}"),
    (rf"one of {_X}", "以下之一：{x}"),
    (r"a divisor of (?P<x>\w+), (?P<n>\d+), or a head_dim beside it", "{x}（{n}）的约数，或另给 head_dim"),
    (r"a multiple of (?P<x>\w+), (?P<n>\d+), or a head_dim beside it", "{x}（{n}）的倍数，或另给 head_dim"),
    (r"a divisor of (?P<x>\w+), (?P<n>\d+)", "{x}（{n}）的约数"),
    (r"experts beside it: a model without has none of these", "同时给出 experts：没有专家的模型没有这些字段"),
    (r"how many of the (?P<n>\d+) experts work on a token", "{n} 个专家中每个 token 用几个"),
    (r"at most (?P<x>experts|layers|the hidden size), (?P<n>\d+)", "不大于 {x}（{n}）"),
    (r"fewer than layers, (?P<n>\d+)", "少于 layers（{n}）"),
    (r"(?P<list>'[^']*'(?:, '[^']*')* or '[^']*')", "{list} 之一"),
    # suggestions
    (r"Did you mean (?P<x>.+)\?", "是否指 {x}？"),
    (rf"It is in {_X} that begins on line (?P<n>\d+)\.", "位于第 {n} 行开始的结构内（{x}）。"),
    (r"Save it as UTF-8 \(it looks like GBK\)\.", "请存为 UTF-8（看来是 GBK）。"),
    (r"Save it as UTF-8\.", "请存为 UTF-8。"),
    (r"Export it again as UTF-8\.", "请重新导出为 UTF-8。"),
    (r"Export it as CSV\.", "请导出为 CSV。"),
    (r"Export the bill again\.", "请重新导出账单。"),
    (r"Download it again\.", "请重新下载。"),
    (
        r"Give --catalog a folder that `optimize catalog` wrote, or leave it out\.",
        "--catalog 须为 `optimize catalog` 写出的文件夹，或省略。",
    ),
    (r"Give it in (?P<x>\w+), or change currency: in the file\.", "请以 {x} 给出，或修改文件中的 currency:。"),
    (r"Leave out the line when there is no price\.", "没有价格就删去该行。"),
    (r"Line (?P<n>\d+) quotes it too\.", "第 {n} 行也有报价。"),
    (r"Line (?P<n>\d+) means it too\.", "第 {n} 行也指该地点。"),
    (r"`\*` means all of them\.", "`*` 表示全部地域。"),
    (r"Offers lie in (?P<x>.+)\.", "报价所在国家：{x}。"),
    (
        r"A comma inside a number or a note needs quotation marks around the cell\.",
        "数字或备注中有逗号时，单元格须加引号。",
    ),
    (r"A price without a currency is not a price\.", "没有货币的价格不是价格。"),
    (r"Write the number alone; the currency has its own column\.", "只写数字；货币另有一列。"),
    (
        r"Write the number without separators and with a decimal point: a comma can mean two things\.",
        "请写不带分隔符、以点为小数点的数：逗号有两种含义。",
    ),
    (r"The columns are (?P<x>.+)\.", "各列为 {x}。"),
    (
        r"The file changed after it was written; restore it or refresh the catalog\.",
        "文件写出后被改动；请恢复，或刷新目录。",
    ),
    (
        r"Plan the workload again with this version of optimize, or use the version that wrote the file\.",
        "请用此版本重新规划，或用写出该文件的版本。",
    ),
    (r"`optimize catalog list` names them\.", "`optimize catalog list` 可列出。"),
    (r"See `offers`\.", "见 `optimize offers`。"),
    (r"`optimize init` writes one\.", "`optimize init` 可生成一份。"),
    (
        r"`optimize contract plan\.json --format json` writes the form to fill\.",
        "`optimize contract plan.json --format json` 可生成待填表格。",
    ),
    # whole errors
    (
        r"no plan found within (?P<n>\S+) s; whether there is one is open\. "
        r"Allow more with --time-limit, or a larger budget\.",
        "{n} 秒内没有找到方案；是否存在尚不确定。可用 --time-limit 给更多时间，或提高预算。",
    ),
)
_COMPILED = tuple((re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in (*PHRASES, *_PHRASES))


def phrase(text: str) -> str:
    """One part of a problem in Chinese; alternatives joined by ", or " one by one; else as it stands."""
    for pattern, chinese in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None:
            return chinese.format(**{name: _listed(name, value) for name, value in found.groupdict().items()})
    parts = text.split(", or ")
    return "，或".join(map(phrase, parts)) if len(parts) > 1 else text


def _listed(name: str, value: str) -> str:
    """A value in which "or" joins alternatives, in a list also commas."""
    value = value.replace(" or ", "、")
    return value.replace(", ", "、") if name == "list" else value


def _said(problem: Problem) -> str:
    """What was found and what was expected, as a sentence: what is not there is not read."""
    if (problem.found, problem.expected) == MISSING:
        return "缺少此必填字段"
    found = phrase(problem.found)
    return f"{found if found.startswith(NOT_THERE) else f'读到 {found}'}，应为 {phrase(problem.expected)}"


def told(problem: Problem) -> str:
    """A problem in Chinese: place, field, what was found and what was expected."""
    file = PLACES.get(problem.file, problem.file)
    place = file if problem.line is None else f"{file}:{problem.line}"
    where = f"{place}：{problem.field}：" if problem.field else f"{place}："
    said = where + _said(problem)
    return f"{said}。{phrase(problem.suggestion)}" if problem.suggestion else said


def described(error: OptimizeError) -> str:
    """An error without problems of its own."""
    return phrase(str(error)) if isinstance(error, NoPlanInTime) else str(error)

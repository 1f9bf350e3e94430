"""Bad inputs, each with what must be said about it: line, field, what was found, what was expected.

Lines, fields and values are read off the input by hand.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Says:
    """One message: `line` of the input (None: the input has no lines there), field, found and expected."""

    line: int | None
    field: str
    found: str
    expected: str


@dataclass(frozen=True)
class Bad:
    """Files to write, arguments to give, and the messages that must come: these and no others."""

    name: str
    files: Mapping[str, bytes]
    arguments: tuple[str, ...]
    says: tuple[Says, ...]
    file: str = ""
    code: int = 2
    tags: tuple[str, ...] = field(default=())


#: A workload that plans on the small catalog of these tests.
GOOD = "start: 2026-12-01\nmodel: {preset: llama-2-7b}\nmethod: lora\ntokens: 2e8\nsequence_length: 1024\n"
PLAN = ("--workload", "{dir}/w.yaml", "--catalog", "{catalog}", "--out", "{dir}/kept.json")


def _workload(name: str, text: str | bytes, *says: Says, code: int = 2) -> Bad:
    content = text if isinstance(text, bytes) else text.encode()
    return Bad(f"workload-{name}", {"w.yaml": content}, PLAN, says, "w.yaml", code)


def _field(name: str, line: str, field_name: str, found: str, expected: str) -> Bad:
    """The good workload with one more line, the sixth."""
    return _workload(name, GOOD + line + "\n", Says(6, field_name, found, expected))


#: name, line to add, field named, found, expected.
FIELDS = (
    ("misspelt-budget", "budgit: 400000", "budgit", "an unknown field", "Did you mean budget?"),
    ("misspelt-deadline", "dead_line_days: 4", "dead_line_days", "an unknown field", "Did you mean deadline_days?"),
    ("unknown-field", "favourite_colour: blue", "favourite_colour", "an unknown field", "a known field"),
    ("chinese-field", "预算: 400000", "预算", "an unknown field", "a known field"),
    ("wrong-case", "Budget: 400000", "Budget", "an unknown field", "Did you mean budget?"),
    ("unit-in-value", "dataset_gb: 100GB", "dataset_gb", "'100GB'", "a number without quotes or unit"),
    ("quoted-number", 'dataset_gb: "100"', "dataset_gb", "'100'", "a number without quotes or unit"),
    ("comma-number", "budget: 400,000", "budget", "'400,000'", "a number without quotes or unit"),
    ("currency-in-value", "budget: 400000CNY", "budget", "'400000CNY'", "a number without quotes or unit"),
    ("percent", "discount_rate: 5%", "discount_rate", "'5%'", "a number without quotes or unit"),
    ("bool-as-number", "hours_per_day: true", "hours_per_day", "True", "a number without quotes or unit"),
    ("number-as-bool", "interruptible: 1", "interruptible", "1", "true or false"),
    ("yes-as-bool", "interruptible: yes", "interruptible", "'yes'", "true or false"),
    ("on-as-bool", "master_weights: on", "master_weights", "'on'", "true or false"),
    ("list-as-number", "deadline_days: [14]", "deadline_days", "a list", "a whole number"),
    ("map-as-number", "deadline_days: {days: 14}", "deadline_days", "a group of fields", "a whole number"),
    ("number-as-list", "countries: CN", "countries", "'CN'", "a list, in brackets: [CN]"),
    ("number-as-map", "layout: 4", "layout", "4", "'auto'"),
    ("negative-budget", "budget: -5", "budget", "-5", "at least 0"),
    ("negative-deadline", "deadline_days: -14", "deadline_days", "-14", "a value above 0"),
    ("zero-hours", "hours_per_day: 0", "hours_per_day", "0", "a value above 0"),
    ("too-many-hours", "hours_per_day: 25", "hours_per_day", "25", "at most 24"),
    ("negative-data", "dataset_gb: -1", "dataset_gb", "-1", "at least 0"),
    ("part-of-a-day", "deadline_days: 1.5", "deadline_days", "1.5", "a whole number"),
    ("nan", "dataset_gb: .nan", "dataset_gb", "nan", "finite"),
    ("infinity", "dataset_gb: .inf", "dataset_gb", "inf", "finite"),
    ("nan-budget", "budget: .nan", "budget", "nan", "finite"),
    ("infinite-budget", "budget: .inf", "budget", "inf", "finite"),
    ("huge-exponent", "dataset_gb: 1e999", "dataset_gb", "inf", "finite"),
    ("huge-count", "max_nodes: 1000000000000", "max_nodes", "1000000000000", "at most"),
    ("huge-repeats", "repeats: {times: 1000000000}", "repeats.times", "1000000000", "at most"),
    ("huge-horizon", "horizon_months: 100000", "horizon_months", "100000", "at most 120"),
    ("huge-deadline", "deadline_days: 99999999999", "deadline_days", "99999999999", "at most"),
    ("huge-start-day", "starts_day: 99999999999", "starts_day", "99999999999", "at most"),
    ("wrong-method", "optimizer: adam", "optimizer", "'adam'", "'adamw'"),
    ("wrong-precision", "precision: bf8", "precision", "'bf8'", "'bf16'"),
    ("wrong-profile", "profile: lax", "profile", "'lax'", "'documents'"),
    ("currency-word", "currency: yuan", "currency", "'yuan'", "a currency code such as CNY"),
    ("currency-symbol", "currency: ¥", "currency", "'¥'", "a currency code such as CNY"),
    ("fx-wrong-way", "fx: {CNYUSD: 0.14}", "fx", "do not go together", "found CNYUSD"),
    ("fx-zero", "fx: {USDCNY: 0}", "fx.USDCNY", "0", "a value above 0"),
    ("window-not-full", 'window: {from: "09:30", hours: 10}', "window.from", "'09:30'", "a full hour"),
    ("window-too-long", 'window: {from: "09:00", hours: 25}', "window.hours", "25", "at most 24"),
    ("window-no-hours", 'window: {from: "09:00"}', "window.hours", "nothing", "mandatory"),
    ("zero-stage", "layout: {zero: 4}", "layout.zero", "4", "at most 3"),
    ("nested-misspelt", "spot: {lost_hour: 1}", "spot.lost_hour", "an unknown field", "Did you mean lost_hours?"),
    ("bad-date-in-list", "commitments: [{offer: a/b/c, term: year, ends: 2027-13-01}]", "commitments.0.ends",
     "'2027-13-01'", "date"),
    ("bad-term", "commitments: [{offer: a/b/c, term: yearly, ends: 2027-12-01}]", "commitments.0.term", "'yearly'",
     "'reserved_1y'"),
    ("quota-of-nothing", "quotas: [{provider: aws}]", "quotas.0", "do not go together", "max_gpus or max_nodes"),
    ("owned-nothing", "owned: {already: [{name: lab}]}", "owned.already.0", "do not go together", "gpu and gpus"),
    ("pue-below-one", "owned: {pue: 0.9}", "owned.pue", "0.9", "at least 1"),
    ("residual-above-one", "owned: {may_buy: [{server: x, price: 1, load_kw: 1, residual_by_month: {0: 2}}]}",
     "owned.may_buy.0.residual_by_month.0", "2", "at most 1"),
    ("residual-not-a-month", "owned: {may_buy: [{server: x, price: 1, load_kw: 1, residual_by_month: {new: 1}}]}",
     "owned.may_buy.0.residual_by_month", "do not go together", "ages in whole months"),
    ("unknown-rule", "rules: {ram-totl: {severity: warn}}", "rules.ram-totl", "ram-totl", "Did you mean ram-total?"),
    ("unknown-figure", "rules: {ram-total: {ration: 1.5}}", "rules.ram-total.ration", "ration", "Did you mean ratio?"),
    ("rule-wrong-severity", "rules: {ram-total: {severity: loud}}", "rules.ram-total.severity", "'loud'", "'hard'"),
    ("unknown-gpu", 'gpus: {allow: ["A1000*"]}', "gpus.allow", "A1000*", "Did you mean"),
    ("unknown-gpu-hours", "gpus: {deny: [H1000]}", "gpus.deny", "H1000", "Did you mean"),
    ("unknown-provider", "providers: [lamda]", "providers", "lamda", "Did you mean lambda"),
    ("unknown-country", "countries: [Atlantis]", "countries", "Atlantis", "a country"),
    ("unknown-server", "owned: {already: [{name: lab, server: hgx-a1000-8}]}", "owned.already.0.server",
     "hgx-a1000-8", "Did you mean"),
    ("unknown-currency", "currency: XTS", "currency", "XTS", "a currency with a rate"),
)  # fmt: skip


def _fields() -> Iterator[Bad]:
    for name, line, field_name, found, expected in FIELDS:
        yield _field(name, line, field_name, found, expected)


def _whole_files() -> Iterator[Bad]:
    """Files that are no workload at all, or not one that can be read."""
    yield _workload("empty", "", Says(1, "", "an empty file", "a workload"))
    yield _workload("blank", "\n\n  \n", Says(1, "", "an empty file", "a workload"))
    yield _workload("comment-only", "# nothing\n", Says(1, "", "an empty file", "a workload"))
    yield _workload("list", "- a\n- b\n", Says(1, "", "a list", "fields such as model:"))
    yield _workload("sentence", "train my model please\n", Says(1, "", "a single value", "fields such as"))
    yield _workload("number", "42\n", Says(1, "", "a single value", "fields such as"))
    yield _workload("unclosed", "model: {preset: llama-2-7b\ntokens: 2e8\n", Says(2, "", "", "YAML 1.2"))
    yield _workload("tab", "start: 2026-12-01\n\tmodel: x\n", Says(2, "", "", "YAML 1.2"))
    yield _workload("bad-indent", "start: 2026-12-01\n  model: x\n tokens: 1\n", Says(2, "", "", "YAML 1.2"))
    two = "start: 2026-12-01\n---\ntokens: 1\n"
    yield _workload("two-documents", two, Says(3, "", "a second document", "one document"))
    yield _workload("binary", bytes(range(256)), Says(2, "", "bytes that are not UTF-8", "UTF-8 text"))
    yield _workload("nul", GOOD.encode() + b"name: a\x00b\n", Says(6, "", "", "YAML 1.2"))
    gbk = GOOD.encode() + "name: 训练任务\n".encode("gbk")
    yield _workload("gbk", gbk, Says(6, "", "bytes that are not UTF-8", "GBK"))
    yield _workload("utf-16", GOOD.encode("utf-16"), Says(1, "", "bytes that are not UTF-8", "UTF-8 text"))
    yield _workload("json-cut", '{"start": "2026-12-01", "model": {"preset": "x"', Says(1, "", "", "YAML 1.2"))
    yield _workload("too-large", b"#" * 2_000_001, Says(None, "", "2000001 bytes", "at most 2000000 bytes"))
    yield _workload("python-tag", "start: !!python/object/apply:os.system [ls]\n", Says(1, "start", "the tag", "tags"))
    yield _workload("own-tag", GOOD + "name: !secret x\n", Says(6, "name", "the tag !secret", "without tags"))
    yield _workload("twice", GOOD + "tokens: 3e8\n", Says(6, "tokens", "the same field twice", "each field once"))
    merge = GOOD + "<<: {budget: 5}\n"
    yield _workload("merge-key", merge, Says(6, "", "the merge key <<", "every field written out"))
    yield _workload("list-as-key", GOOD + "[a, b]: 1\n", Says(6, "", "a key", "a field name"))
    deep = GOOD + "name: " + "[" * 5_000 + "]" * 5_000 + "\n"
    yield _workload("deep", deep, Says(6, "", "more than 100 levels", "a flatter file"))
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
    )
    yield _workload("bomb", bomb, Says(1, "", "more than 250000 values", "a smaller file"))
    yield _workload("unknown-alias", GOOD + "name: *nobody\n", Says(6, "", "", "YAML 1.2"))
    yield _workload("self-alias", GOOD + "name: &a [*a]\n", Says(6, "", "", ""))


def _meaning() -> Iterator[Bad]:
    """Files that read well and make no sense."""
    no_start = "model: {preset: llama-2-7b}\ntokens: 2e8\n"
    yield _workload("no-start", no_start, Says(1, "start", "nothing", "mandatory"))
    for name, day in (("no-such-day", "2026-02-30"), ("no-leap-day", "2027-02-29"), ("month-13", "2026-13-01")):
        text = GOOD.replace("2026-12-01", day)
        yield _workload(name, text, Says(1, "start", f"'{day}'", "date"))
    yield _workload("us-date", GOOD.replace("2026-12-01", "12/01/2026"), Says(1, "start", "'12/01/2026'", "date"))
    yield _workload("year-one", GOOD.replace("2026-12-01", "0001-01-01"), Says(1, "start", "0001-01-01", "2000-01-01"))
    yield _workload("year-9999", GOOD.replace("2026-12-01", "9999-12-01"), Says(1, "start", "9999-12-01", "2100-01-01"))
    yield _workload(
        "no-model", "start: 2026-12-01\ntokens: 1e9\n", Says(1, "", "do not go together", "a model; only work given")
    )
    no_work = "start: 2026-12-01\nmodel: {preset: llama-2-7b}\n"
    yield _workload("no-work", no_work, Says(1, "", "do not go together", "exactly one of tokens"))
    late = GOOD + "starts_day: 9\nlatest_start_day: 2\n"
    yield _workload("late", late, Says(7, "latest_start_day", "do not go together", "at least starts_day, 9; found 2"))
    two_amounts = GOOD + "tokens_per_month: 1e9\n"
    yield _workload("two-amounts", two_amounts, Says(4, "tokens", "do not go together", "exactly one of tokens"))
    ten_thousand = "start: 2026-12-01\nworkloads:\n" + "  - {}\n" * 10_000
    yield _workload("ten-thousand", ten_thousand, Says(2, "workloads", "10000 workloads", "at most 1000"))
    misspelt = GOOD.replace("llama-2-7b", "lama-2-7b")
    yield _workload("unknown-model", misspelt, Says(2, "model.preset", "lama-2-7b", "Did you mean llama-2-7b"))
    model = GOOD.replace("{preset: llama-2-7b}", "{layers: 32}")
    yield _workload("half-a-model", model, Says(2, "model.hidden_size", "nothing", "go together"))
    steady = GOOD.replace("tokens: 2e8", "tokens_per_month: 2e8")
    yield _workload("steady-no-horizon", steady, Says(1, "", "do not go together", "horizon_months is mandatory"))
    uneven = GOOD.replace("tokens: 2e8", "tokens_per_month: [1e8, 2e8]") + "horizon_months: 3\n"
    yield _workload("uneven-months", uneven, Says(1, "", "do not go together", "2 entries for 3 months"))
    two = "start: 2026-12-01\nworkloads:\n" + "  - {name: a, model: {preset: llama-2-7b}, tokens: 1e8}\n" * 2
    yield _workload("same-name", two, Says(2, "workloads", "do not go together", "found twice: a"))
    many = two.replace("{name: a", "{name: b", 1).replace("preset: llama-2-7b", "preset: lama", 1)
    yield _workload(
        "second-of-two",
        many.replace("tokens: 1e8}\n", "tokens: 1e8, hours_per_day: 30}\n", 1),
        Says(3, "workloads.0.hours_per_day", "30", "at most 24"),
    )
    yield _workload("no-workloads", "start: 2026-12-01\nworkloads: []\n", Says(2, "workloads", "a list", "at least 1"))
    null = "start: 2026-12-01\nworkloads:\n"
    yield _workload("null-workloads", null, Says(2, "workloads", "nothing", "a list"))
    both = GOOD + "workloads:\n  - {name: a, model: {preset: llama-2-7b}, tokens: 1e8}\n"
    yield _workload("both-forms", both, *(Says(line, name, "an unknown field", "known field") for line, name in
                    ((2, "model"), (3, "method"), (4, "tokens"), (5, "sequence_length"))))  # fmt: skip
    bad = "strat: 2026-12-01\nmodle: {preset: llama-2-7b}\ntokens: many\nhours_per_day: 30\n"
    yield _workload(
        "four-at-once",
        bad,
        Says(1, "start", "nothing", "mandatory"),
        Says(1, "strat", "an unknown field", "Did you mean start?"),
        Says(2, "modle", "an unknown field", "Did you mean model?"),
        Says(3, "tokens", "'many'", "a number without quotes or unit"),
        Says(4, "hours_per_day", "30", "at most 24"),
    )
    yield _workload("fine-but-unknown-names", GOOD.replace("llama-2-7b", "no-such-model") + "providers: [nobody]\n",
        Says(2, "model.preset", "no-such-model", "a model of the catalog"),
        Says(6, "providers", "nobody", "a provider of the catalog"),
    )  # fmt: skip


WORKLOADS = (*_fields(), *_whole_files(), *_meaning())


# --- quotes ---------------------------------------------------------------------------------------------------

HEADER = "provider,region,instance_type,term,price,price_unit,currency,tax_included,valid_from,valid_to,note\n"
GH200 = "lambda,global,gpu_1x_gh200,month"
LINE = f"{GH200},1500,month,USD,no,2026-11-01,2027-12-31,\n"


def _quotes(name: str, text: str | bytes, *says: Says) -> Bad:
    content = text if isinstance(text, bytes) else text.encode()
    files = {"w.yaml": (GOOD + "quotes: quotes.csv\n").encode(), "quotes.csv": content}
    return Bad(f"quotes-{name}", files, PLAN, says, "quotes.csv")


def _cell(name: str, line: str, field_name: str, found: str, expected: str) -> Bad:
    """A good line, and then the bad one on line 3."""
    return _quotes(name, HEADER + LINE + line + "\n", Says(3, field_name, found, expected))


#: name, third line, field named, found, expected.
CELLS = (
    ("comma-number", f'{GH200},"1,234",month,USD,,,,', "price", "1,234", "decimal point: a comma can mean two things"),
    (
        "decimal-comma",
        f'{GH200},"1234,56",month,USD,,,,',
        "price",
        "1234,56",
        "decimal point: a comma can mean two things",
    ),
    ("bare-comma", f"{GH200},1,234,month,USD,,,,", "", "12 cells", "11 cells"),
    ("word", f"{GH200},cheap,month,USD,,,,", "price", "cheap", "a number above zero"),
    ("negative", f"{GH200},-5,month,USD,,,,", "price", "-5", "a number above zero"),
    ("zero", f"{GH200},0,month,USD,,,,", "price", "0", ""),
    ("nan", f"{GH200},NaN,month,USD,,,,", "price", "NaN", "a number above zero"),
    ("exponent", f"{GH200},1e5,month,USD,,,,", "price", "1e5", "a number above zero"),
    ("symbol", f"{GH200},¥1500,month,CNY,,,,", "price", "¥1500", "the currency has its own column"),
    ("no-price", f"{GH200},,month,USD,,,,", "price", "nothing", ""),
    ("unit", f"{GH200},1500,mounth,USD,,,,", "price_unit", "mounth", "month"),
    ("unit-of-term", f"{GH200},1500,year,USD,,,,", "price_unit", "year", ""),
    ("term", "lambda,global,gpu_1x_gh200,monthly,1500,month,USD,,,,", "term", "monthly", "month"),
    ("owned", "lambda,global,gpu_1x_gh200,owned,1500,month,USD,,,,", "term", "owned", "month"),
    ("currency", f"{GH200},1500,month,dollars,,,,", "currency", "dollars", ""),
    ("tax", f"{GH200},1500,month,USD,maybe,,,", "tax_included", "maybe", "yes"),
    ("day", f"{GH200},1500,month,USD,,2026-02-30,,", "valid_from", "2026-02-30", "a date such as"),
    ("us-day", f"{GH200},1500,month,USD,,12/01/2026,,", "valid_from", "12/01/2026", "a date such as"),
    ("turned", f"{GH200},1500,month,USD,,2027-01-01,2026-01-01,", "valid_to", "2026-01-01", ""),
    ("twice", f"{GH200},1600,month,USD,,,,", "term", "month", "one valid quote for an offer and term"),
    ("no-provider", ",global,gpu_1x_gh200,month,1,month,USD,,,,", "provider", "nothing", "a name"),
    ("unknown-machine", "lambda,global,gpu_9x_h100,month,1,month,USD,,,,", "instance_type", "gpu_9x_h100", ""),
    ("cut", "lambda,global,gpu_1x", "", "3 cells", "11 cells"),
)


def _quote_files() -> Iterator[Bad]:
    for name, line, field_name, found, expected in CELLS:
        yield _cell(name, line, field_name, found, expected)
    yield _quotes("empty", "", Says(1, "header", "nothing", "provider"))
    columns = ("lambda", "global", "gpu_1x_gh200", "month", "1500")
    unknown = (Says(1, name, "an unknown column", "a column of quotes.csv") for name in columns)
    yield _quotes("no-header", ",".join(columns) + "\n", *unknown, Says(1, "header", "lambda", "provider"))
    misspelt = HEADER.replace("price_unit", "prise_unit") + LINE
    yield _quotes("misspelt", misspelt, Says(1, "prise_unit", "an unknown column", "Did you mean price_unit?"),
                  Says(2, "price_unit", "nothing", "one of hour"))  # fmt: skip
    yield _quotes("binary", b"\xff\xff\xff\xff", Says(None, "", "unknown encoding", "UTF-8, UTF-16 or GBK"))
    yield _quotes("nul", HEADER + "lambda\x00,global\n", Says(2, "", "2 cells", "11 cells"))
    yield _quotes("huge-cell", HEADER + "x" * 200_000 + "\n", Says(2, "", "field limit", "CSV text"))
    yield _quotes("open-quote", HEADER + '"lambda,global\n' + LINE, Says(2, "", "1 cell", "11 cells"))
    missing = Bad("quotes-missing", {"w.yaml": (GOOD + "quotes: nowhere.csv\n").encode()}, PLAN,
                  (Says(None, "", "No such file", "a CSV file of quotes"),), "nowhere.csv")  # fmt: skip
    yield missing
    two = f"{GH200},cheap,month,USD,,,,\n{GH200},1,month,USD,maybe,,,\n"
    yield _quotes(
        "two-at-once",
        HEADER + two,
        Says(2, "price", "cheap", "a number above zero"),
        Says(3, "tax_included", "maybe", "yes"),
    )


# --- bills, plan files, catalogs, options -----------------------------------------------------------------------

BILL_HEADER = "date,provider,region,instance_type,machine_hours,currency,billed\n"
BILL_LINE = "2026-11-02,lambda,global,gpu_1x_gh200,10,USD,22.90\n"
REVIEW = ("review", "--bill", "{dir}/bill.csv", "--no-state", "--catalog", "{catalog}", "--out", "{dir}/kept.json")


def _bill(name: str, text: str | bytes, found: str, expected: str, line: int | None = None) -> Bad:
    content = text if isinstance(text, bytes) else text.encode()
    return Bad(f"bill-{name}", {"bill.csv": content}, REVIEW, (Says(line, "", found, expected),), "bill.csv")


def _bills() -> Iterator[Bad]:
    good = BILL_HEADER + BILL_LINE * 3
    yield _bill("empty", "", "empty file", "")
    yield _bill("cut-in-a-line", good[:-12], "ends too early", "", 4)
    yield _bill("cut-in-quotes", good + '2026-11-03,"lamb', "ends too early", "", 5)
    yield _bill("pdf", b"%PDF-1.7 \n...", "PDF", "")
    yield _bill("excel", b"PK\x03\x04....", "Excel", "")
    yield _bill("json", '{"billed": 1}\n', "JSON", "")
    yield _bill("binary", bytes(range(256)) * 8, "no text", "")
    yield _bill("other-columns", "Name,Amount\nx,1\n", "no known bill format", "", 1)
    yield _bill("no-header", BILL_LINE * 2, "data in the first line", "", 1)
    yield _bill("cut-parquet", b"PAR1", "ends too early", "")
    yield _bill("damaged-gzip", b"\x1f\x8b\x08" + bytes(40), "ends too early", "")
    yield _bill("cut-gzip", b"\x1f\x8b\x08\x00", "ends too early", "")


def _plan(name: str, content: bytes, *says: Says, arguments: tuple[str, ...] = ("verify", "{dir}/plan.json")) -> Bad:
    return Bad(f"plan-{name}", {"plan.json": content}, (*arguments, "--out", "{dir}/kept.json"), says, "plan.json")


def _plans() -> Iterator[Bad]:
    head = b'{"schema_version": 1, "status": "optimal", "currency": "CNY"'
    yield _plan("empty", b"", Says(1, "", "", "a plan file"))
    yield _plan("cut", head, Says(1, "", "", "a plan file"))
    yield _plan("list", b"[]", Says(None, "", "list", "a plan file"))
    yield _plan("nan", head + b', "cost": NaN}', Says(None, "", "NaN", "a plan file"))
    yield _plan("gbk", '{"notes": "方案"}'.encode("gbk"), Says(None, "", "not UTF-8", "UTF-8"))
    yield _plan("workload", GOOD.encode(), Says(1, "", "", "a plan file"))
    newer = b'{"schema_version": 2, "status": "optimal", "nodes": []}'
    for command in (("verify", "{dir}/plan.json"), ("contract", "{dir}/plan.json"),
                    ("why", "H100", "--plan", "{dir}/plan.json"), ("quotes", "template", "--plan", "{dir}/plan.json"),
                    ("export", "--format", "terraform", "{dir}/plan.json"),
                    ("compare", "{dir}/plan.json", "{dir}/plan.json"), ("review", "--bill", "{dir}/none.csv",
                    "--no-state", "--plan", "{dir}/plan.json")):  # fmt: skip
        yield _plan(f"newer-{command[0]}", newer, Says(None, "schema_version", "2", "1"), arguments=command)
    deep = b'{"a":' * 100_000
    yield _plan("deep", deep, Says(None, "", "", "a plan file"))


def _option(name: str, says: Says, *arguments: str, file: str = "") -> Bad:
    return Bad(f"option-{name}", {"w.yaml": GOOD.encode()}, (*PLAN, *arguments), (says,), file)


def _options() -> Iterator[Bad]:
    yield _option("budget-word", Says(None, "", "'lots'", "an amount such as"), "--budget", "lots", file="--budget")
    yield _option("budget-comma", Says(None, "", "'400,000'", "no thousands"), "--budget", "400,000", file="--budget")
    yield _option("budget-zero", Says(None, "", "'0'", "above 0"), "--budget", "0", file="--budget")
    yield _option("budget-nan", Says(None, "", "'nan'", ""), "--budget", "nan", file="--budget")
    yield _option("budget-other", Says(None, "", "CNY", "USD"), "--budget", "5CNY", file="--budget")
    yield _option("as-of", Says(None, "", "'2026-02-30'", "a date"), "--as-of", "2026-02-30", file="--as-of")
    yield _option("currency", Says(None, "", "XTS", "a currency with a rate"), "--currency", "XTS", file="--currency")
    yield _option("set-nothing", Says(None, "", "'tokens'", "path=value"), "--set", "tokens", file="--set")
    yield _option("set-no-list", Says(None, "gpus.allow", "'H100'", "a list"), "--set", "gpus.allow=H100", file="--set")
    unknown = Says(None, "gpus.allow", "H1000", "Did you mean")
    yield _option("set-unknown-gpu", unknown, "--set", "gpus.allow=[H1000]", file="--set")
    yield _option("negative-budget", Says(None, "", "'-5'", "an amount above 0"), "--budget", "-5", file="--budget")
    yield _option("budget-of-letters", Says(None, "", "EUR", "currency, USD"), "--budget", "5e3EUR", file="--budget")
    yield _option("set-misspelt", Says(None, "tokns", "unknown field", "tokens"), "--set", "tokns=5", file="--set")
    yield _option("set-wrong", Says(None, "tokens", "'x'", "a number"), "--set", "tokens=x", file="--set")
    yield _option("set-into-value", Says(None, "tokens", "", "a group"), "--set", "tokens.a=5", file="--set")
    yield _option("from-missing", Says(None, "", "No such file", ""), "--from", "{dir}/no.json", file="no.json")
    yield _option(
        "scenarios-missing", Says(None, "", "No such file", ""), "--scenarios", "{dir}/no.yaml", file="no.yaml"
    )
    arguments = ("--workload", "{dir}/w.yaml", "--catalog", "{dir}/nowhere")
    says = Says(None, "", "No such file", "the list of the catalog's files")
    yield Bad("catalog-missing", {"w.yaml": GOOD.encode()}, arguments, (says,), "nowhere/index.json")
    arguments = ("--workload", "{dir}/w.yaml", "--catalog", "{dir}")
    says = Says(None, "", "a damaged file", "the list of the catalog's files")
    yield Bad("catalog-damaged", {"w.yaml": GOOD.encode(), "index.json": b"{"}, arguments, (says,), "index.json")
    missing = Says(None, "", "No such file", "")
    yield Bad("workload-missing", {}, ("--workload", "{dir}/no.yaml"), (missing,), "no.yaml")
    yield Bad("workload-folder", {}, ("--workload", "{dir}"), (Says(None, "", "a folder", "a file"),))
    for name in ("verify", "contract"):
        yield Bad(f"{name}-missing", {}, (name, "{dir}/no.json"), (missing,), "no.json")
    yield Bad("init-exists", {"w.yaml": b"mine"}, ("init", "--model", "llama-2-7b", "--tokens", "1e9", "--out",
              "{dir}/w.yaml"), (Says(None, "", "a file that exists", "--force"),), "w.yaml")  # fmt: skip
    yield Bad("init-model", {}, ("init", "--model", "lama-2-7b", "--tokens", "1e9"),
              (Says(None, "", "lama-2-7b", "Did you mean llama-2-7b"),), "--model")  # fmt: skip


QUOTES = tuple(_quote_files())
OTHERS = (*_bills(), *_plans(), *_options())
CORPUS = (*WORKLOADS, *QUOTES, *OTHERS)

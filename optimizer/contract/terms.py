"""The lines on money and time: price, scaling both ways, after-sales."""

from decimal import Decimal

from optimizer.contract.amount_words import yuan_in_words
from optimizer.contract.bought import Bought, schedule_of, total_of
from optimizer.contract.line import asked, demanded, document_line, doubted, known, said
from optimizer.contract.spec import Item, Kind, Section, Value
from optimizer.contract.tax import WORDS, basis_of, converted, line_by_line, total_basis, words_of
from optimizer.domain.plan import Purchase
from optimizer.domain.text import Text
from optimizer.rules.rule import Source

SCALING = demanded(Source("D1", "是否支持临时扩容、降配"))
SERVICE = demanded(Source("D1", "售后响应时间"))
CNY = "CNY"


def rent_section(bought: Bought, kind: Kind) -> Section:
    """Price in figures and words, scope, tax and invoice, payment, deposit, price lock, dates."""
    owned = kind == "purchase"
    title = Text("Purchase price", "货款") if owned else Text("Rent", "租金")
    items = (
        _amount(bought, owned=owned),
        _words(bought),
        _unit_prices(bought),
        _scope(owned=owned),
        _tax(bought),
        _dates(bought, owned=owned),
        _payment(bought, owned=owned),
        _deposit(owned=owned),
        _price_lock(owned=owned),
        *(
            _commitment(bought, line)
            for line in bought.beside
            if line.kind == "commitment" and line.term in bought.terms
        ),
    )
    return Section(title, items)


def _commitments(bought: Bought) -> list[Purchase]:
    return [line for line in bought.beside if line.kind == "commitment" and line.term in bought.terms]


def _commitment(bought: Bought, line: Purchase) -> Item:
    """Money committed an hour, which pays for the hours of this part and of others at the plan's rates."""
    total = f"{line.unit_price * line.quantity:,.2f} {line.price_currency}"
    price = bought.offer.price(line.term) if line.term is not None else None
    return asked(
        f"rent.commitment.{line.start_day}.{line.term}",
        Text("Committed money an hour", "每小时承诺消费"),
        Text(
            "Due for every hour of the term, used or not; it pays for these machines, and for others that have a rate, "
            "at the unit prices of the schedules, which are then not charged again. In all "
            f"{total} from {line.start} to {line.end} (exclusive), "
            "in equal monthly parts.",
            "租期内每小时均须支付，用否皆付；按各明细的单价支付这些机器及其他有费率的机器，不再另行收费。"
            f"{line.start} 至 {line.end}（不含）共 {total}，按月等额支付。",
        ),
        Text(line.source, "节省计划：每小时承诺金额 × 每年 8,760 小时，按月等额支付"),
        value=line.unit_price,
        unit=f"{line.price_currency}/{line.unit}",
        basis=words_of(basis_of(price, bought.tax)),
        relation="at_most",
        status="derived",
        mandatory=True,
    )


_WHOLE = Text("Amount for all machines of this part over the whole schedule below", "本部分全部机器按下列明细的总额")
_NOTHING_ELSE = Text("; nothing else is charged.", "；此外不另收费。")
_TAX_ON_TOP = Text("; nothing but value-added tax is charged on top.", "；除增值税外不另收费。")
_ESTIMATE = Text(
    "Estimate for the hours planned; what is billed are the hours used at the locked unit price.",
    "按计划小时数的预估额；以锁定单价按实际使用小时结算。",
)
_TWO_BASES = Text(
    "Prices with tax and without are not added where no rate is stated (the plan's `tax.rate`); fill in the amount "
    "with tax.",
    "未写税率（方案的 `tax.rate`）时，含税价与不含税价不相加；请填写含税总额。",
)


def _amount(bought: Bought, *, owned: bool) -> Item:
    rows = schedule_of(bought)
    total, basis = total_of(rows), total_basis(rows)
    hourly = not all(term.buys_units for term in bought.terms)
    ending = _TAX_ON_TOP if basis is not None and not basis.included else _NOTHING_ELSE
    first = _ESTIMATE if hourly else _joint(_WHOLE, ending)
    return asked(
        "rent",
        Text("Price", "价款") if owned else Text("Rent", "租金"),
        _joint(first, converted(rows, bought.tax)),
        _priced(bought),
        value=total,
        unit=bought.currency,
        basis=words_of(basis),
        relation="at_most" if total is not None else "fill",
        status="derived" if total is not None else "to_confirm",
        confirm=_TWO_BASES if basis is None else None,
        mandatory=True,
    )


def _joint(first: Text, second: Text) -> Text:
    return Text(first.en + second.en, first.zh + second.zh)


def _dated(source: str, day: object) -> str:
    return f"{source}, {day}" if day is not None and str(day) not in source else source


def _priced(bought: Bought) -> Text:
    """Source and day of every price of the schedule."""
    return said("; ".join(dict.fromkeys(_dated(row.source, row.observed) for row in schedule_of(bought))))


def _words(bought: Bought) -> Item:
    rows = schedule_of(bought)
    total = total_of(rows)
    title = Text("Amount in words", "金额大写")
    clause = Text(
        "In capital Chinese numerals; where figures and words differ, the words hold.",
        "以中文大写书写；大小写不一致时以大写为准。",
    )
    if total is None or bought.currency != CNY:
        return asked("rent.words", title, clause, relation="fill")
    rule = said("银发〔1997〕393号, 正确填写票据和结算凭证的基本规定")
    value, basis = said(yuan_in_words(total)), words_of(total_basis(rows))
    return asked("rent.words", title, clause, rule, value=value, basis=basis, relation="text", status="derived")


def _unit_prices(bought: Bought) -> Item:
    rows = schedule_of(bought)
    only = len({(row.unit_price, row.unit, row.currency, row.basis) for row in rows}) == 1
    value: Value = rows[0].unit_price if only else None
    return asked(
        "rent.unit_price",
        Text("Unit price", "单价"),
        Text(
            "Price of one whole machine (not of one GPU) for one unit of time, as in the schedule.",
            "每台整机（非单卡）每计价单位的价格，见明细。",
        ),
        _priced(bought),
        value=value,
        unit=f"{rows[0].currency}/{rows[0].unit}" if only else "",
        basis=words_of(rows[0].basis) if only else None,
        relation="at_most" if only else "agree",
        status="stated",
        mandatory=True,
    )


def _scope(*, owned: bool) -> Item:
    clause = Text(
        "The rent includes machines, power, cooling, rack space, hot storage of this part and after-sales; bandwidth, "
        "addresses, further storage and software licences are included or excluded as the vendor marks here.",
        "租金含机器、电力、散热、机位、本部分热存储与售后；带宽、IP、其他存储与软件许可是否包含，由厂商在此注明。",
    )
    if owned:
        clause = Text(
            "The price includes machines, accessories, packing, freight, insurance, installation and warranty; what "
            "it excludes the vendor marks here.",
            "货款含机器、配件、包装、运费、保险、安装与质保；不含项由厂商在此注明。",
        )
    return asked("rent.scope", Text("Scope", "包含与不包含"), clause, relation="fill")


def _tax(bought: Bought) -> Item:
    """What the sources say of tax; where one does not say, or they differ, line by line, with what the plan assumes."""
    rows = schedule_of(bought)
    title, clause = (
        Text("Tax and invoice", "税与发票"),
        Text(
            "Whether the price includes tax, the rate, and the kind of invoice (special VAT invoice or ordinary).",
            "价格是否含税、税率与发票种类（增值税专用发票或普通发票）。",
        ),
    )
    bases = {row.basis for row in rows}
    if len(bases) > 1 or not rows[0].basis.stated:
        return asked("rent.tax", title, clause, relation="fill", confirm=line_by_line(rows))
    value = WORDS[rows[0].basis]
    return asked("rent.tax", title, clause, _priced(bought), value=value, relation="text", status="stated")


def _dates(bought: Bought, *, owned: bool) -> Item:
    first, last = bought.start.isoformat(), bought.end.isoformat()
    if owned:
        return asked(
            "rent.dates",
            Text("Delivery date", "交付日期"),
            Text("Day by which all machines are delivered and installed.", "全部机器交付并安装完成的日期。"),
            Text("start of the plan's use", "方案启用日"),
            value=said(first),
            relation="text",
            status="derived",
            mandatory=True,
        )
    return asked(
        "rent.dates",
        Text("First and last day", "起止日期"),
        Text(
            "First day and the day after the last; rent starts on acceptance, a later delivery moves both days.",
            "起始日与终止日（终止日当日不计）；租金自验收通过起算，延迟交付则两日顺延。",
        ),
        Text("schedule of the plan", "方案日程"),
        value=said(f"{first} / {last}"),
        relation="text",
        status="derived",
        mandatory=True,
    )


def _payment(bought: Bought, *, owned: bool) -> Item:
    clause = Text(
        "Days and shares of payment; nothing is due before acceptance; invoices come before payment.",
        "付款日与比例；验收通过前不付款；先票后款。",
    )
    if owned:
        clause = Text(
            "Days and shares of payment; at least one share is due only after acceptance, one only after the warranty.",
            "付款日与比例；至少一笔验收通过后支付，一笔质保期满后支付。",
        )
    prepaid = [price for price in bought.offer.prices if price.term in bought.terms and price.upfront_share is not None]
    share: Value = prepaid[0].upfront_share if len(prepaid) == 1 else None
    if share is None:
        return asked("rent.payment", Text("Payment", "付款"), clause, relation="fill")
    percent = said(f"{Decimal(str(share)) * 100:f} %")
    title = Text("Payment (share up front)", "付款（预付比例）")
    return asked("rent.payment", title, clause, _priced(bought), value=percent, relation="text", status="stated")


def _deposit(*, owned: bool) -> Item:
    clause = Text("Deposit, and when it is paid back in full.", "押金数额与全额退还时间。")
    if owned:
        clause = Text("Earnest money or performance bond, and when it is paid back.", "定金或履约保证金及退还时间。")
    return asked("rent.deposit", Text("Deposit", "押金"), clause, relation="fill")


def _price_lock(*, owned: bool) -> Item:
    clause = Text(
        "The unit price holds for the whole term and for machines added within it.", "单价在租期内锁定，追加机器同价。"
    )
    if owned:
        clause = Text(
            "The unit price holds until delivery and for machines added as said under scaling.",
            "单价锁定至交付，按扩容条款追加的机器同价。",
        )
    return asked("rent.price_lock", Text("Price lock", "价格锁定"), clause, mandatory=True)


# --- scaling ------------------------------------------------------------------------------------------------------

#: id, title, clause: blanks, since no document states a figure.
_SCALING: tuple[tuple[str, Text, Text], ...] = (
    (
        "notice",
        Text("Notice", "提前通知"),
        Text("Days of notice for more and for fewer machines.", "扩容、缩容各提前几天通知。"),
    ),
    (
        "step",
        Text("Step", "步长"),
        Text("Smallest number of machines or GPUs in one change.", "每次变更的最小台数或卡数。"),
    ),
    (
        "delivery",
        Text("Delivery time", "交付时间"),
        Text("Days from notice to accepted machines.", "自通知至验收通过的天数。"),
    ),
    (
        "unit_price",
        Text("Unit price of changes", "变更单价"),
        Text("Added machines cost the locked unit price, counted by the day.", "追加机器按锁定单价、按天计费。"),
    ),
    (
        "refund",
        Text("Refund on reduction", "缩容退款"),
        Text(
            "What is paid back when machines are given back, and within how many days.", "退回机器的退款额与到账天数。"
        ),
    ),
    (
        "type_change",
        Text("Change of type", "变更规格"),
        Text("Whether and to which types a machine can be changed, up and down.", "可否升降规格，可变更为哪些规格。"),
    ),
    (
        "early_exit",
        Text("Early exit", "提前终止"),
        Text("When the term may be ended early, and what that costs.", "何时可提前终止租期及费用。"),
    ),
    (
        "renewal",
        Text("Renewal", "续租"),
        Text("Price on renewal and days to decide; no renewal by silence.", "续租价格与决定期限；不得默认自动续租。"),
    ),
    (
        "grace",
        Text("Grace days", "宽限期"),
        Text("Days after the end in which data and machines are kept.", "到期后保留机器与数据的天数。"),
    ),
)
#: The same for machines that become the buyer's.
_SCALING_OWNED: tuple[tuple[str, Text, Text], ...] = (
    (
        "unit_price",
        Text("Unit price of changes", "变更单价"),
        Text("Added machines cost the locked unit price.", "追加机器按锁定单价。"),
    ),
    (
        "period",
        Text("Period of the option", "追加期限"),
        Text("Months in which machines can be added, and the most of them.", "可追加的月数与最多台数。"),
    ),
    (
        "delivery",
        Text("Delivery time", "交付时间"),
        Text("Days from order to accepted machines.", "自下单至验收通过的天数。"),
    ),
    (
        "refund",
        Text("Fewer machines", "减少台数"),
        Text(
            "Until when undelivered machines can be cancelled, unopened ones returned, and what is paid back.",
            "未交付机器可取消、未拆封机器可退回的期限与退款额。",
        ),
    ),
    (
        "type_change",
        Text("Upgrades", "升级"),
        Text(
            "Parts that can be upgraded later (memory, disks, NICs) and their prices.",
            "可后续升级的部件（内存、硬盘、网卡）与价格。",
        ),
    ),
)
_AGREED = frozenset({"unit_price"})


def scaling_section(bought: Bought) -> Section:
    """Rules for more and fewer machines within the term, early exit, renewal."""
    elastic = bought.machine.elastic
    line = document_line("elasticity")
    clause = Text(
        "Machines can be added and given back within the term by the rules of the next lines.",
        "租期内可按以下各条增减机器。",
    )
    if bought.is_owned:
        clause = Text(
            "Machines can be added to and taken off the order by the rules of the next lines.",
            "可按以下各条增减订购的机器。",
        )
    main = asked(
        "scaling",
        Text("Scaling both ways", "扩容与缩容"),
        clause,
        demanded(*line.sources),
        mandatory=True,
    )
    if elastic is not None:
        status, source = known(bought, "elastic")
        value = Text("elastic", "支持") if elastic else Text("not elastic", "不支持")
        main = asked(
            "scaling", main.title, main.clause, source, value=value, relation="text", status=status, mandatory=elastic
        )
    rest = (
        asked(
            f"scaling.{name}",
            title,
            clause,
            SCALING,
            relation="agree" if name in _AGREED else "fill",
            mandatory=name in _AGREED,
        )
        for name, title, clause in (_SCALING_OWNED if bought.is_owned else _SCALING)
    )
    return Section(Text("Scaling", "扩容与缩容"), (doubted(bought, main, "elasticity"), *rest))


# --- after-sales --------------------------------------------------------------------------------------------------

_SERVICE: tuple[tuple[str, Text, Text, str], ...] = (
    (
        "severe",
        Text("Severity 2", "二级故障"),
        Text(
            "Slower or one GPU short: minutes to response, hours to repair.",
            "性能下降或缺一卡：响应分钟数、修复小时数。",
        ),
        "",
    ),
    (
        "minor",
        Text("Severity 3", "三级故障"),
        Text("Questions and requests: hours to response.", "咨询与一般请求：响应小时数。"),
        "",
    ),
    (
        "hours",
        Text("Hours of service", "服务时间"),
        Text("7 × 24, by telephone and in writing.", "7×24，电话与书面均可。"),
        "agree",
    ),
    (
        "on_site",
        Text("Arrival on site", "到场时间"),
        Text("Hours until a technician stands at the machine.", "技术人员到达现场的小时数。"),
        "",
    ),
    (
        "availability",
        Text("Availability", "可用率"),
        Text(
            "Share of each month in which every machine with all its GPUs can be used; maintenance counts as down "
            "unless announced.",
            "每月每台机器（含全部 GPU）可用时间占比；未预告的维护计为不可用。",
        ),
        "",
    ),
    (
        "maintenance",
        Text("Maintenance windows", "维护窗口"),
        Text(
            "Times, days of notice, longest length; none during a run without consent.",
            "时段、提前天数、最长时长；训练期间未经同意不得维护。",
        ),
        "",
    ),
    (
        "spare",
        Text("Spare machine", "备机"),
        Text(
            "Whether a spare machine of the same kind stands ready, and hours to switch.",
            "是否备有同型号备机，切换小时数。",
        ),
        "",
    ),
)


#: What the seller of a machine that the buyer runs cannot promise.
_OF_AN_OPERATOR = frozenset({"availability", "maintenance"})


def service_section(bought: Bought) -> Section:
    """Response by severity, hours, on-site arrival, availability, maintenance, spare machine."""
    main = asked(
        "response_time",
        Text("Response time, severity 1", "一级故障响应时间"),
        Text(
            "Machine down or work stopped: minutes from report to a technician at work, hours to repair or "
            "replacement.",
            "宕机或作业中断：自报障至技术人员处理的分钟数，修复或更换的小时数。",
        ),
        SERVICE,
        relation="fill",
        mandatory=True,
        remedies=("pro_rata", "replacement", "termination"),
    )
    rest = (
        asked(f"response_time.{name}", title, clause, SERVICE, relation=relation or "fill", remedies=("pro_rata",))
        for name, title, clause, relation in _SERVICE
        if not (bought.is_owned and name in _OF_AN_OPERATOR)
    )
    return Section(Text("After-sales service", "售后服务"), (main, *rest))

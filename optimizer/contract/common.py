"""Clauses that all negotiated parts of a document share: acceptance, data, remedies, the whole agreement."""

from optimizer.contract.line import IN_WRITING, asked, demanded, document_line, said
from optimizer.contract.spec import Item, Section
from optimizer.domain.text import Text
from optimizer.rules.rule import Source

ORAL = demanded(Source("D1", "不要轻信服务商的口头承诺"))
RETESTS = demanded(*document_line("no-shrink").sources)

#: id, title, clause, ★, blank.
_ACCEPTANCE: tuple[tuple[str, Text, Text, bool, bool], ...] = (
    (
        "acceptance",
        Text("Acceptance", "验收"),
        Text(
            "Every line with an acceptance test is tested on every machine with the command named; both parties sign "
            "the output, which becomes an annex. What a virtual machine cannot show is warranted by a report of "
            "the host that the vendor signs.",
            "凡列有验收方法的条款，逐台以所列命令测试；输出由双方签字并作为附件。虚拟机内无法验证的条款，由厂商签署宿主机报告保证。",
        ),
        True,
        False,
    ),
    (
        "acceptance.period",
        Text("Period", "验收期"),
        Text("Days for the tests from hand-over, and who signs for each party.", "自交付起的验收天数，双方签字人。"),
        False,
        True,
    ),
    (
        "acceptance.retest",
        Text("Re-test", "复验"),
        Text(
            "A line that fails is mended and tested again within the days named here; after the second failure the "
            "buyer may refuse the machine.",
            "不合格条款整改后在所列天数内复验；第二次不合格，买方可拒收该机器。",
        ),
        True,
        True,
    ),
    (
        "acceptance.payment",
        Text("Payment tied to acceptance", "付款与验收挂钩"),
        Text(
            "No rent runs and no payment is due for a machine before it is accepted.", "机器验收通过前不计租、不付款。"
        ),
        True,
        False,
    ),
    (
        "acceptance.periodic",
        Text("Re-tests during the term", "租期内复测"),
        Text(
            "Each month, and after every repair or move, the buyer may run the same tests with the same thresholds.",
            "每月以及每次维修或迁移后，买方可按同一方法与阈值复测。",
        ),
        True,
        False,
    ),
)
_DATA: tuple[tuple[str, Text, Text, bool, bool], ...] = (
    (
        "data_deletion",
        Text("Deletion of data", "数据删除"),
        Text(
            "After the return of data all copies, snapshots and backups are erased and the vendor certifies it within "
            "the days named here; faulty disks stay with the buyer or are destroyed with proof.",
            "数据返还后删除全部副本、快照与备份，并在所列天数内出具证明；故障盘归买方或销毁并留证。",
        ),
        True,
        True,
    ),
    (
        "data_deletion.return",
        Text("Return of data", "数据返还"),
        Text(
            "The buyer's data, models and logs are the buyer's; the vendor neither reads nor uses them and allows "
            "their copy without charge until the grace days end.",
            "买方的数据、模型与日志归买方所有；厂商不读取、不使用，宽限期内允许免费拷出。",
        ),
        True,
        False,
    ),
)
_REMEDIES: tuple[tuple[str, Text, Text, bool, bool], ...] = (
    (
        "remedies",
        Text("Remedies", "违约补救"),
        Text(
            "For each line that is not met the remedies marked at it apply, from the day of the buyer's notice.",
            "任何条款不符，自买方通知之日起适用该条所注补救。",
        ),
        True,
        False,
    ),
    (
        "remedies.pro_rata",
        Text("R1 Pro-rata cut", "R1 按比例减价"),
        Text(
            "The price of the machine is cut by (1 − measured ÷ promised), or in full where it cannot be used, for "
            "as long as it lasts; what was paid is paid back.",
            "按（1 − 实测 ÷ 约定）减收该机价款，无法使用的全额减收，直至恢复；已付部分退还。",
        ),
        True,
        False,
    ),
    (
        "remedies.replacement",
        Text("R2 Replacement", "R2 更换"),
        Text(
            "The part or machine is replaced by one that meets the line within the hours named here.",
            "在所列小时数内更换为符合条款的部件或整机。",
        ),
        True,
        True,
    ),
    (
        "remedies.termination",
        Text("R3 Termination", "R3 解除"),
        Text(
            "After the number of failures or days named here the buyer may end the contract for those machines, or "
            "for all where the work needs them together; the unused price and the deposit are paid back.",
            "达到所列次数或天数后，买方可就相关机器解除合同；作业需整体使用的可全部解除；退还未用价款与押金。",
        ),
        True,
        True,
    ),
)
_AGREEMENT: tuple[tuple[str, Text, Text, bool, bool], ...] = (
    (
        "entire_agreement",
        Text("Entire agreement", "完整协议"),
        Text(
            "This paper with its annexes is all that was agreed; web pages, sales talk and later messages change "
            "nothing unless both parties sign them.",
            "本文件及附件为全部约定；网页、销售口头说明与事后消息，未经双方签字不改变本文件。",
        ),
        True,
        False,
    ),
    (
        "entire_agreement.promises",
        Text("Register of oral promises", "口头承诺登记"),
        Text(
            "Every promise made by mouth before signing is entered in the register with the clause that holds it; the "
            "vendor declares that there is no other.",
            "签约前的每项口头承诺均登记并对应条款；厂商声明别无其他承诺。",
        ),
        True,
        False,
    ),
    (
        "entire_agreement.mandatory",
        Text("Lines marked ★", "★ 条款"),
        Text(
            "A line marked ★ is essential: if it is not met the offer is refused, and after signing its remedies "
            "apply in full.",
            "★ 条款为实质性要求：不满足即不予接受；签约后不满足，适用该条全部补救。",
        ),
        True,
        False,
    ),
)
_SECTIONS: tuple[tuple[Text, tuple[tuple[str, Text, Text, bool, bool], ...], Text], ...] = (
    (Text("Acceptance procedure", "验收程序"), _ACCEPTANCE, RETESTS),
    (Text("Data", "数据"), _DATA, said(IN_WRITING)),
    (Text("Remedies", "补救"), _REMEDIES, ORAL),
    (Text("Entire agreement", "完整协议"), _AGREEMENT, ORAL),
)


def common_sections() -> tuple[Section, ...]:
    """The shared clauses, not yet numbered."""
    return tuple(Section(title, tuple(_item(line, source) for line in lines)) for title, lines, source in _SECTIONS)


def _item(line: tuple[str, Text, Text, bool, bool], source: Text) -> Item:
    name, title, clause, mandatory, blank = line
    return asked(name, title, clause, source, mandatory=mandatory, relation="fill" if blank else "agree")

"""Why a fact of a machine is derived: the catalog's reasons in Chinese."""

import re

PREFIX = "derived: "
_REASONS: tuple[tuple[str, str], ...] = (
    (r"server platform of a cloud with its own data centres", "该云自有数据中心，用服务器平台"),
    (r"the provider's other types are virtual machines", "厂商的其他机型为虚拟机"),
    (r"vCPU / (?P<n>\d+) \(two threads a core\)", "vCPU / {n}（一核两线程）"),
    (r"at least vCPU / (?P<n>\d+) \(threads a core not stated\)", "至少 vCPU / {n}（未标明一核几线程）"),
    (r"one thread a core", "一核一线程"),
    (r"the size has no r", "规格名中没有 r"),
    (r"at most PCIe (?P<x>.+) of the card", "不高于该卡的 PCIe {x}"),
    (r"(?P<x>\w+, \w+ and \w+) have no RDMA", "{x} 没有 RDMA"),
    (r"outside the list of EFA types", "不在 EFA 机型清单内"),
    (r"memory of the slice / memory of the card \((?P<x>\w+)\)", "切片显存 / 整卡显存（{x}）"),
    (r"name of the type", "由机型名称"),
    (r"the family has NVLink which only the (?P<x>\w+) card has", "该系列有 NVLink，仅 {x} 卡具备"),
    (r"platform of (?P<x>.+)", "{x} 的平台"),
    (r"such boards and chassis exist in server platforms only", "此类整板与机箱仅见于服务器平台"),
    (r"the GPUs sit on a board that links them", "GPU 在互联整板上"),
    (r"the family has NVLink between all its GPUs", "该系列各 GPU 之间均有 NVLink"),
    (r"family page \((?P<x>.+)\)", "系列页面（{x}）"),
    (r"the form factor is not stated \((?P<x>\w+)\)", "未标明形态（{x}）"),
    (r"the product page says NVLink between (?P<n>\d+) GPUs", "产品页称 {n} 块 GPU 之间有 NVLink"),
    (r"the guide says PCIe", "指南称 PCIe"),
    (
        r"two tables name two editions; the figures are the smaller of both \((?P<x>\w+)\)",
        "两表所列版本不同，取两者中较小的数值（{x}）",
    ),
    (r"bare-metal form of (?P<x>\w+)", "{x} 的裸金属机型"),
    (r"the quote says SXM", "报价称 SXM"),
    (r"HGX is the SXM board", "HGX 即 SXM 整板"),
)
_COMPILED = tuple((re.compile(pattern), chinese) for pattern, chinese in _REASONS)


def reason_in_chinese(fact: str) -> str:
    """The reason of a derived fact in Chinese, without the word that it is derived; one that is new as it stands."""
    reason = fact.removeprefix(PREFIX)
    for pattern, chinese in _COMPILED:
        found = pattern.fullmatch(reason)
        if found is not None:
            return chinese.format(**found.groupdict())
    return reason

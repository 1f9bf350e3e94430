"""Group C: where hot data lies and how fast it comes (rules.md C)."""

from math import ceil

from optimizer.domain.finding import Severity
from optimizer.domain.text import Text
from optimizer.domain.units import SECONDS_PER_HOUR
from optimizer.rules.context import Context, HotStorage
from optimizer.rules.rule import (
    FAIL,
    NOT_APPLICABLE,
    PASS,
    UNKNOWN,
    Example,
    Figures,
    Parameter,
    Rule,
    Source,
    Value,
    Verdict,
    decided,
    failed,
    passed,
    severities,
    unknown,
)

HARD, WARN, ADVICE = Severity.HARD, Severity.WARN, Severity.ADVICE
#: Names that are ours and no product's.
OUR_NAMES = {
    name.en: name
    for name in (
        Text("local NVMe", "本地 NVMe"),
        Text("quoted storage", "按报价的存储"),
        Text("quoted cold storage", "按报价的冷存储"),
    )
}
RATE_COMMAND = Text(
    en="Ask the provider for the stated rate and IOPS of the store that holds hot data; "
    "`fio --name=read --rw=randread --bs=256k --iodepth=32 --numjobs=8 --size=10G --direct=1` proves it.",
    zh="请厂商写明热数据存储的速率与 IOPS；用 "
    "`fio --name=read --rw=randread --bs=256k --iodepth=32 --numjobs=8 --size=10G --direct=1` 核实。",
)


def _is_local(storage: HotStorage | None) -> bool:
    return storage is not None and storage.kind == "local_nvme"


def _name(storage: HotStorage | None) -> str | Text | None:
    if storage is None:
        return None
    name = storage.product or ("local NVMe" if storage.kind == "local_nvme" else None)
    return None if name is None else OUR_NAMES.get(name, name)


def demand_gbyte_per_s(context: Context) -> float | None:
    """GB/s that one store must give: the whole job's demand where it is shared, else one node's part; None unknown."""
    if context.fit is None:
        return None
    shared = context.storage is not None and context.storage.shared
    return context.fit.storage_demand_gbyte_per_s / (1 if shared else context.nodes)


def _nvme_hot(context: Context, figures: Figures) -> Verdict:
    storage, demand = context.storage, demand_gbyte_per_s(context) or 0.0
    if context.hot_need_gb <= 0:
        return NOT_APPLICABLE
    need = max(figures["gbyte_per_s"], demand)
    values: dict[str, Value] = {"need": need, "product": _name(storage)}
    if storage is None or storage.kind == "none":
        return Verdict(UNKNOWN, values, "nothing")
    values["rate"] = storage.rate_gbyte_per_s
    if storage.medium == "hdd":
        return Verdict(FAIL, values, "hdd")
    if storage.kind == "local_nvme":
        return Verdict(PASS, values, "local")
    if storage.rate_gbyte_per_s is None:
        return unknown(values)
    return decided(storage.rate_gbyte_per_s >= need, values)


def _nvme_capacity(context: Context, figures: Figures) -> Verdict:
    storage, need = context.storage, context.hot_need_gb
    if need <= 0:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"need": need, "product": _name(storage)}
    if storage is None or storage.kind == "none":
        return unknown(values)
    found = storage.capacity_gb
    if found is None:
        return unknown(values) if _is_local(storage) else Verdict(PASS, values, "bought")
    values["found"] = found
    if found < need:
        return failed(values)
    advised = figures["cache_gb_per_gpu"] * context.gpus_used_per_node
    if context.work.hot_fraction < 1 and found < min(advised, context.work.dataset_gb):
        return Verdict(FAIL, {**values, "advised": advised}, "cache", ADVICE)
    return passed(values)


def _storage_rate(context: Context, figures: Figures) -> Verdict:
    storage, demand = context.storage, demand_gbyte_per_s(context)
    if context.hot_need_gb <= 0:
        return NOT_APPLICABLE
    advised = figures["advised_gbyte_per_s"]
    values: dict[str, Value] = {"need": demand, "advised": advised}
    rate = storage.rate_gbyte_per_s if storage is not None else None
    if rate is None and _is_local(storage):
        # A local NVMe of unstated rate is still faster than SATA's interface.
        return _local_rate(demand, figures, values)
    if rate is None:
        return Verdict(UNKNOWN, values, at_most=WARN if demand is None else None)
    values["rate"] = rate
    if demand is not None and rate < demand:
        return failed(values)
    return passed(values) if rate >= advised else Verdict(FAIL, values, "advised", WARN)


def _local_rate(demand: float | None, figures: Figures, values: dict[str, Value]) -> Verdict:
    values["least"] = figures["local_gbyte_per_s"]
    if demand is not None and demand <= figures["local_gbyte_per_s"]:
        return Verdict(PASS, values, "local")
    return Verdict(UNKNOWN, values, at_most=WARN if demand is None else None)


def demand_iops(context: Context, passes_per_hour: float, read_kb: float) -> float | None:
    """Reads a second that small files ask for: sizing's figure, else `passes_per_hour` over all files (ours)."""
    work = context.work
    if context.fit is not None and context.fit.storage_demand_iops > 0:
        shared = context.storage is not None and context.storage.shared
        return context.fit.storage_demand_iops / (1 if shared else context.nodes)
    if work.files is None:
        return None
    reads = max(1, ceil((work.mean_file_kb or read_kb) / read_kb))
    return work.files * reads * passes_per_hour / SECONDS_PER_HOUR


def _small_file_io(context: Context, figures: Figures) -> Verdict:
    storage = context.storage
    if context.work.files is None:
        return NOT_APPLICABLE
    need = demand_iops(context, figures["passes_per_hour"], figures["read_kb"])
    values: dict[str, Value] = {"need": need, "files": context.work.files}
    iops = storage.iops if storage is not None else None
    values["iops"] = iops
    if need is None:
        return unknown(values)
    if iops is not None:
        return decided(iops >= need, values)
    if _is_local(storage) and need <= figures["local_iops"]:
        return Verdict(PASS, values, "local")
    if storage is not None and storage.medium == "hdd" and need > figures["hdd_iops"]:
        return failed(values | {"iops": figures["hdd_iops"]})
    return unknown(values)


def _shared_fs(context: Context, figures: Figures) -> Verdict:
    if context.nodes < figures["from_nodes"]:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"nodes": context.nodes, "need": figures["from_nodes"]}
    if context.storage is None or context.storage.kind == "none":
        return unknown(values)
    values["product"] = _name(context.storage)
    return decided(context.storage.shared, values)


RULES: tuple[Rule, ...] = (
    Rule(
        id="nvme-hot",
        group="C",
        scope="configuration",
        title=Text(en="Hot data on NVMe", zh="热数据放 NVMe"),
        sources=(
            Source("D0", "22分钟/epoch"),
            Source("D1", "存储必须用NVMe SSD"),
            Source("D4", "NVMe 高速 SSD 作为热数据缓存盘"),
        ),
        severity=severities(HARD),
        formula="local NVMe, or a volume whose stated rate ≥ max(gbyte_per_s, demand); never HDD; names prove nothing",
        parameters=(Parameter("gbyte_per_s", 0.55, 0.55, "GB/s", {"ours": 0.55}),),
        check=_nvme_hot,
        measured="{product}, {rate} GB/s",
        required="local NVMe or ≥ {need} GB/s",
        messages={
            "local": Text(en="Hot data lies on the machine's own NVMe.", zh="热数据放在本机 NVMe 上。"),
            "pass": Text(
                en="Hot data lies on {product}, stated at {rate} GB/s (asked: {need}).",
                zh="热数据放在 {product}，标明速率 {rate} GB/s（要求 {need}）。",
            ),
            "fail": Text(
                en="{product} is stated at {rate} GB/s, {need} are asked: no better than SATA, "
                "which costs 22 minutes an epoch on 100 GB (D0).",
                zh="{product} 标明速率 {rate} GB/s，要求 {need}：不比 SATA 快，100 GB 每 epoch 多花 22 分钟（D0）。",
            ),
            "hdd": Text(
                en="{product} is a hard disk: never for hot data; it serves as cold storage.",
                zh="{product} 是机械硬盘：不能放热数据，只宜作冷存储。",
            ),
            "unknown": Text(
                en="{product} states no rate; at least {need} GB/s are asked (a product's name proves nothing).",
                zh="{product} 未标明速率；至少要 {need} GB/s（产品名不能作数）。",
            ),
            "nothing": Text(
                en="No local NVMe and no priced volume is known for hot data; at least {need} GB/s are asked.",
                zh="没有本地 NVMe，也没有已知价格的云盘可放热数据；至少要 {need} GB/s。",
            ),
        },
        confirm=RATE_COMMAND,
        passing=(
            Example(context={"storage": HotStorage("local_nvme", capacity_gb=7680.0)}),
            Example(context={"storage": HotStorage("volume", "ESSD PL2", rate_gbyte_per_s=0.75)}),
        ),
        failing=(
            Example(context={"storage": HotStorage("volume", "ESSD PL1", rate_gbyte_per_s=0.35)}),
            Example(context={"storage": HotStorage("volume", "EBS st1", rate_gbyte_per_s=0.5, medium="hdd")}),
        ),
    ),
    Rule(
        id="nvme-capacity",
        group="C",
        scope="configuration",
        title=Text(en="Room for hot data and checkpoints", zh="热数据与检查点的容量"),
        sources=(Source("D0", "32TB NVMe SSD"),),
        severity=severities(HARD),
        formula="capacity ≥ data × hot_fraction + checkpoints kept × checkpoint; "
        "for a cache smaller than the data cache_gb_per_gpu is advised (32 TB for 8 GPUs at a 92 % hit rate)",
        parameters=(Parameter("cache_gb_per_gpu", 4000.0, 4000.0, "GB", {"D0": 4000.0}),),
        check=_nvme_capacity,
        measured="{found} GB",
        required="≥ {need} GB",
        messages={
            "pass": Text(
                en="{found} GB hold the {need} GB of hot data.", zh="容量 {found} GB，装得下 {need} GB 热数据。"
            ),
            "bought": Text(en="{product} is bought for {need} GB.", zh="{product} 按 {need} GB 购买。"),
            "fail": Text(
                en="{found} GB do not hold the {need} GB of hot data and checkpoints.",
                zh="容量 {found} GB，装不下 {need} GB 热数据与检查点。",
            ),
            "cache": Text(
                en="{found} GB hold the hot part; as a cache D0's example is 32 TB for 8 GPUs, here {advised} GB.",
                zh="容量 {found} GB 放得下热的部分；作缓存层 D0 的例子是 8 卡 32 TB，此处相当于 {advised} GB。",
            ),
            "unknown": Text(
                en="The capacity for {need} GB of hot data is not known.", zh="能否放下 {need} GB 热数据未知。"
            ),
        },
        confirm=Text(
            en="Ask the provider for the capacity of local NVMe; `lsblk -d -o NAME,SIZE,ROTA` proves it.",
            zh="请厂商写明本地 NVMe 容量；用 `lsblk -d -o NAME,SIZE,ROTA` 核实。",
        ),
        passing=(Example(context={"storage": HotStorage("local_nvme", capacity_gb=7680.0)}),),
        failing=(
            Example(work={"dataset_gb": 9000.0}, context={"storage": HotStorage("local_nvme", capacity_gb=7680.0)}),
        ),
    ),
    Rule(
        id="storage-rate",
        group="C",
        scope="configuration",
        title=Text(en="Storage keeps up with the samples read", zh="存储跟得上样本读取"),
        sources=(Source("D0", "从存储读取数GB样本"),),
        severity=severities(HARD),
        formula="rate of the tier ≥ computed demand (hard); ≥ advised_gbyte_per_s a node (warn)",
        parameters=(
            Parameter("advised_gbyte_per_s", 2.0, 2.0, "GB/s", {"D0": 2.0}),
            Parameter("local_gbyte_per_s", 0.55, 0.55, "GB/s", {"ours": 0.55}),
        ),
        check=_storage_rate,
        measured="{rate} GB/s",
        required="≥ {need} GB/s",
        messages={
            "pass": Text(
                en="{rate} GB/s against a demand of {need} GB/s a store.",
                zh="速率 {rate} GB/s，每个存储需求 {need} GB/s。",
            ),
            "local": Text(
                en="Local NVMe gives more than {least} GB/s; {need} GB/s are demanded.",
                zh="本地 NVMe 高于 {least} GB/s；需求 {need} GB/s。",
            ),
            "fail": Text(
                en="{rate} GB/s are below the demand of {need} GB/s: the GPUs wait for data.",
                zh="速率 {rate} GB/s，低于需求 {need} GB/s：GPU 会等数据。",
            ),
            "advised": Text(
                en="{rate} GB/s meet the computed demand; {advised} GB/s a node are advised (D0: several GB a second).",
                zh="速率 {rate} GB/s 满足计算需求；D0 说每秒读数 GB，建议每节点 {advised} GB/s。",
            ),
            "unknown": Text(
                en="The rate of the hot store is not stated; demand: {need} GB/s, advised: {advised} GB/s a node.",
                zh="热存储速率未标明；需求 {need} GB/s，建议每节点 {advised} GB/s。",
            ),
        },
        confirm=RATE_COMMAND,
        passing=(
            Example(
                context={"shape": "7B", "fit": {"read": 0.02}, "storage": HotStorage("local_nvme", capacity_gb=8e3)}
            ),
            Example(context={"fit": {"read": 1.0}, "storage": HotStorage("volume", "ESSD PL3", 4.0)}),
        ),
        failing=(
            Example(context={"fit": {"read": 1.0}, "storage": HotStorage("volume", "ESSD PL2", 0.75)}),
            Example(context={"storage": HotStorage("volume", "ESSD PL2", 0.75)}, about="only the advised 2 GB/s"),
        ),
    ),
    Rule(
        id="small-file-io",
        group="C",
        scope="configuration",
        title=Text(en="IOPS for small files", zh="小文件 IOPS"),
        sources=(Source("D4", "数据集几十万张图片"), Source("D4", "解决小文件读写痛点")),
        severity=severities(WARN),
        formula="IOPS of the tier ≥ computed demand, else ≥ files × reads a file × passes_per_hour ÷ 3600",
        parameters=(
            Parameter("passes_per_hour", 1.0, 1.0, "passes", {"ours": 1.0}),
            Parameter("read_kb", 256.0, 256.0, "kB", {"ours": 256.0}),
            Parameter("local_iops", 10_000.0, 10_000.0, "IOPS", {"ours": 10_000.0}),
            Parameter("hdd_iops", 100.0, 100.0, "IOPS", {"ours": 100.0}),
        ),
        check=_small_file_io,
        measured="{iops} IOPS",
        required="≥ {need} IOPS",
        messages={
            "pass": Text(
                en="{iops} IOPS for {files} files; {need} are demanded.",
                zh="{iops} IOPS，{files} 个文件需要 {need}。",
            ),
            "local": Text(
                en="Local NVMe serves the {need} IOPS that {files} files demand.",
                zh="本地 NVMe 足以提供 {files} 个文件所需的 {need} IOPS。",
            ),
            "fail": Text(
                en="{iops} IOPS for {files} files; {need} are demanded: GPUs idle while files are opened.",
                zh="{iops} IOPS，{files} 个文件需要 {need}：GPU 会空等文件。",
            ),
            "unknown": Text(
                en="The IOPS of the hot store are not stated; {files} files demand {need}.",
                zh="热存储 IOPS 未标明；{files} 个文件需要 {need}。",
            ),
        },
        confirm=RATE_COMMAND,
        passing=(
            Example(
                work={"files": 500_000, "mean_file_kb": 100.0},
                context={"storage": HotStorage("local_nvme", capacity_gb=8e3)},
            ),
        ),
        failing=(
            Example(
                work={"files": 500_000, "mean_file_kb": 100.0},
                context={"storage": HotStorage("volume", "disk", iops=100.0)},
                about="one pass an hour is 139 reads a second",
            ),
        ),
    ),
    Rule(
        id="shared-fs",
        group="C",
        scope="configuration",
        title=Text(en="Distributed storage for clusters", zh="集群优先分布式存储"),
        sources=(Source("D1", "最好是分布式存储"),),
        severity=severities(ADVICE),
        formula="from from_nodes nodes: one store that all nodes read",
        parameters=(Parameter("from_nodes", 2.0, 2.0, "nodes", {"ours": 2.0}),),
        check=_shared_fs,
        measured="{product}",
        required="one shared store",
        messages={
            "pass": Text(en="{nodes} nodes read {product} together.", zh="{nodes} 个节点共用 {product}。"),
            "fail": Text(
                en="{nodes} nodes read from {product} each for itself; D1 prefers distributed storage for clusters.",
                zh="{nodes} 个节点各读各的 {product}；D1 建议集群用分布式存储。",
            ),
            "unknown": Text(
                en="Whether {nodes} nodes share a store is not known.", zh="{nodes} 个节点是否共用存储未知。"
            ),
        },
        passing=(Example(context={"nodes": 2, "storage": HotStorage("volume", "CPFS", 2.0, shared=True)}),),
        failing=(Example(context={"nodes": 2, "storage": HotStorage("local_nvme", capacity_gb=8e3)}),),
    ),
)

"""Lines that the documents want in every contract, each with the command that accepts or refuses delivery."""

from dataclasses import dataclass

from optimizer.domain.text import Text
from optimizer.rules.rule import Source


@dataclass(frozen=True, slots=True)
class ContractLine:
    """One line: what is promised, and how it is tested.

    `id` is the rule's or statement's id, `item` the contract's own item (`gpu_model`, `response_time`, ...), `None`
    where the line is no fact of the purchase. `command` prints what `reads` says; `threshold` is what it must show.
    A line without a command is proven by the paper alone.
    """

    id: str
    item: str | None
    clause: Text
    sources: tuple[Source, ...]
    command: str | None = None
    reads: Text | None = None
    threshold: Text | None = None
    rented_only: bool = False


#: CUDA toolkit from which a compute capability is supported (NVIDIA CUDA release notes 11.0, 11.1, 11.8, 12.8, 12.9).
CUDA_FOR_CAPABILITY: tuple[tuple[float, str], ...] = (
    (12.0, "12.8"),
    (10.3, "12.9"),
    (10.0, "12.8"),
    (8.9, "11.8"),
    (8.6, "11.1"),
    (8.0, "11.0"),
)
#: The least CUDA that the frameworks of D0 need (PyTorch 2.1).
FRAMEWORK_CUDA = "11.8"


def least_cuda(compute_capability: float | None) -> str | None:
    """The least CUDA version for a GPU and D0's frameworks; None where the capability is not known."""
    if compute_capability is None:
        return None
    by_gpu = next((version for floor, version in CUDA_FOR_CAPABILITY if compute_capability >= floor), FRAMEWORK_CUDA)
    return max(by_gpu, FRAMEWORK_CUDA, key=lambda version: tuple(map(int, version.split("."))))


_IN_WRITING = (Source("D1", "都白纸黑字写进合同"),)


def _written(item: str, clause: Text, command: str | None = None, reads: Text | None = None) -> ContractLine:
    threshold = Text(en="as stated in the line", zh="与条款所列一致") if command else None
    return ContractLine("written-contract", item, clause, _IN_WRITING, command, reads, threshold)


CONTRACT_LINES: tuple[ContractLine, ...] = (
    _written(
        "gpu_model",
        Text(en="GPU model, form factor and number", zh="GPU 型号、形态与数量"),
        "nvidia-smi --query-gpu=name,pci.bus_id --format=csv",
        Text(en="one row a card with its name", zh="每卡一行及型号"),
    ),
    _written(
        "gpu_memory",
        Text(en="Memory of each GPU, in full", zh="每卡显存，足额"),
        "nvidia-smi --query-gpu=memory.total --format=csv",
        Text(en="MiB of each card", zh="每卡显存（MiB）"),
    ),
    _written(
        "cpu",
        Text(en="CPU model, sockets and physical cores", zh="CPU 型号、路数与物理核数"),
        "lscpu",
        Text(en="model name, sockets, cores per socket", zh="型号、路数、每路核数"),
    ),
    _written(
        "memory",
        Text(en="Host memory in GiB, type, rate and ECC", zh="内存容量（GiB）、类型、速率与 ECC"),
        "free -g; sudo dmidecode -t memory",
        Text(en="total memory; type, speed, error correction", zh="总内存；类型、速率、纠错方式"),
    ),
    _written(
        "network",
        Text(en="Network rate of a node and its RDMA kind", zh="节点网络速率与 RDMA 种类"),
        "ibv_devinfo; ibstat",
        Text(en="devices, link layer and rate", zh="设备、链路层与速率"),
    ),
    _written(
        "storage",
        Text(en="Hot storage: capacity, rate and IOPS", zh="热存储：容量、速率与 IOPS"),
        "fio --name=read --rw=randread --bs=256k --iodepth=32 --numjobs=8 --size=10G --direct=1",
        Text(en="bandwidth and IOPS", zh="带宽与 IOPS"),
    ),
    _written("rent", Text(en="Rent, currency, tax, term and payment dates", zh="租金、币种、税、租期与付款日")),
    _written("response_time", Text(en="After-sales response time and remedy", zh="售后响应时间与补救")),
    ContractLine(
        "elasticity",
        "scaling",
        Text(en="Rules and prices for scaling up and down within the term", zh="租期内扩容、降配的规则与价格"),
        (Source("D1", "是否支持临时扩容、降配"),),
        rented_only=True,
    ),
    ContractLine(
        "no-shrink",
        None,
        Text(
            en="Whole physical cards, no vGPU, MIG or fraction; tested at hand-over and each month",
            zh="整张物理卡，无 vGPU、MIG 或切分；交付时与每月各测一次",
        ),
        (Source("D1", "显存缩水"),),
        "nvidia-smi -L; nvidia-smi --query-gpu=memory.total,mig.mode.current --format=csv",
        Text(en="cards, memory and MIG mode", zh="卡、显存与 MIG 模式"),
        Text(en="all cards listed, full memory, MIG disabled", zh="各卡齐全、显存足额、MIG 关闭"),
        rented_only=True,
    ),
    ContractLine(
        "power-cooling",
        None,
        Text(
            en="Power and cooling for all machines at full load without throttling",
            zh="全部机器满载时电力与散热充足，不降频",
        ),
        (Source("D1", "机房电力不足、散热不好"),),
        "nvidia-smi --query-gpu=power.draw,clocks.sm,clocks_throttle_reasons.active --format=csv -l 5",
        Text(en="draw, clock and throttle reasons over an hour of load", zh="满载一小时的功耗、频率与降频原因"),
        Text(en="no thermal or power-brake throttling", zh="无过热或供电降频"),
        rented_only=True,
    ),
    ContractLine(
        "software-stack",
        None,
        Text(
            en="Ubuntu 22.04 LTS; CUDA from 11.8, or newer where the GPU needs it; cuDNN from 8.6; vendor's images",
            zh="Ubuntu 22.04 LTS；CUDA 11.8 起，GPU 需要时更高；cuDNN 8.6 起；官方镜像",
        ),
        (Source("D0", "Ubuntu 22.04 LTS"), Source("D0", "CUDA 11.8或更高"), Source("D0", "NVIDIA NGC官方镜像")),
        'lsb_release -ds; python -c "import torch; print(torch.version.cuda, torch.backends.cudnn.version())"',
        Text(en="release, CUDA and cuDNN of the framework", zh="系统版本、框架的 CUDA 与 cuDNN"),
        Text(en="22.04, the least CUDA of the GPU or newer", zh="22.04，CUDA 不低于该 GPU 所需"),
    ),
    ContractLine(
        "driver-match",
        None,
        Text(en="Driver, CUDA and framework fit each other", zh="驱动、CUDA 与框架互相匹配"),
        (Source("D0", "驱动和CUDA版本必须严格对齐"),),
        "nvidia-smi --query-gpu=driver_version --format=csv; "
        "python -c \"import torch; x = torch.ones(64, 64, device='cuda', dtype=torch.bfloat16); print((x @ x).sum())\"",
        Text(en="driver version; a bf16 product on the GPU", zh="驱动版本；GPU 上一次 bf16 矩阵乘"),
        Text(en="the product prints 262144 without a warning", zh="输出 262144 且无告警"),
    ),
    ContractLine(
        "numa-topology",
        None,
        Text(en="Sound GPU and NUMA topology", zh="GPU 与 NUMA 拓扑正常"),
        (Source("D0", "GPU拓扑异常"), Source("D0", "多卡训练效率直接打七折")),
        "nvidia-smi topo -m",
        Text(en="the matrix of links and NUMA nodes", zh="互联与 NUMA 矩阵"),
        Text(
            en="every pair shows the promised link, every GPU a NUMA node",
            zh="任意两卡为约定的互联，每卡有 NUMA 节点",
        ),
    ),
    ContractLine(
        "diagnostics",
        None,
        Text(
            en="Compute capability, topology and load of every GPU are shown at hand-over",
            zh="交付时展示每卡的计算能力、拓扑与负载",
        ),
        (Source("D0", "nvidia-smi dmon"), Source("D0", "nvidia-smi topo -m")),
        "nvidia-smi --query-gpu=compute_cap --format=csv; nvidia-smi topo -m; nvidia-smi dmon -s puvm -c 10",
        Text(en="capability; links; power, use, violations and memory", zh="计算能力；互联；功耗、利用率、违例与显存"),
        Text(en="8.0 or the figure of the rule; no violations", zh="8.0 或规则所定；无违例"),
    ),
)

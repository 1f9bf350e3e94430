"""The commands that read a machine, by maker of the GPU: a line about an Ascend card never names nvidia-smi."""

from dataclasses import dataclass

from optimizer.domain.gpu import Gpu
from optimizer.domain.text import Text


@dataclass(frozen=True, slots=True)
class GpuTools:
    """Commands of one maker's tools; an empty command means that the vendor names the tool."""

    identity: str
    memory: str
    whole: str
    capability: str
    ecc: str
    links: str
    clocks: str
    collectives: str
    driver: str
    link_width: str


LINK_WIDTH = "sudo lspci -vv | grep -E 'LnkCap|LnkSta'"
#: NVIDIA: nvidia-smi manual page and `nvidia-smi --help-query-gpu`; nccl-tests README.
NVIDIA = GpuTools(
    identity="nvidia-smi --query-gpu=index,name,uuid,serial,pci.bus_id --format=csv",
    memory="nvidia-smi --query-gpu=index,name,memory.total --format=csv",
    whole="nvidia-smi -L; nvidia-smi --query-gpu=memory.total,mig.mode.current --format=csv",
    capability="nvidia-smi --query-gpu=index,compute_cap --format=csv",
    ecc="nvidia-smi -q -d ECC,ROW_REMAPPER",
    links="nvidia-smi topo -m; nvidia-smi nvlink --status",
    clocks="nvidia-smi --query-gpu=timestamp,index,clocks.sm,power.draw,temperature.gpu,"
    "clocks_throttle_reasons.active --format=csv -l 5",
    collectives="all_reduce_perf -b 8 -e 8G -f 2 -g {gpus}",
    driver="nvidia-smi --query-gpu=driver_version --format=csv",
    link_width="nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv",
)
#: AMD: amd-smi and rocm-smi of ROCm; rccl-tests keeps the names of nccl-tests.
AMD = GpuTools(
    identity="amd-smi list; amd-smi static --asic --bus --board",
    memory="amd-smi static --vram",
    whole="amd-smi static --partition",
    capability="rocminfo | grep gfx",
    ecc="amd-smi metric --ecc",
    links="rocm-smi --showtopo",
    clocks="amd-smi monitor --power-usage --temperature --gfx --watch 5",
    collectives="all_reduce_perf -b 8 -e 8G -f 2 -g {gpus}",
    driver="amd-smi version",
    link_width=LINK_WIDTH,
)
#: Huawei Ascend: npu-smi of the driver; HCCL performance test tool of CANN.
HUAWEI = GpuTools(
    identity="npu-smi info; npu-smi info -t board -i 0",
    memory="npu-smi info -t memory -i 0",
    whole="npu-smi info -l; npu-smi info -t info-vnpu -i 0 -c 0",
    capability="npu-smi info -t product -i 0",
    ecc="npu-smi info -t ecc -i 0",
    links="npu-smi info -t topo",
    clocks="npu-smi info watch",
    collectives="mpirun -n {gpus} all_reduce_test -b 8K -e 1G -f 2 -d fp32 -o sum -p {gpus}",
    driver="npu-smi info",
    link_width=LINK_WIDTH,
)
OTHER = GpuTools("", "", "", "", "", "", "", "", "", LINK_WIDTH)
_BY_VENDOR = {"NVIDIA": NVIDIA, "AMD": AMD, "Huawei": HUAWEI}
VENDOR_NAMES_TOOL = Text("by the tool that the vendor names", "以厂商指明的工具读取")


def tools_of(gpu: Gpu | None) -> GpuTools:
    """The tools for a GPU; `OTHER` for makers whose tools are not on record."""
    return _BY_VENDOR.get(gpu.vendor, OTHER) if gpu is not None else OTHER


LSCPU = "lscpu"
DIMMS = "sudo dmidecode -t memory"
MEM_TOTAL = "grep MemTotal /proc/meminfo"
STREAM = "OMP_PROC_BIND=spread ./stream_c.exe"
NUMA = "numactl --hardware"
NIC = "ip -br link; ethtool IFACE | grep Speed"
RDMA_RATE = "ib_write_bw -d DEVICE -a -q 4 --report_gbits HOST"
RDMA_DEVICES = "ibv_devinfo; ibstat"
IPERF = "iperf3 -c HOST -P 8 -t 60"
DISKS = "lsblk -d -o NAME,SIZE,ROTA,TRAN,MODEL"
FIO_RATE = (
    "fio --name=hot --directory=DIR --rw=randread --bs=256k --iodepth=32 --numjobs=8 --size=10G --direct=1 "
    "--ioengine=libaio --time_based --runtime=120 --group_reporting"
)
FIO_SMALL = (
    "fio --name=small --directory=DIR --rw=randread --bs=4k --iodepth=64 --numjobs=8 --size=10G --direct=1 "
    "--ioengine=libaio --time_based --runtime=120 --group_reporting"
)

"""What the documents state that is no verdict on a configuration: where each of it shows instead."""

from dataclasses import dataclass
from typing import Literal

from optimizer.domain.text import Text
from optimizer.rules.rule import Group, Source


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with its figure as documented, and the place of the product where it shows.

    `kind`: model (sizing or the program computes it), case (a test holds it), plan (said beside a plan when its
    trigger holds) or contract (a line with an acceptance command).
    """

    id: str
    group: Group
    kind: Literal["model", "case", "plan", "contract"]
    figure: str
    text: Text
    shows: Text
    sources: tuple[Source, ...]


_SIZING = Text(en="sizing: speed from bandwidth and compute", zh="测算：速度由带宽与算力得出")
_PROGRAM = Text(en="the program: every term competes by cost", zh="整数规划：各租期按费用竞争")
_ADVICE = Text(en="advice beside the plan", zh="方案旁的建议")
_TESTS = Text(en="tests of sizing and of the rules", zh="测算与规则的测试")
_CONTRACT = Text(en="contract line with acceptance command", zh="合同条款与验收命令")

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "mem-bandwidth",
        "A",
        "model",
        "+40 %",
        Text(
            en="At equal memory size, higher bandwidth gives 40 % and more where memory binds.",
            zh="同样显存，带宽高者在受带宽限制时快 40% 以上。",
        ),
        _SIZING,
        (Source("D1", "训练速度能比带宽低的快40%以上"),),
    ),
    Statement(
        "bf16-speed",
        "A",
        "model",
        "2.3×",
        Text(
            en="Third-generation tensor cores raise 13B throughput on one card 2.3 times; the baseline is not stated, "
            "FP32 without TF32 is assumed (ours), 2.3 to 3.3 accepted.",
            zh="第三代 Tensor Core 使 13B 单卡吞吐提升 2.3 倍；基线未写明，按无 TF32 的 FP32（我们的假设），"
            "接受 2.3–3.3 倍。",
        ),
        _SIZING,
        (Source("D0", "吞吐提升2.3倍"),),
    ),
    Statement(
        "mature-generation",
        "A",
        "plan",
        "20–30 %",
        Text(
            en="The newest generation costs 20 to 30 % more at first for little; show the mature one with its saving.",
            zh="新一代上市初期贵 20%–30% 而差距不大；给出上一代成熟方案与节省。",
        ),
        _ADVICE,
        (Source("D1", "贵20%-30%"),),
    ),
    Statement(
        "compute-priority",
        "A",
        "plan",
        "–",
        Text(
            en="Within the budget more GPUs and more FP16/FP8 are faster: show the fastest plan within budget.",
            zh="预算内 GPU 越多、FP16/FP8 算力越强越快：给出预算内最快的方案。",
        ),
        _ADVICE,
        (Source("D4", "GPU 数量越多、单卡 FP16/FP8 算力越强"),),
    ),
    Statement(
        "faq-13b",
        "A",
        "case",
        "1 × 40, 2 × 40 + NVLink, 4 + NVMe",
        Text(
            en="13B LoRA: one 40 GB card; 13B full: two 40 GB with NVLink; batch above 32: from four with NVMe. "
            "Four cards for gradient checkpointing are quoted, not applied: checkpointing saves memory.",
            zh="13B LoRA 单卡 40 GB；13B 全参双卡 40 GB + NVLink；batch 大于 32 四卡起配 NVMe。"
            "“开启 gradient checkpointing 要四卡”只引用不采用：它节省显存。",
        ),
        _TESTS,
        (Source("D0", "单卡40GB显存可完成LoRA微调"), Source("D0", "推荐四卡起步并配NVMe缓存层")),
    ),
    Statement(
        "oom-13b-16gb",
        "A",
        "case",
        "≈ 9 GB",
        Text(
            en="13B on one 16 GB card: the activation cache takes nearly 9 GB and a batch above 4 does not run.",
            zh="13B 用单卡 16 GB：激活缓存近 9 GB，batch 大于 4 跑不动。",
        ),
        _TESTS,
        (Source("D0", "激活值缓存就占去近9GB"),),
    ),
    Statement(
        "cold-tier",
        "C",
        "model",
        "–",
        Text(
            en="Raw data, old checkpoints and logs lie on hard disk or object storage, priced apart.",
            zh="原始数据、旧检查点与日志放机械盘或对象存储，单独计价。",
        ),
        Text(en="planning: cold storage as its own line of cost", zh="规划：冷存储单列费用"),
        (Source("D4", "专门用作冷数据存储盘"),),
    ),
    Statement(
        "software-stack",
        "E",
        "contract",
        "Ubuntu 22.04, CUDA ≥ 11.8, cuDNN ≥ 8.6",
        Text(
            en="Ubuntu 22.04 LTS; PyTorch from 2.1 needs CUDA 11.8, TensorFlow 2.13 needs cuDNN 8.6; proven with CUDA "
            "12.2 and cuDNN 8.9, newer GPUs need newer; vendors' images save 90 % of set-up.",
            zh="Ubuntu 22.04 LTS；PyTorch 2.1+ 需 CUDA 11.8，TensorFlow 2.13 需 cuDNN 8.6；"
            "CUDA 12.2 与 cuDNN 8.9 经过验证，更新的 GPU 需更新版本；官方镜像省去 90% 环境搭建。",
        ),
        _CONTRACT,
        (Source("D0", "Ubuntu 22.04 LTS"), Source("D0", "CUDA 11.8或更高"), Source("D0", "省去90%环境踩坑时间")),
    ),
    Statement(
        "driver-match",
        "E",
        "contract",
        "–",
        Text(en="Driver, CUDA and framework are strictly aligned.", zh="驱动、CUDA 与框架版本严格对齐。"),
        _CONTRACT,
        (Source("D0", "驱动和CUDA版本必须严格对齐"),),
    ),
    Statement(
        "numa-topology",
        "E",
        "contract",
        "30 %",
        Text(
            en="GPU and NUMA topology are sound; a wrong stack costs 30 %.",
            zh="GPU 拓扑与 NUMA 绑定正常；装错会打七折。",
        ),
        _CONTRACT,
        (Source("D0", "多卡训练效率直接打七折"),),
    ),
    Statement(
        "diagnostics",
        "E",
        "contract",
        "–",
        Text(
            en="The documents' commands in a form that works, shipped with contract and report.",
            zh="文档中的命令改为可用形式，随合同与报告给出。",
        ),
        _CONTRACT,
        (Source("D0", "nvidia-smi dmon"), Source("D0", "nvidia-smi topo -m")),
    ),
    Statement(
        "stage-cloud",
        "F",
        "model",
        "–",
        Text(en="First validation and quick trials: cloud by the hour.", zh="首次验证、快速试错：云上按量。"),
        _PROGRAM,
        (Source("D0", "首次验证模型结构"),),
    ),
    Statement(
        "break-even",
        "F",
        "plan",
        "14 d, 10 h/d",
        Text(
            en="Two weeks and more, over 10 h a day, with firm latency and storage needs: look at physical servers. "
            "A trigger to look, drawn on the computed surface, never the computed break-even itself.",
            zh="连续两周以上、日均超 10 小时且对延迟与存储有硬性要求：考虑物理服务器。"
            "这是触发点，画在计算出的曲面上，绝不当作盈亏平衡点。",
        ),
        Text(en="advice beside the plan; `optimize breakeven`", zh="方案旁的建议；`optimize breakeven`"),
        (Source("D0", "连续两周以上"),),
    ),
    Statement(
        "short-rent",
        "F",
        "model",
        "1–3 months",
        Text(en="One to three months: by the day or month.", zh="1–3 个月：按天、按月短租。"),
        _PROGRAM,
        (Source("D1", "优先选按天、按月的短租模式"),),
    ),
    Statement(
        "year-rent",
        "F",
        "model",
        "years",
        Text(
            en="Years of steady work: by the year. Chinese yearly prices are not published per GPU type: "
            "the user's quotes decide, nothing is inferred.",
            zh="常年稳定训练：年租。国内按 GPU 型号的年价不公布：以用户询价为准，绝不推算。",
        ),
        _PROGRAM,
        (Source("D1", "选年租模式"),),
    ),
    Statement(
        "written-contract",
        "F",
        "contract",
        "–",
        Text(
            en="GPU model and memory, CPU, memory, network, storage, rent, scaling rules and response time in writing.",
            zh="GPU 型号、显存、CPU、内存、网络、存储、租金、扩容规则、售后响应时间白纸黑字写进合同。",
        ),
        _CONTRACT,
        (Source("D1", "都白纸黑字写进合同"),),
    ),
    Statement(
        "saving",
        "F",
        "plan",
        "30 %",
        Text(en="The four pitfalls avoided save at least 30 %.", zh="避开四个坑至少省 30%。"),
        Text(en="saving against the naive choice", zh="与想当然选择相比的节省"),
        (Source("D1", "至少省下30%的不必要开支"),),
    ),
)

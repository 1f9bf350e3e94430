"""Every help text in Chinese, by its English words; loaded only where help is asked for in Chinese.

Paragraphs and options go by their whole text with single blanks, examples and lists by their lines.
"""

HELP: dict[str, str] = {
    # --- what each command does ---------------------------------------------------------------------------
    "Find the provably cheapest GPU fleet and rental terms for a training workload.": (
        "为训练任务找出可证明最便宜的 GPU 机群与租期。"
    ),
    "Where each rental term wins, by hours a day and days in a row": "按每日小时数与连续天数，各种租期在何处最省",
    "What the catalog holds, how fresh it is, and whether it contradicts itself": "目录的内容、新旧，以及是否自相矛盾",
    "Two plan files side by side": "并列比较两个方案文件",
    "The shell's completion script (bash, zsh or fish)": "shell 的补全脚本（bash、zsh 或 fish）",
    "Write the contract specification of a plan, or hold vendors' answers against it": (
        "写出方案的合同规格书，或据以核对厂商应答"
    ),
    "Hand a plan over to launch tools: a SkyPilot task, a dstack fleet, Terraform variables": (
        "把方案交给启动工具：SkyPilot 任务、dstack 机群、Terraform 变量"
    ),
    "Which GPUs, and how many, a workload fits on; memory by part, speed with its range. No prices": (
        "任务装得下哪些 GPU、需要几块；显存分项，速度及其范围；不涉及价格"
    ),
    "A commented workload file from a few questions or flags": "由几个问题或选项生成带注释的任务文件",
    "Search the catalog by GPU, place, term, hardware and price; table, JSON, CSV": (
        "按 GPU、地点、租期、硬件与价格查询目录；输出表格、JSON 或 CSV"
    ),
    "Ask sellers for exactly what would confirm a plan": "向卖方询问恰好能确认方案的内容",
    "What a bill says, what it should have said, and what changed since last month": (
        "账单写了什么、本应写什么、与上月相比变了什么"
    ),
    "The documents' rules: id, figures, documents, severity per profile": (
        "文档中的规则：编号、数值、出处、各档位的严格程度"
    ),
    "The JSON Schema of workload files or plan files, for editors and for other programs": (
        "任务文件或方案文件的 JSON Schema，供编辑器与其他程序使用"
    ),
    "Recount a plan file without the solver: dates, hours, packing, prices, sums, memory, rules": (
        "不用求解器重新核算方案文件：日期、小时、装箱、价格、合计、显存、规则"
    ),
    "Why an offer, term, provider or GPU is not in a plan, or what using it would cost": (
        "某报价、租期、供应商或 GPU 为何不在方案中，或采用它的费用"
    ),
    "Show which term is cheapest for how many hours a day on how many days, and when owning pays back.": (
        "显示每天多少小时、持续多少天时哪种租期最省，以及自有机器何时回本。"
    ),
    "The life of the catalog.": "目录的查看、核对与更新。",
    "Whether the catalog contradicts itself.": "目录是否自相矛盾。",
    "Checks files and rows, one price a key, the level of prices, sizes of one series, terms against hours, hardware "
    "against the GPU table, sources against each other, GPU names, regions, marks and ages. Exit code 6 when there is "
    "an error; old and undated prices are notes.": (
        "核对文件与各行、每键一价、价格水平、同系列各规格、包期与按量、硬件与 GPU 表、各来源之间、GPU 名称、地域、"
        "标记与日期。有错误时退出码为 6；较旧与无日期的价格只作说明。"
    ),
    "What is new, gone, dearer or cheaper between two catalogs.": "两份目录之间新增、消失、涨价、降价了什么。",
    "BEFORE and AFTER are `shipped`, `current`, `previous`, a generation's number, a day (YYYY-MM-DD: the newest "
    "prices not after it) or a catalog directory. Default: what the last refresh changed.": (
        "BEFORE 与 AFTER 为 `shipped`、`current`、`previous`、版号、日期（YYYY-MM-DD：不晚于该日的最新价格）"
        "或目录文件夹。默认：最近一次刷新的变动。"
    ),
    "All prices ever seen of an offer, or a plan at another day's prices.": (
        "某报价见过的全部价格，或按另一天的价格重算方案。"
    ),
    "Take in a price file of another tool, or a list kept by hand.": "导入其他工具的价格文件，或手工维护的价目表。",
    "Machines, GPUs, terms and age of the prices of each provider.": "各供应商的机器、GPU、租期与价格的新旧。",
    "Fetch prices from the providers' own interfaces.": "从供应商自己的接口取价格。",
    "Providers run side by side; one that fails leaves the others and its own earlier snapshot alone. Keys are taken "
    "from where each provider's tools look for them and never stored; see docs/providers.md.": (
        "各供应商并行；一家失败不影响其他各家，也不影响它自己先前的快照。密钥从各供应商工具惯用之处读取，从不保存；"
        "见 docs/providers.md。"
    ),
    "Show what two plans cost, where they run and what differs between their inputs.": (
        "显示两个方案的费用、在何处运行，以及输入有何不同。"
    ),
    "Print the completion script of a shell.": "输出 shell 的补全脚本。",
    "Write the contract of a plan; with --answer compare, exit 6 when a ★ line is not met.": (
        "写出方案的合同；用 --answer 比较应答，有 ★ 条款不满足时退出码为 6。"
    ),
    "Write a plan's machines as a launch tool reads them; names that are not known are refused, not guessed.": (
        "按启动工具的格式写出方案的机器；未知的名称予以拒绝，绝不猜测。"
    ),
    "The file is for a tool and the same in both languages; with --json its data without comments.": (
        "文件供工具读取，两种语言相同；用 --json 输出不带注释的数据。"
    ),
    "Judge a workload on every GPU type and count that is sold: does it fit, how fast, what binds.": (
        "在每种在售的 GPU 与数量上评估任务：装得下吗、多快、瓶颈何在。"
    ),
    "Write a commented workload file: asks a few questions on a terminal, takes flags anywhere.": (
        "写出带注释的任务文件：在终端上提几个问题，任何地方均可用选项给出。"
    ),
    "Search the catalog. GPU is a name, memory or count: H100:8, A100:80GB, 24GB..80GB; several mean any of them.": (
        "查询目录。GPU 为名称、显存或数量：H100:8、A100:80GB、24GB..80GB；给出多个即任一符合。"
    ),
    "A machine is one instance type in one region; a line is one of its prices. Where a machine has no known price, it "
    "counts as one price until a filter on prices removes it (no-price).": (
        "一台机器指一个地域的一种机型；每行是它的一个价格。没有已知价格的机器也算一个价格，直到按价格筛选时被排除（no-price）。"
    ),
    "Ask sellers for exactly what would confirm a plan.": "向卖方询问恰好能确认方案的内容。",
    "The file to fill in (CSV), and the letter to send.": "待填写的文件（CSV）与待寄出的询价函。",
    "Review a month's bills: hours, utilization, waste, prices, terms, budget and changes.": (
        "核查一个月的账单：小时、利用率、浪费、价格、租期、预算与变动。"
    ),
    "The documents' rules: id, figures, documents, severity per profile.": (
        "文档中的规则：编号、数值、出处、各档位的严格程度。"
    ),
    "Print the JSON Schema (draft 2020-12) of a file: its fields, units, defaults and limits.": (
        "输出文件的 JSON Schema（draft 2020-12）：字段、单位、默认值与限制。"
    ),
    "It is JSON with or without --json, and the same in both languages.": "无论有无 --json 均为 JSON，两种语言相同。",
    "Recount a plan file without the solver; exit 6 when anything differs.": (
        "不用求解器重新核算方案文件；有任何不符时退出码为 6。"
    ),
    "Say why OFFER (key, pattern, term, provider, instance type or GPU) is not in a plan, or what it would cost.": (
        "说明 OFFER（键、通配符、租期、供应商、机型或 GPU）为何不在方案中，或采用它的费用。"
    ),
    # --- examples and lists -------------------------------------------------------------------------------
    "Example:": "示例：",
    "Examples:": "示例：",
    "Exit codes: 0 an answer, 1 our error, 2 bad input, 3 no feasible plan,": (
        "退出码：0 有答案，1 本程序的错误，2 输入有误，3 无可行方案，"
    ),
    "4 provider or network failed, 5 time limit without a plan, 6 a check said no,": (
        "4 供应商或网络故障，5 时限内无方案，6 核对未通过，"
    ),
    "130 interrupted.": "130 已中断。",
    "Editors with a YAML language server read it when the file begins with": (
        "文件以下一行开头时，带 YAML 语言服务器的编辑器会读取它"
    ),
    # --- options of every command -------------------------------------------------------------------------
    "Show this message and exit.": "显示此帮助并退出。",
    "Show the version and exit.": "显示版本并退出。",
    "JSON alone on stdout.": "标准输出只有 JSON。",
    "Write to FILE instead of stdout.": "写入 FILE，不写标准输出。",
    "Language of the output.": "输出的语言。",
    # --- workload, plan and catalog -----------------------------------------------------------------------
    "Workload file (YAML).": "任务文件（YAML）。",
    "Workload file.": "任务文件。",
    "Which workload of the file (default: the first).": "文件中的哪个任务（默认：第一个）。",
    "Which workload, where the plan starts several (SkyPilot and dstack).": (
        "方案启动多个任务时选哪一个（SkyPilot 与 dstack）。"
    ),
    "What if: change a field of the file.": "假设：改动文件的一个字段。",
    "What-if: change one field of the file.": "假设：改动文件的一个字段。",
    "Plan file.": "方案文件。",
    "The plan file (--out).": "方案文件（由 --out 写出）。",
    "A plan to price again, with --as-of.": "要重新计价的方案，与 --as-of 并用。",
    "Use this catalog alone.": "只用这份目录。",
    "Check this catalog alone.": "只核对这份目录。",
    "Catalog folder instead of the shipped one.": "目录文件夹，代替自带的目录。",
    "Fact tables from DIR instead of the shipped ones.": "用 DIR 中的事实表，代替自带的。",
    # --- planning -----------------------------------------------------------------------------------------
    "Total over the horizon, such as 400000, 400000CNY. Alone: the smallest budget and the frontier.": (
        "整个规划期的总额，如 400000、400000CNY。单独给出：求最小预算，及各完成期限下的最低费用。"
    ),
    "How hard the rules hold.": "规则的严格程度（档位）。",
    "Only what this profile holds (default: all four).": "只列此档位的规则（默认：四个档位全列）。",
    "Facts that nobody states.": "无人说明的事实如何处理。",
    "Plan on market quotes too (news, brokers): levels to ask for.": "也按市场报价（新闻、中介）规划：可供询价的价位。",
    "What comes first.": "以费用还是时间优先。",
    "Plan with the pessimistic speed.": "按偏保守的速度规划。",
    "Show the report in another currency at the dated rate.": "按标明日期的汇率以另一货币显示报告。",
    "Only these providers (name or pattern; repeatable).": "只用这些供应商（名称或通配符；可重复）。",
    "Only these regions (name or pattern; repeatable).": "只用这些地域（名称或通配符；可重复）。",
    "Re-plan from this running plan.": "从这个执行中的方案重新规划。",
    "Days; older prices are marked.": "天数；更旧的价格加标记。",
    "Days; older prices are counted.": "天数；统计更旧的价格。",
    "Use no machine price older than --max-age, and no undated one.": "不用早于 --max-age 或无日期的机器价格。",
    "Compare no price older than --max-age, and no undated one.": "不比较早于 --max-age 或无日期的价格。",
    "Leave out prices older than --max-age, and undated ones.": "略去早于 --max-age 与无日期的价格。",
    "Read prices and rates as of this date (default: today).": "按此日期的价格与汇率（默认：今天）。",
    "Seconds for a plan.": "规划的秒数上限。",
    "Wall seconds for each re-plan.": "每次重新规划的秒数上限（实际时间）。",
    "Write an HTML report.": "写出 HTML 报告。",
    "Find how far each input may move before the answer changes.": "求出每项输入变动多少，答案才会改变。",
    "Plan for several futures (YAML): what to commit.": "为多种情景规划（YAML）：应签约多少。",
    "Write a workbook.": "写出 Excel 工作簿。",
    "Draw the surface into FILE.svg.": "把曲面画入 FILE.svg。",
    # --- fit ----------------------------------------------------------------------------------------------
    "GPU name or pattern; repeatable. Default: every GPU on sale.": "GPU 名称或通配符；可重复。默认：全部在售 GPU。",
    "Nodes; repeatable (1).": "节点数；可重复（默认 1）。",
    "Share of measured runs above the range's low end.": "实测中高于范围下限的比例。",
    # --- init ---------------------------------------------------------------------------------------------
    "A model preset of the catalog.": "目录中的模型预设。",
    "How it is trained.": "训练方法。",
    "Tokens of a job that ends: 2e9, 500M, 20亿.": "有结束的任务的 token 数：2e9、500M、20亿。",
    "Tokens of steady work, every month.": "常驻任务每月的 token 数。",
    "Months of steady work.": "常驻任务的月数。",
    "A job must be done in so many days.": "有结束的任务须在多少天内完成。",
    "It may run so long a day.": "每天可运行的小时数。",
    "Tokens in one sequence.": "一个序列的 token 数。",
    "Hot data, 10^9 bytes.": "热数据，单位 10^9 字节。",
    "Spot machines allowed.": "允许用抢占式机器。",
    "Country, jurisdiction or region (repeatable).": "国家、法域或地域（可重复）。",
    "Provider name or pattern (repeatable).": "供应商名称或通配符（可重复）。",
    "Currency of budget and report.": "预算与报告币种。",
    "Total over the horizon.": "整个规划期的总额。",
    "First day, such as 2026-12-01 (default: tomorrow).": "第一天，如 2026-12-01（默认：明天）。",
    "Name of the workload.": "任务的名称。",
    "Team that pays.": "付费的团队。",
    "Overwrite the file.": "覆盖已有文件。",
    # --- offers -------------------------------------------------------------------------------------------
    "Name or pattern; repeatable.": "名称或通配符；可重复。",
    "Name or pattern of the provider's region; repeatable.": "供应商地域的名称或通配符；可重复。",
    "ISO code or pattern; repeatable.": "ISO 代码或通配符；可重复。",
    "Repeatable.": "可重复。",
    "Such as HBM*; repeatable.": "如 HBM*；可重复。",
    "GPU memory bandwidth, GB/s.": "显存带宽，GB/s。",
    "NVLink-class link between the GPUs (no bridged pairs).": "GPU 之间有 NVLink 级互联（桥接对不算）。",
    "RDMA between machines.": "机器之间有 RDMA。",
    "A local NVMe disk.": "有本地 NVMe 盘。",
    "PCIe generation of the platform.": "平台的 PCIe 代数。",
    "Most for a machine-hour, in --currency.": "每机时最高价，货币同 --currency。",
    "Most for a GPU-hour, in --currency.": "每 GPU 小时最高价，货币同 --currency。",
    "Currency of the prices shown, at the dated rate.": "显示价格所用货币，按标明日期的汇率。",
    "Prices, rates and ages as of this day (default: today).": "按此日的价格、汇率与新旧（默认：今天）。",
    "Also prices that are never planned on and market quotes.": "也列出从不用于规划的价格与市场报价。",
    "Most prices; 0 is all.": "最多列出多少个价格；0 为全部。",
    "CSV on stdout.": "标准输出为 CSV。",
    # --- quotes and contract ------------------------------------------------------------------------------
    "Also write a request for quotation (Markdown).": "另写一份询价函（Markdown）。",
    "Count ages to this day; default the plan's.": "价格新旧算到此日；默认为方案的日期。",
    "Days after which a list price is asked for again; default the plan's own, else 60.": (
        "目录价超过多少天须重新询价；默认同方案，否则为 60。"
    ),
    "Form of the document; default md.": "文档格式；默认 md。",
    "rent, order or purchase, for all or for one (P1, or provider/region/type); repeatable.": (
        "rent 租用、order 线上下单、purchase 购买；用于全部或某一项（P1 或 供应商/地域/机型）；可重复。"
    ),
    "Only the purchases of this vendor; repeatable.": "只含此厂商的采购；可重复。",
    "A vendor's answer; repeatable.": "厂商应答；可重复。",
    "Write the deviation table (xlsx).": "写出偏离表（xlsx）。",
    "The tool that shall start it.": "用于启动的工具。",
    # --- review -------------------------------------------------------------------------------------------
    "Bill file, glob or folder; repeat or list several.": "账单文件、通配符或文件夹；可重复或并列多个。",
    "Plan file to hold the bill against.": "用以核对账单的方案文件。",
    "Contract (JSON of `optimize contract`) to hold the bill against.": (
        "用以核对账单的合同（`optimize contract` 的 JSON）。"
    ),
    "Review one month, such as 2026-11 (default: everything in the bill).": (
        "核查一个月，如 2026-11（默认：账单全部内容）。"
    ),
    "Review the charges from this day on (with --to).": "核查自此日起的费用（与 --to 并用）。",
    "First day left out.": "不计入的第一天。",
    "Clock for days and months (default: the bill's own).": "日与月所用的时区（默认：账单自己的）。",
    "Your own bill format (YAML or JSON).": "自定义的账单格式（YAML 或 JSON）。",
    "CSV: text in the bill -> provider, instance_type.": "CSV：账单中的文字 -> provider、instance_type。",
    "CSV with quoted prices; they beat list prices.": "含报价单价格的 CSV；优先于目录价。",
    "Budget over the plan's horizon, or over the period without a plan.": "方案规划期的预算；无方案时为本期预算。",
    "Date for quotes and exchange rates.": "报价单与汇率所用的日期。",
    "Tag that names the team; repeat for alternatives.": "标明团队的标签；可重复以列出备选。",
    "Tag that names the workload.": "标明任务的标签。",
    "Days ahead for ending commitments.": "提前多少天提示将到期的承诺。",
    "Exit 6 when more than AMOUNT was billed.": "账单超过 AMOUNT 时退出码为 6。",
    "Write the HTML report.": "写出 HTML 报告。",
    "Write the Excel workbook.": "写出 Excel 工作簿。",
    "Write the report as Markdown.": "以 Markdown 写出报告。",
    "Memory of earlier reviews (default: your data folder).": "以往核查的记录（默认：你的数据文件夹）。",
    "Neither read nor write the memory of reviews.": "不读也不写核查记录。",
    "Plan the hours that ran anew and write the plan.": "为实际运行的小时重新规划并写出方案。",
    # --- the catalog --------------------------------------------------------------------------------------
    "Rates and ages of this day (default: today).": "按此日的汇率与新旧（默认：今天）。",
    "Show the explained exceptions as well.": "也显示已有解释的例外。",
    "Show old and undated prices by provider.": "按供应商列出较旧与无日期的价格。",
    "Only this provider.": "只看这家供应商。",
    "Only this provider (may be given again).": "只取这家供应商（可重复）。",
    "Only this region; a provider's other regions stay.": "只取这个地域；该供应商的其他地域不变。",
    "Show every change, not the first 20 of each kind.": "显示全部变动，而非每类前 20 项。",
    "The day whose prices count.": "以哪一天的价格为准。",
    "skypilot, gpuhunt, ec2instances or pricelist.": "skypilot、gpuhunt、ec2instances 或 pricelist。",
    "Whose prices they are, if the file's name does not say.": "文件名未写明时，指明是哪家的价格。",
    "Day of the prices (YYYY-MM-DD).": "价格的日期（YYYY-MM-DD）。",
    "What to name as the source of the prices.": "价格来源写作什么。",
    "Show why rows were rejected.": "显示各行被拒收的原因。",
    "Take it even if a fifth of the prices or a GPU model would be lost.": (
        "即使会丢失五分之一的价格或某个 GPU 型号也采用。"
    ),
    "Seconds a provider may take.": "每家供应商的秒数上限。",
}

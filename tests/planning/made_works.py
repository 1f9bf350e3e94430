"""Made-up workload files in which everything that couples or prices work occurs by chance."""

from random import Random

MAY_BUY = (
    "owned:\n  electricity_per_kwh: 0.1\n  pue: 1.2\n  may_buy: [{{server: hgx-a100-8, price: {price}, "
    "lead_time_days: {lead}, max: 1, residual_by_month: {{0: 1.0, 12: 0.6, 36: 0.2}}, load_kw: 6, idle_kw: 2, "
    "colocation_per_kw_month: 100, cores: 128, ram_gib: 1024, ecc: true, pcie_lanes: 160, local_nvme_gb: 15000}}]"
)
ALIKE = (
    "model: {preset: llama-2-7b}, method: lora, sequence_length: 1024, global_batch_tokens: 65536, max_nodes: 2, "
    "egress_gb: 0, checkpoint_gb: 0"
)


def made_file(dice: Random) -> str:
    """One to three workloads over three months, with limits of every kind."""
    lines = ["start: 2026-12-01", "horizon_months: 3", "profile: off", *_limits(dice)]
    is_continued = dice.random() < 0.2
    if is_continued:
        lines.append("after_horizon: continue")
    lines.append("workloads:")
    works = [_work(dice, is_steady=is_continued or dice.random() < 0.4) for _ in range(dice.randint(1, 3))]
    lines += [f"  - {{name: w{number}, {work}}}" for number, work in enumerate(works)]
    return "\n".join(lines) + "\n"


def _limits(dice: Random) -> list[str]:
    lines = []
    if dice.random() < 0.3:
        lines.append(f"budget: {dice.randint(300, 9000)}")
    if dice.random() < 0.3:
        lines.append(f"monthly_budget: {dice.randint(300, 4000)}")
    if dice.random() < 0.2:
        lines.append("discount_rate: 0.2")
    if dice.random() < 0.2:
        lines.append(f"max_hourly: {dice.randint(5, 40)}")
    if dice.random() < 0.25:
        kind = dice.choice(("any", "hourly", "term", "spot"))
        lines.append(f'quotas: [{{provider: "*", gpu: "*", term: {kind}, max_gpus: {dice.randint(2, 16)}}}]')
    if dice.random() < 0.3:
        lines.append(MAY_BUY.format(price=dice.randint(2000, 60000), lead=dice.choice((0, 10))))
    return lines


def _work(dice: Random, *, is_steady: bool) -> str:
    fields = [ALIKE, *_hours(dice)]
    if is_steady:
        fields.append(f"tokens_per_month: {dice.choice(('1e8', '3e8', '6e8'))}, max_moves: {dice.choice((0, 1))}")
    else:
        fields += [f"tokens: {dice.choice(('3e7', '1e8', '4e8'))}", *_job(dice)]
    data = dice.random()
    if data < 0.4:
        fields.append("dataset: corp, dataset_gb: 9000" if data < 0.2 else "dataset_gb: 500")
    return ", ".join(fields)


def _hours(dice: Random) -> list[str]:
    hours = dice.choice((8, 10, 24))
    if dice.random() < 0.3:
        return [f'window: {{from: "{dice.randint(0, 23):02}:00", hours: {hours}}}']
    return [f"hours_per_day: {hours}"]


def _job(dice: Random) -> list[str]:
    fields = [f"starts_day: {dice.choice((0, 0, 7))}"]
    if dice.random() < 0.3:
        fields.append(f"latest_start_day: {dice.choice((9, 12))}")
    if dice.random() < 0.3:
        fields.append(f"deadline_days: {dice.choice((10, 20))}")
    if dice.random() < 0.3:
        fields.append("repeats: {every_months: 1, times: 2}")
    if dice.random() < 0.3:
        rate = dice.choice((0.01, 0.1))
        fields.append(
            f"interruptible: true, spot: {{interruptions_per_hour: {rate}, lost_hours: 0.5, restart_hours: 0.25}}"
        )
    return fields

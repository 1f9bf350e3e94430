"""The other raw tables as fact tables in our own columns: money, places, storage, models, servers and hardware."""

import re
from decimal import Decimal
from pathlib import Path

from catalog_import.raw import records, table

Rows = list[dict[str, str]]
_MB_PER_GB = 1000


def fx(raw: Path) -> Rows:
    """Reference rates: units of a currency for one USD."""
    return [
        {
            "date": row["date"],
            "currency": row["currency"],
            "units_per_usd": row["units_per_usd"],
            "kind": "central bank reference rate" if row["series"].startswith("ECB") else "aggregate of free sources",
            "source": row["source"],
            "observed": row["observed"],
        }
        for row in records(raw / "fx.csv")
        if row["series"].startswith("ECB")
    ]


def storage(raw: Path) -> Rows:
    """Storage products; `use` says why a row may not be used."""
    rows = []
    for row in records(raw / "storage.csv"):
        rate = _lowest(row["throughput_mbs"])
        rows.append(
            {
                "provider": row["provider"],
                "regions": _patterns(row["provider"], row["region"]),
                "product": row["product"].strip(),
                "tier": row["tier"],
                "price_per_gb_month": row["price_per_gb_month"],
                "per_gib": "yes" if row["gb_or_gib"] == "GiB" else "no",
                "throughput_gbyte_per_s": f"{rate / _MB_PER_GB:g}" if rate else "",
                "throughput_per_tib": "yes" if _is_per_tib(row) else "no",
                "iops": row["iops"],
                "min_size_gb": row["min_size_gb"],
                "currency": row["currency"],
                "use": _storage_use(row),
                "confirmed": row["confirmed"],
                "source": row["source"] or "searched, not found",
                "observed": row["observed"],
                "note": _storage_note(row),
            }
        )
    return rows


def _lowest(text: str) -> float | None:
    found = re.findall(r"[\d.]+", text)
    return float(found[0]) if found else None


def _is_per_tib(row: dict[str, str]) -> bool:
    text = f"{row['product']} {row['notes']}"
    return row["tier"] == "shared-fs" and ("per TiB" in text or "/TiB" in text)


_UNUSABLE_STORAGE = {
    "S3 Express One Zone": "superseded, the provider's FAQ prints 0.11",
    "Network volume, above 1 TB": "the second tier of a volume; its first tier is the product",
    "Pod volume disk, stopped": "what a stopped pod pays, not a product to choose",
    "Rapid Cache": "a cache before a bucket, not a place for data",
    "EBS io2": "price of the capacity alone; IOPS are charged apart",
    "Ultra disk": "price of the capacity alone; IOPS and throughput are charged apart",
    "Hyperdisk Extreme": "price of the capacity alone; IOPS are charged apart",
}


def _storage_use(row: dict[str, str]) -> str:
    if not row["price_per_gb_month"]:
        return "no: price not found"
    if row["confirmed"] == "example only":
        return "no: a billing example, five times the usual price"
    unusable = _UNUSABLE_STORAGE.get(row["product"])
    return f"no: {unusable}" if unusable else "yes"


def _storage_note(row: dict[str, str]) -> str:
    said = []
    if "month prepaid" in row["product"]:
        said.append("paid by the month in advance")
    if row["notes"].startswith("derived"):
        said.append("derived from the hour price or the size of a disk")
    if row["confirmed"] in ("official, old", "old, official forum"):
        said.append("an old page of the provider")
    if "-" in row["throughput_mbs"]:
        said.append(f"rate {row['throughput_mbs']} MB/s by size; the lowest is kept")
    if "provisioned IOPS" in row["notes"] or "per IOPS" in row["notes"] or "extra throughput" in row["notes"]:
        said.append("more IOPS or throughput costs extra")
    if "too slow" in row["notes"]:
        said.append("a hybrid disk")
    if row["confirmed"].startswith("example on"):
        said.append("the page calls the rate an example")
    return "; ".join(said)


#: Region texts of the storage and transfer tables as patterns over region, canonical region and country.
_REGION_PATTERNS = {
    ("alibaba", "cn-hangzhou"): "cn-hangzhou;cn-shanghai;cn-shenzhen;cn-shanghai+cn-shenzhen",
    ("alibaba", "mainland"): "country:CN",
    ("alibaba", "intl (USD site)"): "intl-site",
    ("alibaba", "default of opencost"): "none",
    ("tencent", "mainland"): "country:CN",
    (
        "tencent",
        "ap-beijing, ap-shanghai, ap-guangzhou, ap-nanjing",
    ): "ap-beijing;ap-shanghai;ap-guangzhou;ap-nanjing;mainland*;unspecified-2026",
    ("tencent", "ap-chengdu, ap-chongqing"): "ap-chengdu;ap-chongqing",
    ("tencent", "us"): "country:US;us-*",
    ("tencent", "us-west (Silicon Valley)"): "us-west;na-siliconvalley",
    ("tencent", "us-east (Virginia)"): "us-east;na-ashburn",
    (
        "tencent",
        "europe, south-east asia, hk, tw, mo",
    ): "eu-frankfurt;ap-singapore;ap-bangkok;ap-jakarta;cn-hongkong;ap-hongkong",
    ("tencent", "cn-hongkong"): "cn-hongkong;ap-hongkong",
    ("huawei", "mainland"): "country:CN",
    ("huawei", "intl (USD site)"): "intl-site",
    ("volcengine", "mainland"): "country:CN",
    ("baidu", "mainland"): "country:CN",
    ("runpod", "secure cloud"): "*",
    ("verda", "FIN"): "FIN-*;global",
    ("oci", "all (north america, europe)"): "*",
    ("gcp", "to china (not hk)"): "none",
    ("gcp", "to australia"): "none",
    ("gcp", "same continent"): "none",
}


def _patterns(provider: str, region: str) -> str:
    if region == "all":
        return "*"
    return _REGION_PATTERNS.get((provider, region), region or "none")


def transfer(raw: Path) -> Rows:
    """Traffic prices; `use` first_tier marks the first paid internet tier of a region."""
    rows: Rows = []
    taken: set[tuple[str, str]] = set()
    for row in records(raw / "transfer.csv"):
        regions = _patterns(row["provider"], row["region"])
        is_internet = row["direction"].split(" ")[0] == "internet" and "object storage" not in row["direction"]
        use = "no"
        if is_internet and row["price_per_gb"] and (row["provider"], regions) not in taken and regions != "none":
            use = "first_tier"
            taken.add((row["provider"], regions))
        rows.append(
            {
                "provider": row["provider"],
                "regions": regions,
                "direction": row["direction"],
                "price_per_gb": row["price_per_gb"],
                "per_gib": "yes" if row["gb_or_gib"] == "GiB" else "no",
                "tier_from_gb": row["tier_from_gb"],
                "tier_to_gb": row["tier_to_gb"],
                "free_gb_per_month": row["free_allowance_gb_month"],
                "currency": row["currency"],
                "use": use,
                "confirmed": row["confirmed"],
                "source": row["source"] or "searched, not found",
                "observed": row["observed"],
                "note": "a free monthly allowance exists and is not counted" if _has_allowance(row) else "",
            }
        )
    return rows


def _has_allowance(row: dict[str, str]) -> bool:
    return row["free_allowance_gb_month"] not in ("", "0", "unlimited")


def models(raw: Path) -> Rows:
    """Model architectures; parameter counts exact, from the published billions of the table."""
    return [_model(row) for row in records(raw / "models.csv")]


def _model(row: dict[str, str]) -> dict[str, str]:
    copied = ("layers", "hidden_size", "ffn_size", "heads", "kv_heads", "head_dim", "vocab_size")
    of_experts = ("experts", "active_experts", "moe_ffn_size", "shared_expert_ffn_size", "dense_layers")
    return {
        "name": row["name"],
        "aliases": ";".join(_model_aliases(row)),
        "params_total": _billions(row["params_total_b"]),
        "params_active": _billions(row["params_active_b"]),
        **{name: row[name] for name in copied},
        "tied_embeddings": row["tied_embeddings"],
        "gated": "yes" if row["activation"] in ("swiglu", "geglu") else "no",
        **{name: row[name] for name in of_experts},
        "attention": row["attention"],
        "context_tokens": row["max_context"],
        "source": row["source"],
        "observed": row["observed"],
    }


def _billions(text: str) -> str:
    return f"{Decimal(text) * 1_000_000_000:.0f}"


def _model_aliases(row: dict[str, str]) -> list[str]:
    """The table's aliases and the last part of a repository name, which is what people write."""
    stated = [alias for alias in row["alias_list"].split(";") if alias]
    short = [alias.rsplit("/", 1)[1] for alias in stated if "/" in alias]
    trimmed = [alias.removesuffix("-hf") for alias in short if alias.endswith("-hf")]
    return list(dict.fromkeys([*stated, *short, *trimmed]))


def owned_costs(raw: Path) -> Rows:
    """What owning costs: colocation, electricity, PUE, residual values, maintenance, staff, network."""
    return [
        {
            "item": row["item"],
            "scope": row["region"],
            "low": row["value_low"],
            "value": row["value"],
            "high": row["value_high"],
            "unit": row["unit"],
            "currency": row["currency"],
            "published": row["published_date"],
            "confidence": row["confidence"],
            "source": row["source"],
            "observed": row["observed_date"],
        }
        for row in records(raw / "owned_costs.csv")
    ]


def server_prices(raw: Path) -> Rows:
    """Reference prices of owned servers; rows that the source rejects and parts of servers have no name."""
    names = {row["item"]: row["name"] for row in table("server_items.csv")}
    rows = []
    for row in records(raw / "owned_servers.csv"):
        is_usable = row["confidence"] != "reject" and row["scope"] in ("server", "workstation")
        rows.append(
            {
                "name": names.get(row["item"], "") if is_usable else "",
                "item": row["item"],
                "scope": row["scope"],
                "gpu_model": row["gpu_model"],
                "gpu_count": row["gpu_count"],
                "amount": row["price"],
                "currency": row["currency"],
                "published": row["published_date"],
                "confidence": row["confidence"],
                "source": row["source"],
                "observed": row["observed_date"],
                "note": "price of the chips x count" if "per-chip price" in row["notes"] else "",
            }
        )
    return rows


def cpus(raw: Path) -> Rows:
    """CPU platforms and models: cores, PCIe lanes, memory speed."""
    renamed = {
        "generation_name": "family",
        "pcie_generation": "pcie_gen",
        "memory_mts_max": "ddr_mts_max",
        "memory_type": "ddr_gen",
        "tdp_watts_max": "tdp_max_w",
        "unconfirmed": "unconfirmed_fields",
        "observed": "observed_date",
    }
    names = (
        "kind",
        "vendor",
        "generation_name",
        "codename",
        "release_year",
        "cores_max",
        "threads_max",
        "pcie_generation",
        "pcie_lanes_per_socket",
        "pcie_lanes_2p_system",
        "memory_channels",
        "memory_type",
        "memory_mts_max",
        "ecc",
        "tdp_watts_max",
        "unconfirmed",
        "source",
        "observed",
    )
    rows = [{name: row[renamed.get(name, name)] for name in names} for row in records(raw / "cpus.csv")]
    return [{**row, "source": row["source"] or "standard value, not looked up"} for row in rows]


def links_intra(raw: Path) -> Rows:
    """Links inside a machine: GB/s of one GPU in one direction and in both."""
    kinds = ("nvlink", "nvswitch", "xgmi", "scale-up", "pcie")
    return [
        {
            "kind": row["category"],
            "name": row["name"],
            "platform": row["platform"],
            "links": row["links_or_lanes"],
            "gbyte_per_s_one_direction": row["bandwidth_gbs_unidir"],
            "gbyte_per_s_both_directions": row["bandwidth_gbs_bidir"],
            "confirmed": row["confirmed"],
            "source": row["source"] or "standard value, not looked up",
            "observed": row["observed_date"],
        }
        for row in records(raw / "interconnect.csv")
        if row["category"] in kinds
    ]


def links_nodes(raw: Path) -> Rows:
    """Networks between machines, by port or node type: Gb/s of the whole node."""
    rows = []
    for row in records(raw / "interconnect.csv"):
        if row["category"] not in ("infiniband", "cloud-node"):
            continue
        is_open = row["name"] == "AWS p6e-gb200.36xlarge"
        rows.append(
            {
                "kind": row["category"],
                "name": row["name"],
                "generation": row["generation"],
                "gpus": row["platform"],
                "nics": row["nics_per_node"],
                "gbit_per_s_per_nic": row["rate_per_nic_gbps"],
                "gbit_per_s": "" if is_open else row["node_total_gbps"],
                "rdma": row["rdma"],
                "confirmed": row["confirmed"],
                "source": row["source"] or "standard build, not looked up",
                "observed": row["observed_date"],
                "note": "two sources say 1600 and 3200: unresolved (F43)" if is_open else "",
            }
        )
    return rows


def pcie_measured(raw: Path) -> Rows:
    """PCIe width measured on cloud machines."""
    return [
        {
            "provider": "aws",
            "instance_type": row["instance_type"],
            "gpus_seen": row["gpus_seen"],
            "width_measured_lanes": row["pcie_link_width_current"].rstrip("x"),
            "width_of_card_lanes": row["pcie_link_width_max"].rstrip("x"),
            "gpu_power_limit_watts": row["gpu_power_limit_w"],
            "numa_nodes": row["numa_nodes"],
            "source": row["source"],
            "observed": row["ran_at"],
        }
        for row in records(raw / "offers" / "aws_gpu_pcie_measured.csv")
    ]


def price_history(raw: Path) -> Rows:
    """Earlier prices of offers: for price movements, never for plans."""
    return [
        {
            "provider": row["provider"],
            "region": row["region"],
            "instance_type": row["instance_type"],
            "gpu_model": row["gpu_model"],
            "gpu_count": row["gpu_count"],
            "term": row["term"],
            "amount": row["price_per_hour"],
            "unit": "hour",
            "currency": row["currency"],
            "source": row["source"],
            "observed": row["observed"],
        }
        for row in records(raw / "offers" / "history.csv")
    ]


def price_bands(raw: Path) -> Rows:
    """Averages over offers by provider: levels to compare with, not prices of anything."""
    return [
        {
            "provider": row["provider"],
            "gpu": row["gpu"],
            "kind": "average",
            "amount_per_gpu_hour": row["average_usd_per_gpu_hour"],
            "currency": "USD",
            "prices": row["prices"],
            "source": row["source"],
            "observed": row["observed"],
        }
        for row in records(raw / "offers" / "market_averages_2026-10-24.csv")
    ]

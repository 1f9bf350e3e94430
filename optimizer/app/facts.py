"""What verifying a plan needs of the catalog: only facts of the machines, models and stores that the plan names."""

from collections.abc import Iterator

from optimizer.catalog import Catalog
from optimizer.domain.plan import Plan
from optimizer.domain.service import QUOTED_PRODUCTS
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.calibrating import calibration_of
from optimizer.planning.inputs import InputChecks, works_of
from optimizer.sizing import Calibration
from optimizer.verify import StoreFacts, VerifyFacts


def verify_facts(plan: Plan, catalog: Catalog) -> VerifyFacts:
    """GPU data sheets, model presets, storage products and GPU spellings that the plan's inputs name."""
    works = plan.inputs.get("workloads", ())
    presets = {work["model"]["preset"] for work in works if work.get("model") and work["model"].get("preset")}
    names = {name: found for name in _gpu_names(plan) if (found := catalog.find_gpu(name)) is not None}
    models = {}
    for preset in presets:
        try:
            models[preset] = catalog.model(preset)
        except KeyError:
            continue
    places = {(line.provider, line.region) for line in plan.purchases if line.kind == "storage"}
    stores = {
        (provider, region, product.product): StoreFacts(
            product.throughput_gbyte_per_s,
            product.throughput_per_tib,
            product.iops,
            product.min_size_gb,
            product.tier == "shared-fs",
        )
        for provider, region in places
        for product in catalog.storage(provider, region)
    }
    stores |= {(place[0], place[1], QUOTED_PRODUCTS["storage"]): StoreFacts(None) for place in places}
    return VerifyFacts(
        gpus=catalog.gpus,
        models=models,
        stores=stores,
        gpu_names=names,
        calibrations=dict(_calibrations(plan, catalog)),
    )


def _calibrations(plan: Plan, catalog: Catalog) -> Iterator[tuple[str, Calibration]]:
    """What the measured run of each workload corrects."""
    if not any(work.get("measured") for work in plan.inputs.get("workloads", ())):
        return
    checks = InputChecks("plan")
    file = WorkloadFile.model_validate(plan.inputs)
    for facts in works_of(file, catalog, checks):
        calibration = calibration_of(facts.work, facts.training, catalog, checks)
        if calibration is not None:
            yield facts.work.name, calibration


def _gpu_names(plan: Plan) -> Iterator[str]:
    for work in plan.inputs.get("workloads", ()):
        for field in ("gpu_hours", "measured"):
            if work.get(field):
                yield work[field]["gpu"]
    owned = plan.inputs.get("owned") or {}
    for record in (*owned.get("already", ()), *owned.get("may_buy", ())):
        if record.get("gpu"):
            yield record["gpu"]

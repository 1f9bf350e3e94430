"""A data set that workloads share is one thing: it has one size."""

from datetime import date

import pytest

from optimizer.catalog import load_catalog
from optimizer.errors import InputError
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload

JOB = "model: {preset: llama-2-7b}, method: lora, tokens: 1e8, dataset: corp"


def test_two_sizes_of_one_data_set_are_named_with_their_workload() -> None:
    text = (
        f"start: 2026-12-01\nworkloads:\n  - {{name: first, {JOB}, dataset_gb: 500}}\n"
        f"  - {{name: second, {JOB}, dataset_gb: 9000, hot_fraction: 0.5}}\n"
        f"  - {{name: third, {JOB}, dataset_gb: 500}}\n"
    )
    file = parse_workload(text, "shared.yaml")
    with pytest.raises(InputError) as caught:
        Planner(file, load_catalog(), PlanOptions(as_of=date(2026, 11, 30)), "shared.yaml")
    assert [(problem.field, problem.found, problem.expected) for problem in caught.value.problems] == [
        ("workloads.1.dataset_gb", "9000", "500, as workload first says of the data set corp"),
        ("workloads.1.hot_fraction", "0.5", "1, as workload first says of the data set corp"),
    ]

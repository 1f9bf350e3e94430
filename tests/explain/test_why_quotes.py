"""What the user's quotes name can be asked about like what the catalog names."""

from decimal import Decimal
from pathlib import Path

import pytest
from support import AS_OF, Named

from optimizer.explain.why import Answer, why
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload

SELLER, KEY = "超算租赁", "超算租赁/北京/H20-8卡整机"
QUOTES = (
    "provider,region,instance_type,term,price,price_unit,currency,tax_included,gpu_model,gpu_count,country\n"
    "超算租赁,北京,H20-8卡整机,on_demand,90,hour,CNY,yes,H20-96GB,8,CN\n"
    "超算租赁,北京,H20-8卡整机,week,11000,week,CNY,yes,H20-96GB,8,CN\n"
)
WORK = (
    "start: 2026-12-01\ncurrency: CNY\nprofile: off\nquotes: quotes.csv\n"
    "gpu_hours: {gpu: H20-96GB, hours: 800}\ndeadline_days: 14\nmax_nodes: 1\n"
)


def asked(folder: Path, what: str) -> Answer:
    (folder / "quotes.csv").write_text(QUOTES, encoding="utf-8")
    options = PlanOptions(as_of=AS_OF, extras=False, every_region=True)
    catalog = Named(["autodl/cn/H20 x1"])
    return why(Planner(parse_workload(WORK, "case.yaml"), catalog, options, str(folder / "case.yaml")), what)


@pytest.mark.parametrize("what", [SELLER, KEY, "H20-8卡*"])
def test_a_quoted_machine_goes_by_its_names(tmp_path: Path, what: str) -> None:
    # 800 GPU-hours on 8 GPUs are 100 h x 90 = 9,000 CNY.
    answer = asked(tmp_path, what)
    assert (answer.verdict, answer.total, answer.counts) == ("in_plan", Decimal(9000), {"usable": 1})


def test_a_quoted_term_counts_among_the_matches(tmp_path: Path) -> None:
    # The week costs 11,000 instead of 9,000; no other offer here is sold by the week.
    answer = asked(tmp_path, "week")
    assert (answer.verdict, answer.extra_cost, answer.counts) == ("dearer", Decimal(2000), {"usable": 1})

"""The cheapest way by the hour is the cheapest as billed: hours are rounded up for each machine and day (ADR 0004)."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from support import AS_OF, RUNPOD, planner, shipped

from optimizer.app.breakeven import BreakEven
from optimizer.catalog import Catalog
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.explain.breakeven import Span, Surface, along_hours, breakeven, point_at
from optimizer.explain.ways import WHOLE_HOURS, Way, useful
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload

BOARD = "lambda/global/gpu_8x_a100_80gb_sxm4"
GPU = "A100-SXM4-80GB"


class Sold(NamedTuple):
    """One machine by the hour: GPUs, cents an hour, billing unit and minimum in minutes."""

    gpus: int
    cents: int
    unit_minutes: int = 60
    minimum_minutes: int = 0

    def day_micros(self, machines: int, machine_hours: Fraction) -> int:
        """One day by hand: whole billing units, at least the minimum, at most the day."""
        unit = Fraction(self.unit_minutes, 60)
        billed = min(max(ceil(machine_hours / unit) * unit, Fraction(self.minimum_minutes, 60)), Fraction(24))
        return machines * round(Fraction(self.cents, 100) * billed * 10**6)


class Made(Catalog):
    """The shipped catalog with a few made offers of one GPU, each from a provider of its own."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.__dict__.update(shipped().__dict__)
        self.made = tuple(offers)

    def offers(self) -> tuple[Offer, ...]:
        """The made offers only."""
        return self.made


def price(amount: str, term: Term = Term.ON_DEMAND, unit: PriceUnit = PriceUnit.HOUR, **more: float) -> Price:
    return Price(term=term, amount=Decimal(amount), unit=unit, currency="USD", observed=AS_OF, source="made", **more)  # type: ignore[arg-type]


def offer(provider: str, gpus: int, *prices: Price) -> Offer:
    board = next(offer for offer in shipped().offers() if offer.key == BOARD)
    machine = board.machine.model_copy(update={"provider": provider, "instance_type": "made", "gpu_count": gpus})
    return board.model_copy(update={"provider": provider, "machine": machine, "prices": prices})


def surface(offers: Sequence[Offer], max_nodes: int, more: str = "") -> tuple[Surface, Planner]:
    text = (
        f"start: 2026-12-01\ncurrency: USD\nhorizon_months: 1\nprofile: off\ngpu_hours: {{gpu: {GPU}, hours: 500}}\n"
        f"deadline_days: 25\nmax_nodes: {max_nodes}\n{more}"
    )
    made = Planner(parse_workload(text, "case.yaml"), Made(offers), PlanOptions(as_of=AS_OF, extras=False))
    return breakeven(made), made


OWN = """
owned:
  electricity_per_kwh: 0.1
  pue: 1.5
  may_buy:
    - server: mybox
      gpu: A100-SXM4-80GB
      gpus: 1
      price: 8000
      load_kw: 1.0
      idle_kw: 0.2
      colocation_per_kw_month: 100
      maintenance_fraction_year: 0.06
      staff_per_month: 10
      network_per_node: 50
      residual_by_month: {0: 1.0, 12: 0.6, 24: 0.3}
"""


def test_one_machine_for_nine_hours_is_cheaper_than_two_for_four_and_a_half() -> None:
    """Both cost 16.20 USD a day before rounding; two machines are billed for 5 h each, 18.00 USD.

    Owned on 21 days: 8,000 x 0.4 x 21 / 365 = 184.11 of value, 50 for the network, 21/31 of a month of colocation
    (100), maintenance (8,000 x 0.06 / 12 = 40) and staff (10) = 101.61, energy 21 x (0.2 x 24 + 0.8 x 9) kWh x 1.5 x
    0.1 = 37.80; together 373.52 USD.
    """
    rented = price("2"), price("700", Term.MONTH, PriceUnit.MONTH), price("6000", Term.RESERVED_1Y, PriceUnit.YEAR)
    found, made = surface([offer("lambda", 1, *rented), offer("runpod", 1, price("1.80"))], 2, OWN)
    point = next(point for point in found.points if (point.span.days, point.hours_per_day) == (21, 9))
    assert point.cheapest == "on_demand"
    assert point.costs["on_demand"] == 340_200_000 == 21 * 9 * 1_800_000
    assert round((point.costs["owned"] or 0) / 10**6, 2) == 373.52
    assert point.best["on_demand"].candidate.nodes == 1
    # At 10 h both cost the same: the plan's tie order takes one machine. A month of 365/12 days at 10 x 1.80 USD.
    assert found.document.best["on_demand"].candidate.nodes == 1
    paid = next(one for one in BreakEven(found, made).paybacks if one.hours_per_day == 10)
    assert paid.rent_per_month == Fraction(365, 12) * 18


def test_taking_offers_away_never_makes_the_cheapest_cheaper() -> None:
    """10 h of 8 x H100 are 8.46 h of 8 x H200, whose 159.2 USD at 18.82 an hour are less than 160. Billed are 9 h:
    14 x 9 x 18.82 = 2,371.32 USD; the H100 cost 14 x 10 x 16.00 = 2,240.00 USD."""
    steady = (
        "currency: USD\nhorizon_months: 1\nmodel: {preset: llama-2-13b}\nmethod: full\nsequence_length: 4096\n"
        "global_batch_tokens: 1048576\ntokens_per_month: 25.0e9\nmax_nodes: 1\nprofile: off\n"
    )
    h100, h200 = "vast/VN/8x-H100_SXM", "vast/FR/8x-H200"
    at_most = {
        names: breakeven(planner(steady, RUNPOD, *names)).document.costs["on_demand"]
        for names in ((h100,), (h200,), (h100, h200))
    }
    assert at_most == {(h100,): 2_240_000_000, (h200,): 2_371_320_000, (h100, h200): 2_240_000_000}


SOLD = st.builds(
    Sold,
    gpus=st.sampled_from([1, 2, 3, 4, 8]),
    cents=st.integers(100, 900),
    unit_minutes=st.sampled_from([60, 60, 60, 1, 30, 180]),
    minimum_minutes=st.sampled_from([0, 0, 60, 300]),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(SOLD, min_size=1, max_size=5), st.integers(1, 3))
def test_every_cell_is_the_minimum_over_all_configurations(sold: list[Sold], max_nodes: int) -> None:
    """Brute force by hand over every offer and number of machines; GPU-hours are the same work on any of them."""
    made = [
        offer(
            f"lambda{number}",
            one.gpus,
            price(
                str(Decimal(one.cents * one.gpus) / 100),
                billing_unit_hours=one.unit_minutes / 60,
                minimum_hours=one.minimum_minutes / 60,
            ),
        )
        for number, one in enumerate(sold)
    ]
    found, _ = surface(made, max_nodes)
    reference = found.reference.nodes * found.reference.supply.machine.gpu_count
    for hours in WHOLE_HOURS:
        days = [
            one._replace(cents=one.cents * one.gpus).day_micros(nodes, machine_hours)
            for one in sold
            for nodes in range(1, max_nodes + 1)
            if (machine_hours := Fraction(hours * reference, nodes * one.gpus)) <= 24
        ]
        for point in found.points:
            if point.hours_per_day == hours:
                assert point.costs["on_demand"] == min(days) * point.span.days


@cache
def sample() -> Surface:
    """Ways by the hour, for a month, and owned, to be varied."""
    return surface([offer("lambda", 1, price("2"), price("700", Term.MONTH, PriceUnit.MONTH))], 1, OWN)[0]


VARIED = st.tuples(
    st.sampled_from(["on_demand", "on_demand", "on_demand", "month", "owned"]),
    st.integers(180, 220),  # cents for an hour of the reference, close to each other; or USD for a month
    st.integers(1, 4),  # machines
    st.fractions(Fraction(1, 8), Fraction(3, 2), max_denominator=20),  # hours for one of the reference
    st.sampled_from([1.0, 1.0, 1.0, 0.5, 4.0, 24.0]),  # billing unit
    st.sampled_from([0.0, 0.0, 2.0]),  # minimum
)


def varied(ways: dict[str, Way], number: int, drawn: tuple[str, int, int, Fraction, float, float]) -> Way:
    name, cents, nodes, ratio, unit, minimum = drawn
    way = ways[name]
    key = f"lambda/global/made{number}"
    candidate = replace(way.candidate, nodes=nodes, supply=way.candidate.supply._replace(key=key))
    way = replace(way, candidate=candidate, ratio=ratio, node_days={})
    if way.hourly is not None:
        amount = round(Decimal(cents) / 100 / nodes * ratio.denominator / ratio.numerator, 4)
        changed = {"amount": amount, "billing_unit_hours": unit, "minimum_hours": minimum}
        return replace(way, hourly=way.hourly._replace(price=way.hourly.price.model_copy(update=changed)))
    if way.rent is not None:
        dearer = way.rent.rated.price.model_copy(update={"amount": Decimal(cents)})
        return replace(way, rent=replace(way.rent, rated=way.rent.rated._replace(price=dearer)))
    return way


@settings(max_examples=50, deadline=None)
@given(st.lists(VARIED, min_size=1, max_size=10))
def test_what_is_left_out_changes_nothing(drawn: list[tuple[str, int, int, Fraction, float, float]]) -> None:
    templates = {way.name: way for way in sample().ways}
    ways = [varied(templates, number, one) for number, one in enumerate(drawn)]
    names, calendar = tuple(templates), sample().calendar
    kept = useful(ways)
    for days in (1, 45):
        for hours in WHOLE_HOURS:
            costs = point_at(kept, names, hours, Span(days), calendar).costs
            assert costs == point_at(ways, names, hours, Span(days), calendar).costs
        assert along_hours(kept, days, calendar) == along_hours(ways, days, calendar)


def test_it_leaves_out_what_never_wins() -> None:
    (hourly,) = (way for way in sample().ways if way.name == "on_demand")
    dearer = varied({"on_demand": hourly}, 1, ("on_demand", 201, 1, Fraction(1), 1.0, 0.0))
    assert useful([dearer, hourly]) == [hourly]

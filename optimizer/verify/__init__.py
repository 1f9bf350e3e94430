"""Recounting a plan without the program that found it: dates, hours, packing, prices, sums, memory, speed, rules."""

from optimizer.verify.check import Check, show
from optimizer.verify.context import StoreFacts, VerifyFacts
from optimizer.verify.paying import seller_payments
from optimizer.verify.recount import verify_plan

__all__ = ["Check", "StoreFacts", "VerifyFacts", "seller_payments", "show", "verify_plan"]

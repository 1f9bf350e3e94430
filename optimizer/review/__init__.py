"""The monthly review: what a bill says, what it should have said, and what changed.

Reading (`read.read_bill`) turns files or a warehouse table into a `bill.Bill` of exact decimals; the findings modules
compare it with offers, a plan and the month before; `render_*` modules write the result. Nothing here knows a
provider: bill formats are data files in `mappings/`.
"""

"""Handing a plan over to launch tools: a SkyPilot task, a dstack fleet, Terraform variables. Nothing is invented."""

from optimizer.export.choice import Launch, launches
from optimizer.export.dstack import dstack_fleet
from optimizer.export.skypilot import skypilot_task
from optimizer.export.terraform import terraform_variables

__all__ = ["Launch", "dstack_fleet", "launches", "skypilot_task", "terraform_variables"]

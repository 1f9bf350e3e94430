"""A folder with one of each file that commands read."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class World:
    """`folder` holds w.yaml, plan.json (of it), other.json (of a longer job) and bill.csv."""

    folder: Path
    catalog: Path

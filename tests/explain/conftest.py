"""Makes `support` of the cases (plans on a few named offers) importable under importlib mode."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cases"))

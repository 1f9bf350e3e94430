"""A wheel in a fresh environment, without development packages, plans from the catalog inside it."""

import json
import os
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEVELOPMENT = ("pytest", "hypothesis", "mypy", "ruff", "responses", "jsonschema")


@pytest.mark.slow
def test_a_wheel_plans_in_a_fresh_environment(tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT))
    wheel = next(tmp_path.glob("*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    shipped = [path.relative_to(ROOT).as_posix() for path in (ROOT / "catalogs").rglob("*") if path.is_file()]
    assert {f"optimizer/_{name}" for name in shipped} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "optimizer/contract/fonts/OFL.txt" in names
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = tmp_path / "venv" / "bin" / "python"
    run(str(python), "-m", "pip", "install", "-q", str(wheel))
    installed = run(str(python), "-m", "pip", "list", "--format", "freeze").lower()
    assert not [name for name in DEVELOPMENT if f"\n{name}==" in f"\n{installed}"]
    plan = tmp_path / "plan.json"
    optimize = str(tmp_path / "venv" / "bin" / "optimize")
    run(optimize, "--workload", str(ROOT / "examples" / "lora-7b.yaml"), "--out", str(plan), cwd=tmp_path)
    run(optimize, "verify", str(plan), cwd=tmp_path)
    found = json.loads(plan.read_text())
    assert found["status"] == "optimal"
    assert found["currency"] == "CNY"
    lines = [Decimal(line["cost"]) for line in found["purchases"]]
    assert sum(lines) == Decimal(found["cost"]["total"])


def run(*command: str, cwd: Path | None = None) -> str:
    """The output of a command that must succeed, in an environment that knows nothing of this checkout."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd or Path.home()), "OPTIMIZE_AS_OF": "2026-11-30"}
    for name in ("PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_FIND_LINKS", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

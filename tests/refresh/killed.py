"""Kills a refreshing process again and again; run as a script, prints one JSON line.

Each round forks a real process that refreshes two providers to a new price, waits a random part of a refresh's time and
kills it with SIGKILL. After every kill the published catalog must hold one price only, from before or after.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from optimizer.app import fetching, refresh
from optimizer.app.refresh import refresh_catalog
from optimizer.catalog.generations import current_directory
from optimizer.catalog.layer import layer_offers
from tests.refresh import fakes

NAMES = ("a", "b")
ROWS = 40


def refresh_to(root: Path, price: int) -> None:
    """One refresh in which every offer costs `price`."""

    def load(name: str) -> Any:
        return fakes.provider(name, fakes.giving(*fakes.many(name, ROWS, str(price))))

    fetching.load_provider = load
    refresh.load_provider = load
    refresh_catalog(NAMES, root=root, surroundings=fakes.surroundings(root, 10))


def published(root: Path) -> set[int]:
    """The prices in the published catalog; every file is compared with its checksum."""
    directory = current_directory(root)
    assert directory is not None
    offers = list(layer_offers(directory))
    assert len(offers) == ROWS * len(NAMES), f"{len(offers)} offers"
    return {int(offer.prices[0].amount) for offer in offers}


def main(root: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill `kills` processes; returns how many were killed before and after publication."""
    chance = random.Random(seed)
    refresh_to(root, 1)  # the first one also pays for imports
    begun = time.monotonic()
    refresh_to(root, 1)
    longest = time.monotonic() - begun
    price, counts = 1, {"before": 0, "after": 0, "ended": 0}
    for attempt in range(2, kills + 2):
        child = os.fork()
        if child == 0:
            refresh_to(root, attempt)
            os._exit(0)
        time.sleep(chance.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        found = published(root)
        assert found in ({price}, {attempt}), f"round {attempt}: {sorted(found)}, expected {price} or {attempt}"
        counts["ended" if not os.WIFSIGNALED(status) else "after" if found == {attempt} else "before"] += 1
        price = found.pop()
    refresh_to(root, 1000)
    assert published(root) == {1000}
    assert not list((root / "generations").glob(".new-*"))
    return counts


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))

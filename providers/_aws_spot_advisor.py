"""How often AWS takes spot machines back: the public file behind the Spot Instance Advisor, for Linux.

Reference: https://aws.amazon.com/ec2/spot/instance-advisor (the share of machines reclaimed within the last month, in
bands), file as read 2026-11-30: `spot_advisor[region][os][type].r` is the index of an entry of `ranges` with a label.
"""

import re
from typing import Any

from optimizer.errors import ProviderError
from providers._kit.contract import FetchContext
from providers._kit.prices import interruptions_per_hour
from providers._kit.reading import Wire, read_envelope

URL = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
_OS = "Linux"
_UPPER_END = re.compile(r"^(?:<|\d+-)(\d+)%$")

Rates = dict[tuple[str, str], float]


class _Range(Wire):
    index: int
    label: str


class _Advice(Wire):
    r: int


class _File(Wire):
    ranges: list[_Range]
    spot_advisor: dict[str, dict[str, Any]]


def read_rates(context: FetchContext) -> Rates:
    """Interruptions per hour by (region, type), at the upper end of each band; the open band ">20%" has none.

    Raises:
        ProviderError: the file cannot be read, or is not as documented.
    """
    file = read_envelope(_File, context.http.get_json(URL), "aws: spot advisor")
    upper = {band.index: _UPPER_END.match(band.label) for band in file.ranges}
    rates = {index: interruptions_per_hour(float(found[1])) for index, found in upper.items() if found}
    return {
        (region, name): rate
        for region, by_os in file.spot_advisor.items()
        for name, advice in by_os.get(_OS, {}).items()
        if (rate := rates.get(read_envelope(_Advice, advice, "aws: spot advisor").r)) is not None
    }


def try_rates(context: FetchContext) -> tuple[Rates, str]:
    """The rates, or none and the reason: spot prices stand without them."""
    try:
        return read_rates(context), ""
    except ProviderError as error:
        return {}, str(error)

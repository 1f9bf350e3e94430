"""Azure resource SKUs: hardware capabilities and restrictions of each size in each region (needs a subscription).

Reference: `GET /subscriptions/{id}/providers/Microsoft.Compute/skus`, API version 2021-07-01; names on the wire as in
azure-mgmt-compute 39.0.0.
"""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import Field

from providers._kit.contract import FetchContext
from providers._kit.libraries import load_library
from providers._kit.paging import Page, all_pages
from providers._kit.reading import CamelWire, Wire, read_envelope

_MANAGEMENT = "https://management.azure.com"
_LOGIN = "https://login.microsoftonline.com"
_SCOPE = f"{_MANAGEMENT}/.default"
_VERSION = "2021-07-01"


class _Capability(CamelWire):
    name: str
    value: str


class Sku(CamelWire):
    """One size in one or more regions."""

    resource_type: str
    name: str
    locations: list[str] = Field(default_factory=list)
    capabilities: list[_Capability] = Field(default_factory=list)
    restrictions: list[dict[str, Any]] = Field(default_factory=list)

    def says(self, capability: str) -> str | None:
        """The text of a capability, `None` when it is not listed."""
        return next((entry.value for entry in self.capabilities if entry.name == capability), None)

    def number(self, capability: str) -> float | None:
        """A capability as a number; `None` when absent or no number (dstackai/gpuhunt#155)."""
        try:
            return float(self.says(capability) or "")
        except ValueError:
            return None


class _Answer(CamelWire):
    value: list[dict[str, Any]]
    next_link: str | None = None


class _Token(Wire):
    access_token: str


def read_skus(context: FetchContext) -> dict[tuple[str, str], Sku]:
    """(region, size) to its SKU; empty without a subscription, since prices do not need one."""
    subscription = context.secrets.plain("AZURE_SUBSCRIPTION_ID")
    if subscription is None:
        return {}
    headers = {"Authorization": f"Bearer {_token(context)}"}
    first = f"{_MANAGEMENT}/subscriptions/{subscription}/providers/Microsoft.Compute/skus?api-version={_VERSION}"

    def page(url: str | None) -> Page:
        answer = read_envelope(_Answer, context.http.get_json(url or first, headers=headers), "azure: skus")
        return answer.value, answer.next_link

    return dict(_gpu_skus(all_pages(page, context.limits, "azure: skus")))


def _gpu_skus(rows: Iterator[Any]) -> Iterator[tuple[tuple[str, str], Sku]]:
    for raw in rows:
        if raw.get("resourceType") == "virtualMachines" and str(raw.get("name")).startswith("Standard_N"):
            sku = read_envelope(Sku, raw, "azure: skus")
            for location in sku.locations:
                yield (location.lower(), sku.name), sku


def _token(context: FetchContext) -> str:
    """A bearer token: by client secret over plain REST, else by whatever azure-identity finds (`az login`)."""
    tenant, client = context.secrets.plain("AZURE_TENANT_ID"), context.secrets.plain("AZURE_CLIENT_ID")
    secret = context.secrets.find("AZURE_CLIENT_SECRET")
    if tenant and client and secret:
        form = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret, "scope": _SCOPE}
        raw = context.http.post_json(f"{_LOGIN}/{tenant}/oauth2/v2.0/token", form=form)
        token = read_envelope(_Token, raw, "azure: token").access_token
    else:
        make_token: Callable[[], str] = context.clients.get("azure", _identity_token)
        token = make_token()
    context.secrets.hide(token)
    return token


def _identity_token() -> str:
    identity = load_library("azure.identity", "azure", "azure")
    token: str = identity.DefaultAzureCredential().get_token(_SCOPE).token
    return token

"""How recordings are played: addresses for `requests`, fake callers for SDKs, the Stubber for botocore."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import botocore.session
import responses
from botocore.stub import Stubber

from tests.providers.conftest import RECORDED, recorded

Clients = dict[str, Callable[..., Any]]

#: Provider to (method, address without query, files in the order of the answers).
ROUTES: dict[str, list[tuple[str, str, list[str]]]] = {
    "aws": [
        ("GET", "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json", ["spot_advisor"]),
        (
            "GET",
            "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/region_index.json",
            ["bulk_index"],
        ),
        (
            "GET",
            "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/20260901000000/us-east-1/index.csv",
            ["bulk_us-east-1.csv"],
        ),
    ],
    "lambda": [("GET", "https://cloud.lambda.ai/api/v1/instance-types", ["instance_types"])],
    "digitalocean": [("GET", "https://api.digitalocean.com/v2/sizes", ["sizes_1", "sizes_2"])],
    "vultr": [
        ("GET", "https://api.vultr.com/v2/plans", ["plans"]),
        ("GET", "https://api.vultr.com/v2/plans-metal", ["plans_metal"]),
    ],
    "hyperstack": [
        ("GET", "https://infrahub-api.nexgencloud.com/v1/pricebook", ["pricebook"]),
        ("GET", "https://infrahub-api.nexgencloud.com/v1/core/flavors", ["flavors"]),
    ],
    "runpod": [("POST", "https://api.runpod.io/graphql", ["gpu_types"])],
    "vast": [("POST", "https://console.vast.ai/api/v0/bundles/", ["on_demand", "bid", "reserved"])],
    "verda": [
        ("POST", "https://api.verda.com/v1/oauth2/token", ["token"]),
        ("GET", "https://api.verda.com/v1/instance-types", ["instance_types"]),
        ("GET", "https://api.verda.com/v1/instance-availability", ["availability", "availability_spot"]),
        ("GET", "https://api.verda.com/v1/long-term/periods/instances", ["periods"]),
    ],
    "crusoe": [
        (
            "GET",
            "https://api.crusoecloud.com/v1alpha5/projects/planted-crusoe-project/compute/vms/types",
            ["vm_types"],
        ),
        ("GET", "https://api.crusoecloud.com/v1alpha5/capacities", ["capacities"]),
    ],
    "oci": [
        (
            "GET",
            "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/",
            ["products_1", "products_2"],
        ),
        ("GET", "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json", ["shapes"]),
    ],
    "azure": [
        ("POST", "https://login.microsoftonline.com/planted-azure-tenant/oauth2/v2.0/token", ["token"]),
        (
            "GET",
            "https://management.azure.com/subscriptions/planted-azure-subscription/providers/Microsoft.Compute/skus",
            ["skus"],
        ),
        (
            "GET",
            "https://prices.azure.com/api/retail/prices",
            ["consumption_1", "consumption_2", "reservation"],
        ),
    ],
    "gcp": [
        (
            "GET",
            "https://compute.googleapis.com/compute/v1/projects/planted-gcp-project/aggregated/machineTypes",
            ["machine_types"],
        ),
        (
            "GET",
            "https://compute.googleapis.com/compute/v1/projects/planted-gcp-project/aggregated/acceleratorTypes",
            ["accelerator_types"],
        ),
        ("GET", "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus", ["skus_1", "skus_2"]),
    ],
}


def play(name: str, web: responses.RequestsMock) -> Clients:
    """Register a provider's recorded answers; returns the SDK clients that the context needs."""
    for method, url, files in ROUTES.get(name, []):
        for file in files:
            if file.endswith(".csv"):
                web.add(method, url, body=(RECORDED / name / file).read_bytes())
            else:
                web.add(method, url, json=recorded(f"{name}/{file}.json"))
    return CLIENTS[name]() if name in CLIENTS else {}


def _caller(name: str, answer: Callable[[str, str, Mapping[str, Any]], Any]) -> Clients:
    """A client that answers (region, action, parameters) from recordings."""
    return {name: lambda context: lambda service, region, action, asked: answer(region, action, asked)}


def _tencent() -> Clients:
    charge = {"POSTPAID_BY_HOUR": "hourly", "PREPAID": "prepaid", "SPOTPAID": "spot"}

    def answer(region: str, action: str, asked: Mapping[str, Any]) -> Any:
        if region != "ap-guangzhou":
            return {"InstanceTypeQuotaSet": [], "InstanceTypeConfigSet": []}
        if action == "DescribeZoneInstanceConfigInfos":
            (charge_filter,) = asked["Filters"]
            return recorded(f"tencent/configs_{charge[charge_filter['Values'][0]]}.json")["Response"]
        if action == "InquiryPriceRunInstances":
            months = asked["InstanceChargePrepaid"]["Period"]
            return recorded(f"tencent/inquiry_{months}.json")["Response"]
        files = {"DescribeInstanceTypeConfigs": "instance_types", "DescribeImages": "images"}
        return recorded(f"tencent/{files[action]}.json")["Response"]

    return _caller("tencent", answer)


def _volcengine() -> Clients:
    def answer(region: str, action: str, asked: Mapping[str, Any]) -> Any:
        assert action == "ListInstanceTypes"
        return recorded("volcengine/instance_types.json")["Result"] if region == "cn-beijing" else {"Items": []}

    return _caller("volcengine", answer)


def _huawei() -> Clients:
    def answer(region: str, action: str, asked: Mapping[str, Any]) -> Any:
        if action in ("ListFlavors", "ListFlavorSellPolicies"):
            return recorded("huawei/flavors.json" if action == "ListFlavors" else "huawei/sell_policies.json")
        names = {product["id"].partition("|")[0] for product in asked["product_infos"]}
        if "p1.2xlarge.8" in names or "g5.8xlarge.4" in names:
            raise refused("huawei", action, "CBC.0100")
        if action == "ListOnDemandResourceRatings":
            return only(recorded("huawei/hourly.json"), names)
        period = {2: "month", 3: "year"}[asked["product_infos"][0]["period_type"]]
        number = asked["product_infos"][0]["period_num"]
        return only(recorded(f"huawei/period_{period}_{number}.json"), names)

    return _caller("huawei", answer)


def only(value: Any, names: set[str]) -> Any:
    """A rating answer with the products that were asked for."""
    if isinstance(value, dict):
        return {key: only(part, names) for key, part in value.items()}
    if isinstance(value, list):
        kept = [part for part in value if "product_id" not in part or part["id"].partition("|")[0] in names]
        return [only(part, names) for part in kept]
    return value


def refused(provider: str, action: str, code: str) -> Exception:
    """The error that a signing client raises when the API says no."""
    from providers._kit.sdk import ApiError

    return ApiError(provider, action, code)


def _nebius() -> Clients:
    files = {"ListTenants": "tenants", "ListProjects": "projects", "ListPlatforms": "platforms"}

    def answer(region: str, action: str, asked: Mapping[str, Any]) -> Any:
        if action == "Estimate":
            return recorded(f"nebius/estimate_{asked['preset'].partition('-')[0]}.json")
        return recorded(f"nebius/{files.get(action, 'spot_prices')}.json")

    return _caller("nebius", answer)


def _alibaba() -> Clients:
    def answer(region: str, action: str, asked: Mapping[str, Any]) -> Any:
        if action == "DescribeInstanceTypes":
            return recorded(f"alibaba/instance_types_{2 if asked.get('NextToken') else 1}.json")
        if action == "DescribeAvailableResource":
            return recorded("alibaba/available.json") if region == "cn-beijing" else {"AvailableZones": {}}
        if action == "DescribeSpotAdvice":
            return recorded("alibaba/spot_advice.json")
        if asked["InstanceType"] != "ecs.gn7e-c16g1.4xlarge":
            raise refused("alibaba", action, "InvalidInstanceType.ValueNotSupported")
        if action == "DescribeSpotPriceHistory":
            return recorded("alibaba/spot_history.json")
        if asked.get("SystemDisk.Category") != "cloud_essd":
            raise refused("alibaba", action, "InvalidSystemDiskCategory.ValueNotSupported")
        return recorded(f"alibaba/price_{asked['PriceUnit'].lower()}_{asked['Period']}.json")

    return _caller("alibaba", answer)


def _oci() -> Clients:
    return {"oci": lambda context: lambda: recorded("oci/list_shapes.json")}


def _dated(value: Any) -> Any:
    """Texts with a time as the datetimes that botocore hands out."""
    if isinstance(value, str) and value.endswith("+00:00"):
        return datetime.fromisoformat(value)
    if isinstance(value, dict):
        return {key: _dated(part) for key, part in value.items()}
    return [_dated(part) for part in value] if isinstance(value, list) else value


@cache
def _session() -> Any:
    """One session: it reads the large service models once."""
    return botocore.session.get_session()


def aws_clients(answers: Mapping[str, list[tuple[str, dict[str, Any]]]]) -> Clients:
    """Clients by service, each with its queue of (operation, answer); the Stubber checks both sides' shapes."""
    made: dict[str, Any] = {}

    def make(service: str, region: str) -> Any:
        if service not in made:
            client = _session().create_client(
                service,
                region_name=region,
                aws_access_key_id="planted-aws-id",
                aws_secret_access_key="planted-aws-secret",
            )
            stubber = Stubber(client)
            for operation, answer in answers[service]:
                if "Error" in answer:
                    stubber.add_client_error(operation, answer["Error"])
                else:
                    stubber.add_response(operation, _dated(answer))
            stubber.activate()
            made[service] = client
        return made[service]

    return {"aws": make}


def aws_answers() -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The recorded conversation of one region."""
    no_blocks: dict[str, Any] = {"CapacityBlockOfferings": []}
    return {
        "ec2": [
            ("describe_regions", {"Regions": [{"RegionName": "us-east-1"}]}),
            ("describe_instance_types", recorded("aws/instance_types.json")),
            ("describe_instance_type_offerings", recorded("aws/offerings.json")),
            ("describe_reserved_instances_offerings", recorded("aws/reserved.json")),
            ("describe_spot_price_history", recorded("aws/spot.json")),
            ("describe_capacity_block_offerings", recorded("aws/blocks_p5.json")),
            ("describe_capacity_block_offerings", no_blocks),
            ("describe_capacity_block_offerings", no_blocks),
            ("describe_capacity_block_offerings", recorded("aws/blocks_p4d.json")),
            ("describe_capacity_block_offerings", no_blocks),
            ("describe_capacity_block_offerings", no_blocks),
        ],
        "pricing": [("get_products", recorded("aws/products.json"))],
        "savingsplans": [("describe_savings_plans_offering_rates", recorded("aws/savings_plans.json"))],
    }


CLIENTS: dict[str, Callable[[], Clients]] = {
    "alibaba": _alibaba,
    "aws": lambda: aws_clients(aws_answers()),
    "huawei": _huawei,
    "nebius": _nebius,
    "oci": _oci,
    "tencent": _tencent,
    "volcengine": _volcengine,
}

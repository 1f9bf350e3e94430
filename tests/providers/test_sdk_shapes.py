"""Field names against the official SDKs' own models: a misspelt field in a recording or an adapter fails here.

botocore is always there. The other SDKs are optional extras; each test is skipped where its SDK is not installed.
"""

import importlib
import json
from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest
from pydantic import BaseModel

from tests.providers.conftest import recorded


def fields_of(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Wire names of a row model and of the models inside it."""
    for name, field in model.model_fields.items():
        yield field.alias or name, model
        for part in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from fields_of(part)


class TestBotocore:
    """The adapters' row models name only members of the service models' output shapes."""

    @pytest.mark.parametrize(
        ("service", "operation", "result", "module", "model"),
        [
            ("ec2", "DescribeInstanceTypes", "InstanceTypes", "_aws_hardware", "InstanceType"),
            (
                "ec2",
                "DescribeReservedInstancesOfferings",
                "ReservedInstancesOfferings",
                "_aws_prices",
                "_Reserved",
            ),
            ("ec2", "DescribeCapacityBlockOfferings", "CapacityBlockOfferings", "_aws_prices", "_Block"),
        ],
    )
    def test_row_models(self, service: str, operation: str, result: str, module: str, model: str) -> None:
        shape = self._service(service).operation_model(operation).output_shape.members[result].member
        row = getattr(importlib.import_module(f"providers.{module}"), model)
        known = set(self._members(shape))
        missing = {name for name, _ in fields_of(row)} - known
        assert not missing

    @pytest.mark.parametrize(
        ("service", "operation", "arguments"),
        [
            ("ec2", "DescribeSpotPriceHistory", {"InstanceTypes", "ProductDescriptions", "StartTime", "EndTime"}),
            ("ec2", "DescribeInstanceTypeOfferings", {"LocationType", "NextToken"}),
            (
                "ec2",
                "DescribeCapacityBlockOfferings",
                {"CapacityDurationHours", "InstanceType", "InstanceCount", "StartDateRange", "EndDateRange"},
            ),
            (
                "ec2",
                "DescribeReservedInstancesOfferings",
                {"Filters", "ProductDescription", "InstanceTenancy", "OfferingClass", "IncludeMarketplace"},
            ),
            ("pricing", "GetProducts", {"ServiceCode", "Filters", "FormatVersion", "NextToken"}),
            (
                "savingsplans",
                "DescribeSavingsPlansOfferingRates",
                {"savingsPlanTypes", "products", "serviceCodes", "operations", "filters", "nextToken"},
            ),
        ],
    )
    def test_arguments(self, service: str, operation: str, arguments: set[str]) -> None:
        assert arguments <= set(self._service(service).operation_model(operation).input_shape.members)

    def test_enumerations_that_we_read(self) -> None:
        members = self._service("ec2").operation_model("DescribeReservedInstancesOfferings").output_shape.members
        offering = members["ReservedInstancesOfferings"].member.members["OfferingType"]
        assert {"No Upfront", "Partial Upfront", "All Upfront"} <= set(offering.enum)
        rates = self._service("savingsplans").operation_model("DescribeSavingsPlansOfferingRates").output_shape.members
        row = rates["searchResults"].member.members
        assert set(row) >= {"savingsPlanOffering", "rate", "unit", "properties"}
        plan = row["savingsPlanOffering"].members
        assert set(plan) >= {"paymentOption", "planType", "durationSeconds", "currency"}
        assert {"Compute", "EC2Instance"} <= set(plan["planType"].enum)

    @staticmethod
    def _service(name: str) -> Any:
        return botocore.session.get_session().get_service_model(name)

    @classmethod
    def _members(cls, shape: Any) -> Iterator[str]:
        for name, member in getattr(shape, "members", {}).items():
            yield name
            yield from cls._members(member.member if member.type_name == "list" else member)


class TestTencent:
    @pytest.mark.parametrize(
        ("file", "response"),
        [
            ("configs_hourly", "DescribeZoneInstanceConfigInfosResponse"),
            ("configs_prepaid", "DescribeZoneInstanceConfigInfosResponse"),
            ("instance_types", "DescribeInstanceTypeConfigsResponse"),
            ("images", "DescribeImagesResponse"),
            ("inquiry_36", "InquiryPriceRunInstancesResponse"),
        ],
    )
    def test_recordings(self, file: str, response: str) -> None:
        models = pytest.importorskip("tencentcloud.cvm.v20170312.models")
        answer = recorded(f"tencent/{file}.json")["Response"]
        model = getattr(models, response)()
        model._deserialize(answer)
        assert_kept(answer, json.loads(model.to_json_string()))


class TestAlibaba:
    @pytest.mark.parametrize(
        ("file", "response"),
        [
            ("instance_types_1", "DescribeInstanceTypesResponseBody"),
            ("available", "DescribeAvailableResourceResponseBody"),
            ("price_year_1", "DescribePriceResponseBody"),
            ("spot_history", "DescribeSpotPriceHistoryResponseBody"),
            ("spot_advice", "DescribeSpotAdviceResponseBody"),
        ],
    )
    def test_recordings(self, file: str, response: str) -> None:
        models = pytest.importorskip("alibabacloud_ecs20140526.models")
        answer = recorded(f"alibaba/{file}.json")
        assert_kept(answer, getattr(models, response)().from_map(answer).to_map())


class TestHuawei:
    @pytest.mark.parametrize(
        ("package", "file", "response"),
        [
            ("huaweicloudsdkecs", "flavors", "ListFlavorsResponse"),
            ("huaweicloudsdkecs", "sell_policies", "ListFlavorSellPoliciesResponse"),
            ("huaweicloudsdkbss", "hourly", "ListOnDemandResourceRatingsResponse"),
            ("huaweicloudsdkbss", "period_year_1", "ListRateOnPeriodDetailResponse"),
        ],
    )
    def test_recordings(self, package: str, file: str, response: str) -> None:
        pytest.importorskip(package)
        models = importlib.import_module(f"{package}.v2")
        assert_known(recorded(f"huawei/{file}.json"), getattr(models, response), models)


class TestVolcengine:
    def test_recording(self) -> None:
        pytest.importorskip("volcenginesdkmlplatform20240701")
        models = importlib.import_module("volcenginesdkmlplatform20240701.models")
        (row, *_) = recorded("volcengine/instance_types.json")["Result"]["Items"]
        known = set(models.ItemForListInstanceTypesOutput.attribute_map.values())
        assert set(row) <= known
        zone = set(models.ZoneInfoForListInstanceTypesOutput.attribute_map.values())
        assert set(row["ZoneInfo"][0]) <= zone


class TestNebius:
    def test_recordings(self) -> None:
        compute = pytest.importorskip("nebius.api.nebius.compute.v1")
        billing = importlib.import_module("nebius.api.nebius.billing.v1alpha1")
        iam = importlib.import_module("nebius.api.nebius.iam.v2")
        for message, names in (
            (iam.Project, {"metadata", "spec"}),
            (iam.ProjectSpec, {"region"}),
            (compute.Platform, {"metadata", "spec", "status"}),
            (compute.PlatformSpec, {"presets", "gpu_memory_gigabytes", "gpu_memory_gibibytes"}),
            (compute.PresetResources, {"vcpu_count", "memory_gibibytes", "gpu_count"}),
            (billing.SpotPrice, {"region", "compute_instance", "price"}),
            (billing.EstimateResponse, {"hourly_cost", "monthly_cost"}),
        ):
            assert names <= {field.proto_name for field in message.__FIELDS__}


class TestOracle:
    def test_list_shapes(self) -> None:
        core = pytest.importorskip("oci.core.models")
        (row,) = recorded("oci/list_shapes.json")
        assert set(row) <= set(core.Shape().attribute_map.values())


class TestAzure:
    def test_sku_names(self) -> None:
        models = pytest.importorskip("azure.mgmt.compute.models")
        names = {field._rest_name for field in models.ResourceSku()._attr_to_rest_field.values()}
        assert {"resourceType", "name", "locations", "capabilities", "restrictions"} <= names


def assert_kept(sent: Any, kept: Any, path: str = "") -> None:
    """Everything in a recording survives the SDK's own model: nothing is misspelt."""
    if isinstance(sent, dict):
        for key, value in sent.items():
            if value is not None:
                assert key in kept, f"{path}.{key} is unknown to the SDK"
                assert_kept(value, kept[key], f"{path}.{key}")
    elif isinstance(sent, list):
        for number, (one, other) in enumerate(zip(sent, kept, strict=True)):
            assert_kept(one, other, f"{path}[{number}]")


def assert_known(answer: Any, model: Any, models: Any, path: str = "") -> None:
    """Every key of a recording is a wire name of the SDK's model, nested ones included."""
    wire = {alias: attribute for attribute, alias in model.attribute_map.items()}
    for key, value in answer.items():
        assert key in wire, f"{path}.{key} is unknown to the SDK"
        declared = model.openapi_types[wire[key]]
        inner = getattr(models, declared.removeprefix("list[").rstrip("]"), None)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict) and hasattr(inner, "attribute_map"):
                assert_known(part, inner, models, f"{path}.{key}")

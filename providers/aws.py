"""AWS EC2: hardware, where it is sold, and prices on demand, spot, reserved, by savings plan and capacity block.

Reference: https://docs.aws.amazon.com/AWSEC2/latest/APIReference, names as in botocore's service models (1.44.8).
A region that fails (not opted in, no answer) is left out with the reason and does not fail the others.
"""

from collections.abc import Callable, Iterator
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from optimizer.domain.offer import Rejected, Term
from optimizer.errors import MissingCredentials, SourceUnreachable
from providers import _aws_prices as prices
from providers._aws_bulk import fetch_public_list
from providers._aws_hardware import InstanceType, machine_of, read_instance_type
from providers._aws_spot_advisor import Rates, try_rates
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.prices import Draft

MakeClient = Callable[[str, str], Any]

_GLOBAL_REGION = "us-east-1"
_CHINA = "cn-"
_CHINA_PRICES_REGION = "cn-northwest-1"
_OPEN_REGIONS = [{"Name": "opt-in-status", "Values": ["opt-in-not-required", "opted-in"]}]
_REFUSED = {"UnauthorizedOperation", "AccessDeniedException", "InvalidClientTokenId", "UnrecognizedClientException"}


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU instance type of every region that the account may use, or of the regions asked for.

    Without credentials: on-demand and reserved prices of a few regions, from the public list.
    """
    if "aws" not in context.clients and not _has_credentials():
        context.logger.warning("aws: no credentials, so only the public price list is read")
        yield from fetch_public_list(context, PROVIDER)
        return
    make_client = context.clients.get("aws", _make_boto_client(context))
    rates, problem = try_rates(context)
    if problem:
        yield Rejected(provider="aws", row="interruptions of spot", reason=f"not read: {problem}")
    offers = 0
    failures: list[Rejected] = []
    for region in _regions(make_client, context):
        try:
            for outcome in _region(region, make_client, context, rates):
                offers += not isinstance(outcome, Rejected)
                yield outcome
        except (BotoCoreError, ClientError) as error:
            failures.append(Rejected(provider="aws", row=region, reason=f"region left out: {_reason(error)}"))
    yield from failures
    if not offers:
        raise SourceUnreachable(f"aws: no region answered; {failures[0].reason if failures else 'no GPU types'}")


def _has_credentials() -> bool:
    """Whether boto3 finds any credentials, without asking AWS whether they are good."""
    import boto3

    return boto3.Session().get_credentials() is not None


def _make_boto_client(context: FetchContext) -> MakeClient:
    def make(service: str, region: str) -> Any:
        import boto3

        config = Config(
            connect_timeout=context.limits.connect_seconds,
            read_timeout=context.limits.read_seconds,
            retries={"mode": "adaptive", "max_attempts": context.limits.attempts},
        )
        return boto3.client(service, region_name=region, config=config)

    return make


def _regions(make_client: MakeClient, context: FetchContext) -> tuple[str, ...]:
    if context.regions:
        return context.regions
    try:
        answer = make_client("ec2", _GLOBAL_REGION).describe_regions(Filters=_OPEN_REGIONS)
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise MissingCredentials("aws: credentials are incomplete (environment, ~/.aws); provider skipped") from error
    except ClientError as error:
        code = error.response["Error"]["Code"]
        kind = MissingCredentials if code in _REFUSED or code == "AuthFailure" else SourceUnreachable
        raise kind(f"aws: ec2:DescribeRegions: {code}") from error
    except BotoCoreError as error:
        raise SourceUnreachable(f"aws: ec2:DescribeRegions: {type(error).__name__}") from error
    return tuple(sorted(region["RegionName"] for region in answer["Regions"]))


def _region(region: str, make_client: MakeClient, context: FetchContext, rates: Rates) -> Iterator[Outcome]:
    ec2 = make_client("ec2", region)
    types: dict[str, InstanceType] = {}
    drafts: prices.Drafts = {}
    for raw in prices.pages(ec2.describe_instance_types, "InstanceTypes", "NextToken"):
        if not raw.get("GpuInfo"):
            continue
        try:
            kind = read_instance_type(raw)
            drafts[kind.instance_type] = Draft(PROVIDER, region, machine_of(context, kind), "ec2:DescribeInstanceTypes")
            types[kind.instance_type] = kind
        except Unreadable as error:
            name = f"{raw.get('InstanceType')} {region}"
            yield Rejected(provider="aws", row=name, reason=error.reason, quarantined=error.quarantined)
    if not drafts:
        return
    yield from _drop_unsold(ec2, region, drafts)
    yield from _add_prices(region, ec2, make_client, types, drafts, context, rates)
    for draft in drafts.values():
        yield from draft.outcomes()


def _drop_unsold(ec2: Any, region: str, drafts: prices.Drafts) -> Iterator[Rejected]:
    """Types with a price but offered in no zone of the region are not sold there."""
    rows = prices.pages(
        ec2.describe_instance_type_offerings, "InstanceTypeOfferings", "NextToken", LocationType="availability-zone"
    )
    sold = {row["InstanceType"] for row in rows}
    for name in sorted(set(drafts) - sold):
        del drafts[name]
        yield Rejected(provider="aws", row=f"{name} {region}", reason="offered in no zone of the region")


def _add_prices(
    region: str,
    ec2: Any,
    make_client: MakeClient,
    types: dict[str, InstanceType],
    drafts: prices.Drafts,
    context: FetchContext,
    rates: Rates,
) -> Iterator[Rejected]:
    """Each way to pay by itself: one that fails is named and leaves the others."""
    is_china = region.startswith(_CHINA)
    hourly = {name: draft for name, draft in drafts.items() if types[name].is_sold_as("on-demand")}
    spot = {name: draft for name, draft in drafts.items() if types[name].is_sold_as("spot")}
    blocks = [name for name in drafts if types[name].is_sold_as("capacity-block")]
    pricing = make_client("pricing", _CHINA_PRICES_REGION if is_china else _GLOBAL_REGION)
    plans = make_client("savingsplans", region if is_china else _GLOBAL_REGION)
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("on_demand", lambda: list(prices.add_list_prices(pricing, region, hourly))),
        ("reserved", lambda: prices.add_reserved(ec2, drafts)),
        ("savings plans", lambda: prices.add_savings_plans(plans, region, drafts)),
        ("spot", lambda: prices.add_spot(ec2, spot, "CNY" if is_china else "USD", context, rates)),
        ("capacity blocks", lambda: prices.add_capacity_blocks(ec2, blocks, drafts, context)),
    ]
    for name, step in steps:
        try:
            yield from step() or ()
        except (ClientError, BotoCoreError) as error:
            yield Rejected(provider="aws", row=f"{region} {name}", reason=f"not read: {_reason(error)}")
        except Unreadable as error:
            yield Rejected(provider="aws", row=f"{region} {name}", reason=error.reason)


def _reason(error: Exception) -> str:
    """The error's code; its text may hold request details."""
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else type(error).__name__


PROVIDER = Provider(
    name="aws",
    title="Amazon Web Services",
    fetch=fetch,
    terms=frozenset(
        {
            Term.ON_DEMAND,
            Term.SPOT,
            Term.RESERVED_1Y,
            Term.RESERVED_3Y,
            Term.SAVINGS_PLAN_1Y,
            Term.SAVINGS_PLAN_3Y,
            Term.CAPACITY_BLOCK,
        }
    ),
    currencies=frozenset({"USD", "CNY"}),
    needs_key=False,
    documentation="https://docs.aws.amazon.com/AWSEC2/latest/APIReference",
    credentials="as boto3 finds them (environment, AWS_PROFILE, ~/.aws, role); without: on demand and reserved only",
    billing=Billing(
        1, "https://aws.amazon.com/about-aws/whats-new/2017/10/announcing-amazon-ec2-per-second-billing", 60
    ),
    tells_interruptions=True,
    lacks="links inside a machine, PCIe, ECC; stock; interruptions of spot above a fifth a month",
)

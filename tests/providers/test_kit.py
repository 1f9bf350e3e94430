"""The kit: amounts, drafts, machines, credentials, libraries. Properties are stated beside each test."""

import logging
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Mark, Offer, PriceKind, PriceUnit, Rejected, Term
from optimizer.errors import InputError, MissingCredentials, MissingLibrary
from providers._kit.contract import Unreadable
from providers._kit.discovery import load_provider
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, check_memory, memory_fits
from providers._kit.prices import Draft, from_cents, parse_amount
from providers._kit.secrets import Secrets, entry, whole_file
from tests.providers.conftest import FAKE_KEYS, MakeContext, fetched, shipped_finder


class TestAmounts:
    @given(st.one_of(st.text(max_size=12), st.floats(), st.integers(), st.decimals(), st.none(), st.booleans()))
    def test_a_positive_finite_number_or_a_reason(self, raw: object) -> None:
        """Whatever a source writes: nothing, a number above zero, or a rejection; never zero, never NaN."""
        try:
            amount = parse_amount(raw)
        except Unreadable:
            return
        assert amount is None if raw is None else amount is not None and amount.is_finite() and amount > 0

    @given(st.decimals(min_value="0.000001", max_value=10**6, places=6))
    def test_text_is_read_exactly(self, amount: Decimal) -> None:
        assert parse_amount(str(amount)) == amount
        assert from_cents(str(amount)) == amount / 100

    @pytest.mark.parametrize("raw", [True, False, [], {}, "1,5", "1 USD", "$1"])
    def test_what_is_no_number(self, raw: object) -> None:
        with pytest.raises(Unreadable):
            parse_amount(raw)


def a_draft() -> Draft:
    machine = Machine(
        provider="verda", instance_type="x", gpu_model="L4", gpu_count=8, gpu_memory_gib=24, gpu_memory_usable_gib=22.4
    )
    return Draft(load_provider("verda"), "r", machine, "source")


class TestDrafts:
    def test_a_bad_price_leaves_the_good_ones(self) -> None:
        draft = a_draft()
        draft.add(Term.ON_DEMAND, "2", "USD", times=8)
        draft.add(Term.SPOT, "NaN", "USD")
        draft.add(Term.MONTH, None, "USD", PriceUnit.MONTH)
        rejected, offer = draft.outcomes()
        assert isinstance(rejected, Rejected)
        assert rejected.reason == "spot: price: found NaN, expected a positive number"
        assert isinstance(offer, Offer)
        assert [(price.term, price.amount, price.kind) for price in offer.prices] == [
            (Term.ON_DEMAND, Decimal(16), PriceKind.LIST)
        ]

    def test_without_any_price_there_is_no_offer(self) -> None:
        (rejected,) = a_draft().outcomes()
        assert isinstance(rejected, Rejected)
        assert rejected.reason == "no price on any term"

    @pytest.mark.parametrize("currency", ["EUR", "usd", "", "RMB"])
    def test_another_currency_is_refused(self, currency: str) -> None:
        draft = a_draft()
        draft.add(Term.ON_DEMAND, "1", currency)
        (rejected,) = draft.outcomes()
        assert isinstance(rejected, Rejected)
        assert f"currency: found {currency!r}, expected USD" in rejected.reason

    def test_an_absurd_rate_is_refused(self) -> None:
        """A yearly total read as an hourly price (551,000 for an Azure reservation) stands out."""
        draft = a_draft()
        draft.add(Term.ON_DEMAND, "551000", "USD")
        (rejected,) = draft.outcomes()
        assert isinstance(rejected, Rejected)
        assert "551000 a hour, expected at most 100000" in rejected.reason

    def test_a_share_of_a_card_is_marked(self) -> None:
        draft = a_draft()
        draft.machine = draft.machine.model_copy(update={"gpu_count": 1, "gpu_fraction": 0.25})
        draft.add(Term.ON_DEMAND, "1", "USD")
        draft.add(Term.SPOT, "1", "USD", marks=(Mark.CAPPED,))
        (offer,) = draft.outcomes()
        assert isinstance(offer, Offer)
        assert [price.marks for price in offer.prices] == [(Mark.FRACTIONAL,), (Mark.FRACTIONAL, Mark.CAPPED)]

    def test_a_field_that_the_record_refuses_is_a_rejection(self) -> None:
        draft = a_draft()
        draft.add(Term.ON_DEMAND, "1", "USD", upfront_share=2)
        (rejected,) = draft.outcomes()
        assert isinstance(rejected, Rejected)
        assert "upfront_share: found 2" in rejected.reason


class TestMachines:
    @pytest.mark.parametrize(
        ("model", "stated_gib", "fits"),
        [
            ("L4", 22.352, True),  # 22,888 MiB as EC2 reports
            ("B200-SXM-180GB", 179.06, True),  # 183,359 MiB
            ("B300-SXM-288GB", 268.6, True),  # 275,040 MiB
            ("H100-SXM5-80GB", 79.65, True),  # 81,559 MiB
            ("A100-SXM4-80GB", 40, False),
            ("A100-SXM4-40GB", 80, False),
            ("H100-SXM5-80GB", 640, False),  # a node's total
            ("H100-SXM5-80GB", 94, False),  # the NVL card
        ],
    )
    def test_stated_memory_must_be_the_models(
        self, gpus: dict[str, Gpu], model: str, stated_gib: float, fits: bool
    ) -> None:
        assert memory_fits(gpus[model], stated_gib) is fits
        if not fits:
            with pytest.raises(Unreadable, match="per GPU, expected about"):
                check_memory(gpus[model], "label", stated_gib)

    def test_usable_memory_is_the_smallest_figure(self, make_context: MakeContext) -> None:
        context = make_context()
        machine = build_machine(context, "aws", "g6", gpu_label="L4", gpu_count=1, memory_gib=24.0, source="s")
        # The driver reports 22,888 MiB = 22.352 GiB of an L4.
        assert machine.gpu_memory_usable_gib == pytest.approx(22.352, abs=0.001)
        assert machine.gpu_memory_gib == 24

    def test_the_data_sheet_of_the_gpu_comes_along(self, make_context: MakeContext) -> None:
        """An L4 has 300 GB/s of GDDR6 and compute capability 8.9 (NVIDIA data sheet)."""
        machine = build_machine(make_context(), "aws", "g6", gpu_label="L4", gpu_count=1, source="s")
        facts = (machine.memory_type, machine.memory_bandwidth_gbyte_per_s, machine.compute_capability)
        assert facts == ("GDDR6", 300, 8.9)

    def test_a_fact_that_the_record_refuses_is_a_rejection(self, make_context: MakeContext) -> None:
        with pytest.raises(Unreadable, match="vcpus: found -1"):
            build_machine(make_context(), "aws", "x", gpu_label="L4", gpu_count=1, source="s", vcpus=-1)

    def test_no_gpu_is_no_machine(self, make_context: MakeContext) -> None:
        with pytest.raises(Unreadable, match="found 0 GPUs"):
            build_machine(make_context(), "aws", "x", gpu_label="L4", gpu_count=0, source="s")

    @pytest.mark.parametrize(
        ("provider", "label", "memory_gib", "model"),
        [
            ("lambda", "H100 (80 GB SXM5)", 80, "H100-SXM5-80GB"),
            ("lambda", "A100 (40 GB PCIe)", 40, "A100-PCIE-40GB"),
            ("hyperstack", "H100-80G-PCIe", None, "H100-PCIE-80GB"),
            ("vast", "A100 SXM4", 40, "A100-SXM4-40GB"),
            ("vast", "A100 SXM4", 80, "A100-SXM4-80GB"),
            ("aws", "NVIDIA A100", 40, "A100-SXM4-40GB"),
            ("gcp", "nvidia-h100-80gb-mega", None, "H100-SXM5-80GB"),
            ("gcp", "nvidia-h100-80gb-plus", None, "H100-SXM5-80GB"),
            ("oci", "BM.GPU.B200", 180, "B200-SXM-180GB"),
            ("nebius", "gpu-l40s-a", 48, "L40S"),
            ("alibaba", "GPU H", 96, None),
            ("alibaba", "G49", 48, None),
            ("runpod", "NVIDIA RTX PRO 4500 Blackwell", 32, None),
        ],
    )
    def test_names(self, provider: str, label: str, memory_gib: float | None, model: str | None) -> None:
        gpu = shipped_finder()(label, memory_gib, provider)
        assert (gpu.model if gpu else None) == model

    @pytest.mark.parametrize("label", ["h100 (80 GB sxm5)", "H100 (80 GB SXM5)"])
    def test_case_does_not_matter(self, label: str) -> None:
        gpu = shipped_finder()(label, 80, "lambda")
        assert gpu is not None
        assert gpu.model == "H100-SXM5-80GB"


@pytest.fixture
def gpus() -> dict[str, Gpu]:
    from optimizer.catalog import load_catalog

    return load_catalog().gpus


class TestCredentials:
    @pytest.mark.parametrize(
        ("provider", "file", "content"),
        [
            ("lambda", ".lambda_cloud/lambda_keys", "api_key = file-key-123\n"),
            ("crusoe", ".crusoe/config", '[default]\naccess_key_id = "file-key-123"\nsecret_key = "c2VjcmV0"\n'),
        ],
    )
    def test_files_of_each_ecosystem(
        self, provider: str, file: str, content: str, tmp_path: Path, make_context: MakeContext, web: object
    ) -> None:
        path = tmp_path / file
        path.parent.mkdir(parents=True)
        path.write_text(content)
        secrets = Secrets({}, tmp_path)
        name = "api_key" if provider == "lambda" else "access_key_id"
        assert secrets.need(provider, "NO_SUCH_VARIABLE", files=[(file, entry(name))]) == "file-key-123"
        assert secrets.redact("x file-key-123 y") == "x *** y"

    def test_the_environment_goes_before_files(self, tmp_path: Path) -> None:
        (tmp_path / "key").write_text("from-the-file")
        secrets = Secrets({"A_KEY": "from-the-environment"}, tmp_path)
        assert secrets.find("A_KEY", files=[("key", whole_file)]) == "from-the-environment"
        assert Secrets({}, tmp_path).find("A_KEY", files=[("key", whole_file)]) == "from-the-file"

    def test_what_is_missing_names_places_not_values(self, tmp_path: Path) -> None:
        with pytest.raises(MissingCredentials, match=r"x: no credentials in A_KEY, ~/a/file; provider skipped"):
            Secrets({"OTHER": "v"}, tmp_path).need("x", "A_KEY", files=[("a/file", whole_file)])

    @pytest.mark.parametrize("line", ["k = v1", "k=v1", 'k = "v1"', "k: v1", "k : 'v1'", "[s]\nother = 2\nk = v1"])
    def test_lines_of_many_dialects(self, line: str) -> None:
        assert entry("k")(line) == "v1"
        assert entry("z")(line) is None

    def test_variables_that_look_like_keys_are_hidden_even_when_unasked(self, tmp_path: Path) -> None:
        secrets = Secrets(FAKE_KEYS, tmp_path)
        text = " ".join(FAKE_KEYS.values())
        shown = secrets.redact(text)
        for name, value in FAKE_KEYS.items():
            assert value not in shown or name == "GOOGLE_CLOUD_PROJECT"

    def test_log_records_lose_keys_and_tracebacks(self, tmp_path: Path) -> None:
        secrets = Secrets({"A_KEY": "abcdef-secret"}, tmp_path)
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "key %s", ("abcdef-secret",), None)
        assert secrets.log_filter().filter(record)
        assert record.getMessage() == "key ***"


class TestLibraries:
    def test_a_missing_sdk_names_the_command(self) -> None:
        with pytest.raises(MissingLibrary, match=r"run: pip install 'gpu-cost-optimizer\[tencent\]'"):
            load_library("no_such_sdk", "tencent", "tencent")

    @pytest.mark.parametrize(
        ("name", "module"),
        [("alibaba", "alibabacloud_tea_openapi"), ("huawei", "huaweicloudsdkecs"), ("nebius", "nebius"),
         ("tencent", "tencentcloud"), ("volcengine", "volcenginesdkcore")],
    )  # fmt: skip
    def test_each_provider_says_so(
        self, name: str, module: str, make_context: MakeContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import importlib

        original = importlib.import_module

        def without(wanted: str, package: str | None = None) -> object:
            if wanted.partition(".")[0] == module:
                raise ImportError(wanted)
            return original(wanted, package)

        monkeypatch.setattr(importlib, "import_module", without)
        with pytest.raises(MissingLibrary, match=rf"gpu-cost-optimizer\[{name}\]"):
            fetched(name, make_context())


def test_an_unknown_provider_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean hyperstack"):
        load_provider("hyperstak")

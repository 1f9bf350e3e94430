"""Plans by name and in both languages, for every test of the reports."""

import pytest

from optimizer.domain.plan import Plan
from optimizer.domain.text import LANGUAGES, Language
from tests.reports import factory


@pytest.fixture(params=sorted(factory.ALL))
def any_plan(request: pytest.FixtureRequest) -> Plan:
    """Every hand-made plan in turn."""
    made: Plan = factory.ALL[request.param]()
    return made


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    """Both languages in turn."""
    chosen: Language = request.param
    return chosen

"""A small pytest project of its own, for the tests of the plugins."""

import pytest


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Runs with our plugins, not in CI unless a test says so."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("CONCH_TEST_POSTGRES_URL", raising=False)
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        testpaths = ["."]
        asyncio_mode = "auto"
        asyncio_default_fixture_loop_scope = "function"
        addopts = ["--strict-markers", "-pno:hypothesispytest",
                   "-ptests.plugins.groups", "-ptests.plugins.guards", "-ptests.plugins.reports"]
        """
    )
    return pytester

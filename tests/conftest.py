"""What every test runs under; each plugin says what it adds. A fixture for one area belongs to that area's folder."""

pytest_plugins = ["tests.plugins.groups", "tests.plugins.guards", "tests.plugins.reports", "pytester"]

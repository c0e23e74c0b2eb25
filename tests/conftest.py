"""One setting for all random tests: no clock, and in CI the same examples every time."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "sqlrisk",
    deadline=None,  # two slow cores are no defect
    max_examples=15,
    derandomize="CI" in os.environ,
    database=None,  # a failing example is printed with the code that reproduces it
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("sqlrisk")

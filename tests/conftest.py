"""What every test shares: what is compiled once, how Hypothesis behaves here and in a build."""

import os
import signal
import sys

import structlog
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.store.fixtures", "tests.store.programs", "tests.live.fixtures"]

# Each worker, and a hundred processes that the tests start, compile the same modules: once will do.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that runs tests in the background has them ignore Ctrl-C, and so all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores: much of the tests' time is waiting."""
    return (os.cpu_count() or 1) + 2


# Tracebacks without the values of every variable: drawing those takes longer than the tests.
structlog.configure(
    processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
)

# No deadline: two cores are shared by many processes, and a slow example is not a wrong one.
settings.register_profile("default", deadline=None)
# A build prints how to repeat a failure and finds the same examples every time.
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "default")

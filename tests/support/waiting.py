"""Waiting for what happens elsewhere: in another process, thread or server."""

import time
from collections.abc import Callable


def until(happened: Callable[[], object], seconds: float = 300) -> None:
    """Return as soon as something has happened. Raises TimeoutError after minutes, which no slow
    machine needs.
    """
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            message = f"it has not happened within {seconds:g} s"
            raise TimeoutError(message)
        time.sleep(0.05)

"""Wait until something happens in another process, thread or server."""

import time
from collections.abc import Callable


def until(happened: Callable[[], object], seconds: float = 300) -> None:
    """Return as soon as ``happened`` returns a true value. Raises TimeoutError after ``seconds``,
    by default some minutes, more than any slow machine needs.
    """
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            message = f"it has not happened within {seconds:g} s"
            raise TimeoutError(message)
        time.sleep(0.05)

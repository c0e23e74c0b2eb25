"""Headless Chromium, to test how a reader's browser shows a page. The browser makes no network
requests.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from waiting import until

FLAGS = (
    *(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


@dataclass(frozen=True)
class Browser:
    """Chromium under Selenium's ``driver``, made by `chromium`."""

    driver: Any
    events: list[dict[str, Any]] = field(default_factory=list)
    """Log entries since the last call of `requests`."""

    def open(
        self, path: Path, *, width: int = 1280, dark: bool = False, scripts: bool = True
    ) -> None:
        """Open a file in a window of this width, in light or dark mode, with or without scripts."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.heard()
        self.driver.get(path.as_uri())
        # Without scripts the driver may return before the page has loaded.
        until(lambda: any(event["method"] == "Page.loadEventFired" for event in self.heard()))

    def run(self, script: str, *arguments: object) -> Any:
        """Run a function body in the page and return its result."""
        return self.driver.execute_script(script, *arguments)

    def complaints(self) -> list[str]:
        """Return the console's messages since the last call."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that pages requested since the last call, without the browser's
        first page.
        """
        self.heard()
        sent = [
            event["params"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]
        self.events.clear()
        return [each["request"]["url"] for each in sent if each["documentURL"].startswith("file:")]

    def heard(self) -> list[dict[str, Any]]:
        """Return the browser's log entries since the last call."""
        new = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        self.events.extend(new)
        return new

    def pdf(self) -> bytes:
        """Print the page on its declared paper size, and return the PDF."""
        return base64.b64decode(
            self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
        )

    def ask(self, command: str, **parameters: object) -> Any:
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser with a new, empty profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = str(which("chromium"))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with TemporaryDirectory() as profile:
        options.add_argument(f"--user-data-dir={profile}")
        driver = webdriver.Chrome(options=options, service=Service(str(which("chromedriver"))))
        try:
            yield Browser(driver)
        finally:
            driver.quit()

"""The sign-off of a page: who has decided what, between two comments of its HTML, written anew with
each signature.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.report.html.rendering import part

_PLACE = re.compile(r"<!-- sign-off -->\n.*?<!-- /sign-off -->", re.DOTALL)
_RESULTS = re.compile(r'<meta name="sqlrisk-results" content="([0-9a-f]{64})">')


def signed(page: str, signatures: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return a page with its sign-off. Raises InputError where it has no place for one."""
    found = _PLACE.findall(page)
    if len(found) != 1:
        raise InputError(
            f"The page {name!r} has no place for a sign-off: write it again by `sqlrisk score`."
        )
    return page.replace(found[0], part("sign_off.html.j2", signatures=signatures))


def results_of(page: str) -> str | None:
    """Return the SHA-256 of the numbers that a page is of; None where it does not say."""
    found = _RESULTS.search(page)
    return found and found[1]

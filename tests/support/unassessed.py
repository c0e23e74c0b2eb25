"""Score without checking if the files can be assessed. The check takes a third of a small score's
time and statements.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sqlrisk.analyses import assessment
from sqlrisk.analyses.scores import scoring


@contextmanager
def unasked() -> Iterator[None]:
    """Skip the assessment until the block ends, except in ``inspect``, which only assesses."""
    with pytest.MonkeyPatch.context() as patch:
        inspect = scoring.inspect

        def asked(*about: Any) -> Any:
            with pytest.MonkeyPatch.context() as back:
                for name, function in kept.items():
                    back.setattr(assessment, name, function)
                return inspect(*about)

        kept = {name: getattr(assessment, name) for name in ("compare_rows", "assess")}
        patch.setattr(assessment, "compare_rows", lambda *_, **__: [])
        patch.setattr(assessment, "assess", lambda *_, **__: ([], [], []))
        patch.setattr(scoring, "inspect", asked)
        yield

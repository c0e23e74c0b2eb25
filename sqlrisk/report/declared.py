"""How measures are shown: what the headers of their files declare, of those that are shipped and of a user's own."""

from collections.abc import Mapping
from typing import Any

from sqlrisk.catalogue.measures import catalog

Declared = Mapping[str, Mapping[str, Any]]
"""What the header of a measure says, by the measure's name, in catalogue order."""


def declared(own: Declared) -> Declared:
    """Return the headers of all shipped measures, and after them those of a user's ``own``."""
    shipped = {measure.name: measure.shown for measure in catalog()}
    return {**shipped, **{name: header for name, header in own.items() if name not in shipped}}


def having(key: str, measures: Declared) -> dict[str, Any]:
    """Return what each measure has for a key of its header, of those that have it."""
    return {name: header[key] for name, header in measures.items() if key in header}

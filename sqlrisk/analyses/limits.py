"""The work limit: refuse work above it, with an estimate and an alternative."""

from sqlrisk.common.errors import InputError


def require(limit: int, takes: int, what: str, unit: str, way: str) -> None:
    """Raise InputError if ``takes``, counted in ``unit``, is above the limit.

    ``what`` names the work in the message. ``way`` tells how to avoid raising the limit.
    """
    if takes > limit:
        raise InputError(
            f"{what} takes about {takes:,} {unit}; the limit is {limit:,}: {way}, or raise "
            "--work-limit."
        )

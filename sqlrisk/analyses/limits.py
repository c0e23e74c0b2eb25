"""The work limit: refuse work above it, with the estimate and what to do instead."""

from sqlrisk.common.errors import InputError


def require(limit: int, takes: int, what: str, unit: str, way: str) -> None:
    """Raise InputError if ``takes``, counted in ``unit``, is above the limit.

    ``what`` names the work in the message, and ``way`` says what to do instead of raising the
    limit.
    """
    if takes > limit:
        raise InputError(
            f"{what} takes about {takes:,} {unit}; the limit is {limit:,}: {way}, or raise "
            "--work-limit."
        )

"""The work limit (`--work-limit`): refuse work above it, with an estimate and an alternative."""

from sqlrisk.common.errors import InputError


def require(limit: int, takes: int, what: str, unit: str, way: str) -> None:
    """Raise InputError if ``takes``, the estimated units of work, is above the limit.

    In the message, ``what`` names the work, ``unit`` names the units, and ``way`` says how to need
    less work.
    """
    if takes > limit:
        raise InputError(
            f"{what} takes about {takes:,} {unit}; the limit is {limit:,}: {way}, or raise "
            "--work-limit."
        )

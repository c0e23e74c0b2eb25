"""The work limit: what takes longer is refused, with the estimate and the way out."""

from sqlrisk.common.errors import InputError


def require(limit: int, takes: int, what: str, unit: str, way: str) -> None:
    """Raise InputError where ``what`` takes more than ``limit``, counted in ``unit``; ``way``: what
    to do but raise the limit.
    """
    if takes > limit:
        raise InputError(
            f"{what} takes about {takes:,} {unit}; the limit is {limit:,}: {way}, or raise "
            "--work-limit."
        )

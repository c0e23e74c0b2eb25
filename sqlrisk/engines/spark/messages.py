"""Explain errors of Spark in one sentence, without a value of a record."""

from pyspark.errors import PySparkException

_LEFT_TYPE = ("ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE", "CAST_OVERFLOW")
_MEMORY = ("OutOfMemory", "UNABLE_TO_ACQUIRE_MEMORY", "Java heap space", "GC overhead")
_ENDED = (
    "SparkContext was shut down", "stopped SparkContext", "StatusCode.UNAVAILABLE",
    "INVALID_HANDLE.SESSION",
)  # fmt: skip


def explain(error: BaseException) -> str:
    """Explain a Spark error: the cause and what to do."""
    text = str(error)
    condition = (error.getCondition() if isinstance(error, PySparkException) else None) or ""
    if condition in _LEFT_TYPE:
        return (
            "Spark: a number left the range of its type, as may happen to sums of very large "
            "weights or values."
        )
    if any(sign in text for sign in _MEMORY):
        return (
            "Spark ran out of memory: raise --memory-limit, or the memory of the session's "
            "driver and workers."
        )
    if "No space left" in text:
        return (
            "Spark ran out of disk space: make room where its workers write, or point "
            "--temp-directory to a larger disk."
        )
    if "Checkpoint block" in text or "ExecutorLostFailure" in text or "CHECKPOINT" in condition:
        return (
            "A Spark worker was lost, and its stage tables with it: run again. Tables of "
            "--scratch SCHEMA do not depend on a worker."
        )
    if "FileNotFound" in text or "FAILED_READ_FILE" in condition:
        return (
            "A worker of Spark cannot read a file: put it where every worker finds it by the "
            "same path, or name a table."
        )
    if (
        _is_of_connection(error)
        or isinstance(error, OSError)
        or any(sign in text for sign in _ENDED)
    ):
        return "The Spark session ended during the run: its driver or its cluster was stopped."
    if "cancelled" in text:
        return "Spark: another program cancelled the job."
    return f"Spark failed ({condition or type(error).__name__})."


def _is_of_connection(error: BaseException) -> bool:
    """Return True for a connection error of py4j or grpc. Either package may be missing.

    Py4JJavaError is an error of Spark itself, which the connection delivered.
    """
    kind = type(error)
    return (
        kind.__module__.partition(".")[0] in ("py4j", "grpc") and kind.__name__ != "Py4JJavaError"
    )

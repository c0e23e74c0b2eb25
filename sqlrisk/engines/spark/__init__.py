"""Apache Spark, classic and by Spark Connect: the one package that speaks to it."""

from sqlrisk.engines.spark.engine import Spark

__all__ = ["Spark"]

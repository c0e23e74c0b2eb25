"""Apache Spark, classic or through Spark Connect."""

from sqlrisk.engines.spark.engine import Spark

__all__ = ["Spark"]

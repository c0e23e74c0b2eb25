"""Run queries in DuckDB without sqlrisk, and print their counts: python bare.py SETTINGS QUERIES,
both JSON lists.
"""

import json
import sys

import duckdb


def main() -> None:
    """Run the queries one after the other, and print their counts as JSON."""
    settings, queries = map(json.loads, sys.argv[1:])
    connection = duckdb.connect()
    for setting in settings:
        connection.execute(setting)
    print(json.dumps([connection.execute(query).fetchall()[0] for query in queries]))


if __name__ == "__main__":
    main()

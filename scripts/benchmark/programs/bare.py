"""DuckDB alone: python bare.py SETTINGS QUERIES, both JSON lists. Prints what the queries count."""

import json
import sys

import duckdb


def main() -> None:
    """Runs the queries one after the other, and prints what they counted as JSON."""
    settings, queries = map(json.loads, sys.argv[1:])
    connection = duckdb.connect()
    for setting in settings:
        connection.execute(setting)
    print(json.dumps([connection.execute(query).fetchall()[0] for query in queries]))


if __name__ == "__main__":
    main()

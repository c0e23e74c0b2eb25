"""One module for each comparison, with a function `find`. The docstring of the module is the
help.
"""

USUAL = (
    "bare",
    "commands",
    "sweep",
    "families",
    "start",
    "questions",
    "analysts",
    "peers",
    "growth",
    "columns",
    "page",
    "stages",
)
OTHERS = ("scale", "engines", "census", "shuffles")
PIECES = {
    "scale": ("records", "wide", "key", "target", "class"),
    "engines": ("duckdb", "postgresql", "spark"),
}

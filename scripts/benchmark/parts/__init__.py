"""One comparison each: a module with a function `find`, from the settings to the findings; its
docstring is its help.
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
    "stages",
)
OTHERS = ("scale", "engines", "shuffles")
PIECES = {
    "scale": ("records", "wide", "key", "target", "class"),
    "engines": ("duckdb", "postgresql", "spark"),
}

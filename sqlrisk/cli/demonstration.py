"""The end of `sqlrisk demo`: findings in ten lines, and commands to try next."""

from collections.abc import Iterator

from sqlrisk.report.declared import CERTAIN, UNIQUE, leading
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import Row, amount, count, distinct, names, percent, pooled

NEXT = (
    "sqlrisk demo --full",
    "sqlrisk demo -o demo.html",
    "sqlrisk init ORIGINAL SYNTHETIC... -o scenario.toml",
)


def demonstrated(report: Findings) -> str:
    """Return ten lines about a report with three targets. They compare the worst synthetic file
    with the original.
    """
    scenario = report.scenario
    people, files = amount(report.original["records"]), len(report.synthetic)
    lines = [
        f"{people} people of a public survey, and {files} synthetic files made from it. Somebody",
        f"knows a person's {_spaced(names(scenario['keys']))}. The worst file",
        *_found(report),
        "All numbers, a page to decide on, and a question about files of your own:",
        *(f"  {command}" for command in NEXT),
    ]
    return "\n".join(lines) + "\n"


def _spaced(names: str) -> str:
    return names.replace("_", " ")


def _found(report: Findings) -> Iterator[str]:
    """Yield a line on people who seem to be found, then a line for each target on people whose
    level is revealed.
    """
    certain, unique = (leading(report.declared, word) for word in (CERTAIN, UNIQUE))
    found = _worst(report, unique.name, None)
    told = [("singles out", found, "")]
    for target in distinct(report.results, "target"):
        if target is not None:
            original = _worst(report, certain.original, target)
            told.append(
                (
                    f"reveals the {_spaced(target)} of",
                    _worst(report, certain.name, target),
                    f"; original {percent(original['value'])}",
                )
            )
    wide = max(len(words) for words, *_ in told)
    for words, row, beside in told:
        yield (
            f"  {words:{wide}}  {amount(row['numerator']):>9} people "
            f"({percent(row['value'])}{beside})"
        )


def _worst(report: Findings, measure: str, target: str | None) -> Row:
    """Return the row of the single synthesis with the highest value."""
    rows = [row for row in report.results if (row["measure"], row["target"]) == (measure, target)]
    return max(
        (row for row in rows if not pooled(str(row["synthesis"])) and row["numerator"] is not None),
        key=lambda row: count(row["value"]),
    )

"""The meaning of a report's numbers: its measures, the symbols in their formulas, and notes."""

import re
from collections.abc import Iterator, Mapping

from sqlrisk.report.blocks import Heading, Items, Terms
from sqlrisk.report.findings import Findings
from sqlrisk.report.section import OnPage, Part
from sqlrisk.report.sections import result_tables
from sqlrisk.report.wording import NOTHING, label_name, plain_text, split

NOTES = [
    (
        "Percentages are of original records unless the unit says otherwise; a higher one means "
        "more risk unless the measure says otherwise."
    ),
    (
        "Original is what the original file itself would reveal. Baseline is a guess from only the "
        "target's shares. Compare every number of the synthetic file with these two."
    ),
    (
        "These are numbers for a decision, not the decision: no single one of them says that a "
        "file is safe."
    ),
]
MANY = (
    f"If a name has more than {result_tables.FEW} syntheses, their mean, minimum and maximum are "
    "shown. --part results, CSV, JSON and Parquet have each."
)
UNDEFINED = f"{NOTHING} means not defined: there is nobody to divide by."
USUAL = "more risk"  # meaning of a higher number unless the measure says otherwise
SYMBOLS = (
    ("q, t, u", "a combination of the keys; a level of the target; any level of the target"),
    ("d, s, p", "people of the original; records of the synthetic file; people of the universe"),
    (
        "d_q, d_tq",
        (
            "people with these keys; people with these keys and this level of the target (likewise "
            "s_q, s_tq, p_q)"
        ),
    ),
    (
        "d_t, N_d, N_s, N_p",
        "people with this level; all people; all synthetic records; all people of the universe",
    ),
    (
        "tau",
        "the least share that a level must have among records with the same keys to be guessed",
    ),
)


def meaning(report: Findings) -> Iterator[Part]:
    """Yield definitions of the measures in a report, the symbols in formulas, and notes."""
    units = {name: str(rows[0]["unit"]) for name, rows in split(report.results, "measure")}
    defined = [(name, _defined(report.headers.get(name, {}), unit)) for name, unit in units.items()]
    used = {word for _, said in defined for word in re.findall(r"\w+", said)}
    symbols = [pair for pair in SYMBOLS if used.intersection(re.findall(r"\w+", pair[0]))]
    yield OnPage([Terms(defined, quiet=True)])
    if symbols:
        yield OnPage([Heading("Symbols", 3), Terms(symbols, quiet=True)])
    yield Items(NOTES + [MANY] * _many(report) + [UNDEFINED] * _undefined(report), quiet=True)


def _defined(header: Mapping[str, object], unit: str) -> str:
    said = [f"{header.get('title', unit)}."]
    said.append(f"{header['formula']} ({unit})." if "formula" in header else f"In {unit}.")
    if header.get("higher", USUAL) != USUAL:
        said.append(f"Higher means {header['higher']}.")
    said += [f"Source: {header['source']}."] if "source" in header else []
    return " ".join(said)


def _many(report: Findings) -> bool:
    """Return True if a name has too many syntheses to show each of them."""
    names = [label_name(plain_text(side.get("synthesis"))) for side in report.synthetic]
    return any(names.count(name) > result_tables.FEW for name in names)


def _undefined(report: Findings) -> bool:
    """Return True if a number has no value and is not hidden, so the report must explain that."""
    return any(row["value"] is None and not row.get("hidden") for row in report.results)

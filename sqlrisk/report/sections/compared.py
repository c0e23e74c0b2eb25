"""The inputs of a report: the files, and the settings in words."""

from collections.abc import Iterator, Mapping
from operator import itemgetter

from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Paragraph, Terms, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.section import OnPage, Part, below
from sqlrisk.report.sections import assessment, cells, checks
from sqlrisk.report.wording import (
    Row,
    left_out,
    listed,
    names,
    number_of,
    pairs,
    plain_text,
    shown,
)

ASSUMED = (
    "in each class of the keys, target levels were drawn from a saturated multinomial, anew for "
    "each synthesis, with a Dirichlet "
    "prior of {prior:g} for each level; the intruder knows this, and all of the original but one "
    "target level. Before seeing the files, the intruder thought that "
    "{thought}"
)
THOUGHT = {
    "uniform": "all levels were equally probable",
    "others": (
        "a level was as probable as it is frequent among the other people of the class, with "
        "{prior:g} added to each level"
    ),
    "baseline": "a level was as probable as the baseline file says",
}


def compared(report: Findings) -> Iterator[Part]:
    """Yield blocks on files, settings and exclusions."""
    yield from _files(report)
    why = report.scenario.get("justification")
    said = "No justification was given (--justification)."
    if why is not None:
        said = f"Justification: {shown(why)}"
    told: list[Block] = [Paragraph("Nobody is excluded.")]
    if excluded := [*left_out(report.scenario)]:
        told = [Items(excluded), Paragraph(said)]
    yield OnPage([Heading("Exclusions", 3), *told])
    yield from below(checks.exclusions(report))


def _files(report: Findings) -> Iterator[Block]:
    """Yield a row for each file, then the omitted parts of the files, and the settings."""
    named = any(" " in plain_text(side.get("synthesis")) for side in report.synthetic)
    sides = [("original", report.original)]
    for place, side in enumerate(report.synthetic, 1):
        label = plain_text(side.get("synthesis") or place)
        sides.append((label if named else f"synthesis {label}", side))
    sides += [("universe", report.universe)] if report.universe is not None else []
    sides += [("control", report.control)] if report.control is not None else []
    yield table(
        [
            cells.text("", itemgetter(0)),
            cells.text("file", lambda line: shown(line[1].get("source"))),
            (GridColumn("records"), lambda line: number_of(line[1], "records")),
            (GridColumn("classes"), lambda line: number_of(line[1], "classes")),
        ],
        sides,
    )
    yield from assessment.left_out([side for _, side in sides])
    yield Terms(list(_settings(report)))


def _said_of_columns(columns: object) -> Iterator[str]:
    """Yield the dictionary's settings of each column: ``age: missing -8, bands 0, 18, 65``."""
    for column, said in columns.items() if isinstance(columns, Mapping) else ():
        texts = []
        for name, value in said.items() if isinstance(said, Mapping) else ():
            if name == "label":  # labels from the dictionary and from the files are shown together
                continue
            groups = value.items() if isinstance(value, Mapping) else ()
            text = ", ".join(f"{shown(group)} ({names(levels)})" for group, levels in groups)
            texts.append(f"{name.replace('_', ' ')} {text or names(value)}")
        if texts:
            yield f"{shown(column)}: {', '.join(texts)}"


def _settings(report: Findings) -> Iterator[tuple[str, str]]:
    """Yield the settings in words. Keys, targets and exclusions are always named."""
    scenario: Row = report.scenario
    yield "keys", names(scenario.get("keys"))
    nothing = "none: no column besides the keys is in all files"
    yield "targets", names(scenario["targets"]) if scenario.get("targets") else nothing
    if labels := report.labels.items():
        yield "labels", "; ".join(f"{shown(name)}: {shown(label)}" for name, label in labels)
    # recipe: add a setting
    if bins := pairs(scenario.get("bins")):
        equal = {shown(column) for column in report.equal_width}
        equally = "bins of equal width (quantiles leave fewer than 3 bins)"
        # an external report does not say which: it depends on people whom the synthetic file lacks
        quantiles = "bins" if report.shared else "quantile bins"
        cut = (
            f"{column} in {count} {equally if column in equal else quantiles}"
            for column, count in bins
        )
        yield "bins", ", ".join(cut)
    if special := pairs(scenario.get("special")):
        yield "special values", ", ".join(f"{column}: {value}" for column, value in special)
    if said := "; ".join(_said_of_columns(scenario.get("column"))):
        yield "columns", said
    if missing := scenario.get("missing"):
        yield "missing values", names(missing)
    if within := pairs(scenario.get("within")):
        floors = dict(pairs(scenario.get("within_floor")))
        texts = {
            column: f"{text}, at least {floors[column]}" if column in floors else text
            for column, text in within
        }
        keys = {shown(key) for key in listed(scenario.get("keys"))}
        for told, of_keys in (("right within", False), ("key within", True)):
            if some := [
                f"{column}: {text}" for column, text in texts.items() if (column in keys) == of_keys
            ]:
                yield told, ", ".join(some)
    if links := listed(scenario.get("link")):
        yield "joined", "; ".join(map(shown, links))
    if scenario.get("aligned"):
        by, order = scenario.get("id"), "record by record, in the order of the files"
        yield "aligned", order if by is None else f"by {shown(by)}"
    if scenario.get("assume"):
        prior = scenario.get("prior")
        thought = THOUGHT[scenario.get("intruder_prior") or "uniform"].format(prior=prior)
        yield "assumed", ASSUMED.format(prior=prior, thought=thought)
    yield "not counted", "; ".join(left_out(scenario)) or "nothing is excluded"
    if (why := scenario.get("justification")) is not None:
        yield "because", shown(why)

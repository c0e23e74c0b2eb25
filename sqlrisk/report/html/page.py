"""From a report to its page: the sections, what stands in each, and the one template that all pages share."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Number, Paragraph, Sentence, Terms
from sqlrisk.report.columns import MOST, OF_A_REPORT
from sqlrisk.report.html import charts, drawing, words
from sqlrisk.report.html.suppression import THRESHOLD, external
from sqlrisk.report.sections.report_sections import (
    FAMILIES,
    NOTHING,
    left_out,
    listing_blocks,
    number_of,
    report_sections,
    representatives,
    shown,
)

if TYPE_CHECKING:
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.attacks import Attacks
    from sqlrisk.report.results.sweeps import Sweep
    from sqlrisk.report.results.uniques import Uniques


Row = Mapping[str, Any]

LEVELS = ("internal", "external")
TITLE = "Disclosure risk of synthetic data"
COMPARED = ("Dorig", "DiSCO", "CAPd", "DCAP")
SINGLING_OUT, INFERENCE, LINKABILITY = ("UiO", "UiOiS", "repU"), ("DiSCO", "DCAP"), ("true_match_rate", "expected_match_risk")


@dataclass(frozen=True)
class Figures:
    """Figures beside each other under one heading."""

    title: str
    caption: str
    figures: Sequence[charts.Figure]


@dataclass(frozen=True)
class Form:
    """What people fill in by hand to sign off."""

    checklist: Sequence[str] = words.CHECKLIST
    decisions: Sequence[str] = words.DECISIONS
    blanks: Sequence[str] = words.BLANKS


Part = Block | Figures | Form


@dataclass(frozen=True)
class More:
    """Results of other runs about the same files."""

    attacks: "Attacks | None" = None
    sweep: "Sweep | None" = None
    uniques: "Uniques | None" = None


@dataclass(frozen=True)
class Section:
    """A part of the page that the contents list; ``verdict`` colours it, where a policy has one."""

    id: str
    title: str
    parts: Sequence[Part]
    verdict: str = ""


def page(
    report: "Report",
    *,
    level: str = "internal",
    threshold: int | None = None,
    attacks: "Attacks | None" = None,
    sweep: "Sweep | None" = None,
    uniques: "Uniques | None" = None,
) -> str:
    """Return the report as one HTML page.

    Args:
        level: ``internal``, which names levels and lists risky cells where the report can, or ``external``, without any.
        threshold: counts of people from 1 up to below this are hidden in an external report; by default ``THRESHOLD``.
        attacks, sweep, uniques: what was found of the same files by attackers, for subsets of the keys, of special uniques;
            of an internal report alone, as nothing in them is hidden.

    Raises:
        InputError: a level that is none, a threshold below 2 or for an internal report, more results for an external one; a
            library is missing that draws the figures; an input whose hash is wanted was changed.
    """
    check_level(level, threshold)
    inside = level == "internal"
    more = More(attacks, sweep, uniques)
    if not inside and more != More():
        raise InputError(
            "Attacks, sweeps and uniques hold small counts that nothing hides: an external report is made without them."
        )
    least = threshold or THRESHOLD
    told = report if inside else external(report, least)
    sections = [*_sections(told, settings(report), more, inside=inside)]
    banner = words.INTERNAL if inside else words.EXTERNAL.format(most=least - 1)
    subtitle = f"{shown(told.original.get('source'))} and {_files(told)}"
    return _render(TITLE, sections, drawing.places(vars(told)), subtitle=subtitle, banner=banner, level=level)


def check_level(level: str, threshold: int | None) -> None:
    """Raise InputError for a level that is none, and for a threshold that hides nothing."""
    if level not in LEVELS:
        raise InputError(f"There is no report level {level!r}{suggestion(level, LEVELS)}; there are {', '.join(LEVELS)}.")
    if threshold is not None and level == "internal":
        raise InputError("A threshold hides small counts, and an internal report hides none: leave it out, or ask for external.")
    if threshold is not None and threshold < 2:
        raise InputError(f"The threshold is the least count that is shown, 2 or more; got {threshold}.")


def plain_page(blocks: Sequence[Block]) -> str:
    """Return blocks as a page of their own: the first heading is its title, each further one begins a section."""
    title, sections = "", list[Section]()
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1 and not title:
            title = block.text
        elif isinstance(block, Heading):
            sections.append(Section(f"part-{len(sections) + 1}", block.text, []))
        else:
            if not sections:
                sections.append(Section("part-1", "Result", []))
            sections[-1] = Section(sections[-1].id, sections[-1].title, [*sections[-1].parts, block])
    return _render(title or TITLE, sections, {})


def notebook(report: "Report") -> str:
    """Return the report's numbers at a glance as an HTML table, as a notebook shows it."""
    environment = _environment()
    environment.filters["drawn"] = partial(drawing.drawn, where={})
    macros: Any = environment.get_template("blocks.html.j2").module
    grid = _glance(report)
    return str(macros.table(grid, repr(report)))


def settings(report: "Report") -> dict[str, Any]:
    """Return what a run leaves for an audit: versions, hashes of the inputs and of the SQL, how long it took.

    A report that no run in this process made (one read from a file) has its versions and the SQL of its measures alone.
    """
    known: dict[str, Any] = {"sqlrisk": __version__, "engine": report.engine, "inputs": [], "sql": []}
    if report.trail is None:
        return known
    return {**known, **report.manifest()}


def _sections(report: "Report", run: Row, more: More, *, inside: bool) -> Iterator[Section]:
    blocks = report_sections(report)
    drawn: dict[str, list[charts.Figure]] = {}
    for figure in charts.figures(report, more.attacks):
        drawn.setdefault(figure.name.split(" ")[0], []).append(figure)
    figures = {name: Figures(*HEADINGS[name], found) for name, found in drawn.items()}
    chosen = partial(_chosen, figures)

    if policy := report.policy:
        name = f"Policy: {shown(policy['name'])}"
        yield Section("policy", name, [*_body(blocks["policy"])], str(policy["verdict"]))
    yield Section("summary", "Summary", [*_summary(report, blocks["sentences"]), *chosen("arrows")])
    yield Section("scenario", "What was compared", [*_body(blocks["compared"]), *_uncounted(report, blocks["exclusions"])])
    yield Section("criteria", "The three criteria", [*_criteria(report, more.uniques)])
    families = [family for family in FAMILIES if family in blocks]
    families += [name for name in blocks if name not in families and any(row["family"] == name for row in report.results)]
    for family in families:
        title = FAMILIES.get(family, shown(family))
        limits = Paragraph(f"What it does not say: {words.LIMITS.get(family, words.OWN)}", quiet=True)
        parts = [*_body(blocks[family]), limits]
        yield Section(f"family-{family.replace('_', '-')}", title, [*parts, *chosen(*FAMILY_FIGURES.get(family, ()))])
    if more.attacks is not None:
        yield Section("attackers", "Attackers", [*chosen("attackers"), *_under(more.attacks._blocks())])  # noqa: SLF001
    if more.sweep is not None:
        yield Section("sweep", "Subsets of the keys", [*_under(more.sweep._blocks())])  # noqa: SLF001
    if more.uniques is not None:
        yield Section("uniques", "Special uniques", [*_under(more.uniques._blocks())])  # noqa: SLF001
    if blocks["distributions"] or "shares" in figures:
        parts = [part for part in _body(blocks["distributions"]) if not _bars(part)]
        yield Section("persons", "Person by person", [*chosen("persons"), *parts, *chosen("shares")])
    yield Section("checks", "One-way and two-way checks", [*_checks(report, blocks, inside=inside)])
    if blocks["added"]:
        yield Section("added", "What the synthesis added", [*_body(blocks["added"])])
    if blocks["trends"]:
        yield Section("trends", "Trend: what each further synthesis adds", [*_body(blocks["trends"])])
    files = [*_under(blocks["overlap"]), *_under(blocks["levels"])]
    yield Section("sides", "What the files have in common", files)
    if inside and (listed := [*_cells(report)]):
        yield Section("cells", "Where the risk is: cells with most people", listed)
    yield Section("meaning", "What the numbers mean", [*_meaning(report), *_body(blocks["notes"])])
    yield Section("settings", "Settings, versions and fingerprints", [*_settings(report, run, inside=inside)])
    yield Section("sign-off", "Sign-off", [Form()])


# The heading above the figures of a name, and what they have in common.
HEADINGS = {
    "arrows": ("What the synthesis changes", ""),
    "curves": ("How much certainty a right guess has behind it", words.CURVES),
    "pools": ("What further syntheses add", words.POOLS),
    "accuracies": ("Ways of guessing on one line", words.ACCURACIES),
    "persons": ("Correct attribution person by person", words.PERSONS),
    "shares": ("How the targets are distributed", words.SHARES),
    "sizes": ("Class sizes", ""),
    "radii": ("How far the nearest records are", ""),
    "attackers": ("Attackers on one line", words.ATTACKERS),
}
FAMILY_FIGURES = {"cap": ("curves", "pools"), "neighbours": ("accuracies", "radii"), "k_anonymity": ("sizes",)}


def _chosen(figures: Mapping[str, Figures], *names: str) -> Iterator[Figures]:
    yield from (figures[name] for name in names if name in figures)


def _summary(report: "Report", sentences: Sequence[Block]) -> Iterator[Part]:
    values = _rows_at_a_glance(report)
    base = charts.base_of(report)
    said: dict[object, list[str]] = {}
    for text in (text for block in sentences if isinstance(block, Items) for text in block.texts):
        said.setdefault(_target(text), []).append(text)
    for target, label in dict.fromkeys((target, label) for _, target, label in values if target is not None):
        if (
            sentence := _compared({name: values.get((name, target, label)) for name in (base, *COMPARED)}, base, label)
        ) is not None:
            said.setdefault(target, []).append(sentence)
    yield from (Paragraph(text) for text in said.pop(None, []))
    yield Terms([(shown(target), Sentence(*_spaced(texts))) for target, texts in said.items()])
    yield _glance(report)
    yield Paragraph(
        f"Percent of original records. Dorig and CAPd are what the original itself would reveal; {base} is a guess from the "
        "target's shares alone; DiSCO and DCAP are what the synthetic file reveals. Compare them with each other.",
        quiet=True,
    )


def _target(sentence: str) -> object:
    """The target of the first number in a sentence."""
    parts = sentence.parts if isinstance(sentence, Sentence) else ()
    return next((part.row.get("target") for part in parts if isinstance(part, Number)), None)


def _spaced(texts: Sequence[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield from [" "] if place else []
        yield from text.parts if isinstance(text, Sentence) else [text]


def _compared(rows: Mapping[str, Row | None], base: str, label: str) -> Sentence | None:
    """Say the original, the baseline and the synthetic file of a target in one sentence."""
    number = {name: number_of(row, "value", "percent") for name, row in rows.items() if row is not None}
    if len(number) < len(rows):
        return None
    whom = "" if label == "1" else f"{shown(label).capitalize()}: "
    return Sentence(
        f"{whom}The original itself would reveal it of ",
        *(number["Dorig"], " % of the people, the synthetic file of ", number["DiSCO"], " %. A guess is right for "),
        *(number[base], " % from the target's shares alone, for ", number["DCAP"], " % from the synthetic file and for "),
        *(number["CAPd"], " % from the original."),
    )


def _rows_at_a_glance(report: "Report") -> dict[tuple[str, Any, str], Row]:
    """The rows of everybody, counted, by measure, target and synthesis; of several syntheses the mean."""
    rows = [row for row in report.results if row["people"] == "original" and not row["weighted"] and row["at"] is None]
    rows = [row for row in rows if row["population"] == "all"]
    labels = representatives((str(row["synthesis"]) for row in rows), "mean")
    return {(str(row["measure"]), row["target"], str(row["synthesis"])): row for row in rows if row["synthesis"] in labels}


def _glance(report: "Report") -> Grid:
    """One row per target and synthesis: baseline, original, synthetic, and which checks flag it."""
    values = _rows_at_a_glance(report)
    base = charts.base_of(report)
    names = [name for name in (base, *COMPARED) if any(name == measure for measure, _, _ in values)]
    labels = list(dict.fromkeys(label for _, _, label in values))
    flags = charts.flags(report)
    columns = [Column("target", label=True), *([Column("synthesis", label=True)] if len(labels) > 1 else [])]
    above = {base: "baseline", "Dorig": "certain", "DiSCO": "certain", "CAPd": "guessed", "DCAP": "guessed"}
    columns += [Column(name, above=above[name]) for name in names]
    columns += [Column("flagged", number=False)] if flags else []
    lines: list[list[str]] = []
    for target in dict.fromkeys(target for _, target, _ in values if target is not None):
        for label in labels:
            line = [shown(target), *([label] if len(labels) > 1 else [])]
            line += [_cell(values.get((name, target, label))) for name in names]
            lines.append(line + ([flags.get(target, "")] if flags else []))
    return Grid(columns, lines)


def _cell(row: Row | None) -> str:
    return NOTHING if row is None else number_of(row, "value", str(row["unit"]))


def _uncounted(report: "Report", exclusions: Sequence[Block]) -> Iterator[Part]:
    """Who is not counted, how many, and why."""
    yield Heading("Who is not counted")
    texts = [*left_out(report.scenario)]
    if not texts:
        yield Paragraph("Nobody: nothing is excluded.")
        return
    yield Items(texts)
    why = report.scenario.get("justification")
    yield Paragraph("No justification was given (--justification)." if why is None else f"Justification: {shown(why)}")
    yield from _body(exclusions)


def _criteria(report: "Report", uniques: "Uniques | None") -> Iterator[Part]:
    values = _rows_at_a_glance(report)
    several = len({label for _, _, label in values}) > 1
    columns = [Column(name, label=True) for name in ("criterion", "measure", "target", *(["synthesis"] if several else []))]
    columns += [Column("percent"), Column("in words", label=True)]
    lines: list[list[str]] = []
    starts = []
    for criterion, measures in (("Singling out", SINGLING_OUT), ("Inference", INFERENCE), ("Linkability", LINKABILITY)):
        starts.append(len(lines))
        for measure, target, label in (place for name in measures for place in values if place[0] == name):
            row = values[measure, target, label]
            line = [criterion if len(lines) == starts[-1] else "", measure, _or_nothing(target)]
            line += [label] if several else []
            lines.append([*line, _cell(row), str(report.headers.get(measure, {}).get("title", ""))])
    yield Grid(columns, lines, frozenset(starts))
    texts = [words.SUDA if uniques is None else words.SPECIAL.format(special=uniques.special, uniques=uniques.uniques)]
    if not any(measure in LINKABILITY for measure, _, _ in values):
        texts.append(f"Linkability. {words.LINKABILITY}")
    yield Items(texts)
    yield Paragraph(words.CRITERIA_SOURCE, quiet=True)


def _checks(report: "Report", blocks: Mapping[str, Sequence[Block]], *, inside: bool) -> Iterator[Part]:
    if inside:
        for name in ("one_way", "two_way"):
            yield from _under(blocks[name])
            if report.checks.get(name):
                yield Paragraph(words.CONSIDER[name])
        return
    flags = charts.flags(report)
    if not flags:
        yield Paragraph("No target is flagged.")
        return
    columns = [Column("target", label=True), Column("flagged", label=True)]
    yield Grid(columns, [[shown(target), text] for target, text in flags.items()])
    yield Items([words.CONSIDER[name] for name in ("one_way", "two_way") if report.checks.get(name)])


def _cells(report: "Report") -> Iterator[Part]:
    """The cells with most people behind the measures that name people, where the run listed them or can be repeated."""
    labels = {str(row["measure"]): str(row["synthesis"]) for row in reversed(report.results)}  # the first of each
    listings = report.listings
    if not listings and report.rerun is not None:
        listings = [report.cells(name, synthesis=labels[name], limit=MOST) for name in OF_A_REPORT if name in labels]
    for listing in filter(len, listings):
        label = shown(labels[listing.measure])
        yield Heading(f"{listing.measure}, synthesis {label}: the {len(listing)} cells with most people")
        yield from _body(listing_blocks(listing))


def _meaning(report: "Report") -> Iterator[Part]:
    pairs = []
    for name in dict.fromkeys(str(row["measure"]) for row in report.results):
        header = report.headers.get(name, {})
        unit = next(str(row["unit"]) for row in report.results if row["measure"] == name)
        said = [f"{header.get('title', unit)}.", f"{header['formula']} ({unit})." if "formula" in header else f"In {unit}."]
        said += [f"Higher means {header['higher']}."] if "higher" in header else []
        said += [f"Source: {header['source']}."] if "source" in header else []
        pairs.append((name, " ".join(said)))
    yield Terms(pairs)


def _settings(report: "Report", run: Row, *, inside: bool) -> Iterator[Part]:
    engine = run["engine"]
    told = [("sqlrisk", str(run["sqlrisk"])), ("database", f"{engine.get('name', NOTHING)} {engine.get('version', '')}".strip())]
    told += [(shown(name), shown(value)) for name, value in run.get("environment", {}).items()]
    if "started" in run:
        told.append(("started", shown(run["started"])))
    if inside and run.get("command"):
        told.append(("command", shown(run["command"])))
    yield Terms(told)
    yield Heading("Settings")
    yield Grid(
        [Column("setting", label=True), Column("value", label=True)],
        [[name, _setting(value)] for name, value in report.scenario.items() if value not in (None, [], {}, False)],
    )
    yield Heading("Inputs")
    if run["inputs"]:
        columns = [Column(name, label=True) for name in ("role", "name")] + [
            Column("records"),
            Column("bytes"),
            Column("SHA-256", label=True),
        ]
        yield Grid(
            columns,
            [
                [
                    *(_role(each), Path(str(each["name"])).name, _count(each["records"]), _count(each["bytes"])),
                    _or_nothing(each["sha256"]),
                ]
                for each in run["inputs"]
            ],
        )
    else:
        yield Paragraph("This report was not made by a run of this program just now, so its inputs have no fingerprint here.")
    yield Heading("SQL of the measures")
    lines = [[name, _sha256(text)] for name, text in report.texts.items()]
    yield Grid([Column("measure", label=True), Column("SHA-256 of its file", label=True)], lines)
    if inside and run["sql"]:
        # Only inside: a statement may hold levels that the user typed.
        yield Heading("SQL that ran")
        yield Grid(
            [Column("stage", label=True), Column("SHA-256", label=True)],
            [[shown(each["name"]), shown(each["sha256"])] for each in run["sql"]],
        )


def _body(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks without their headings: the section has one."""
    yield from (block for block in blocks if not isinstance(block, Heading))


def _under(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with the headings that stand under a section's."""
    yield from (block for block in blocks if not (isinstance(block, Heading) and block.level == 1))


def _bars(part: Block) -> bool:
    """Whether a block draws its numbers with letters: the page has figures."""
    return isinstance(part, Grid) and any(column.name == "of people" for column in part.columns)


def _files(report: "Report") -> str:
    files = [shown(side.get("source")) for side in report.synthetic]
    return files[0] if len(files) == 1 else f"{len(files)} synthetic files"


def _role(each: Row) -> str:
    return str(each["role"]) if each["synthesis"] is None else f"synthesis {each['synthesis']}"


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{shown(name)}: {_setting(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return shown(value)


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else NOTHING


def _or_nothing(value: object) -> str:
    return NOTHING if value is None else shown(value)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sqlrisk.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["WIDE"] = drawing.WIDE
    environment.filters["folded"] = drawing.folded
    environment.filters["heads"] = drawing.heads
    environment.filters["extent"] = drawing.extent
    environment.filters["svg"] = lambda figure: Markup(charts.svg(figure))  # noqa: S704 - drawn by the library, which escapes
    environment.tests["numeric"] = drawing.numeric
    environment.tests["sortable"] = drawing.sortable
    environment.tests["figures"] = lambda part: isinstance(part, Figures)
    environment.tests["form"] = lambda part: isinstance(part, Form)
    return environment


def _render(title: str, sections: Sequence[Section], where: drawing.Places, **more: str) -> str:
    environment = _environment()
    environment.filters["drawn"] = partial(drawing.drawn, where=where)
    script = _file("tables.js")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        title=title,
        sections=sections,
        style=Markup(_file("style.css")),  # noqa: S704 - files of this package
        script=Markup(script),  # noqa: S704
        script_hash=f"sha256-{digest}",
        version=__version__,
        **{"subtitle": "", "banner": "", "level": "", **more},
    )

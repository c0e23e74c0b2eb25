"""From a report to its page: the sections, and what stands in each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms
from sqlrisk.report.columns import MOST, OF_A_REPORT
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import charts, drawing, words
from sqlrisk.report.html.rendering import TITLE, Figures, Form, Part, Section, render
from sqlrisk.report.html.settings import audited, settings
from sqlrisk.report.html.summary import criteria, flags, summary
from sqlrisk.report.html.suppression import THRESHOLD, external
from sqlrisk.report.result import Forms
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.sections.report_sections import report_sections
from sqlrisk.report.wording import FAMILIES, Row, distinct, left_out, shown

LEVELS = ("internal", "external")


@dataclass(frozen=True)
class More:
    """Results of other runs about the same files."""

    attacks: Attacks | None = None
    sweep: Sweep | None = None
    uniques: Uniques | None = None


def page(
    report: Findings,
    *,
    level: str = "internal",
    threshold: int | None = None,
    attacks: Attacks | None = None,
    sweep: Sweep | None = None,
    uniques: Uniques | None = None,
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
    sections = [*_sections(told, audited(report), more, inside=inside)]
    banner = words.INTERNAL if inside else words.EXTERNAL.format(most=least - 1)
    subtitle = f"{shown(told.original.get('source'))} and {_files(told)}"
    return render(TITLE, sections, drawing.places(vars(told)), subtitle=subtitle, banner=banner, level=level)


def check_level(level: str, threshold: int | None) -> None:
    """Raise InputError for a level that is none, and for a threshold that hides nothing."""
    if level not in LEVELS:
        raise InputError(f"There is no report level {level!r}{suggestion(level, LEVELS)}; there are {', '.join(LEVELS)}.")
    if threshold is not None and level == "internal":
        raise InputError("A threshold hides small counts, and an internal report hides none: leave it out, or ask for external.")
    if threshold is not None and threshold < 2:
        raise InputError(f"The threshold is the least count that is shown, 2 or more; got {threshold}.")


def _sections(report: Findings, run: Row, more: More, *, inside: bool) -> Iterator[Section]:
    blocks = report_sections(report)
    drawn = charts.figures(report, more.attacks)
    names = list(dict.fromkeys(figure.name.split(" ")[0] for figure in drawn))
    figures = {name: Figures(*HEADINGS[name], [each for each in drawn if each.name.split(" ")[0] == name]) for name in names}
    chosen = partial(_chosen, figures)

    if policy := report.policy:
        name = f"Policy: {shown(policy['name'])}"
        yield Section("policy", name, [*_body(blocks["policy"])], str(policy["verdict"]))
    yield Section("summary", "Summary", [*summary(report, blocks["sentences"]), *chosen("arrows")])
    yield Section("scenario", "What was compared", [*_body(blocks["compared"]), *_uncounted(report, blocks["exclusions"])])
    yield Section("criteria", "The three criteria", [*criteria(report, more.uniques)])
    families = [family for family in FAMILIES if family in blocks]
    families += [name for name in blocks if name not in families and any(row["family"] == name for row in report.results)]
    for family in families:
        title = FAMILIES.get(family, shown(family))
        limits = Paragraph(f"What it does not say: {words.LIMITS.get(family, words.OWN)}", quiet=True)
        parts = [*_body(blocks[family]), limits]
        yield Section(f"family-{family.replace('_', '-')}", title, [*parts, *chosen(*FAMILY_FIGURES.get(family, ()))])
    if more.attacks is not None:
        yield Section("attackers", "Attackers", [*chosen("attackers"), *_said(more.attacks)])
    if more.sweep is not None:
        yield Section("sweep", "Subsets of the keys", [*_said(more.sweep)])
    if more.uniques is not None:
        yield Section("uniques", "Special uniques", [*_said(more.uniques)])
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
    yield Section("settings", "Settings, versions and fingerprints", [*settings(report, run, inside=inside)])
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


def _uncounted(report: Findings, exclusions: Sequence[Block]) -> Iterator[Part]:
    """Yield who is not counted, how many, and why."""
    yield Heading("Who is not counted")
    texts = [*left_out(report.scenario)]
    if not texts:
        yield Paragraph("Nobody: nothing is excluded.")
        return
    yield Items(texts)
    why = report.scenario.get("justification")
    yield Paragraph("No justification was given (--justification)." if why is None else f"Justification: {shown(why)}")
    yield from _body(exclusions)


def _checks(report: Findings, blocks: Mapping[str, Sequence[Block]], *, inside: bool) -> Iterator[Part]:
    if inside:
        for name in ("one_way", "two_way"):
            yield from _under(blocks[name])
            if report.checks.get(name):
                yield Paragraph(words.CONSIDER[name])
        return
    flagged = flags(report)
    if not flagged:
        yield Paragraph("No target is flagged.")
        return
    columns = [Column("target", label=True), Column("flagged", label=True)]
    yield Grid(columns, [[shown(target), text] for target, text in flagged.items()])
    yield Items([words.CONSIDER[name] for name in ("one_way", "two_way") if report.checks.get(name)])


def _cells(report: Findings) -> Iterator[Part]:
    """Yield the cells with most people behind the measures that name people, where the run listed them or can be repeated."""
    labels = {str(row["measure"]): str(row["synthesis"]) for row in reversed(report.results)}  # the first of each
    listings = report.listings
    if not listings and report.rerun is not None:
        listings = [report.cells(name, synthesis=labels[name], limit=MOST) for name in OF_A_REPORT if name in labels]
    for listing in filter(len, listings):
        label = shown(labels[listing.measure])
        yield Heading(f"{listing.measure}, synthesis {label}: the {len(listing)} cells with most people")
        yield from _body(_said(listing))


def _meaning(report: Findings) -> Iterator[Part]:
    pairs = []
    for name in distinct(report.results, "measure"):
        header = report.headers.get(name, {})
        unit = next(str(row["unit"]) for row in report.results if row["measure"] == name)
        said = [f"{header.get('title', unit)}.", f"{header['formula']} ({unit})." if "formula" in header else f"In {unit}."]
        said += [f"Higher means {header['higher']}."] if "higher" in header else []
        said += [f"Source: {header['source']}."] if "source" in header else []
        pairs.append((name, " ".join(said)))
    yield Terms(pairs)


def _body(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks without their headings: the section has one."""
    yield from (block for block in blocks if not isinstance(block, Heading))


def _under(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with the headings that stand under a section's."""
    yield from (block for block in blocks if not (isinstance(block, Heading) and block.level == 1))


def _said(result: Forms) -> Iterator[Block]:
    """Yield what a result says, with the headings that stand under a section's."""
    yield from _under(result._blocks())  # noqa: SLF001


def _bars(part: Block) -> bool:
    """Whether a block draws its numbers with letters: the page has figures."""
    return isinstance(part, Grid) and any(column.name == "of people" for column in part.columns)


def _files(report: Findings) -> str:
    files = [shown(side.get("source")) for side in report.synthetic]
    return files[0] if len(files) == 1 else f"{len(files)} synthetic files"

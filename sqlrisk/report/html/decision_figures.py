"""The figures of page one, and the figures shown with each finding."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from os.path import commonprefix

from sqlrisk.report.decision.glance import rows_at_a_glance
from sqlrisk.report.decision.intruders import WORDS, numbers
from sqlrisk.report.decision.page_one import Decision, Finding
from sqlrisk.report.decision.sentences import in_words
from sqlrisk.report.declared import CERTAIN, UNIQUE, leading, targets_first
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import marks
from sqlrisk.report.html.look import Figure, described, in_lines
from sqlrisk.report.wording import Row, label_name, number_of, percent_of, shown

PEOPLE = "percent of people"
ALIKE = 12  # names that share so many first letters look alike: a label has room for about 14
# Widths of the axes of the figure of page one, which has the page to itself. With its labels it is
# as wide as a phone.
LARGE = (112, 72)
# headline of the figure of page one -> its title, and what its bars show: the filled one before
# "the synthetic file reveals"
TOLD_OF = {
    CERTAIN: (
        "For how many people it is revealed, rightly and for certain",
        "what the original itself would reveal",
        "what",
    ),
    UNIQUE: (
        "How many people are unique, and how many of them seem to be found",
        "people who are unique in the original",
        "those whom",
    ),
}
DRAWN = 5  # targets in the figure of page one, which must leave room for the rest of the page


def first(report: Findings, decision: Decision) -> Iterator[Figure]:
    """Yield the figure of page one. For each of the worst targets it shows the percent of people
    for whom the target is revealed by the synthetic file, and by the original. If no target has
    both, it shows how many people are unique, and how many of them seem to be found. Yield nothing
    if these numbers are missing, too.
    """
    drawn = _before_and_after(report, decision, CERTAIN, decision.targets)
    drawn = drawn or _before_and_after(report, decision, UNIQUE, [None])
    if drawn is not None:
        yield drawn


def _before_and_after(
    report: Findings, decision: Decision, word: str, targets: Sequence[object]
) -> Figure | None:
    """Draw the first headline with this word, next to its measure of the original, for the first of
    these targets. Of several methods, draw that of the target's finding. None without numbers.
    """
    headline = leading(report.declared, word)
    title, hollow, filled = TOLD_OF[word]
    methods = {
        each.row["target"]: label_name(each.row["synthesis"])
        for each in decision.findings
        if each.row["measure"] == headline.name
    }
    glance = rows_at_a_glance(report)
    rows = {
        (name, target): row
        for (name, target, label), row in glance.items()
        if row["value"] is not None and label_name(label) == methods.get(target)
    }
    names = {
        target: "unique people" if target is None else in_words(report, target)
        for target in targets[:DRAWN]
    }
    lines, said, labels = [], [], []
    short = told_apart([*names.values()])
    cut = {name: in_lines(text, most=2) for name, text in short.items()}
    alike = [text for text, times in Counter(cut.values()).items() if times > 1]
    for target, name in names.items():
        before, after = (rows.get((each, target)) for each in (headline.original, headline.name))
        if before is None or after is None:
            continue
        original, synthetic = (number_of(row, "value", "percent") for row in (before, after))
        words = in_lines(short[name]) if cut[name] in alike else cut[name]
        lines.append(
            {
                "target": f"{words}\n{original} → {synthetic}",
                "original": before["value"],
                "synthetic": after["value"],
            }
        )
        said.append(f"{name}: {synthetic} %, by the original {original} %")
        labels.append(f"{name}: {shown(after['synthesis'])}")
    if not lines:
        return None
    told = "the synthetic file reveals"
    if len({label for *_, label in glance}) > 1:
        told = f"the synthetic files of one method reveal ({'; '.join(labels)})"
    elif len(report.synthetic) > 1:
        told = "the synthetic files reveal, on average"
    some = f"The {DRAWN} worst. " if len(targets) > DRAWN else ""
    caption = f"{some}Hollow bar: {hollow}. Filled bar: {filled} {told}. Arrow: the difference."
    chart = marks.arrows(lines, based=False, title=PEOPLE, widths=LARGE)
    words = described(title, said, [line["synthetic"] for line in lines])
    return Figure("decision", title, words, chart, caption)


def told_apart(names: Sequence[str]) -> dict[str, str]:
    """Return each name with its short form. Names with the same long beginning, such as items of a
    survey, are told apart by the words that differ: "… police".
    """
    short = {}
    for name in names:
        alike = [each for each in names if each[:ALIKE] == name[:ALIKE]]
        # whole words only
        shared = len(commonprefix(alike).rpartition(" ")[0])  # noqa: RUF071 - these are no paths
        short[name] = f"… {name[shared + 1 :]}" if len(alike) > 1 and shared >= ALIKE else name
    return short


def intruders(reports: Mapping[str, Findings]) -> Iterator[Figure]:
    """Yield a figure for each number on page one of several intruders. It has a row for each
    intruder and a mark for each of the worst targets, from the file that reveals most.
    """
    for headline in targets_first(next(iter(reports.values())).declared):
        highest: dict[tuple[str, str], Row] = {}
        for name, report in reports.items():
            for row in sorted(numbers(report, headline.name), key=lambda row: row["value"]):
                target = "" if row["target"] is None else in_words(report, row["target"])
                highest[name, target] = row
        worst = sorted(highest, key=lambda line: -highest[line]["value"])
        targets = [*dict.fromkeys(target for _, target in worst)]
        lines = [
            {
                "who": shown(name),
                "file": target,
                "value": found["value"],
                "role": "synthetic",
                "said": percent_of(found),
            }
            for target in targets[:DRAWN]
            for name in reports
            if (found := highest.get((name, target))) is not None
        ]
        if lines:
            of = f": {targets[0]}" if len(targets) == 1 and targets[0] else ""
            word = WORDS[headline.word].replace("\n", " ").removesuffix(", %").capitalize()
            title = f"{word} ({headline.name}){of}"
            said = [
                f"{' '.join(filter(None, (line['who'], line['file'])))}: {line['said']}"
                for line in lines
            ]
            words = described(title, said, [line["value"] for line in lines])
            short = told_apart(targets[:DRAWN])
            drawn = [{**line, "file": short[line["file"]]} for line in lines]
            chart = (
                marks.dots(drawn, "who", PEOPLE, powers=False)
                if targets != [""]
                else marks.levels([{**line, "percent": line["value"]} for line in lines], PEOPLE)
            )
            some = f"The {DRAWN} worst targets. " if len(targets) > DRAWN else ""
            caption = f"{some}The highest of all synthetic files."
            yield Figure(f"intruders {headline.name}", title, words, chart, caption)


def of(report: Findings, finding: Finding, figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures to show next to a finding, as its measure's header lists them."""
    measure, target = str(finding.row["measure"]), finding.row["target"]
    kinds = report.declared.get(measure, {}).get("finding_figures", ())
    return [
        _beside(figure, kind, figure.name.removeprefix(own).strip())
        for kind in kinds
        for own in [kind if target is None else f"{kind} {target}"]
        for figure in figures
        if figure.name in (kind, own, f"{kind} {measure}")
        or (kind in OF_A_FILE and figure.name.startswith(f"{own} "))
    ]


def _beside(figure: Figure, kind: str, file: str) -> Figure:
    """Return a figure with the title and caption for use next to a finding, which already names the
    target. ``file`` names the synthetic file if each file has a figure.
    """
    usual = captions().get(kind, {})
    title, caption = OF_A_TARGET.get(kind) or (
        usual.get("title", figure.title),
        figure.caption or usual.get("words", ""),
    )
    if kind in OF_A_FILE and file != "1":
        title = f"{title}, {shown(file)}"
    return replace(figure, title=title, caption=caption)


@cache
def captions() -> dict[str, dict[str, str]]:
    """Return a dict of kind of figure to its ``title`` and caption (``words``), if it has them."""
    return tomllib.loads(files("sqlrisk.report.html").joinpath("captions.toml").read_text("utf-8"))


OF_A_FILE = ("links", "singled")  # kinds with a figure for each file
# kind of figure -> its title next to a finding, and its caption
OF_A_TARGET = {
    "curves": (
        "How sure a right guess is",
        (
            "Percent of all people guessed right, counting only guesses that at least this share "
            "of the synthetic records with their keys supports."
        ),
    ),
    "shares": (
        "How common its levels are",
        "Percent of records. Bars: the original. Lines: each synthetic file.",
    ),
}

"""A sweep as the tables of Hittmeir, Mayer & Ekelhart 2020: files as rows, mean (standard deviation) over the subsets."""

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items
from sqlrisk.report.results.subset_rows import SubsetRows, file_name, files, named, own, targets
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.wording import NOTHING, names, shown

COLUMNS = ("target", "file", "measure", "at", "key_length", "subsets", "mean", "sd")
TITLE = "Files by number of keys, as in Hittmeir 2020"
MEASURES = ("accuracy_mode_orig", "accuracy_0CAP", "accuracy_ICAP", "accuracy_GCAP")  # the baseline, how often votes are right
WORDS = (
    "Mean (standard deviation) over all subsets of so many keys, each counting alike.",
    "Original: the original against itself; accuracy_mode_orig is the baseline, the target's most frequent level for everybody.",
)


def hittmeir(sweep: SubsetRows) -> Table:
    """Return the original against itself and the synthetic files as rows, measures and numbers of keys as columns."""
    rows = own(sweep, sweep.summary)
    heads = list(dict.fromkeys((named(row), row["key_length"]) for row in rows))
    values = {(row["target"], row["synthesis"], named(row), row["key_length"]): row for row in rows}
    lines: list[tuple[object, ...]] = []
    blocks: list[Block] = [Heading(TITLE, 1)]
    for target in targets(rows):
        shown_lines: list[list[str]] = []
        for label in files(sweep):
            found = [values.get((target, label, *head)) or values.get((None, label, *head)) for head in heads]
            file = file_name(sweep, label)
            lines += [(target, file, *(row[name] for name in COLUMNS[2:])) for row in found if row is not None]
            shown_lines.append([file, *(NOTHING if row is None else _spread(row["mean"], row["sd"]) for row in found)])
        columns = [Column("file", label=True)]
        columns += [Column(f"{size} key{'s' * (size != 1)}", above=measure) for measure, size in heads]
        about = f"Keys: {names(sweep.scenario['keys'])}"
        blocks += [Heading(about if target is None else f"{shown(target)}. {about}"), Grid(columns, shown_lines)]
    blocks.append(Items(WORDS, quiet=True))
    return paper("hittmeir", TITLE, COLUMNS, lines, blocks, [sweep])


def _spread(mean: object, sd: object) -> str:
    if not isinstance(mean, int | float) or not isinstance(sd, int | float):
        return NOTHING
    return f"{mean:.1f} ({sd:.1f})"

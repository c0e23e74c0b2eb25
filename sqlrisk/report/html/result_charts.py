"""The figures of results other than a report: attacks, sweeps of key subsets, uniques, random
tables, inspections, utility tables and the steps of a recode.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sqlrisk.catalogue.attackers import attackers
from sqlrisk.report.decision.sentences import conjoined
from sqlrisk.report.declared import Declared, declared, having, headlines, targets_first
from sqlrisk.report.html import marks
from sqlrisk.report.html.look import Figure, described, row_name
from sqlrisk.report.result import amount_of
from sqlrisk.report.results.subset_rows import ORIGINAL, SubsetRows, file_name, own, targets
from sqlrisk.report.wording import (
    Row,
    amount,
    distinct,
    label_name,
    listed,
    number,
    of_population,
    percent,
    representatives,
    shown,
    split,
    synthesis_name,
    valued,
    with_label,
    with_target,
)

Labels = Mapping[str, str]  # name of a column -> its label

BEST = "ENS"  # the majority vote of several attackers
# maximum numbers of key subsets that are drawn one by one, and with the steps between them
DRAWN, STEPS = 512, 64
CALLED = 12  # maximum number of columns of an axis whose labels are all in the caption
APART = 40  # maximum number of columns whose levels are compared
SIDES = {"people": "original", "records": "synthetic"}
LEARNED = (
    "Percent of people guessed right. Diamond: from a synthetic file; ring: from the "
    "original; square: without any keys."
)
ADDS = (
    "Diamond: mean change of a subset's number when the key joins it; line: from the least "
    "change to the greatest."
)


def of_attackers(found: Any) -> Iterable[Figure]:
    """Draw how often each attacker guesses each target right. ``found`` is an `Attacks`."""
    for target, rows in split(found.rows, "target"):
        if drawn := _told(rows):
            lines = [
                {
                    "who": str(row["attacker"]),
                    "percent": row["accuracy"],
                    "role": _trained(row),
                    "from": synthesis_name(row["trained_on"]),
                }
                for row in drawn
            ]
            title = with_label(target, found.labels)
            yield number_line(f"attackers {target}", title, lines, LEARNED)


def attacked_files(found: Any) -> Iterable[Figure]:
    """Draw one line for each target, with a mark for each file that attackers learned from. The
    mark is at the accuracy of the attacker chosen by `_best`. ``found`` is an `Attacks`.
    """
    for target, rows in split(found.rows, "target"):
        drawn = _told(rows)
        values = {(str(row["attacker"]), str(row["trained_on"])): row["accuracy"] for row in drawn}
        files = {str(label): synthesis_name(label) for label in distinct(drawn, "trained_on")}
        name, title = f"attackers files {target}", with_label(target, found.labels)
        yield from _by_file(name, title, values, files, declared({}))


def _told(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of attacks to draw: guesses about the people of the original, with an
    accuracy. Attackers that learned from control are not drawn.
    """
    own = [row for row in rows if row["people"] == ORIGINAL and row["trained_on"] != "control"]
    return [row for row in own if row["accuracy"] is not None]


def by_length(found: SubsetRows) -> Iterable[Figure]:
    """Draw measures by the number of keys that the intruder knows, one figure for each group of
    measures. Then draw the accuracy of the guesses chosen by `_best`, one line for each file.
    """
    rows = _means(found)
    sizes = listed(found.scenario["key_length"])
    if len(sizes) < 2:
        return
    for target, group in product(dict.fromkeys((None, *targets(rows))), _swept(found.declared)):
        of_group = [
            row
            for row in rows
            if row["target"] == target and row["measure"] in group and row["synthesis"] != ORIGINAL
        ]
        if of_group:
            yield _by_size(found, of_group, sizes)
    for target in targets(rows):
        guesses = [row for row in rows if row["target"] == target and _guesses(found, row)]
        chosen = _best(
            {_who(row): row["mean"] for row in guesses if row["key_length"] == sizes[-1]},
            found.declared,
        )
        if chosen:
            told = [row for row in guesses if row["measure"] == chosen[0]]
            dummy = [row for row in guesses if row["measure"] == chosen[1]]
            told += [row for row in dummy if row["synthesis"] == dummy[0]["synthesis"]]
            yield _by_size(found, told, sizes)


def _means(found: SubsetRows) -> list[dict[str, Any]]:
    """Return the summary rows to show that have a mean, of measures without points."""
    rows = own(found, found.summary)
    return [row for row in rows if row["mean"] is not None and row["at"] is None]


def _swept(measures: Declared) -> Iterator[tuple[str, ...]]:
    """Yield the names of the measures that share a figure, as tuples. The last measure of a tuple
    is about the synthetic file, the others are its baselines and the same risk in the original.
    """
    for each in headlines(measures):
        bases: tuple[str, ...] = ()
        if each.baseline is not None:
            bases = each.baseline, str(measures.get(each.baseline, {}).get("of_counted"))
        yield (*bases, each.original, each.name)


def of_all_keys(found: SubsetRows) -> Iterable[Figure]:
    """Draw a line for each target, with a mark for each file: its best guesses with most keys."""
    for target in targets(_means(found)):
        yield from by_file(found, target, listed(found.scenario["key_length"])[-1])


def lattice(found: SubsetRows) -> Iterable[Figure]:
    """Draw the risk of each subset of the keys by its size. A line joins the highest risks."""
    rows = [
        row
        for row in own(found, found.summary)
        if row["synthesis"] != ORIGINAL and row["at"] is None
    ]
    measure = _first(found, rows)
    subsets = [row for row in valued(own(found, found.subsets)) if row["measure"] == measure]
    for target, label, title, of_file in _by_target_and_file(found, rows, measure):
        spread = [row for row in of_file if row["max"] is not None]
        if len(spread) < 2:
            continue
        own_subsets = [
            row for row in subsets if row["target"] == target and row["synthesis"] == label
        ]
        points, steps, best = _subsets(own_subsets, spread)
        said = "; ".join(
            f"{amount_of(int(line['size']), 'key')}: {percent(line['value'])}"
            + (f" by {line['keys']}" if "keys" in line else "")
            for line in best
        )
        words = f"{title}, of {found.count:,} sets of keys by their number. The most with {said}"
        chart = marks.lattice(points, steps, best, "percent of people")
        caption = f"The most with {said}."
        yield Figure(f"sweep lattice {target} {label}", title, words, chart, caption)


def _by_target_and_file(
    found: SubsetRows, rows: Sequence[Row], measure: str | None
) -> Iterator[tuple[object, str, str, list[Row]]]:
    """Yield each target and synthesis of a measure, with the title of its figure and its rows."""
    several = len(distinct(rows, "synthesis")) > 1
    for target, of_target in split([row for row in rows if row["measure"] == measure], "target"):
        title = with_target(str(measure), target, found.labels)
        for label, of_file in split(of_target, "synthesis"):
            yield target, label, title + f", {file_name(found, label)}" * several, of_file


def _subsets(
    rows: Sequence[Row], spread: Sequence[Row]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the points, steps and best subsets that `marks.lattice` draws.

    ``rows`` has a row for each subset, or is empty if these rows are in a file. ``spread`` has the
    least and the greatest value of each size. With more than ``DRAWN`` subsets, or none in
    ``rows``, the points are these values. With more than ``STEPS`` subsets there are no steps.
    """
    highest = {row["key_length"]: row for row in sorted(rows, key=lambda row: row["value"])}
    best = []
    for row in spread:
        best.append({"size": str(row["key_length"]), "value": row["max"]})
        if row["key_length"] in highest:
            best[-1]["keys"] = ", ".join(map(shown, highest[row["key_length"]]["keys"]))
    if not 0 < len(rows) <= DRAWN:
        ends = [
            {"size": str(row["key_length"]), "low": row["min"], "high": row["max"]}
            for row in spread
        ]
        return ends, [], best
    points = [{"size": str(row["key_length"]), "value": row["value"]} for row in rows]
    by_keys = {frozenset(row["keys"]): row for row in rows}
    pairs = [
        (smaller, row)
        for keys, row in by_keys.items()
        for key in row["keys"]  # unlike a set, always in one order
        if (smaller := by_keys.get(keys - {key})) is not None
    ]
    steps = [
        {
            "size": str(fewer["key_length"]),
            "value": fewer["value"],
            "more": str(row["key_length"]),
            "then": row["value"],
        }
        for fewer, row in (pairs if len(rows) <= STEPS else ())
    ]
    return points, steps, best


def _by_size(found: SubsetRows, rows: Sequence[Row], sizes: Sequence[int]) -> Figure:
    """Draw means over subsets by number of keys. Files with the same values are drawn once."""
    lines: list[dict[str, Any]] = []
    for name, of_measure in split(rows, "measure"):
        values = {
            label: {str(row["key_length"]): row["mean"] for row in each}
            for label, each in split(of_measure, "synthesis")
        }
        # Engines sum in different orders, so compare without the last digits.
        rounded = {tuple(round(mean, 9) for mean in each.values()) for each in values.values()}
        alike = len(rounded) == 1
        for label in [*values][: 1 if alike else None]:
            who = shown(name) if alike else f"{shown(name)}, {file_name(found, label)}"
            lines += [
                {"at": size, "value": value, "synthesis": who}
                for size, value in values[label].items()
            ]
    measures = conjoined(map(shown, distinct(rows, "measure")))
    title = with_target(measures, rows[-1]["target"], found.labels)
    said = [
        f"{line['synthesis']} with {amount_of(int(line['at']), 'key')}: {percent(line['value'])}"
        for line in lines
    ]
    words = described(f"{title}, by number of keys", said, [line["value"] for line in lines])
    chart = marks.lines(lines, "keys known", [str(size) for size in sizes], near=True)
    caption = "Mean over the subsets with that number of keys."
    return Figure(f"sweep {title}", title, words, chart, caption)


def by_file(found: SubsetRows, target: object, size: int) -> Iterable[Figure]:
    """Draw one line with a mark for each file: the accuracy of the best guesses with ``size`` keys.
    Add a mark for the best guesses without keys.
    """
    rows = [
        row
        for row in _means(found)
        if row["target"] == target and row["key_length"] == size and _guesses(found, row)
    ]
    values = {_who(row): row["mean"] for row in rows}
    labels = {str(label): file_name(found, label) for label in distinct(rows, "synthesis")}
    name = f"sweep files {target} {size}"
    title = f"{with_label(target, found.labels)}, {amount_of(size, 'key')}"
    yield from _by_file(name, title, values, labels, found.declared)


def _who(row: Row) -> tuple[str, str]:
    return str(row["measure"]), str(row["synthesis"])


def _by_file(
    name: str,
    title: str,
    values: Mapping[tuple[str, str], float],
    labels: Mapping[str, str],
    measures: Declared,
) -> Iterable[Figure]:
    """Draw one line with a mark for the original and each synthetic file (Hittmeir et al. 2020,
    figures 2 and 3). Add a mark for the best guesses without keys.

    ``values`` is as in `_best`, and ``labels`` maps the label of a file to its name.
    """
    chosen = _best(values, measures)
    if chosen is None:
        return
    best, dummy = chosen
    lines = [
        {"who": labels[label], "percent": value, "role": _role(label)}
        for (who, label), value in values.items()
        if who == best
    ]
    if dummy is not None:
        told = {label: value for (who, label), value in values.items() if who == dummy}
        value = told.get(ORIGINAL, next(iter(told.values())))
        lines.append({"who": dummy, "percent": value, "role": "baseline"})
    if len(lines) > 1:  # a single mark has nothing to be compared with
        title = f"{title}: {shown(best)} by file"
        yield Figure(name, title, _said(title, lines), marks.one_line(lines), LEARNED)


def _best(
    values: Mapping[tuple[str, str], float], measures: Declared
) -> tuple[str, str | None] | None:
    """Return the attacker to draw for each file, and the best attacker without keys (or None).
    Return None if no attacker with keys learned from a synthetic file.

    Choose the majority vote of several attackers. If there is none, choose the attacker that is
    right most often. ``values`` maps (attacker, label of the file learned from) to a percent.
    """
    without_keys = {each.name for each in attackers() if each.baseline}
    without_keys |= {
        name for name, knows in having("knows", measures).items() if knows == "nothing"
    }
    keyed: dict[str, float] = {}
    dummies: dict[str, float] = {}
    for (who, label), value in values.items():
        if label != ORIGINAL:
            right = dummies if who in without_keys else keyed
            right[who] = max(value, right.get(who, value))
    if not keyed:
        return None
    best = BEST if BEST in keyed else max(keyed, key=keyed.__getitem__)
    return best, max(dummies, key=dummies.__getitem__, default=None)


def what_keys_add(found: SubsetRows) -> Iterable[Figure]:
    """Draw how adding a key changes a number: mean, smallest and largest, by target and file."""
    rows = _contributions(found)
    measure = _first(found, rows)
    for target, label, title, of_file in _by_target_and_file(found, rows, measure):
        lines = [
            {
                "key": row_name(row["key"], found.labels),
                **{name: row[name] for name in ("mean", "min", "max")},
            }
            for row in of_file
        ]
        said = [
            f"{shown(row['key'])}: {row['mean']:.2f} on average, from {row['min']:.2f} to "
            f"{row['max']:.2f}"
            for row in of_file
        ]
        about = f"What each key adds to {title}"
        words = described(about, said, [row["mean"] for row in of_file])
        chart = marks.ranges(lines, "key", "percentage points that the key adds")
        yield Figure(f"sweep adds {target} {label}", title, words, chart, ADDS)


def _contributions(found: SubsetRows) -> list[Row]:
    """Return the rows to show of what keys add to the risk of synthetic files."""
    rows = own(found, found.contributions)
    return [row for row in rows if row["synthesis"] != ORIGINAL and row["mean"] is not None]


def keys_by_target(found: SubsetRows) -> Iterable[Figure]:
    """Draw a square for each key and target, bluer the more the key adds to the target's risk."""
    rows = _contributions(found)
    measure = _first(found, [row for row in rows if row["target"] is not None])
    of_measure = [row for row in rows if row["measure"] == measure]
    labels, columns = distinct(rows, "synthesis"), distinct(of_measure, "target")
    for label, of_file in split(of_measure if len(columns) > 1 else [], "synthesis"):
        title = f"{measure} by key and target"
        title += f", {file_name(found, label)}" if len(labels) > 1 else ""
        lines = [
            {
                "key": row_name(row["key"], found.labels),
                "place": shown(row["target"]),
                "value": row["mean"],
            }
            for row in of_file
        ]
        most = max(of_file, key=lambda row: row["mean"])
        said = "; ".join(
            f"{shown(row['key'])}, {shown(row['target'])}: {row['mean']:.2f}" for row in of_file
        )
        words = (
            f"{title}. Most: {shown(most['key'])} adds {most['mean']:.2f} points to "
            f"{shown(most['target'])}. {said}"
        )
        caption = (
            "Percentage points that a key adds on average; the bluer, the more. Most: "
            f"{shown(most['key'])} of {shown(most['target'])}."
            + _called(columns, [most["target"]], found.labels)
        )
        chart = marks.heat(lines, "key", [shown(target) for target in columns])
        yield Figure(f"sweep heat {label}", title, words, chart, caption)


def _first(found: SubsetRows, rows: Iterable[Row]) -> str | None:
    """Return the measure to draw: the first headline with rows, those of targets first."""
    known = {row["measure"] for row in rows}
    return next((each.name for each in targets_first(found.declared) if each.name in known), None)


def fewest_keys(found: Any) -> Iterable[Figure]:
    """Draw the percent of records by the fewest keys that single them out, of a `Uniques`."""
    lines = [
        {"keys": str(row["keys"]), "percent": 100 * row["records"] / found.records}
        for row in found.sizes
        if found.records
    ]
    if any(line["percent"] for line in lines):
        title = "People by the fewest keys that single them out"
        yield columns("uniques sizes", title, "keys", "keys in the smallest set", lines)


def keys_of_scores(found: Any) -> Iterable[Figure]:
    """Draw each key's share of the sum of all SUDA scores. ``found`` is a `Uniques`."""
    rows = [row for row in found.contributions if row["percent"] is not None]
    lines = [{"key": row_name(row["key"], found.labels), "percent": row["percent"]} for row in rows]
    if any(line["percent"] for line in lines):
        title = "Keys by their share of all scores"
        said = [f"{shown(row['key'])}: {percent(row['percent'])}" for row in rows]
        words = described(title, said, [row["percent"] for row in rows])
        chart = marks.bars(lines, "key", "percent of all scores")
        yield Figure("uniques keys", title, words, chart)


def random_averages(row: Row, labels: Labels) -> Figure:
    """Draw average CAP of random tables and of the original (Baillargeon & Charest, figure 2)."""
    lines = [
        {"low": each["from"], "high": each["to"], "tables": each["tables"]}
        for each in row["histogram"]
    ]
    title = f"{with_label(row['target'], labels)}, {row['measure']}"
    words = (
        f"{title}: the original has {percent(row['original'])}, more than {amount(row['below'])} "
        f"of the random tables. Their mean is {percent(row['mean'])}, and half of them have from "
        f"{percent(row['q25'])} to {percent(row['q75'])}."
    )
    mark = f"original {amount(row['original'], 'percent')}"
    chart = marks.histogram(lines, row["original"], mark, "average correct attribution, percent")
    return Figure(f"reference {row['target']} {row['measure']}", title, words, chart)


def levels_apart(found: Any) -> Iterable[Figure]:
    """Draw the percent of people, and of synthetic records, at levels that the other side lacks,
    for each column. Of several files, draw the highest percent. ``found`` is an `Inspection`.
    """
    apart_in: dict[str, dict[str, float]] = {}
    for row in found.columns:
        of_column = apart_in.setdefault(row["column"], dict.fromkeys(SIDES, 0.0))
        for side in SIDES:
            apart = 100 * row[f"{side}_apart"] / max(row[side], 1)
            of_column[side] = max(of_column[side], apart)
    worst = sorted(apart_in, key=lambda column: -max(apart_in[column].values()))[:APART]
    lines = [
        {"who": row_name(column, found.labels), "percent": apart_in[column][side], "role": role}
        for column in worst
        for side, role in SIDES.items()
    ]
    if lines:
        said = [
            f"{shown(column)}: {percent(apart_in[column]['people'])} of people, "
            f"{percent(apart_in[column]['records'])} of records"
            for column in worst
        ]
        title = "Levels that the other side lacks"
        words = described(title, said, [max(apart_in[column].values()) for column in worst])
        caption = (
            "Ring: percent of people at a level that no synthetic record has. Diamond: percent of "
            "synthetic records at a level that nobody has."
            + (f" The {APART} highest of {len(apart_in)} columns." if len(apart_in) > APART else "")
        )
        chart = marks.levels(lines, "percent")
        yield Figure("columns", title, words, chart, caption)


def utility_by_column(found: Any) -> Iterable[Figure]:
    """Draw the mean of a utility measure over the tables that contain each column, for each file.
    Of tables of several sizes, take the largest. ``found`` is a `Utility`.
    """
    measure, ways = found.sort, found.scenario["ways"][-1]
    higher = next(each["higher"] for each in found.measures if each["name"] == measure)
    rows = [row for row in found.by_column if row["ways"] == ways and row[measure] is not None]
    files = representatives((str(row["synthesis"]) for row in rows), "mean")
    rows = [row for row in rows if row["synthesis"] in files]
    lines = [
        {
            "column": row_name(row["column"], found.labels),
            "value": row[measure],
            "file": synthesis_name(row["synthesis"]),
        }
        for row in rows
    ]
    if lines:
        about = f"{measure}, mean over {found.ways[-1]} tables"
        said = [
            f"{shown(row['column'])}, {synthesis_name(row['synthesis'])}: "
            f"{number(row[measure], '.4g')}"
            for row in rows
        ]
        words = described(about, said, [row[measure] for row in rows])
        title, caption = f"{measure} by column", f"Higher means {higher}."
        chart = marks.dots(lines, "column", about)
        yield Figure("utility columns", title, words, chart, caption)


def utility_pairs(found: Any) -> Iterable[Figure]:
    """Draw a square for each table of two columns, as large as its measure, for each file (as
    utility.tables of synthpop). ``found`` is a `Utility`.
    """
    measure, columns = found.sort, listed(found.scenario["columns"])
    rows = [row for row in found.tables if row["ways"] == 2 and row[measure] is not None]
    files = representatives((str(row["synthesis"]) for row in rows), "mean")
    most = max((row[measure] for row in rows if row["synthesis"] in files), default=0)
    for label in files if len(columns) > 2 and most > 0 else []:
        pairs = [
            (*sorted(row["columns"], key=columns.index), row[measure])
            for row in rows
            if row["synthesis"] == label
        ]
        largest = sorted(pairs, key=lambda pair: -pair[2])[:3]
        said = "; ".join(
            f"{shown(one)} and {shown(other)} {number(value, '.4g')}"
            for one, other, value in largest
        )
        title = f"{measure} of pairs{f', {synthesis_name(label)}' if len(files) > 1 else ''}"
        caption = f"The larger the square, the higher {measure}. Largest: {said}." + _called(
            columns, [each for pair in largest for each in pair[:2]], found.labels
        )
        words = f"{title}, the largest of {len(pairs)}: {said}"
        lines = [
            {"column": shown(one), "row": shown(other), "value": value}
            for one, other, value in pairs
        ]
        chart = marks.squares(lines, [*map(shown, columns)], most)
        yield Figure(f"utility pairs {label}", title, words, chart, caption)


def _called(columns: Sequence[str], main: Sequence[str], labels: Labels) -> str:
    """Return the labels of the columns of an axis for a caption. If there are more than ``CALLED``
    columns, return only the labels of ``main``.
    """
    told = "; ".join(
        f"{shown(column)}: {shown(labels[column])}"
        for column in dict.fromkeys(columns if len(columns) <= CALLED else main)
        if column in labels
    )
    return f" {told}." if told else ""


def stepped(found: Any) -> Iterable[Figure]:
    """Draw the headline percentages at each step of a recode: those of the keys, then those of each
    target. ``found`` is a `Steps`.
    """
    drawn = [rows for rows in found.lines() if rows[0]["at"] is None]
    known = next(iter(found.values())).declared
    by = shown(found.stepped)
    pairs = [(each.original, each.name) for each in headlines(known)]
    for target, pair in product(dict.fromkeys(rows[0]["target"] for rows in drawn), pairs):
        own = [
            (step, row)
            for rows in drawn
            for step, row in zip(found.steps, rows, strict=True)
            if row["target"] == target and row["measure"] in pair and row["value"] is not None
        ]
        points = [
            {
                "at": step,
                "value": row["value"],
                "synthesis": f"{row['measure']} {label_name(str(row['synthesis']))}".strip(),
            }
            for step, row in own
        ]
        if points:
            measured = {row["measure"] for _, row in own}
            measures = " and ".join(measure for measure in pair if measure in measured)
            whom = of_population(own[0][1]["population"])
            name = with_target(f"{measures}{whom}", target, found.labels)
            said = [
                f"{point['synthesis']} at {point['at']}: {percent(point['value'])}"
                for point in points
            ]
            words = described(f"{name}, by {by}", said, [point["value"] for point in points])
            yield Figure(f"steps {name}", name, words, marks.lines(points, by, found.steps))


def columns(name: str, title: str, field: str, said: str, lines: list[dict[str, Any]]) -> Figure:
    """Return a figure with columns of ``percent`` over a field. ``said`` is the axis title."""
    told = [f"{line[field]}: {_percent(line)}" for line in lines]
    words = described(f"{title} ({said})", told, [line["percent"] for line in lines])
    return Figure(name, title, words, marks.columns(lines, field, said))


def number_line(name: str, title: str, lines: list[dict[str, Any]], caption: str = "") -> Figure:
    """Return a figure with a row for each ``who`` that shows how often the guesses are right."""
    return Figure(name, title, _said(title, lines), marks.number_line(lines), caption)


def _said(title: str, lines: Sequence[Mapping[str, Any]]) -> str:
    said = [f"{line['who']} ({line.get('from', line['role'])}): {_percent(line)}" for line in lines]
    return described(title, said, [line["percent"] for line in lines])


def _percent(line: Mapping[str, Any]) -> str:
    """Return the percentage of a line as a report tells it (``said``), such as ``<1.41 %``."""
    return str(line.get("said") or percent(line["percent"]))


def _guesses(found: SubsetRows, row: Row) -> bool:
    """Return True if a row of a sweep is a percentage of right guesses."""
    return row["family"] == "attackers" or "knows" in found.declared.get(row["measure"], {})


def _trained(row: Row) -> str:
    """Return the role of an attacker: baseline (knows only the shares), original, or synthetic."""
    return "baseline" if row["kind"] == "baseline" else _role(row["trained_on"])


def _role(label: str) -> str:
    return "original" if label == ORIGINAL else "synthetic"

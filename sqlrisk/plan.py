"""Scenario, measures and facts to ordered steps of plain SQL. Pure: nothing here touches a database."""

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from math import gcd
from statistics import NormalDist

from sqlrisk import render, spread
from sqlrisk.catalog import PROFILE_STAGES, UNTARGETED, Catalog, Measure
from sqlrisk.catalog import column as column_of
from sqlrisk.layout import EVERY_CLASS, EVERYBODY, Column, Comparison, File, Layout, Part, Pass, spans, table

# The reasons of an exclusion, in the order in which they count (DESIGN 5); written in stages/compared_cells.sql.
REASONS = ("target level", "missing target", "missing key", "key-and-target pair", "cell over the size limit")


@dataclass(frozen=True)
class Step:
    """One statement: ``sql`` fills ``table``. A ``temporary`` one is made anew and lives in memory, any other is added to.

    One that ``adds`` belongs to the step before it, which made the table. One that ``drops`` a table is the last to read it.
    """

    name: str
    table: str
    sql: str
    temporary: bool = False
    adds: bool = False
    drops: str | None = None


@dataclass(frozen=True)
class Crowd:
    """Who is counted where it is not simply everybody: the tables of the people of each population, and how they count."""

    classes: str
    cells: str
    counts: str
    number: str


_PARTS = {
    "classes": "class",
    "cells": "cell",
    "neighbours": "neighbour",
    "profiles": "profile",
    "neighbour_profiles": "neighbour_profile",
    "within": "within",
    "matches": "match",
    "posteriors": "posterior",
}  # of each stage that measures read, as their totals are named

_OF_TARGETS = tuple(stage for stage in _PARTS if stage not in UNTARGETED)  # those that are made for each target
_SAMPLED = 200_000  # records, at least, whose cells say where a pass begins
JOINS = 100  # of a statement; measured: 106 fit 2 GB, 156 do not


@dataclass(frozen=True)
class Ledger:
    """Totals that are kept together: of everybody, by population, or by weight. ``name`` begins their tables' names."""

    name: str
    everybody: bool = True
    weighted: bool = False

    def table(self, stage: str) -> str:
        """The table of a stage that is kept by ledger."""
        return f"{self.name}{stage}"

    def parts(self, stage: str) -> str:
        """The table of the totals over a stage."""
        return f"{self.name}{_PARTS[stage]}_parts"

    def spreads(self, stage: str) -> str:
        """The table of means and squared deviations over a stage."""
        return f"{self.name}{_PARTS[stage]}_spreads"

    @property
    def number(self) -> str:
        """The type in which people are counted, or weighed."""
        return "DOUBLE" if self.weighted else "BIGINT"

    def crowd(self, target: Column | None) -> Crowd | None:
        """Who is counted, in the cells of a target or in the classes; None for all the records of a cell."""
        if self.name == "":
            return None
        counts, number = ("weight_people", "DOUBLE") if self.weighted else ("n_people", "BIGINT")
        return Crowd("crowds", table("crowds", target), counts, number)


EVERYBODY_COUNTED = Ledger("")
BY_POPULATION = Ledger("crowd_", everybody=False)
WEIGHTED = Ledger("weight_", weighted=True)


@dataclass(frozen=True)
class Tally:
    """A measure at one of its points, and the columns that hold its numerator and denominator."""

    measure: Measure
    at: str | None
    column: str
    whole: bool = True

    @property
    def name(self) -> str:
        """The measure's name as a literal."""
        return render.literal(self.measure.name)

    @property
    def numerator(self) -> str:
        """The numerator of a measure that is made of others, over their columns."""
        return self._derived("numerator")

    @property
    def denominator(self) -> str:
        """Its denominator."""
        return self._derived("denominator")

    @property
    def each(self) -> str:
        """One person's value in a mean."""
        return render.each(self.measure, self.at)

    @property
    def among(self) -> str:
        """The people whose mean it is, of those that a row stands for."""
        return f"CASE WHEN {self.measure.among} THEN people ELSE 0 END" if self.measure.among else "people"

    @property
    def counted(self) -> str:
        """Those of them who have that value; the others have 0."""
        counted = self.measure.counted
        return f"CASE WHEN {self.measure.among} THEN {counted} ELSE 0 END" if self.measure.among else counted

    def _derived(self, side: str) -> str:
        return render.fill(self.measure.aggregates[side], **{name: column_of(name) for name in self.measure.parts})

    @property
    def combined(self) -> dict[str, str]:
        """By side, the aggregate that makes one of the parts of several passes: a sum of sums, the least of what is least."""
        kinds = {side: text.partition("(")[0] for side, text in self.measure.aggregates.items()}
        return {side: f"{kind if kind in ('MIN', 'MAX') else 'SUM'}({self.column}_{side})" for side, kind in kinds.items()}

    @property
    def aggregates(self) -> list[tuple[str, str]]:
        """(side, SQL) of each aggregate; whole numbers unless people are weighed."""
        return [(side, render.aggregate(self.measure, side, self.at, whole=self.whole)) for side in self.measure.aggregates]


def encode(layout: Layout) -> Iterator[Step]:
    """The dictionaries of all columns, the number of records of each file, and what is known of the targets' levels."""
    yield from dictionaries(layout)
    yield from marginals(layout)


def dictionaries(layout: Layout) -> Iterator[Step]:
    """The dictionaries of all columns and the number of records of each file."""
    for column in (*layout.columns, *layout.own_columns):
        files = layout.files if column.role != "b" else layout.people_files
        pooled = [file for file in files if not file.control]  # control must not move the breaks
        values = render.stage("stages/values.sql", column=column, files=files)
        if column.bins:
            yield Step("levels", table("values", column), values)
            yield Step(
                "levels",
                table("breaks", column),
                render.stage("stages/breaks.sql", column=column, pooled=pooled, values=table("values", column)),
            )
        counted = table("values", column) if column.bins else f"(\n{values}\n)"
        levels = render.stage("stages/levels.sql", column=column, files=files, values=counted, breaks=table("breaks", column))
        yield Step("levels", table("levels", column), levels)
    if layout.own_id is not None:
        own = layout.files[0]
        yield Step("levels", "own_ids", render.stage("stages/own_ids.sql", original=own, column=layout.own_id))
    yield Step("levels", "files", render.stage("stages/files.sql", files=layout.files, levels=table("levels", layout.keys[0])))


def marginals(layout: Layout) -> Iterator[Step]:
    """Totals of the levels of each target, and which of them are within its tolerance of each other: from the dictionaries."""
    for target in layout.targets:
        excluded = layout.scenario.exclude_level.get(target.name, ())
        yield Step(
            "levels",
            table("marginals", target),
            render.stage(
                "stages/marginals.sql",
                target=target,
                files=layout.files,
                levels=table("levels", target),
                files_row="files",
                excluded_levels=excluded,
                baseline=layout.baselines.get(target.name),
            ),
        )
        if target.tolerance is not None:
            yield from reaches(target)


def record(layout: Layout, *, temporary: bool = False, into: str = "records") -> Iterator[Step]:
    """The records as integers; needs the class key. A temporary table is not compressed: faster, where it fits in memory.

    Every join of a statement takes memory: many columns of many files are read in several statements, and the targets beyond
    those of the first wait as values.
    """
    at_once = (*layout.keys, *layout.own_columns)
    first, *later = _split(layout.targets, max(1, JOINS - len(at_once)))
    coded, waiting = first, layout.targets[len(first) :]
    columns = (*layout.keys, *first, *layout.own_columns)
    names = {
        "limbs": layout.limbs,
        "columns": columns,
        "targets": first,
        "waiting": waiting,
        "levels": {column.id: table("levels", column) for column in (*layout.columns, *layout.own_columns)},
        "populations": [each for each in layout.populations if each.kind in ("condition", "level")],
        "conditions": [each for each in layout.populations if each.kind == "condition"],
        "weights": layout.scenario.weights and render.quote(layout.scenario.weights),
        "id": layout.scenario.id and render.quote(layout.scenario.id),
        "id_type": layout.files[0].types.get(layout.scenario.id or "", ""),
        "own_id": layout.own_id,
    }
    made = f"{into}_{len(coded)}" if waiting else into
    together = max(1, JOINS // len(columns))
    for start in range(0, len(layout.files), together):
        sql = render.stage("stages/records.sql", files=layout.files[start : start + together], **names)
        yield Step("records", made, sql, temporary and not waiting, adds=start > 0)
    for targets in later:
        waiting = waiting[len(targets) :]
        sql = render.stage(
            "stages/begun_records.sql",
            begun=made,
            numbered=layout.files[0].record is not None,
            id=layout.scenario.id,
            coded=[*limb_names(layout), *(target.id for target in coded)],
            targets=targets,
            waiting=waiting,
            persons=_person_columns(layout),
            levels=names["levels"],
        )
        coded, begun = (*coded, *targets), made
        made = f"{into}_{len(coded)}" if waiting else into
        yield Step("records", made, sql, temporary and not waiting, drops=begun)


def _split(columns: Sequence[Column], size: int) -> list[Sequence[Column]]:
    """The columns in order, at most ``size`` together; one part without any where there are none."""
    return [columns[start : start + size] for start in range(0, len(columns), size)] or [()]


def project(layout: Layout, *, temporary: bool = False) -> Step:
    """The records with the class key of the layout's keys alone, from ``coded_records``, which have a column for each key."""
    sql = render.stage(
        "stages/projected_records.sql",
        limbs=layout.limbs,
        targets=layout.targets,
        persons=_person_columns(layout),
        numbered=layout.files[0].record is not None,
        id=layout.scenario.id,
        records="coded_records",
    )
    return Step("records", "records", sql, temporary)


def count(layout: Layout, catalog: Catalog, passes: Sequence[Pass], *, rewrites: bool = True) -> Iterator[Step]:
    """Classes, cells and the sums over them, in disjoint passes over the class keys: sums over passes add up.

    ``rewrites``: records are written once more with the counts of their class, so that no target looks its classes up again.
    """
    for turn in passes:
        yield from _classes(layout, catalog, turn, rewrites=rewrites)
        yield from _overlaps(layout)
        yield from _counts(layout, catalog, turn, rewrites=rewrites)


def measure(
    layout: Layout, passes: Sequence[Pass] = (EVERY_CLASS,), *, overlaps: bool = False, rewrites: bool = True
) -> Iterator[Step]:
    """Classes, cells and the totals of the measures alone: what the script of a measure shows, in one pass."""
    for turn in passes:
        yield from _classes(layout, None, turn, rewrites=rewrites)
        if overlaps:
            yield from _overlaps(layout)
        yield from _counts(layout, None, turn, rewrites=rewrites)


def pass_bounds(layout: Layout, passes: int, cell: Sequence[str]) -> str:
    """The query of the least class key of each of so many passes, with about as many cells each: combinations of ``cell``."""
    sizes = [part.size or 1 for part in layout.limbs[0].parts]
    most = max(1, sum(layout.records) // _SAMPLED)
    return render.stage(
        "stages/passes.sql",
        passes=passes,
        cell=", ".join(cell),
        every=next(each for each in count_from(most) if all(gcd(each, size) == 1 for size in sizes)),
        records="records",
    )


def classes(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """One row per class."""
    sql = render.stage("stages/classes.sql", **_stage_names(layout), turn=turn)
    return Step("classes", "classes", sql, temporary=True)


def members(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """The records of a pass with the counts of their class."""
    sql = render.stage(
        "stages/members.sql",
        **_stage_names(layout),
        targets=layout.targets,
        persons=_person_columns(layout),
        numbered=layout.files[0].record is not None,
        id=layout.scenario.id,
        classes="classes",
        turn=turn,
    )
    return Step("classes", "members", sql, temporary=True)


def cells(layout: Layout, target: Column) -> Step:
    """One row per cell of a target."""
    sql = render.stage("stages/cells.sql", **_stage_names(layout), target=target, members="members")
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def cell_counts(layout: Layout, target: Column, turn: Pass = EVERY_CLASS) -> Step:
    """The records of every file by class and level, before anything is known of the classes."""
    sql = render.stage("stages/cell_counts.sql", **_stage_names(layout), target=target, turn=turn)
    return Step("classes", "cell_counts", sql, temporary=True)


def summed_classes(layout: Layout) -> Step:
    """The classes of one pass from the counts of its cells."""
    sql = render.stage("stages/summed_classes.sql", **_stage_names(layout), cell_counts="cell_counts")
    return Step("classes", "classes", sql, temporary=True)


def joined_cells(layout: Layout, target: Column, *, counted: bool) -> Step:
    """The cells where no members are made, from ``counted`` cells or in one pass from records."""
    query = textwrap.indent(cell_counts(layout, target).sql, "    ")
    names = {"cell_counts": "cell_counts" if counted else f"(\n{query}\n)", "classes": "classes"}
    sql = render.stage("stages/joined_cells.sql", **_stage_names(layout), **names, target=target)
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def crowds(layout: Layout, target: Column | None = None) -> Step:
    """Who is counted of each population, and what they weigh: in the classes, or in the cells of a target."""
    weighted = layout.scenario.weights is not None
    sql = render.stage(
        "stages/crowds.sql",
        limbs=layout.limbs,
        members="members",
        files=layout.people_files,
        populations=(*((EVERYBODY,) if weighted else ()), *layout.populations),
        target=target,
        weights=weighted,
        held=(),
    )
    return Step("populations", table("crowds", target), sql, temporary=True)


def candidates(layout: Layout) -> Iterator[Step]:
    """Which records of aligned files are in the classes of a pass, and with populations or weights the people among them."""
    persons = _person_columns(layout)
    original, *_ = layout.files
    names = {"limbs": layout.limbs, "class_key": layout.class_key}
    sql = render.stage(
        "stages/candidates.sql", **names, original=original, syntheses=layout.syntheses, persons=persons, members="members"
    )
    yield Step("matches", "candidates", sql, temporary=True)
    if len(ledgers(layout)) > 1:
        weighted = layout.scenario.weights is not None
        sql = render.stage(
            "stages/crowds.sql",
            limbs=layout.limbs,
            members="candidates",
            files=(original,),
            populations=(*((EVERYBODY,) if weighted else ()), *layout.populations),
            target=None,
            weights=weighted,
            held=[file.held for file in layout.syntheses],
        )
        yield Step("matches", "crowds_candidates", sql, temporary=True)


def matches(layout: Layout, comparison: Comparison, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over matches reads."""
    return render.stage(
        "stages/matches.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        missing_keys=_missing_keys(layout),
        candidates="candidates",
        crowd_candidates="crowds_candidates",
        crowd=ledger.crowd(None),
    )


def near_cells(
    layout: Layout, comparison: Comparison, target: Column, turn: Pass = EVERY_CLASS, *, every_level: bool = True
) -> Step:
    """The cells of people with the synthetic records nearest to them; ``every_level``: also at levels that their class lacks."""
    sql = render.stage(
        "stages/near_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        people_files=layout.people_files,
        cells=table("cells", target),
        classes="classes",
        neighbours=neighbours(layout, comparison, target),
        every_level=every_level,
        turn=turn,
    )
    return Step(f"neighbours of {target.name}", table("near_cells", target), sql, temporary=True)


def neighbours(layout: Layout, comparison: Comparison, target: Column) -> str:
    """The table of the synthetic records nearest to classes that have none with their keys; control has that of the original."""
    first = next(each for each in layout.of_original if each.members == comparison.members)
    return table(f"neighbours_{first.number}", target)


def patterns(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """What a measure over cells reads, or with the ``nearest`` synthetic records one over neighbours."""
    return render.stage(
        "stages/patterns.sql",
        comparison=comparison,
        compared=compared_cells(layout, comparison, target, ledger, nearest=nearest),
        nearest=nearest,
        excludes=layout.scenario.excludes,
        baseline=target.name in layout.baselines,
        crowd=ledger.crowd(target),
    )


def profiles(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """What a measure over profiles reads, or over those of the ``nearest`` synthetic records."""
    return render.stage(
        "stages/profiles.sql",
        class_key=layout.class_key,
        comparison=comparison,
        compared=compared_cells(layout, comparison, target, ledger, nearest=nearest),
        marginals=table("marginals", target),
        crowd=ledger.crowd(target),
    )


def reaches(target: Column) -> Iterator[Step]:
    """Which levels of a target are within its tolerance of each other: once, before the passes."""
    names = {"tolerance": target.tolerance, "levels": table("levels", target), "numbers": table("numbers", target)}
    for stage in ("numbers", "reaches"):
        yield Step("levels", table(stage, target), render.stage(f"stages/{stage}.sql", **names))


def within_counts(layout: Layout, target: Column) -> Iterator[Step]:
    """What a pass counts once for all comparisons of a target with a tolerance: records near each cell, extents of classes."""
    names = {
        "files": layout.files,
        "limbs": layout.limbs,
        "class_key": layout.class_key,
        "comparisons": layout.of_original,
        "cells": table("cells", target),
        "reaches": table("reaches", target),
    }
    for stage in ("within_counts", "extents"):
        yield Step(f"cells of {target.name}", table(stage, target), render.stage(f"stages/{stage}.sql", **names), temporary=True)


def within_cells(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """The cells of a target with a tolerance for one comparison, each with the records near it."""
    return render.stage(
        "stages/within_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        # An extent is that of the syntheses compared, whoever the people are.
        number=next(each.number for each in layout.of_original if each.members == comparison.members),
        crowd=ledger.crowd(target),
        excludes=layout.scenario.excludes,
        compared=compared_cells(layout, comparison, target, ledger),
        within_counts=table("within_counts", target),
        extents=table("extents", target),
        reaches=table("reaches", target),
    )


def within(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure within the tolerance reads."""
    return render.stage(
        "stages/within.sql",
        crowd=ledger.crowd(target),
        excludes=layout.scenario.excludes,
        cells=within_cells(layout, comparison, target, ledger),
    )


def posteriors(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over posteriors reads."""
    return render.stage(
        "stages/posteriors.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        alpha=f"CAST({render.literal(layout.scenario.prior)} AS DOUBLE)",
        compared=compared_cells(layout, comparison, target, ledger),
        cells=table("cells", target),
        marginals=table("marginals", target),
        crowd=ledger.crowd(target),
    )


def compared_classes(layout: Layout, comparison: Comparison, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over classes reads."""
    return render.stage(
        "stages/compared_classes.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        missing_keys=_missing_keys(layout),
        classes="classes",
        crowd=ledger.crowd(None),
        risk=layout.scenario.weights is not None,
    )


def compared_cells(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """The cells of a target for one comparison, each with who is counted; or with the ``nearest`` synthetic records."""
    scenario = layout.scenario
    pairs = [
        {
            "part": layout.part(pair.key),
            "target_levels": table("levels", target),
            "key_levels": table("levels", layout.column(pair.key)),
            "target_match": target.matches(pair.target_level, "target"),
            "key_match": layout.column(pair.key).matches(pair.key_level, "key_levels"),
        }
        for pair in scenario.exclude_pair
        if pair.target == target.name
    ]
    return render.stage(
        "stages/compared_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        crowd=ledger.crowd(target),
        baseline=target.name in layout.baselines,
        excludes=scenario.excludes,
        max_cell=scenario.max_cell,
        max_cell_syn=scenario.max_cell_syn,
        missing_target=target.name in scenario.exclude_missing,
        missing_keys=_missing_keys(layout),
        pairs=pairs,
        cells=table("near_cells" if nearest else "cells", target),
        nearest=nearest,
        marginals=table("marginals", target),
    )


def ledgers(layout: Layout) -> list[Ledger]:
    """Whose totals are kept: of everybody always; by population and by weight where they are asked for."""
    weighted = layout.scenario.weights is not None
    by_population = [BY_POPULATION] if layout.populations or weighted else []
    return [EVERYBODY_COUNTED, *by_population, *([WEIGHTED] if weighted else [])]


def tallies(layout: Layout, stage: str, ledger: Ledger = EVERYBODY_COUNTED) -> list[Tally]:
    """The measures over one stage, one tally per point of ``at``; those that other measures are made of included.

    Measures of synthetic records know no populations, and only sums of people have a weighted form.
    """
    return [
        Tally(measure, at, measure.column if at is None else f"{measure.column}_{number}", whole=not ledger.weighted)
        for measure in layout.measures
        if measure.stage == stage and _kept(measure, ledger)
        for number, at in enumerate(measure.at or (None,), start=1)
    ]


def of_stage(stage: str, targets: Sequence[Column]) -> list[Column]:
    """The targets that the measures over a stage are taken of."""
    return [target for target in targets if stage != "within" or target.tolerance is not None]


def _kept(measure: Measure, ledger: Ledger) -> bool:
    if ledger.name == "":
        return measure.needs != "weights"
    return measure.of_people and (measure.weighable or not ledger.weighted)


def collect(layout: Layout) -> Iterator[Step]:
    """Results from the totals, then those of the measures that are made of other measures."""
    for ledger in ledgers(layout):
        kept = [tally for stage in _PARTS for tally in tallies(layout, stage, ledger)]
        if kept:
            yield Step("results", "results", render.stage("stages/results.sql", tallies=kept, pivot="", ledger=ledger))
    base = [*tallies(layout, "classes"), *tallies(layout, "cells")]
    derived = tallies(layout, "results")
    if derived:
        known = {tally.measure.name: tally for tally in base}
        parts = [known[name] for name in dict.fromkeys(name for tally in derived for name in tally.measure.parts)]
        pivot = render.stage("stages/pivot.sql", parts=parts, results="results")
        yield Step(
            "results", "results", render.stage("stages/results.sql", tallies=derived, pivot=pivot, ledger=EVERYBODY_COUNTED)
        )


def summary(layout: Layout, method: str, people: File) -> str:
    """The query of mean, min and max over the syntheses of a method, of the people of one file."""
    singles = [each for each in layout.comparisons if each.single and each.method == method and each.people == people]
    return render.stage("stages/summaries.sql", comparisons=singles, results="results")


def means(layout: Layout, stage: str, ledger: Ledger) -> list[Tally]:
    """The measures over a stage whose spread over people is kept: means of people's values, where there is control."""
    if len(layout.people_files) < 2 or ledger.weighted:
        return []
    return [tally for tally in tallies(layout, stage, ledger) if tally.measure.each is not None]


def differences(layout: Layout, *, spread: bool = True) -> str:
    """The query of what the synthesis added: the original's people against control's, measure by measure.

    Without the ``spread`` of people's values, the means of two groups are not compared by a test.
    """
    spreads = [(tally, ledger) for ledger in ledgers(layout) for stage in _PARTS for tally in means(layout, stage, ledger)]
    count = len(layout.of_original)
    return render.stage(
        "tables/differences.sql",
        pairs=list(zip(layout.comparisons[:count], layout.comparisons[count:], strict=True)),
        spread=spreads if spread else [],
        shares=_one_of(measure for measure in layout.measures if measure.is_share),
        proportions=_one_of(measure for measure in layout.measures if measure.is_proportion),
        z=render.literal(NormalDist().inv_cdf((1 + layout.scenario.confidence) / 2)),
        results="results",
    )


def _one_of(measures: Iterable[Measure]) -> str:
    """Condition on a row: it is of one of the measures."""
    names = [render.literal(measure.name) for measure in measures]
    return f"measure IN ({', '.join(names)})" if names else "1 = 0"


def person_caps(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> Step:
    """How many people have each CAP and lift, in one pass."""
    sql = render.stage(
        "stages/person_caps.sql",
        patterns=patterns(layout, comparison, target, ledger),
        comparison=comparison,
        target_number=target.number,
        baseline=target.name in layout.baselines,
        crowd=ledger.crowd(target),
    )
    return Step("distributions", ledger.table("person_caps"), sql)


def cap_counts(layout: Layout) -> Iterator[Step]:
    """How many people have each amount of each quantity, over all passes."""
    for ledger in ledgers(layout):
        sql = render.stage(
            "stages/cap_counts.sql",
            quantities=spread.QUANTITIES,
            person_caps=ledger.table("person_caps"),
            everybody=ledger.everybody,
            number=ledger.number,
        )
        yield Step("distributions", ledger.table("cap_counts"), sql)


def distributions(ledger: Ledger) -> str:
    """The query of people, mean and quantiles of each quantity."""
    return render.stage(
        "tables/distributions.sql",
        percents=spread.PERCENTS[1:-1],
        cap_counts=ledger.table("cap_counts"),
        number=ledger.number,
    )


def histograms(ledger: Ledger) -> str:
    """The query of the people in each bin of each quantity."""
    return render.stage(
        "tables/histograms.sql",
        quantities=spread.QUANTITIES,
        cap_counts=ledger.table("cap_counts"),
        number=ledger.number,
    )


def shares(layout: Layout, target: Column, limit: int) -> str:
    """The query of the levels of a target with most people, and of all others together, in each file."""
    return render.stage("tables/shares.sql", files=layout.files, marginals=table("marginals", target), limit=limit)


def pools(layout: Layout, method: str, people: File) -> list[Comparison]:
    """The comparisons with the first 1, 2, 3 ... syntheses of a method, for the people of one file."""
    own = [each for each in layout.comparisons if each.method == method and each.people == people]
    return [next(each for each in own if each.single), *(each for each in own if not each.single)]


def trend(points: Sequence[Comparison]) -> str:
    """The query of the line of each measure over the number of pooled syntheses."""
    return render.stage("tables/trend.sql", points=points, results="results")


def one_way(layout: Layout, target: Column) -> str:
    """The query of the one-way check of a target."""
    names = {"target": target, "disclosed": "disclosed", "marginals": table("marginals", target)}
    return render.stage("tables/one_way.sql", one_way=layout.scenario.one_way, **names)


def two_way(layout: Layout, target: Column, keys: Collection[int]) -> str:
    """The query of the two-way check of a target, over the keys (by number) that have pairs to look at."""
    chosen = spans([part for part in layout.parts if part.column.number in keys])
    names = {"target": target, "spans": chosen, "pairs": table("pairs", target), "records": "records"}
    return render.stage("tables/two_way.sql", two_way=layout.scenario.two_way, **names)


def pair(layout: Layout, target: Column) -> Step:
    """The pairs of a target level and a key level that the two-way check has to look at."""
    sql = render.stage(
        "stages/pairs.sql",
        target=target,
        parts=layout.parts,
        suspects="suspects",
        marginals=table("marginals", target),
        levels={key.id: table("levels", key) for key in layout.keys},
        two_way=layout.scenario.two_way,
    )
    return Step("checks", table("pairs", target), sql)


def one_sided_levels(layout: Layout) -> str:
    """The query of the levels that one side alone has."""
    entries = [{"number": number, "levels": table("levels", column)} for number, column in enumerate(layout.columns)]
    return render.stage("tables/one_sided_levels.sql", entries=entries, comparisons=layout.singles)


def labels(column: Column) -> str:
    """The query of a column's levels as a person reads them."""
    return render.stage("stages/labels.sql", column=column, levels=table("levels", column))


def _targeted(layout: Layout, catalog: Catalog | None) -> bool:
    """Whether cells are counted: by a measure, or with a catalogue by the checks."""
    return catalog is not None or any(tallies(layout, stage, ledger) for stage in _OF_TARGETS for ledger in ledgers(layout))


def _needs_members(layout: Layout) -> bool:
    """Whether single records meet the counts of their class, whatever is cheap."""
    return len(ledgers(layout)) > 1 or bool(tallies(layout, "matches"))


def _counts_cells_first(layout: Layout, catalog: Catalog | None, *, rewrites: bool) -> bool:
    """Whether classes are summed from the cells of the one target: a third less than to write the records once more."""
    return rewrites and len(layout.targets) == 1 and _targeted(layout, catalog) and not _needs_members(layout)


def _classes(layout: Layout, catalog: Catalog | None, turn: Pass, *, rewrites: bool) -> Iterator[Step]:
    if _counts_cells_first(layout, catalog, rewrites=rewrites):
        yield cell_counts(layout, layout.targets[0], turn)
        yield summed_classes(layout)
    else:
        yield classes(layout, turn)


def _counts(layout: Layout, catalog: Catalog | None, turn: Pass, *, rewrites: bool) -> Iterator[Step]:
    """The totals of one pass, and with a catalogue what the checks and exclusions sum."""
    kept = ledgers(layout)
    targeted = _targeted(layout, catalog)
    counted = _counts_cells_first(layout, catalog, rewrites=rewrites)
    rewritten = _needs_members(layout) or (targeted and not counted and (rewrites or turn != EVERY_CLASS))
    if rewritten:
        yield members(layout, turn)
    if len(kept) > 1:
        yield crowds(layout)
    if tallies(layout, "matches"):
        yield from candidates(layout)
        for comparison in layout.of_original:
            for ledger in kept:
                yield from _totals(layout, "matches", comparison, None, ledger)
    for comparison in layout.comparisons:
        for ledger in kept:
            yield from _totals(layout, "classes", comparison, None, ledger)
            if catalog is not None:
                yield from _spreads(layout, "classes", comparison, None, ledger)
    for target in layout.targets if targeted else ():
        yield cells(layout, target) if rewritten else joined_cells(layout, target, counted=counted)
        if len(kept) > 1:
            yield crowds(layout, target)
        tolerant = target.tolerance is not None and tallies(layout, "within")
        if tolerant:
            yield from within_counts(layout, target)
        for comparison in layout.comparisons:
            if any(measure.of_neighbours for measure in layout.measures):
                votes = any(measure.stage == "neighbour_profiles" for measure in layout.measures)
                yield near_cells(layout, comparison, target, turn, every_level=votes)
            for ledger in kept:
                for stage in _OF_TARGETS:
                    if stage == "within" and not tolerant:
                        continue
                    if stage == "posteriors" and comparison.people.control:
                        continue  # an intruder who knows the rest of the original knows nothing of control
                    yield from _totals(layout, stage, comparison, target, ledger)
                    if catalog is not None:
                        yield from _spreads(layout, stage, comparison, target, ledger)
                if catalog is not None and layout.scenario.distributions:
                    yield person_caps(layout, comparison, target, ledger)
                if catalog is not None and not comparison.people.control and not ledger.weighted:
                    yield from _cell_sums(layout, catalog, comparison, target, ledger)


def _overlaps(layout: Layout) -> Iterator[Step]:
    """Classes and records on both sides and on one side only, of each comparison, in one pass."""
    for comparison in layout.comparisons:
        compared = compared_classes(layout, comparison)
        yield Step("overlap", "overlap", render.stage("tables/overlap.sql", comparison=comparison, compared=compared))


def _cell_sums(layout: Layout, catalog: Catalog, comparison: Comparison, target: Column, ledger: Ledger) -> Iterator[Step]:
    """What the checks and the counts of exclusions sum over the cells of one target for one comparison."""
    compared = compared_cells(layout, comparison, target, ledger)
    names = {
        "comparison": comparison,
        "target_number": target.number,
        "compared": compared,
        "class_key": layout.class_key,
        "crowd": ledger.crowd(target),
    }
    disco = render.risky(catalog["DiSCO"])
    yield Step("checks", "disclosed", render.stage("stages/disclosed.sql", disco=disco, **names))
    yield Step("checks", "suspects", render.stage("stages/suspects.sql", disco=disco, two_way=layout.scenario.two_way, **names))
    if layout.scenario.excludes and ledger.everybody:
        yield Step("exclusions", "excluded", render.stage("stages/excluded.sql", **names))


def _totals(layout: Layout, stage: str, comparison: Comparison, target: Column | None, ledger: Ledger) -> Iterator[Step]:
    """The totals of all measures over a stage, if there are any."""
    kept = tallies(layout, stage, ledger)
    if not kept:
        return
    sql = render.stage(
        "stages/totals.sql",
        tallies=kept,
        comparison=comparison,
        target_number=0 if target is None else target.number,
        compared=_read(layout, stage, comparison, target, ledger),
        stage=stage,
        crowd=ledger.crowd(target),
    )
    yield Step("measures", ledger.parts(stage), sql)


def _spreads(layout: Layout, stage: str, comparison: Comparison, target: Column | None, ledger: Ledger) -> Iterator[Step]:
    """The means and squared deviations of one pass, where there is control to compare with."""
    kept = means(layout, stage, ledger)
    if not kept:
        return
    sql = render.stage(
        "stages/spreads.sql",
        tallies=kept,
        comparison=comparison,
        target_number=0 if target is None else target.number,
        compared=_read(layout, stage, comparison, target, ledger),
        stage=stage,
        crowd=ledger.crowd(target),
    )
    yield Step("measures", ledger.spreads(stage), sql)


def _read(layout: Layout, stage: str, comparison: Comparison, target: Column | None, ledger: Ledger) -> str:
    """What a measure over a stage reads."""
    if target is None:
        return (matches if stage == "matches" else compared_classes)(layout, comparison, ledger)
    if stage == "posteriors":
        return posteriors(layout, comparison, target, ledger)
    if stage == "within":
        return within(layout, comparison, target, ledger)
    make = profiles if stage in PROFILE_STAGES else patterns
    return make(layout, comparison, target, ledger, nearest=stage.startswith("neighbour"))


def _person_columns(layout: Layout) -> list[str]:
    flags = [each.flag for each in layout.populations if each.kind in ("condition", "level")]
    return [*flags, *(["weight"] if layout.scenario.weights is not None else [])]


def _missing_keys(layout: Layout) -> list[Part]:
    return [part for part in layout.parts if part.column.name in layout.scenario.exclude_missing]


def limb_names(layout: Layout) -> list[str]:
    """The columns that hold the class key."""
    return [limb.name for limb in layout.limbs]


def _stage_names(layout: Layout) -> dict[str, object]:
    return {"files": layout.files, "limbs": layout.limbs, "class_key": layout.class_key, "records": "records"}

"""Steps that count all passes and sum the measures over them. Pure: nothing here touches a database."""

from collections.abc import Iterable, Iterator, Sequence

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import PROFILE_STAGES, Catalog
from sqlrisk.plan import person_distributions
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.comparisons import compared_cells, compared_classes, matches, patterns, posteriors, profiles, within
from sqlrisk.plan.counted_measures import EVERYBODY_COUNTED, OF_TARGETS, TOTALS, Ledger, Tally, ledgers, means, tallies
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.pass_tables import (
    candidates,
    cell_counts,
    cells,
    classes,
    crowds,
    joined_cells,
    members,
    near_cells,
    summed_classes,
    within_counts,
)
from sqlrisk.plan.steps import Step


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


def collect(layout: Layout) -> Iterator[Step]:
    """Results from the totals, then those of the measures that are made of other measures."""
    for ledger in ledgers(layout):
        kept = [tally for stage in TOTALS for tally in tallies(layout, stage, ledger)]
        if kept:
            yield _results(_summed(tally, ledger) for tally in kept)
    base = [*tallies(layout, "classes"), *tallies(layout, "cells")]
    derived = tallies(layout, "results")
    if derived:
        known = {tally.measure.name: tally for tally in base}
        parts = [known[name] for name in dict.fromkeys(name for tally in derived for name in tally.measure.parts)]
        pivot = templates.stage("stages/results/pivot.sql", parts=parts, results="results")
        yield _results(templates.stage("stages/results/derived_results.sql", tally=tally, pivot=pivot) for tally in derived)


def _results(queries: Iterable[str]) -> Step:
    return Step("results", "results", templates.stage("stages/results/results.sql", results=templates.union_all(queries)))


def _summed(tally: Tally, ledger: Ledger) -> str:
    """The query of a measure's result from the totals of each pass."""
    sides = tally.measure.aggregates
    kind = "least" if "least" in sides else "plain" if "value" in sides else "summed"
    return templates.stage(
        f"stages/results/{kind}_results.sql",
        tally=tally,
        weighted=int(ledger.weighted),
        parts=ledger.parts(tally.measure.stage),
        condition=ledger.condition(tally.measure),
    )


def person_caps(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> Step:
    """How many people have each CAP and lift, in one pass."""
    sql = templates.stage(
        "stages/results/person_caps.sql",
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
        sql = templates.stage(
            "stages/results/cap_counts.sql",
            quantities=person_distributions.QUANTITIES,
            person_caps=ledger.table("person_caps"),
            everybody=ledger.everybody,
            number=ledger.number,
        )
        yield Step("distributions", ledger.table("cap_counts"), sql)


def pair(layout: Layout, target: Column) -> Step:
    """The pairs of a target level and a key level that the two-way check has to look at."""
    sql = templates.stage(
        "stages/results/pairs.sql",
        target=target,
        parts=layout.parts,
        suspects="suspects",
        marginals=table("marginals", target),
        levels={key.id: table("levels", key) for key in layout.keys},
        two_way=layout.scenario.two_way,
    )
    return Step("checks", table("pairs", target), sql)


def _targeted(layout: Layout, catalog: Catalog | None) -> bool:
    """Whether cells are counted: by a measure, or with a catalogue by the checks."""
    return catalog is not None or any(tallies(layout, stage, ledger) for stage in OF_TARGETS for ledger in ledgers(layout))


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
                yield from near_cells(layout, comparison, target, turn, every_level=votes)
            for ledger in kept:
                for stage in OF_TARGETS:
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
        yield Step("overlap", "overlap", templates.stage("tables/overlap.sql", comparison=comparison, compared=compared))


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
    disco = templates.risky(catalog["DiSCO"])
    yield Step("checks", "disclosed", templates.stage("stages/results/disclosed.sql", disco=disco, **names))
    yield Step(
        "checks",
        "suspects",
        templates.stage("stages/results/suspects.sql", disco=disco, two_way=layout.scenario.two_way, **names),
    )
    if layout.scenario.excludes and ledger.everybody:
        yield Step("exclusions", "excluded", templates.stage("stages/results/excluded.sql", **names))


def _totals(layout: Layout, stage: str, comparison: Comparison, target: Column | None, ledger: Ledger) -> Iterator[Step]:
    """The totals of all measures over a stage, if there are any."""
    kept = tallies(layout, stage, ledger)
    if not kept:
        return
    sql = templates.stage(
        "stages/results/totals.sql",
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
    names = {"tallies": kept, "crowd": ledger.crowd(target)}
    persons = templates.stage(
        "stages/results/person_values.sql",
        **names,
        compared=_read(layout, stage, comparison, target, ledger),
        stage=stage,
        of="_of" if stage == "classes" else "",
    )
    if stage == "classes":
        persons = templates.stage("stages/results/alike_values.sql", **names, persons=persons)
    sql = templates.stage(
        "stages/results/spreads.sql",
        **names,
        comparison=comparison,
        target_number=0 if target is None else target.number,
        persons=persons,
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

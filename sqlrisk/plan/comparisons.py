"""The queries that measures read: cells and classes of comparisons, and tables derived from
them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.reads import PROFILES
from sqlrisk.inputs.settings import BASELINE
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.counted_measures import BY_RECORD, CountBasis
from sqlrisk.plan.layout import Comparison, Layout, Together
from sqlrisk.plan.pass_tables import reached_classes, within_reach
from sqlrisk.plan.steps import Step, fill, in_pass

# What the intruder sees of a cell, before the count of the people's file is renamed n_orig.
_SEEN = (
    "n_own", "n_syn", "n_own_class", "n_syn_class", "n_orig_level", "n_syn_level", "n_orig_all",
    "n_syn_all", "n_base", "n_base_class",
)  # fmt: skip
_ALIKE = ("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_orig_level", "n_orig_all")
# Counts of the nearest records, instead of those of a file.
_NEAREST = {"count": "n_near", "count_class": "n_near_class", "times": ""}
_LINKED = (
    "radius_a", "n_near_a", "radius_b", "n_near_b", "n_near_both", "share_drawn", "share_ordered",
)  # fmt: skip
_WITHIN = (
    "n_orig_within", "n_syn_within", "n_base_within", "n_level_within", "close_orig", "close_syn",
)  # fmt: skip


def listed(layout: Layout) -> Step:
    """Make the table ``comparisons``, which lists the files of each comparison."""
    names = {**Together(layout.comparisons).names, "comparisons": layout.comparisons}
    return in_pass("comparisons", "comparisons", "stages/comparisons/comparisons.sql", **names)


@dataclass(frozen=True)
class Cells:
    """The cells of targets for comparisons, in one query, with people summed by one count basis.

    By default the synthetic records of a cell have the keys of its class. With ``nearest`` they are
    the records nearest to the class, and with ``reached`` the records within the tolerance of its
    keys.
    """

    layout: Layout
    comparisons: tuple[Comparison, ...]
    targets: tuple[Column, ...]
    basis: CountBasis = BY_RECORD
    nearest: bool = False
    reached: bool = False

    def read_by(self, stage: str) -> str:
        """Return the query that feeds the measures of a stage."""
        if stage in ("within", "posteriors"):
            return self.within() if stage == "within" else self.posteriors()
        if stage in ("guessed_cells", "ordered_classes"):
            return self.guessed() if stage == "guessed_cells" else self.ordered()
        cells = replace(
            self, nearest=stage.startswith("neighbour"), reached=stage == "reached_cells"
        )
        if stage not in PROFILES:
            return cells.distinct()
        return cells.profiles(
            whole=any(
                measure.of_spread for measure in self.layout.measures if measure.stage == stage
            )
        )

    def of(self, comparisons: tuple[Comparison, ...], targets: tuple[Column, ...]) -> "Cells":
        """Return a copy with only these comparisons and targets, or this object if these are
        all.
        """
        every = len(comparisons) == len(self.comparisons) and len(targets) == len(self.targets)
        return self if every else replace(self, comparisons=comparisons, targets=targets)

    @property
    def by(self) -> list[str]:
        """The columns that separate targets, comparisons and populations that one query counts
        together.
        """
        return [*self._apart(self.targets[0]), *self.basis.by]

    @cached_property
    def compared(self) -> str:
        """The query of the cells with the people and records that are counted in each."""
        return templates.union_all(self._compared(target) for target in self.targets)

    def _compared(self, target: Column) -> templates.Query:
        population_counts, names = self.basis.population_counts, self._names(target)
        carried = self._carried(target)
        columns = [*_SEEN, *carried, *self._alone]
        query = templates.stage(
            "stages/comparisons/seen_cells.sql",
            **names,
            synthetic=self._synthetic,
            carried=carried,
            each_file=bool(self._alone),
            cells=table(
                "near_cells" if self.nearest else "reached_cells" if self.reached else "cells",
                target,
            ),
        )
        if population_counts is not None:
            tables = {
                "class_counts": table("population_counts"),
                "cell_counts": table("population_counts", target),
            }
            query = templates.stage(
                "stages/comparisons/population_cells.sql",
                **names,
                **tables,
                seen_cells=query,
                columns=columns,
            )
        if self._excludes:
            counted = [] if population_counts is None else ["population", "people", "people_class"]
            query = self._excluded(query, target, [*columns, *counted])
        return templates.stage(
            "stages/comparisons/compared_cells.sql",
            **names,
            cells=query,
            columns=[*columns, *self.basis.by],
            people="n_own" if population_counts is None else "people",
            people_class="n_own_class" if population_counts is None else "people_class",
            excludes=self._excludes,
            grouped_by=", ".join([self.layout.class_key, *self._together.apart, *self.basis.by]),
        )

    def distinct(self) -> str:
        """Return the query for measures over cells, or over neighbours if the records are the
        nearest ones.
        """
        control, carried = self._together.control, self._carried(self.targets[0])
        base = ["n_base", "n_base_class"] if control else []
        return templates.stage(
            "stages/comparisons/distinct_cells.sql",
            compared=self.compared,
            alike=[*_ALIKE, *base, *carried, *self._alone, *self.basis.by],
            apart=[
                *(["excluded_orig", "excluded_syn"] if self._excludes else []),
                *(f"CASE WHEN people > 0 THEN {name} END" for name in self.basis.by),
            ],
            carried=[
                *(name for name in carried if name != "share_given"),
                *self._alone,
                *self.basis.by,
            ],
            shared=["others"] if self.layout.others else [],
            control=control,
            baseline="share_given" in carried,
            number=self.basis.sql_type,
        )

    def guessed(self) -> str:
        """Return the query for measures over guesses: a row for each combination of counts, with
        the chances that the synthetic class and the others in the original guess right.
        """
        classes = list(self.layout.key_column_names)
        of_class = f"PARTITION BY {', '.join([*classes, *self.by])}"
        names = {
            "class_columns": classes,
            "of_class": of_class,
            "by": self.by,
            "number": self.basis.sql_type,
        }
        return templates.stage(
            "stages/comparisons/guessed_cells.sql", **names, compared=self.compared
        )

    def ordered(self) -> str:
        """Return the query for measures over classes of ordered targets."""
        columns = [*self.layout.key_column_names, *self.by]
        names = {
            "columns": columns,
            "apart": self._apart(self.targets[0]),
            "number": self.basis.sql_type,
        }
        made = {"compared": self.compared, "level_places": self._of_each("level_places")}
        shares = templates.stage("stages/comparisons/ordered_shares.sql", **names, **made)
        return templates.stage(
            "stages/comparisons/ordered_classes.sql", **names, ordered_shares=shares
        )

    def profiles(self, *, whole: bool = True) -> str:
        """Return the query for measures over profiles of classes. Unless ``whole``, it has only the
        votes of synthetic records.
        """
        columns = [*self.layout.key_column_names, *self.by]
        names = {
            "class": ", ".join(columns),
            "class_columns": columns,
            "number": self.basis.sql_type,
            "whole": whole,
            "compared": self.compared,
            "apart": self._apart(self.targets[0]),
            "close": whole and self.layout.close,
        }
        names["level_totals"] = self._of_each("level_totals") if whole else ""
        tops = templates.stage("stages/comparisons/class_tops.sql", **names)
        ranked = templates.stage("stages/comparisons/ranked_cells.sql", **names, class_tops=tops)
        spread = templates.union_all(
            templates.stage(f"stages/comparisons/{classes}.sql", **names, ranked_cells=ranked)
            for classes in ("lone_classes", "spread_classes")
        )
        of_all = f"PARTITION BY {', '.join(self.by)}" if self.by else ""
        return templates.stage(
            "stages/comparisons/profiles.sql", **names, spread_classes=spread, of_all=of_all
        )

    def _of_each(self, stage: str) -> templates.Query:
        """Return the query of a stage of comparisons for all targets together."""
        return templates.union_all(
            templates.stage(
                f"stages/comparisons/{stage}.sql",
                **self._names(target),
                apart=self._apart(target),
            )
            for target in self.targets
        )

    def within_cells(self) -> str:
        """Return the query of the cells of targets with a tolerance, each with the number of
        records within it.
        """
        return templates.union_all(self._within_cells(target) for target in self.targets)

    def _within_cells(self, target: Column) -> templates.Query:
        seen = ("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_base_class", "n_orig_all")
        return templates.stage(
            "stages/tolerance/within_cells.sql",
            **self._names(target),
            # A range is that of the compared syntheses, whoever the people are.
            ranges=[(each, self.layout.of_the_original(each).number) for each in self.comparisons],
            columns=[*self.by, *seen],
            counted=["people", "counted_orig", *self._reasons_within],
            compared=self._compared(target),
            within_counts=table("within_counts", target),
            class_ranges=table("class_ranges", target),
            tolerance_intervals=table("tolerance_intervals", target),
        )

    def within(self) -> str:
        """Return the query for measures within the tolerance of a target."""
        seen = ("n_orig_class", "n_syn_class", "n_base_class", "n_orig_all")
        return templates.stage(
            "stages/tolerance/within.sql",
            cells=self.within_cells(),
            alike=[*seen, *_WITHIN, *self.by],
            reasons=self._reasons_within,
            number=self.basis.sql_type,
        )

    def posteriors(self) -> str:
        """Return the query for measures over posteriors, for one target and one comparison."""
        (target,) = self.targets
        prior = self.layout.scenario.intruder_prior
        names = {
            **self._names(target),
            "alpha": f"CAST({templates.literal(self.layout.scenario.prior)} AS DOUBLE)",
        }
        form = "given_beliefs" if prior == BASELINE else "beliefs"
        beliefs = templates.stage(
            f"stages/intruder/{form}.sql", **names, prior=prior, cells=table("cells", target)
        )
        evidence = templates.stage("stages/intruder/evidence.sql", **names, beliefs=beliefs)
        likelihoods = templates.stage("stages/intruder/likelihoods.sql", **names, evidence=evidence)
        return templates.stage(
            "stages/intruder/posteriors.sql",
            **names,
            compared=self.compared,
            likelihoods=likelihoods,
        )

    def _excluded(self, seen: str, target: Column, columns: list[str]) -> templates.Query:
        """Return the query of the cells with the reasons why their people or synthetic records are
        excluded.
        """
        layout, scenario = self.layout, self.layout.scenario
        pairs = []
        for pair in scenario.exclude_pair:
            if pair.target == target.name:
                part = layout.part(pair.key)
                query = templates.stage(
                    "stages/comparisons/excluded_pair.sql",
                    part=part,
                    target_levels=table("levels", target),
                    key_levels=table("levels", part.column),
                    target_match=target.matches(pair.target_level, "target"),
                    key_match=part.column.matches(pair.key_level, "key_levels"),
                )
                pairs.append({"part": part, "query": query})
        return templates.stage(
            "stages/comparisons/excluded_cells.sql",
            **self._names(target),
            seen_cells=seen,
            columns=columns,
            max_cell=scenario.max_cell,
            max_cell_syn=scenario.max_cell_syn,
            n_same=self._same,
            missing_target=target.name in scenario.exclude_missing,
            missing_keys=layout.missing_keys,
            pairs=pairs,
        )

    @cached_property
    def _together(self) -> Together:
        return Together(self.comparisons)

    def _names(self, target: Column) -> dict[str, Any]:
        """Return the names to fill the templates of stages with, for one of the targets."""
        of_target = {"marginals": table("marginals", target), "nearest": self.nearest}
        of_basis = {
            "number": self.basis.sql_type,
            "population_counts": self.basis.population_counts,
        }
        return {**self.layout.names, **self._together.names, **of_target, **of_basis}

    def _apart(self, target: Column) -> dict[str, str]:
        """Return column -> SQL of the columns that tell targets and comparisons apart. Empty if
        there is one of each.
        """
        return {
            **({"target": str(target.number)} if len(self.targets) > 1 else {}),
            **self._together.apart,
        }

    def _carried(self, target: Column) -> dict[str, str]:
        """Return column -> SQL of the columns of cells, besides counts, that measures need:
        baseline, others, radius, tolerance of a key.
        """
        carried = self._apart(target)
        if target.name in self.layout.baselines:
            carried["share_given"] = "marginals.share"
        if self.layout.others:  # people outside the original have no record there to leave out
            record = "".join(
                f" - {file.times or 1}" for file in self._together.own if not file.control
            )
            carried |= {
                "n_others": f"cells.n_orig{record}",
                "n_others_class": f"cells.n_orig_class{record}",
            }
        if self.layout.close:  # control is compared with its own people
            own = self._together.own
            carried["n_own_level"] = _sum(own, lambda file: f"marginals.{file.count}")
            carried["n_own_all"] = _sum(own, lambda file: f"marginals.{file.count_all}")
        if self.nearest:
            carried["radius"] = "cells.radius"
        if self.nearest and self._excludes:
            carried["n_syn_same"] = "cells.n_same"
        if self.reached:
            own = self._together.own
            carried["n_orig_reached"] = _sum(own, lambda file: f"cells.reached_{file.count}")
            carried["n_orig_class_reached"] = _sum(
                own, lambda file: f"cells.reached_{file.count_class}"
            )
            carried["share_orig_reached"] = "cells.share_orig_reached"
        if self.reached and self._excludes:
            carried["n_syn_same"] = _sum(self._together.members, lambda file: f"cells.{file.count}")
        return carried

    @property
    def _synthetic(self) -> Sequence[File | Mapping[str, str]]:
        """What names a cell's counts of synthetic records."""
        members = self._together.members
        return (_NEAREST,) if self.nearest else within_reach(members) if self.reached else members

    @property
    def _same(self) -> str:
        """The SQL of the number of synthetic records with exactly the keys of a cell."""
        return "n_syn_same" if self.nearest or self.reached else "n_syn"

    @property
    def _alone(self) -> list[str]:
        """The column with the number of files of a pool that reveal a cell's level by themselves,
        as a list. Empty if no measure reads it.
        """
        return ["n_revealing"] if self.layout.each_file and not self.nearest else []

    @property
    def _reasons_within(self) -> list[str]:
        """The column with the reason why a cell's people are excluded. Empty if there are no
        exclusions.
        """
        return ["excluded_orig"] if self._excludes else []

    @property
    def _excludes(self) -> bool:
        """True if exclusions apply."""
        return self.layout.scenario.excludes and self.basis.excludes


def _sum(files: Iterable[File], column: Callable[[File], str]) -> str:
    """Return the SQL sum of a column over the files of a comparison."""
    return " + ".join(
        f"{column(file)} * {file.times}" if file.times else column(file) for file in files
    )


def placed(**numbers: Sequence[int]) -> dict[str, Any]:
    """Return the names ``placed`` and ``by`` for templates, given the numbers of the targets,
    comparisons and populations of a query.

    If a list has one number, all rows have it, and ``placed`` has that number. Otherwise (also if
    the list is empty) ``placed`` has None, the rows have a column for the number, and ``by`` names
    this column.
    """
    found = {name: each[0] if len(each) == 1 else None for name, each in numbers.items()}
    return {"placed": found, "by": [name for name, number in found.items() if number is None]}


def compared_classes(
    layout: Layout,
    comparisons: Sequence[Comparison],
    basis: CountBasis = BY_RECORD,
    stage: str = "classes",
) -> str:
    """Return the query for measures over classes, or over another ``stage`` with a row for each
    class.

    ``reached_classes`` counts the records within a key's tolerance. ``linked_classes`` adds the
    nearest records on both sides of a link, and ``singled_classes`` the fewest keys that single out
    the person of a class. These two take one comparison. In ``whole_rows`` and ``near_rows`` the
    records of a class agree in all shared columns.
    """
    reached = stage == "reached_classes"
    together, population_counts = Together(tuple(comparisons)), basis.population_counts
    carried = dict(together.apart)
    if reached:
        carried["n_orig_reached"] = _sum(together.own, lambda file: f"reached_{file.count_class}")
    if stage == "linked_classes":
        carried |= {name: name for name in _LINKED}
    if stage == "singled_classes":
        (own,) = together.own
        carried["n_keys"] = f"n_keys_{own.count}"
    if stage == "near_rows":
        carried |= _radii(layout, together)
    drawn = stage == "whole_rows" and any(measure.of_draws for measure in layout.measures)
    if drawn:
        carried["people_file"] = _sum(together.own, lambda file: str(file.number))
    if layout.universe is not None and stage == "classes":
        carried["n_universe"] = layout.universe.count
    alone = [*(["n_replicating"] if layout.each_file else []), *carried]
    names = {**layout.names, **together.names, "population_counts": population_counts}
    names |= {"class_counts": table("population_counts"), "columns": ["n_own", "n_syn", *alone]}
    columns = alone
    query = templates.stage(
        "stages/comparisons/seen_classes.sql",
        **names,
        classes={"whole_rows": "classes", "near_rows": "near_classes"}.get(stage, stage),
        synthetic=within_reach(together.members, of_class=True) if reached else together.members,
        carried=carried,
        each_file=layout.each_file,
    )
    if population_counts is not None:
        columns = [*alone, "population"]
        query = templates.stage(
            "stages/comparisons/population_classes.sql", **names, seen_classes=query
        )
    if population_counts is not None and layout.scenario.weights is not None:
        columns = [*alone, "population", "population_risk"]
        query = templates.stage(
            "stages/comparisons/sampled_classes.sql", **names, population_classes=query
        )
    names["columns"] = columns
    compared = templates.stage(
        "stages/comparisons/compared_classes.sql",
        **names,
        classes=query,
        people="n_own" if population_counts is None else "people",
        universe="n_universe" in carried,
        missing_keys=layout.missing_keys if basis.excludes else [],
    )
    if not drawn:
        return compared
    columns = ["n_orig", "n_syn", *columns, "people", "synthetic", "counted_orig", "counted_syn"]
    tables = {"compared": compared, "row_chances": "row_chances"}
    return templates.stage("stages/whole_rows/drawn_rows.sql", **tables, columns=columns)


def _radii(layout: Layout, together: Together) -> dict[str, str]:
    """Return column -> SQL of a whole row's distances: to the nearest synthetic record, to the
    nearest of the compared people, and to the nearest of all other people, if there are any.

    A distance is a number of differing columns. It is above ``layout.row_radius`` if no row is
    that near. If only some comparisons use a file, the file counts where its column of 1 and 0 is
    1.
    """

    def within(radius: int) -> str:
        return " OR ".join(
            f"radius_{file.number} <= {radius}{f' AND {file.times} = 1' if file.times else ''}"
            for file in together.members
        )

    nearest = " ".join(
        f"WHEN {within(radius)} THEN {radius}" for radius in range(layout.row_radius + 1)
    )
    own = {file.number: file for file in together.own}
    others = " + ".join(
        f"radius_{file.number} * (1 - {own[file.number].times})"
        if file.number in own
        else f"radius_{file.number}"
        for file in layout.people_files
        if file.number not in own or own[file.number].times
    )
    return {
        "radius_syn": f"CASE {nearest} ELSE {layout.row_radius + 1} END",
        "radius_orig": _sum(together.own, lambda file: f"radius_{file.number}"),
        **({"radius_others": others} if others else {}),
    }


def of_classes(
    layout: Layout, comparisons: Sequence[Comparison], basis: CountBasis, stage: str
) -> str:
    """Return the query for measures over a stage without targets. The stage ``matches`` takes one
    comparison.
    """
    if stage == "matches":
        (comparison,) = comparisons
        return matches(layout, comparison, basis)
    return compared_classes(layout, comparisons, basis, stage)


def rare_classes(layout: Layout, compared: str) -> str:
    """Return the query of the classes to compare, each with the number of people who have the
    rarest of the class's levels.
    """
    return templates.stage(
        "stages/comparisons/rare_classes.sql",
        keys=layout.parts,
        compared=compared,
        dictionaries=layout.dictionaries,
        original=layout.files[0],
        files_row="files",
    )


def overlaps(
    layout: Layout, asked: Iterable[Comparison], *, together: bool = False
) -> Iterator[Step]:
    """Count the classes and records of a pass that both sides have, or only one side, by
    comparison.

    With ``together`` one query counts all comparisons and reads the table `comparisons`. If a key
    has a tolerance, a second table counts matches within the tolerance.
    """
    near = bool(layout.scenario.near_keys)
    if near:
        yield reached_classes(layout)
    groups = [tuple(asked)] if together else [(each,) for each in asked]
    for group, reached in product(groups, (False, True) if near else (False,)):
        compared = compared_classes(
            layout, group, stage="reached_classes" if reached else "classes"
        )
        made = "reached_overlap" if reached else "overlap"
        place = placed(comparison=[each.number for each in group])
        yield fill("overlap", made, "tables/overlap.sql", **place, compared=compared)


def matches(layout: Layout, comparison: Comparison, basis: CountBasis = BY_RECORD) -> str:
    """Return the query for measures over matches."""
    population_counts = basis.population_counts
    names = {**layout.names, "comparison": comparison, "population_counts": population_counts}
    query = templates.stage("stages/aligned/found_candidates.sql", **names, candidates="candidates")
    if population_counts is not None:
        counts = {"candidate_counts": "candidate_counts", "found_candidates": query}
        query = templates.stage("stages/aligned/population_matches.sql", **names, **counts)
    return templates.stage(
        "stages/aligned/matches.sql",
        matches=query,
        people="class_people" if population_counts is None else "population_people",
        missing_keys=layout.missing_keys if basis.excludes else [],
        grouped_by=["n_candidates", "found", *basis.by],
        number=basis.sql_type,
    )

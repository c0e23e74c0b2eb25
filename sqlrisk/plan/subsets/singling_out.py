"""Steps that find the people singled out by predicates, which are made from sets of keys on which a
synthetic record is unique.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb

from sqlrisk.catalogue import templates
from sqlrisk.plan.counted_measures import CountBasis
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.pass_tables import WHOLE
from sqlrisk.plan.steps import Step, fill, in_pass
from sqlrisk.plan.subsets.minimal_uniques import projected


def steps(layout: Layout) -> Iterator[Step]:
    """Yield the steps that find the predicates of each comparison, from the classes of all
    passes.
    """
    for comparison in layout.of_original:
        for size in range(1, largest(layout) + 1):
            for chosen in combinations(layout.parts, size):
                yield fill(
                    f"sets of {size} key{'s' * (size != 1)}",
                    predicates(comparison),
                    "stages/singling_out/predicates.sql",
                    comparison=comparison,
                    people_files=layout.people_files,
                    key_columns=layout.key_columns,
                    every_class=WHOLE,
                    chosen=chosen,
                    groups=projected(layout.key_columns, chosen),
                )


def singled_classes(layout: Layout, comparison: Comparison) -> Step:
    """Make the table of the people's classes in a pass, with the fewest keys that single them
    out.
    """
    names = {
        **layout.names,
        "people_files": layout.people_files,
        "classes": "classes",
        "predicates": predicates(comparison),
    }
    return in_pass(
        "singling out", "singled_classes", "stages/singling_out/singled_classes.sql", **names
    )


def predicate_counts(layout: Layout, basis: CountBasis) -> templates.Query:
    """Return the query that counts predicates: a row for each comparison, number of keys and number
    of people who meet a predicate.

    ``counted_predicates`` excludes predicates whose only person has a missing key, if ``basis``
    excludes them. Each comparison also has a row of zeros.
    """
    comparisons = [(each, predicates(layout.of_the_original(each))) for each in layout.comparisons]
    names = {"comparisons": comparisons, "key_columns": layout.key_columns}
    names |= {"missing_keys": layout.missing_keys if basis.excludes else []}
    return templates.stage("stages/singling_out/predicate_counts.sql", **names)


def predicates(comparison: Comparison) -> str:
    """Return the name of a comparison's table of predicates. Each predicate is a set of keys and
    levels that exactly one synthetic record meets.
    """
    return f"predicates_{comparison.number}"


def largest(layout: Layout) -> int:
    """Return the maximum number of keys of a predicate: the number that measures ask for, at most
    all keys.
    """
    return min(layout.most_keys, len(layout.keys))


def sets(layout: Layout) -> int:
    """Return the number of key sets that predicates are made of."""
    return sum(comb(len(layout.keys), size) for size in range(1, largest(layout) + 1))

"""Every figure by its name, for each kind of result. Pages, ``plot`` and the command line read this
list.

Each entry has the function that draws it and the reason why a result may lack rows for it.
"""

from collections.abc import Mapping
from itertools import chain

from sqlrisk.report.html import change_charts, charts, decision_figures, result_charts
from sqlrisk.report.html.drawing import Named
from sqlrisk.report.html.look import Figure

TARGET, LENGTHS = "it needs a target", "it needs subsets of two sizes or more"
NOBODY = "no set of keys singles anybody out"


FIGURES: Mapping[str, Named] = {
    "score": charts.FIGURES,
    "several": {
        "intruders": (decision_figures.intruders, "it shows {headlines}"),
        "policy": charts.FIGURES["policy"],
    },
    "check": {"policy": charts.FIGURES["policy"]},
    "inspect": {"columns": (result_charts.levels_apart, "no column is in all files")},
    "attack": {
        "attackers": (result_charts.of_attackers, TARGET),
        "files": (result_charts.attacked_files, "nobody learned from a file"),
    },
    "sweep": {
        "lattice": (result_charts.lattice, f"{LENGTHS}, and {{headlines}}"),
        "sizes": (result_charts.by_length, LENGTHS),
        "files": (
            result_charts.of_all_keys,
            "it needs attackers, or measures of the family neighbours",
        ),
        "adds": (result_charts.what_keys_add, f"{LENGTHS}, and {{headlines}}"),
        "heat": (result_charts.keys_by_target, f"{LENGTHS}, and two targets or more"),
    },
    "layout": {
        "files": (
            lambda found: chain.from_iterable(found.draws().values()),
            "only the layout hittmeir has one",
        )
    },
    "uniques": {
        "sizes": (result_charts.fewest_keys, NOBODY),
        "keys": (result_charts.keys_of_scores, NOBODY),
    },
    "reference": {
        "averages": (
            lambda found: (result_charts.random_averages(row, found.labels) for row in found.rows),
            TARGET,
        )
    },
    "utility": {
        "columns": (result_charts.utility_by_column, "no table has a number"),
        "pairs": (
            result_charts.utility_pairs,
            "it needs tables of two columns, of three columns or more",
        ),
    },
    "steps": {"steps": (result_charts.stepped, "it shows {every_pair}")},
    "diff": {
        "changes": (
            lambda found: change_charts.releases(found._objects(), found.labels),  # noqa: SLF001
            "no percentage got worse, better, or changed",
        )
    },
    "protect": {"changes": (change_charts.before_and_after, "no measure is a percentage")},
}


def of(kind: str, found: object, *names: str) -> list[Figure]:
    """Return the figures of a result that have rows: those with these names, or all."""
    return [figure for name in names or FIGURES[kind] for figure in FIGURES[kind][name][0](found)]

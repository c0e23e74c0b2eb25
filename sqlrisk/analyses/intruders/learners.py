"""Attackers that learn from a sample, with scikit-learn (the extra ``attack``). Pure functions:
arrays in, guesses out.

Naive Bayes and the random forest read level codes as they are. Naive Bayes counts codes. Trees
split a column at any code, and codes follow the order of categories or of sorted values. So a split
is meaningful, and two splits isolate any level. The other models compute distances and sums, for
which a code is no quantity. They get a column of 0 and 1 for each level.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install

Numbers = NDArray[np.int64]

SAYS = {
    "CategoricalNB": "Naive Bayes of scikit-learn, Laplace smoothing.",
    "SVC": "Support vector machine with a radial kernel.",
    "KNeighbors": "The most frequent level among the five nearest records of the sample.",
    "RandomForest": "A forest of random decision trees.",
    "LogisticRegression": "Logistic regression.",
}
PRESETS = ("current", "sklearn-0.20")
NEIGHBOURS = 5  # the library's default
# Defaults of version 0.20 that differ from today's. It had no CategoricalNB.
_OLD = {
    "SVC": ("gamma", "auto"),
    "RandomForest": ("n_estimators", 10),
    "LogisticRegression": ("solver", "liblinear"),
}
_CODED = ("CategoricalNB", "RandomForest")


@dataclass(frozen=True)
class Guesses:
    """The level code that a model guesses for each record, and whether its training converged."""

    codes: Numbers
    converged: bool


def version() -> str:
    """Return the version of scikit-learn. Raises InputError if it is not installed."""
    if find_spec("sklearn") is None:
        raise InputError(
            f"Attackers that learn from samples need scikit-learn: {install('attack')}."
        )
    import sklearn

    return str(sklearn.__version__)


def guess(
    name: str,
    keys: Numbers,
    target: Numbers,
    asked: Numbers,
    sizes: Sequence[int],
    *,
    preset: str = PRESETS[0],
    seed: int = 0,
) -> Guesses:
    """Train a model of ``SAYS`` on level codes of ``keys`` and ``target``, and guess the target of
    the records in ``asked``.

    ``keys`` and ``asked`` have the shape (records, keys). Codes of key i are from 0 to ``sizes[i]``
    - 1. ``target`` has one code per record of ``keys``. If ``target`` has only one level, that
    level is the guess.
    """
    from sklearn.exceptions import ConvergenceWarning

    levels = np.unique(target)
    if len(levels) == 1:  # some models refuse to learn a single level
        return Guesses(np.full(len(asked), levels[0]), converged=True)
    known, unknown = (
        (keys, asked) if name in _CODED else (_one_hot(keys, sizes), _one_hot(asked, sizes))
    )
    model = _model(name, sizes, len(target), preset, seed)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(known, target)
        codes = np.asarray(model.predict(unknown), dtype=np.int64)
    return Guesses(
        codes, converged=not any(issubclass(each.category, ConvergenceWarning) for each in met)
    )


def _model(name: str, sizes: Sequence[int], records: int, preset: str, seed: int) -> Any:
    drawn = {"random_state": seed % 2**32}  # scikit-learn refuses larger numbers
    homes: dict[str, tuple[str, dict[str, Any]]] = {
        "CategoricalNB": ("naive_bayes.CategoricalNB", {"min_categories": list(sizes)}),
        "SVC": ("svm.SVC", drawn),
        "KNeighbors": ("neighbors.KNeighborsClassifier", {"n_neighbors": min(NEIGHBOURS, records)}),
        "RandomForest": ("ensemble.RandomForestClassifier", drawn),
        "LogisticRegression": ("linear_model.LogisticRegression", drawn),
    }
    home, options = homes[name]
    old = dict([_OLD[name]]) if preset == "sklearn-0.20" and name in _OLD else {}
    module, _, kind = home.partition(".")
    model = getattr(import_module(f"sklearn.{module}"), kind)(**options, **old)
    if "solver" in old:  # Version 0.20 fitted each level against the rest. Newer models do not.
        return import_module("sklearn.multiclass").OneVsRestClassifier(model)
    return model


def _one_hot(codes: Numbers, sizes: Sequence[int]) -> Any:
    """Return a sparse matrix with a column of 0 and 1 for each level of each key."""
    from scipy.sparse import csr_matrix

    records, keys = codes.shape
    firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    places = (codes + firsts).ravel()
    return csr_matrix(
        (np.ones(records * keys), places, np.arange(0, records * keys + 1, keys)),
        (records, int(sum(sizes))),
    )

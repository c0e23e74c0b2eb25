"""A policy: rules on results with their reasons, from a TOML file. `sqlrisk.inputs.judging` applies
it.

sqlrisk has no threshold of its own. Whoever releases the file decides what is acceptable, and gives
reasons.

    name = "..."            # also about, source: what it is for, where it is published

    [[rule]]
    rule = "DiSCO <= 5"     # see `sqlrisk.inputs.policy_rules`
    reason = "..."          # why, and who says so
    targets = ["income"]    # also populations, syntheses; default: all
    verdict = "review"      # if it is not met; default: fail
    exclusions = "with"     # or without; default: both, if the scenario has exclusions
    exception = { text = "...", by = "...", targets = ["income"] }

    [[accept]]              # a doubt of the assessment that is accepted
    code = "..."            # as the assessment names it
    text = "..."            # also by, targets, syntheses, as in an exception

Every policy also requires that the files can be assessed. Unless their reasons are accepted, the
verdict on doubtful files is at best ``review``, and on files that are not assessable it is ``not
assessable``, since their numbers say nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.reasons import STATES as OUTCOMES
from sqlrisk.catalogue.reasons import reasons
from sqlrisk.common import toml
from sqlrisk.common.errors import InputError, Problems, suggestion
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.policy_rules import Rule, Term
from sqlrisk.inputs.readers import Reader, listed, one, table, word

# From best to worst.
PASS, REVIEW, FAIL, NOT_ASSESSABLE = VERDICTS = ("pass", "review", "fail", "not assessable")
UNMET = (FAIL, NOT_ASSESSABLE)
# State of an assessment -> verdict.
STATES = dict(zip(OUTCOMES, (PASS, REVIEW, NOT_ASSESSABLE), strict=True))
# The columns that identify the number that a verdict is about. They follow ``rule`` and
# ``verdict``.
PLACE = ("measure", "at", "target", "synthesis", "population", "people", "weighted")
# Further columns: the excluded people in percent, and the numbers without exclusions. After them,
# ``judges`` says which numbers the rule is about. All are None if nobody is excluded.
BESIDE = ("excluded", "value_without_exclusions", "limit_without_exclusions")
NUMBERS = ("value", "limit", "unit", *BESIDE, "judges")
SCOPES = {"targets": "target", "populations": "population", "syntheses": "synthesis"}
WITH, WITHOUT, BOTH = "with", "without", "both"  # exclusions: which numbers a rule is about

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Scope:
    """The numbers that a rule is about: those of the named targets, populations and syntheses. An
    empty list includes all.
    """

    targets: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    syntheses: tuple[str, ...] = ()

    def covers(self, row: Row) -> bool:
        """Return True if the scope includes a result row."""
        return all(
            not getattr(self, name) or row[column] in getattr(self, name)
            for name, column in SCOPES.items()
        )

    def without(self, targets: Collection[str]) -> "Scope | None":
        """Return the scope without these targets. None if no named target is left."""
        kept = tuple(each for each in self.targets if each not in targets)
        return replace(self, targets=kept) if kept or not self.targets else None

    def missing(self, rows: Iterable[Row]) -> list[str]:
        """Return a message for each name in the scope that none of the rows has."""
        known = list(rows)
        problems = []
        for name, column in SCOPES.items():
            there = list(
                dict.fromkeys(str(row[column]) for row in known if row[column] is not None)
            )
            # A population `region=North` shows a level of the data, which no message may.
            shown = [each for each in there if column != "population" or "=" not in each]
            problems += [
                f"{name}: no number has {each!r}{suggestion(each, shown) or among(shown)}"
                for each in getattr(self, name)
                if each not in there
            ]
        return problems


@dataclass(frozen=True)
class Exemption:
    """Why some numbers need not meet a rule, or why a doubt is accepted, and who decided that. A
    number that breaks the rule then gets ``review``, and an accepted doubt gets ``pass``.
    """

    text: str
    by: str = ""
    scope: Scope = field(default_factory=Scope)

    def without(self, targets: Collection[str]) -> "Exemption | None":
        """Return the exemption without these targets. None if no named target is left."""
        scope = self.scope.without(targets)
        return None if scope is None else replace(self, scope=scope)

    def __str__(self) -> str:
        return f"{self.text} ({self.by})" if self.by else self.text


@dataclass(frozen=True)
class Clause:
    """A rule with its reason, its scope, and the verdict if it is not met: ``fail`` or ``review``.

    ``exclusions`` says which numbers the rule judges: with exclusions, without them, or both.
    """

    rule: Rule
    reason: str
    scope: Scope = field(default_factory=Scope)
    verdict: str = FAIL
    exception: Exemption | None = None
    exclusions: str = BOTH

    @property
    def numbers(self) -> Scope:
        """The clause's scope, narrowed to the target that the rule itself names, if any."""
        if self.rule.target is None:
            return self.scope
        return replace(self.scope, targets=(self.rule.target,))

    def without(self, targets: Collection[str]) -> "Clause | None":
        """Return the clause without these targets. None if it is about no other target."""
        scope = self.scope.without(targets)
        if scope is None or self.rule.target in targets:
            return None
        return replace(
            self, scope=scope, exception=self.exception and self.exception.without(targets)
        )

    @property
    def counted(self) -> "Clause":
        """The clause to judge numbers with exclusions. If it compares a measure with a baseline,
        the baseline becomes the one over only the people who are counted. If the measure is a
        baseline too, nothing changes.
        """
        right = self.rule.right
        known = {
            measure.name: measure.shown["of_counted"]
            for measure in catalog()
            if "of_counted" in measure.shown
        }
        if (
            not isinstance(right, Term)
            or right.measure not in known
            or self.rule.left.measure in known
        ):
            return self
        return replace(
            self, rule=replace(self.rule, right=replace(right, measure=known[right.measure]))
        )


@dataclass(frozen=True)
class Policy:
    """Named rules. ``about`` and ``source`` describe their purpose and where they are published.

    ``accepted`` pairs the codes of the assessment's reasons with explanations why these reasons are
    acceptable.
    """

    name: str
    clauses: tuple[Clause, ...]
    about: str = ""
    source: str = ""
    accepted: tuple[tuple[str, Exemption], ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that the rules read."""
        return tuple(
            dict.fromkeys(term.measure for clause in self.clauses for term in clause.rule.terms)
        )

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that the rules name."""
        return tuple(each for clause in self.clauses for each in clause.numbers.targets)

    def without(self, targets: Collection[str]) -> "Policy":
        """Return the policy without rules about these targets, for a report that lacks them. Raises
        InputError if no rule is left, since the report could not fail.
        """
        clauses = tuple(
            clause for each in self.clauses if (clause := each.without(targets)) is not None
        )
        if not clauses:
            raise InputError(
                f"The policy {self.name!r} has no rule for this scenario; its rules name "
                "targets of other scenarios."
            )
        accepted = tuple(
            (code, why)
            for code, each in self.accepted
            if (why := each.without(targets)) is not None
        )
        return replace(self, clauses=clauses, accepted=accepted)


def for_each(policy: Policy, targets: Mapping[str, Collection[str]]) -> dict[str, Policy]:
    """Return the policy for each of several reports, by name.

    ``targets`` are the targets of each report. A rule about some targets judges only the reports
    that have these targets. A rule about a target that no report has is kept, and raises an error
    when it is applied. Raises InputError if no rule judges a report.
    """
    everywhere = {each for own in targets.values() for each in own}
    found: dict[str, Policy] = {}
    problems = Problems(targets)
    for name, own in targets.items():
        with problems[name]:
            found[name] = policy.without(everywhere.difference(own))
    problems.stop()
    return found


PolicyFile = str | PathLike[str] | Policy


def read_policy(given: PolicyFile) -> Policy:
    """Read a policy from a TOML file, or return a given Policy unchanged. Raises InputError with
    every problem of the file.
    """
    if isinstance(given, Policy):
        return given
    tables = toml.read_file(given, "The policy file")
    tables.setdefault("rule", [])  # an empty list gives a message about missing rules
    said = _POLICY(tables, f"The policy {fspath(given)!r}")
    return Policy(clauses=said.pop("rule"), accepted=said.pop("accept", ()), **said)


def _clause(value: object, place: str) -> Clause:
    clause = Clause(**_scoped(_CLAUSE(value, place)))
    if clause.rule.target is not None and clause.scope.targets:
        raise InputError(f"{place}: the rule names its target already; leave out targets.")
    return clause


def _acceptance(value: object, place: str) -> tuple[str, Exemption]:
    said = _ACCEPTED(value, place)
    return said.pop("code"), Exemption(**_scoped(said))


def _scoped(said: dict[str, Any]) -> dict[str, Any]:
    """Return a table with the entries in ``SCOPES`` combined into one `Scope`, named ``scope``."""
    scope = Scope(**{name: said.pop(name) for name in SCOPES if name in said})
    return {**said, "scope": scope}


def _code(value: object, setting: str) -> str:
    """Read the code of a reason. The folder sql/reasons is read only if a policy accepts a
    reason.
    """
    text = _TEXT(value, setting)
    known = word(
        *(reason.name for reason in reasons()),
        refused="{setting}: there is no reason {value!r}{near}; there are {expected}.",
    )
    return known(text, _table_of(setting))


def _table_of(setting: str) -> str:
    return setting.rpartition(": ")[0]


_MUST = "{setting} must be {expected}; got {value!r}."
_NOTE = one(lambda value: value if isinstance(value, str) else None, "a text", _MUST)
_TEXT = one(
    lambda value: value if isinstance(value, str) and value.strip() else None, "a text", _MUST
)
_NAMES = one(
    lambda value: (
        tuple(value)
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value)
        else None
    ),
    "a list of names",
    _MUST,
)
_IS = "{setting} must be {expected} (%s); got {value!r}{near}."
_SCOPED: Mapping[str, Reader[Any]] = dict.fromkeys(SCOPES, _NAMES)
_EXEMPTION = table(
    {"text": _TEXT, "by": _NOTE, **_SCOPED}, ["text"], example='exception = { text = "why" }'
)
CLAUSE: Mapping[str, Reader[Any]] = {
    "rule": lambda value, setting: policy_rules.read(_TEXT(value, setting), _table_of(setting)),
    "reason": _TEXT,
    **_SCOPED,
    "verdict": word(FAIL, REVIEW, refused=_IS % "the verdict if the rule is not met"),
    "exclusions": word(WITH, WITHOUT, BOTH, refused=_IS % "which numbers the rule judges"),
    "exception": lambda value, setting: Exemption(**_scoped(_EXEMPTION(value, setting))),
}
ACCEPTED: Mapping[str, Reader[Any]] = {
    "code": _code, "text": _TEXT, "by": _NOTE, "targets": _NAMES, "syntheses": _NAMES,
}  # fmt: skip
POLICY: Mapping[str, Reader[Any]] = {
    "name": _TEXT,
    "about": _NOTE,
    "source": _NOTE,
    "rule": listed(
        _clause, "there are no rules; write each as a table [[rule]] with rule and reason"
    ),
    "accept": listed(_acceptance, "write what it accepts as tables [[accept]] with code and text"),
}
_CLAUSE = table(CLAUSE, ["rule", "reason"])
_ACCEPTED = table(ACCEPTED, ["code", "text"])
_POLICY = table(POLICY, ["name"])


def of_limits(texts: Sequence[str]) -> Policy:
    """Make a policy from rules typed on the command line. Raises InputError if a text is not a
    rule.
    """
    return Policy(
        "limits",
        tuple(
            Clause(policy_rules.read(text, "limit"), "A limit that was typed.") for text in texts
        ),
    )


def among(names: Sequence[str]) -> str:
    """Return the list of known names for the end of a message."""
    return f"; there are {', '.join(names)}" if names else ""

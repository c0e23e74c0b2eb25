"""A policy: rules on results with the reason for each, from a TOML file; `sqlrisk.inputs.judging` judges by it.

sqlrisk has no threshold of its own: what is acceptable is for whoever releases the file to say, and to give a reason for.

    name = "..."                              # about, source: what it is for, where it is published
    [[rule]]
    rule = "DiSCO <= 5"                       # see `sqlrisk.inputs.policy_rules`
    reason = "..."                            # why, and who says so
    targets = ["income"]                      # also populations, syntheses; default: all that the report has
    verdict = "review"                        # where it is not met; default: fail
    exclusions = "with"                       # or without; default: both, where the scenario leaves people out
    exception = { text = "...", by = "...", targets = ["income"] }
    [[accept]]                                # a doubt of the assessment that need not hold the verdict down
    code = "..."                              # as the assessment names it; text, by, targets, syntheses as of an exception
    text = "..."

Beside its rules every policy asks that the files can be assessed: what is doubtful is for review, and numbers of what is not
assessable say nothing, so that no rule is met by them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.reasons import STATES as OUTCOMES
from sqlrisk.catalogue.reasons import reasons
from sqlrisk.common import toml
from sqlrisk.common.errors import ProblemList, suggestion
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.policy_rules import Rule, Term

PASS, REVIEW, FAIL, NOT_ASSESSABLE = VERDICTS = ("pass", "review", "fail", "not assessable")  # from best to worst
UNMET = (FAIL, NOT_ASSESSABLE)
STATES = dict(zip(OUTCOMES, (PASS, REVIEW, NOT_ASSESSABLE), strict=True))  # of an assessment -> what it comes to
# What a verdict says of one number, in this order; ``verdict`` comes after ``rule``.
PLACE = ("measure", "at", "target", "synthesis", "population", "people", "weighted")
# And beside it: the people who are not counted, in percent, and the same without exclusions; None where nobody is left out.
BESIDE = ("excluded", "value_without_exclusions", "limit_without_exclusions")
NUMBERS = ("value", "limit", "unit", *BESIDE)
SCOPES = {"targets": "target", "populations": "population", "syntheses": "synthesis"}
POLICY = ("name", "about", "source", "rule", "accept")
CLAUSE = ("rule", "reason", *SCOPES, "verdict", "exclusions", "exception")
WITH, WITHOUT, BOTH = "with", "without", "both"  # exclusions: which numbers a rule is about
# What people are guessed right by the target's shares alone -> those of them whom exclusions leave.
_EXCEPTION = ("text", "by", *SCOPES)
ACCEPTED = ("code", "text", "by", "targets", "syntheses")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Scope:
    """Which numbers are meant: those of the named targets, populations and syntheses; where none is named, of all."""

    targets: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    syntheses: tuple[str, ...] = ()

    def covers(self, row: Row) -> bool:
        """Return whether a row is meant."""
        return all(not getattr(self, name) or row[column] in getattr(self, name) for name, column in SCOPES.items())

    def missing(self, rows: Iterable[Row]) -> list[str]:
        """Say of each name that no row has, that it is so."""
        known = list(rows)
        problems = []
        for name, column in SCOPES.items():
            there = list(dict.fromkeys(str(row[column]) for row in known if row[column] is not None))
            # A population `region=North` shows a level of the data, which no message may.
            shown = [each for each in there if column != "population" or "=" not in each]
            problems += [
                f"{name}: there is no number of {each!r}{suggestion(each, shown) or among(shown)}"
                for each in getattr(self, name)
                if each not in there
            ]
        return problems


@dataclass(frozen=True)
class Exemption:
    """Why a rule need not be met by some numbers, and who says so: what would fail is for review."""

    text: str
    by: str = ""
    scope: Scope = field(default_factory=Scope)

    def __str__(self) -> str:
        return f"{self.text} ({self.by})" if self.by else self.text


@dataclass(frozen=True)
class Clause:
    """A rule, the reason for it, the numbers it is about, and the verdict where it is not met: ``fail`` or ``review``.

    ``exclusions``: whether it is about the numbers with exclusions, without, or both.
    """

    rule: Rule
    reason: str
    scope: Scope = field(default_factory=Scope)
    verdict: str = FAIL
    exception: Exemption | None = None
    exclusions: str = BOTH

    @property
    def numbers(self) -> Scope:
        """Which numbers it is about, with the target that the rule itself names."""
        return self.scope if self.rule.target is None else replace(self.scope, targets=(self.rule.target,))

    @property
    def counted(self) -> "Clause":
        """The clause with the baseline over the people who are counted, for numbers with exclusions."""
        right = self.rule.right
        known = {measure.name: measure.shown["of_counted"] for measure in catalog() if "of_counted" in measure.shown}
        if not isinstance(right, Term) or right.measure not in known or self.rule.left.measure in known:
            return self
        return replace(self, rule=replace(self.rule, right=replace(right, measure=known[right.measure])))


@dataclass(frozen=True)
class Policy:
    """Rules under a name; ``about`` and ``source`` say what it is for and where it is published.

    ``accepted`` holds codes of reasons why files are doubtful or not assessable, and why that is no matter.
    """

    name: str
    clauses: tuple[Clause, ...]
    about: str = ""
    source: str = ""
    accepted: tuple[tuple[str, Exemption], ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that the rules read."""
        return tuple(dict.fromkeys(term.measure for clause in self.clauses for term in clause.rule.terms))


PolicyFile = str | PathLike[str] | Policy


def read_policy(given: PolicyFile) -> Policy:
    """Read a policy, or that of a TOML file. Raises InputError with every problem found where the file is none."""
    if isinstance(given, Policy):
        return given
    label = fspath(given)
    table = toml.read_file(given, "The policy file")
    reader = _Reader(f"The policy {label!r}")
    reader.only(table, POLICY, "")
    listed = reader.tables(table.get("rule"), "it has no rules; write each as a table [[rule]] with rule and reason")
    accepted = []
    if "accept" in table:
        accepted = reader.tables(table["accept"], "write what it accepts as tables [[accept]] with code and text")
    policy = Policy(
        reader.text(table, "name", "", needed=True),
        tuple(clause for number, each in enumerate(listed, start=1) if (clause := reader.clause(each, f"rule {number}"))),
        reader.text(table, "about", ""),
        reader.text(table, "source", ""),
        tuple(reader.acceptance(each, f"accept {number}") for number, each in enumerate(accepted, start=1)),
    )
    reader.problems.stop()
    return policy


@dataclass
class _Reader:
    """Reads the tables of a policy, and keeps the problems that it finds."""

    who: str
    problems: ProblemList = field(default_factory=ProblemList)

    def problem(self, place: str, text: str) -> None:
        self.problems.append(f"{self.who}{', ' if place else ''}{place}: {text}.")

    def only(self, given: Row, known: Sequence[str], place: str) -> None:
        for name in given:
            if name not in known:
                self.problem(place, f"there is no setting {name!r}{suggestion(name, known)}; there are {', '.join(known)}")

    def tables(self, given: object, problem: str) -> list[Row]:
        if isinstance(given, list) and given and all(isinstance(each, dict) for each in given):
            return given
        self.problem("", problem)
        return []

    def text(self, given: Row, name: str, place: str, *, needed: bool = False) -> str:
        value = given.get(name, "")
        if not isinstance(value, str) or (needed and not value.strip()):
            self.problem(place, f"{name} is missing" if name not in given else f"{name} must be a text")
            return ""
        return value

    def scope(self, given: Row, place: str) -> Scope:
        names: dict[str, tuple[str, ...]] = {}
        for name in SCOPES:
            value = given.get(name, [])
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value) or (name in given and not value):
                self.problem(place, f"{name} must be a list of names")
            else:
                names[name] = tuple(value)
        return Scope(**names)

    def clause(self, given: Row, place: str) -> Clause | None:
        self.only(given, CLAUSE, place)
        text = self.text(given, "rule", place, needed=True)
        reason = self.text(given, "reason", place, needed=True)
        scope = self.scope(given, place)
        verdict = given.get("verdict", FAIL)
        if verdict not in (FAIL, REVIEW):
            self.problem(place, f"verdict is fail or review, what it comes to where the rule is not met; not {verdict!r}")
        exclusions = given.get("exclusions", BOTH)
        if exclusions not in (WITH, WITHOUT, BOTH):
            self.problem(place, f"exclusions is with, without or both: the numbers that the rule is about; not {exclusions!r}")
        exception = self.exemption(given["exception"], f"{place}, exception") if "exception" in given else None
        if text:
            with self.problems:
                rule = policy_rules.read(text, f"{self.who}, {place}")
                if rule.target is not None and scope.targets:
                    self.problem(place, "the rule names its target already; leave out targets")
                return Clause(rule, reason, scope, str(verdict), exception, str(exclusions))
        return None

    def exemption(self, given: object, place: str) -> Exemption | None:
        if not isinstance(given, dict):
            self.problem(place, 'it must be a table: exception = { text = "why" }')
            return None
        self.only(given, _EXCEPTION, place)
        return self.exempted(given, place)

    def exempted(self, given: Row, place: str) -> Exemption:
        text = self.text(given, "text", place, needed=True)
        return Exemption(text, self.text(given, "by", place), self.scope(given, place))

    def acceptance(self, given: Row, place: str) -> tuple[str, Exemption]:
        self.only(given, ACCEPTED, place)
        code = self.text(given, "code", place, needed=True)
        known = [reason.name for reason in reasons()]
        if code and code not in known:
            self.problem(place, f"there is no reason {code!r}{suggestion(code, known)}; there are {', '.join(known)}")
        return code, self.exempted(given, place)


def of_limits(texts: Sequence[str]) -> Policy:
    """Make a policy of rules alone, as they are typed on a command line. Raises InputError for a text that is no rule."""
    return Policy("limits", tuple(Clause(policy_rules.read(text, "limit"), "A limit that was typed.") for text in texts))


def among(names: Sequence[str]) -> str:
    """Say which names there are, at the end of a message."""
    return f"; there are {', '.join(names)}" if names else ""

"""A policy: rules on results with the reason for each, from a TOML file, and what a report comes to when judged by them.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

from sqlrisk.catalogue.reasons import ASSESSABLE, reasons
from sqlrisk.catalogue.reasons import STATES as OUTCOMES
from sqlrisk.common import toml
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.policy_rules import Rule, Term
from sqlrisk.inputs.request import EXCLUDED, Question, with_measures

PASS, REVIEW, FAIL, NOT_ASSESSABLE = VERDICTS = ("pass", "review", "fail", "not assessable")  # from best to worst
UNMET = (FAIL, NOT_ASSESSABLE)
STATES = dict(zip(OUTCOMES, (PASS, REVIEW, NOT_ASSESSABLE), strict=True))  # of an assessment -> what it comes to
# What a verdict says of one number, in this order; ``verdict`` comes after ``rule``.
PLACE = ("measure", "at", "target", "synthesis", "population", "people", "weighted")
# And beside it: the people who are not counted, in percent, and the same without exclusions; None where nobody is left out.
BESIDE = ("excluded", "value_without_exclusions", "limit_without_exclusions")
NUMBERS = ("value", "limit", "unit", *BESIDE)
_SCOPE = {"targets": "target", "populations": "population", "syntheses": "synthesis"}
_POLICY = ("name", "about", "source", "rule", "accept")
_CLAUSE = ("rule", "reason", *_SCOPE, "verdict", "exclusions", "exception")
WITH, WITHOUT, BOTH = "with", "without", "both"  # exclusions: which numbers a rule is about
# What people are guessed right by the target's shares alone -> those of them whom exclusions leave.
_COUNTED = {"baseCAPd": "baseCAPd_counted", "baseCAPd_within": "baseCAPd_counted_within"}
_EXCEPTION = ("text", "by", *_SCOPE)
_ACCEPTED = ("code", "text", "by", "targets", "syntheses")

Row = Mapping[str, Any]
Values = Mapping[tuple[object, ...], float | None]  # of one measure, by whom they are of and the point


@dataclass(frozen=True)
class Scope:
    """Which numbers are meant: those of the named targets, populations and syntheses; where none is named, of all."""

    targets: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    syntheses: tuple[str, ...] = ()

    def covers(self, row: Row) -> bool:
        """Return whether a row is meant."""
        return all(not getattr(self, name) or row[column] in getattr(self, name) for name, column in _SCOPE.items())

    def missing(self, rows: Iterable[Row]) -> list[str]:
        """Say of each name that no row has, that it is so."""
        known = list(rows)
        problems = []
        for name, column in _SCOPE.items():
            there = list(dict.fromkeys(str(row[column]) for row in known if row[column] is not None))
            # A population `region=North` shows a level of the data, which no message may.
            shown = [each for each in there if column != "population" or "=" not in each]
            problems += [
                f"{name}: there is no number of {each!r}{suggestion(each, shown) or _among(shown)}"
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
        if not isinstance(right, Term) or right.measure not in _COUNTED or self.rule.left.measure in _COUNTED:
            return self
        return replace(self, rule=replace(self.rule, right=replace(right, measure=_COUNTED[right.measure])))


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
    reader.only(table, _POLICY, "")
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
        for name in _SCOPE:
            value = given.get(name, [])
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value) or (name in given and not value):
                self.problem(place, f"{name} must be a list of names")
            else:
                names[name] = tuple(value)
        return Scope(**names)

    def clause(self, given: Row, place: str) -> Clause | None:
        self.only(given, _CLAUSE, place)
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
        self.only(given, _ACCEPTED, place)
        code = self.text(given, "code", place, needed=True)
        known = [reason.name for reason in reasons()]
        if code and code not in known:
            self.problem(place, f"there is no reason {code!r}{suggestion(code, known)}; there are {', '.join(known)}")
        return code, self.exempted(given, place)


def of_limits(texts: Sequence[str]) -> Policy:
    """Make a policy of rules alone, as they are typed on a command line. Raises InputError for a text that is no rule."""
    return Policy("limits", tuple(Clause(policy_rules.read(text, "limit"), "A limit that was typed.") for text in texts))


def asked_by(policy: Policy, question: Question) -> Question:
    """Return the question with every measure that the policy reads; InputError where a rule can be seen to be about no number."""
    who = f"The policy {policy.name!r}"
    if question.scenario.excludes:
        policy = replace(policy, clauses=(*policy.clauses, *(clause.counted for clause in policy.clauses)))
    grown = with_measures(question, policy.measures, who)
    found = ((clause, problem) for clause in policy.clauses for problem in _without_number(clause, grown))
    ProblemList(f"{who}, rule {clause.rule.text!r}: {problem}." for clause, problem in found).stop()
    return grown


def _without_number(clause: Clause, question: Question) -> Iterator[str]:
    """Say why a clause will be about no number."""
    terms, targets = clause.rule.terms, question.scenario.targets
    of_control = question.control is not None or question.scenario.split is not None
    for term in terms:
        points = question.catalog[term.measure].points
        if strange := [point for point in term.at if point not in points]:
            yield _no_point(term, strange, points)
        if term.adjusted and not of_control:
            yield _no_control(term)
    if len(terms) > 1:
        left, right = (question.catalog[term.measure] for term in terms)
        if left.untargeted != right.untargeted:
            yield _no_partner(right.name)
        elif right.at and not terms[1].at and not left.at:
            yield _no_partner(right.name, pointed=True)
    for target in clause.numbers.targets:
        if targets and target not in targets:
            yield f"{target!r} is no target of the scenario{suggestion(target, targets)}"


def judge(
    policy: Policy, results: Sequence[Row], assessment: Sequence[Row] = (), unexcluded: Sequence[Row] | None = None
) -> dict[str, object]:
    """Judge the result rows of a report: the policy's name, its verdict, and one for each rule and number.

    First come the reasons why what the report is about is doubtful or not assessable. A number that is not defined, or is held
    against one that is not, is for review. ``unexcluded`` are the rows without exclusions, None where nobody is left out.
    Raises InputError where a rule, an exception or a name in one is about no number of the results: it would seem to be met.
    """
    problems = ProblemList()
    for code, exemption in policy.accepted:
        problems += [f"The policy {policy.name!r}, accept {code!r}: {each}." for each in exemption.scope.missing(results)]
    verdicts = [verdict for row in assessment if row["state"] != ASSESSABLE for verdict in _doubts(policy, row)]
    for clause in policy.clauses:
        found = ProblemList()
        with found:
            verdicts += _judged(clause, results, unexcluded)
        problems += [f"The policy {policy.name!r}, rule {clause.rule.text!r}: {each}." for each in found]
    problems.stop()
    return {
        "name": policy.name,
        "about": policy.about,
        "source": policy.source,
        "verdict": max((str(each["verdict"]) for each in verdicts), key=VERDICTS.index),
        "verdicts": verdicts,
    }


def _doubts(policy: Policy, row: Row) -> Iterator[dict[str, object]]:
    """Yield a verdict for each reason why a file or target is doubtful or not assessable."""
    for reason in row["reasons"] or [{"code": "", "text": "no reason is given"}]:
        accepted = [why for code, why in policy.accepted if code == reason["code"] and why.scope.covers(row)]
        yield {
            "rule": f"{ASSESSABLE}: {reason['code']}" if reason["code"] else ASSESSABLE,
            "verdict": PASS if accepted else STATES[row["state"]],
            **dict.fromkeys(PLACE),
            "target": row["target"],
            "synthesis": row["synthesis"],
            **dict.fromkeys(NUMBERS),
            "reason": reason["text"],
            "exception": str(accepted[0]) if accepted else None,
        }


def _judged(clause: Clause, results: Sequence[Row], unexcluded: Sequence[Row] | None) -> list[dict[str, object]]:
    rule, scope = clause.rule, clause.numbers
    if unexcluded is None and rule.left.measure in EXCLUDED and not any(row["measure"] == rule.left.measure for row in results):
        results = [*results, *_nobody_left_out(rule.left.measure, results)]
    candidates = _rows_of(rule.left, results)
    problems = scope.missing(candidates)
    rows = [row for row in candidates if scope.covers(row)]
    if not rows and not problems:
        problems = ["no number is of these targets, populations and syntheses together"]
    if clause.exception is not None and not problems:
        problems += [f"exception, {each}" for each in clause.exception.scope.missing(rows)]
    if problems:
        raise InputError(problems)
    if unexcluded is None:
        limits = _limits(rule, rows, results)
        return [_verdict(clause, row, [(row["value"], limit)]) for row, limit in zip(rows, limits, strict=True)]
    counted = [(row["value"], limit) for row, limit in zip(rows, _limits(clause.counted.rule, rows, results), strict=True)]
    everybody = _without_exclusions(rule, rows, unexcluded)
    shares = {_group(row): row["value"] for row in results if row["measure"] in EXCLUDED and row["people"] == "original"}
    verdicts = []
    for row, own, whole in zip(rows, counted, everybody, strict=True):
        sides = {WITH: [own], WITHOUT: [whole or own], BOTH: [own, *([whole] if whole else [])]}[clause.exclusions]
        told = dict(zip(BESIDE, (shares.get(_group(row)), *(whole or (None, None))), strict=True))
        verdicts.append(_verdict(clause, row, sides) | {"limit": own[1]} | told)
    return verdicts


def _nobody_left_out(measure: str, results: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of a measure of exclusions for results that leave nobody out, and so need not have it."""
    kept = (row for row in results if row["people"] == "original" and (row["target"] is None) == (measure == EXCLUDED[-1]))
    for row in {_group(row): row for row in kept}.values():
        yield {**row, "measure": measure, "at": None, "value": 0, "unit": "percent of original records"}


def _without_exclusions(rule: Rule, rows: Sequence[Row], unexcluded: Sequence[Row]) -> list[tuple[Any, Any] | None]:
    """Return each number without exclusions and its limit; None for a measure to which only exclusions give a meaning."""
    if not unexcluded:  # an older result, which does not tell
        return [(None, None)] * len(rows)
    if not {term.measure for term in rule.terms} <= {row["measure"] for row in unexcluded}:
        return [None] * len(rows)
    values = {(*_group(row), row["at"]): row["value"] for row in _rows_of(replace(rule.left, at=()), unexcluded)}
    limits = _limits(rule, rows, unexcluded)
    return [(values.get((*_group(row), row["at"])), limit) for row, limit in zip(rows, limits, strict=True)]


def _group(row: Row) -> tuple[object, ...]:
    """Return of whom and by which synthesis a number is: what two measures need in common to be held against each other."""
    return tuple(row[name] for name in ("target", "synthesis", "population", "weighted"))


def _rows_of(term: Term, results: Sequence[Row]) -> list[Row]:
    """Return the rows of one side of a rule. Raises InputError where there is none, or none at one of its points."""
    named = [row for row in results if row["measure"] == term.measure]
    if not named:
        names = list(dict.fromkeys(str(row["measure"]) for row in results))
        raise InputError(f"the results have no measure {term.measure!r}{suggestion(term.measure, names) or _among(names)}")
    rows = [row for row in named if row["people"] == term.people]
    if not rows:
        raise InputError(_no_control(term) if term.adjusted else f"the results have {term.measure} of other people alone")
    points = list(dict.fromkeys(row["at"] for row in rows))
    if strange := [point for point in term.at if point not in points]:
        raise InputError(_no_point(term, strange, points))
    return [row for row in rows if not term.at or row["at"] in term.at]


def _limits(rule: Rule, rows: Sequence[Row], results: Sequence[Row]) -> list[float | None]:
    """Return what each number is held against."""
    others = _rows_of(rule.right, results) if isinstance(rule.right, Term) else []
    values: Values = {(*_group(row), row["at"]): row["value"] for row in others}
    return [_limit(rule, row, values) for row in rows]


def _limit(rule: Rule, row: Row, values: Values) -> float | None:
    """Return what a number is held against. Raises InputError where the other measure has no number of the same people."""
    if not isinstance(rule.right, Term):
        return rule.right
    group = _group(row)
    for at in (*rule.right.at, row["at"], None):
        if (*group, at) in values:
            return values[*group, at]
    raise InputError(_no_partner(rule.right.measure, pointed=any(place[:-1] == group for place in values)))


def _verdict(clause: Clause, row: Row, sides: Sequence[tuple[float | None, float | None]]) -> dict[str, object]:
    """Judge a number: the worst of its ``sides``, each a value and what it is held against."""
    broken = clause.verdict
    exception = None
    if clause.exception is not None and clause.exception.scope.covers(row):
        broken, exception = REVIEW, str(clause.exception)
    undefined = any(None in side for side in sides)
    missed = any(not clause.rule.holds(value, limit) for value, limit in sides if value is not None and limit is not None)
    return {
        "rule": clause.rule.text,
        "verdict": max(broken if missed else PASS, REVIEW if undefined else PASS, key=VERDICTS.index),
        **{name: row[name] for name in PLACE},
        "value": row["value"],
        "limit": sides[0][1],
        "unit": row["unit"],
        **dict.fromkeys(BESIDE),
        "reason": clause.reason,
        "exception": exception if missed else None,
    }


def _no_control(term: Term) -> str:
    return f"there is no {term.measure} adjusted by control: shares of people have it where the question has --control or --split"


def _no_partner(measure: str, *, pointed: bool = False) -> str:
    point = "; write its point, as in MEASURE[0.9]" if pointed else ""
    return f"{measure} has no number of the same target, synthesis and population{point}"


def _no_point(term: Term, strange: Sequence[float], points: Sequence[float | None]) -> str:
    there = [f"{point:g}" for point in points if point is not None]
    return f"{term.measure} is not taken at {', '.join(f'{point:g}' for point in strange)}" + (
        f", but at {', '.join(there)}" if there else ", nor at any other point"
    )


def _among(names: Sequence[str]) -> str:
    return f"; there are {', '.join(names)}" if names else ""

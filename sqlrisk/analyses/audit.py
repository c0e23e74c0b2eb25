"""The audit trail of a run. Its manifest records the question, the files, the SQL and the result.

Like a report, a manifest holds counts of records and the levels that the user typed. It holds no
value of a record.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlrisk.catalogue.families import FILE
from sqlrisk.catalogue.measures import CHECKED
from sqlrisk.catalogue.reasons import reasons
from sqlrisk.common.errors import InputError
from sqlrisk.common.objects import is_address
from sqlrisk.common.version import SCHEMA
from sqlrisk.inputs.columns import hierarchies
from sqlrisk.inputs.fields import REPEATABLE
from sqlrisk.inputs.request import EXCLUDED, Question
from sqlrisk.inputs.sources import NOT_READ, FileStamp, Source, csv_as_read, read_source, stamps
from sqlrisk.report.wording import file_name

if TYPE_CHECKING:
    from sqlrisk.report.findings import Findings


# Libraries that take part in the numbers of some runs.
LIBRARIES = (
    "duckdb", "pyarrow", "scipy", "sqlglot", "psycopg", "pyspark", "deltalake", "pyiceberg",
)  # fmt: skip
# Arguments of `sqlrisk.score` that are needed to repeat a run and are neither settings nor sources.
OPTIONS = ("policy", *REPEATABLE, "utility", "maps")
# Parts of a manifest that are stored for each scenario, if there are several.
OF_EACH = ("scenario", "exclusions", "assessment", "verdict", "warnings", "results_sha256")
# Further parts that are stored for each scenario in a manifest of external reports.
OF_EACH_EXTERNAL = ("sql", "rounding")
# Numbers that only some reports have. If a report lacks them, its fingerprint leaves them out.
FURTHER = (
    "without_exclusions", "differences", "membership", "distributions", "shares", "trends",
    "population_uniques",
)  # fmt: skip
# Parts of a report that a decision rests on besides numbers.
JUDGED = ("scenario", "assessment", "policy")
HASHES = ("results_sha256", "verdicts_sha256")  # entries of a manifest that `hashes_of` returns
# Significant digits and decimal places of fractions in a fingerprint. Sums of ratios agree to 12
# digits in any order of summation, and differences of two of them to 12 places.
DIGITS, PLACES = 9, 10


@dataclass
class Log:
    """The statements of a run, without repeats, and the seconds of each stage. ``loads`` are the
    statements that make files readable as tables or views.
    """

    loads: list[str] = field(default_factory=list)
    statements: dict[str, str] = field(default_factory=dict)  # text -> stage
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, stage: str, sql: str, seconds: float) -> None:
        """Add a statement that ran, and add its seconds to its stage."""
        self.statements.setdefault(sql, stage)
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def described(self) -> list[dict[str, str]]:
        """Return each statement with its stage (``files`` for loads) and its SHA-256."""
        texts = [(sql, "files") for sql in self.loads] + list(self.statements.items())
        return [{"name": stage, "sha256": _hash(sql), "text": sql} for sql, stage in texts]


@dataclass(frozen=True)
class Input:
    """One source or other file that a run read.

    Attributes:
        role: original, synthetic, control, universe, baseline, hierarchy, policy or measures.
        name: the input as the user named it.
        paths: its files. Empty for a table or a lake table.
        synthesis: the label, if the input is a synthesis.
        held: where the records are if there is no file, such as ``a table of a database``.
        csv: the CSV options with which the input was read. None if it is no CSV file.
        version: the version of a lake table.
    """

    role: str
    name: str
    paths: tuple[str, ...]
    synthesis: str | None = None
    held: str = ""
    csv: Mapping[str, str] | None = None
    version: str = ""


@dataclass(frozen=True)
class Trail:
    """What a run keeps for its manifest: its inputs, start time and log.

    Attributes:
        stamps: the state of each file when the run began.
        call: the arguments of `sqlrisk.score` except the scenario. None if the call cannot be
            repeated from text.
        clock: the value of `time.perf_counter` when the run began.
        seconds: the duration of the run. 0 until `end`.
        peak: the peak memory of the process in bytes. None until `end`, and on Windows.
        command: the command line of `sqlrisk score`, or None if the run was started otherwise.
    """

    inputs: tuple[Input, ...]
    stamps: Mapping[str, FileStamp]
    call: Mapping[str, object] | None
    log: Log
    started: datetime
    clock: float
    seconds: float = 0.0
    peak: int | None = None
    command: str | None = None

    def end(self) -> "Trail":
        """Return the trail with the duration and peak memory of the finished run."""
        return replace(self, seconds=time.perf_counter() - self.clock, peak=_peak())

    def by_command(self, command: str) -> "Trail":
        """Return the trail with the command line of the run."""
        return replace(self, command=command)

    def manifest(self, report: "Findings") -> dict[str, object]:
        """Return the manifest of a report.

        The first call reads every local file again to hash it, and raises the errors of `hashes`.
        The manifest of an external report omits typed levels, folders, exact counts and times.
        """
        if report.rounding:
            return self._external(report)
        return {
            "sqlrisk": report.version,
            "schema": SCHEMA,
            "command": self.command,
            "started": self.started.isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "engine": dict(report.engine),
            "environment": environment(),
            "scenario": report.scenario,
            "call": None if self.call is None else dict(self.call),
            "inputs": [
                {
                    "role": each.role,
                    "synthesis": each.synthesis,
                    "name": each.name,
                    **hashes,
                    "records": _records(each, report),
                }
                | ({} if each.csv is None else {"csv": dict(each.csv)})
                | {name: told for name, told in _side(each, report).items() if name in NOT_READ}
                for each, hashes in zip(self.inputs, self.hashes, strict=True)
            ],
            "sql": self.log.described(),
            "exclusions": report.exclusions,
            "assessment": _unnamed(report.assessment),
            "verdict": report.policy.get("verdict"),
            "stages": [
                {"name": stage, "seconds": round(seconds, 3)}
                for stage, seconds in self.log.seconds.items()
            ],
            "peak_memory_bytes": self.peak,
            "warnings": list(_warnings(report)),
            **hashes_of(report.to_dict()),
        }

    def manifest_of_all(
        self, reports: "Mapping[str, Findings]", policy: Mapping[str, Any]
    ) -> dict[str, object]:
        """Return the manifest of several reports of one run.

        Its ``scenarios`` hold the parts in `OF_EACH` for each report. Parts that all reports share
        are stored once. The ``verdict`` comes from ``policy``, the joint result of the policy.
        Raises the errors of `manifest`.
        """
        each = {name: self.manifest(report) for name, report in reports.items()}
        outside = any(report.rounding for report in reports.values())
        own = (*OF_EACH, *OF_EACH_EXTERNAL) if outside else OF_EACH
        first = next(iter(each.values()))
        shared = {key: value for key, value in first.items() if key not in (*own, *HASHES)}
        scenarios = [
            {"name": name, **{key: manifest[key] for key in own if key in manifest}}
            for name, manifest in each.items()
        ]
        hashes = {
            key: hash_json({name: manifest[key] for name, manifest in each.items()})
            for key in HASHES
        }
        return {**shared, "scenarios": scenarios, "verdict": policy.get("verdict"), **hashes}

    def _external(self, report: "Findings") -> dict[str, object]:
        inputs = [
            {
                "role": each.role,
                "synthesis": each.synthesis,
                "name": file_name(each.name),
                "sha256": hashes["sha256"],
            }
            | ({"version": hashes["version"]} if "version" in hashes else {})
            | {"records": _records(each, report)}
            for each, hashes in zip(self.inputs, self.hashes, strict=True)
        ]
        return {
            "sqlrisk": report.version,
            "schema": SCHEMA,
            "started": self.started.date().isoformat(),
            "engine": dict(report.engine),
            "environment": environment(),
            "scenario": report.scenario,
            "inputs": inputs,
            "sql": [{"name": name, "sha256": _hash(text)} for name, text in report.texts.items()],
            "exclusions": report.to_dict()["exclusions"],
            "verdict": report.policy.get("verdict"),
            "rounding": report.rounding,
            **hashes_of(report.to_dict()),
        }

    @cached_property
    def hashes(self) -> list[dict[str, object]]:
        """The sizes and hashes of the inputs, in their order.

        Raises InputError if a file is gone or has changed since the run began.
        """
        for (path, before), now in zip(self.stamps.items(), stamps([*self.stamps]), strict=True):
            if now != before:
                raise InputError(
                    f"The input {path!r} changed during the run: run again to get a manifest."
                )
        return [hashed(each) for each in self.inputs]


def watch(questions: Sequence[Question], options: Mapping[str, object]) -> Trail:
    """Start the trail of a run of one question, or of several questions about the same files.

    ``options`` maps names in ``OPTIONS`` to the values given to `sqlrisk.score`. Raises the errors
    of `reads`.
    """
    inputs = reads_of_all(questions, options)
    paths = [path for each in inputs for path in each.paths]
    before = dict(zip(paths, stamps(paths), strict=True))
    return Trail(
        inputs, before, _call(questions[0], options), Log(), datetime.now(UTC), time.perf_counter()
    )


def hashed(given: Input) -> dict[str, object]:
    """Return the size in bytes and the SHA-256 of an input, as the entries of a manifest.

    For several files the hash is that of the output of ``sha256sum``. ``files`` lists the size and
    hash of each. Remote objects and lake tables have a ``version`` instead, since hashing would
    read them again. Other tables have ``held`` instead. Raises InputError if a file cannot be read.
    """
    if given.held:
        return {"bytes": None, "sha256": None, "held": given.held}
    if given.version:
        return {"bytes": None, "sha256": None, "version": given.version}
    now = stamps(given.paths)
    mark = "version" if any(map(is_address, given.paths)) else "sha256"
    sizes, marks = [each.size for each in now], [each.end for each in now]
    if mark == "sha256":
        marks = [_hash_file(path) for path in given.paths]
    lines = "".join(f"{each}  {path}\n" for path, each in zip(given.paths, marks, strict=True))
    found: dict[str, object] = {
        "bytes": sum(sizes),
        "sha256": None,
        mark: marks[0] if len(marks) == 1 else _hash(lines),
    }
    if given.paths == (given.name,):
        return found
    rows = zip(given.paths, sizes, marks, strict=True)
    return {
        **found,
        "files": [dict(zip(("name", "bytes", mark), row, strict=True)) for row in rows],
    }


def hashes_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the ``HASHES`` that tie a report's JSON document to its manifest and its pages: the
    `fingerprint_of` its numbers, and the SHA-256 of its parts in ``JUDGED``.

    Raises KeyError if the document is not a report.
    """
    return dict(zip(HASHES, (fingerprint_of(document), _verdicts_of(document)), strict=True))


def _verdicts_of(document: Mapping[str, Any]) -> str:
    if "scenarios" in document:
        return hash_json({each["name"]: _verdicts_of(each) for each in document["scenarios"]})
    return hash_json({name: _rounded(document.get(name)) for name in JUDGED})


def fingerprint_of(document: Mapping[str, Any]) -> str:
    """Return the fingerprint of a report's JSON document, the SHA-256 of its numbers: results,
    checks, exclusions, utility, maps and those in ``FURTHER``.

    They are hashed as JSON with sorted names and no spaces. Numbers are written as text. Whole
    numbers are exact. Others have ``DIGITS`` significant digits and at most ``PLACES`` decimals,
    since the last digits of a sum depend on its order. For several reports, return one hash of all
    their fingerprints by name. Raises KeyError if the document is not a report.
    """
    if "scenarios" in document:
        return hash_json({each["name"]: fingerprint_of(each) for each in document["scenarios"]})
    names = (
        "results",
        "checks",
        "exclusions",
        *(name for name in ("utility", "maps") if name in document),
        *(name for name in FURTHER if document.get(name)),
    )
    numbers = {name: _rounded(document[name]) for name in names}
    return hash_json(numbers)


def hash_json(document: object) -> str:
    """Return the SHA-256 of a document written as JSON with sorted names and no spaces."""
    return _hash(
        json.dumps(
            document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
    )


def environment() -> dict[str, str]:
    """Return the versions of Python and of installed libraries that may affect a number."""
    from importlib import metadata
    from platform import python_version

    found = {"python": python_version()}
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def reads(question: Question, options: Mapping[str, object]) -> Iterator[Input]:
    """Yield every input of a run: sources, baselines, hierarchies, the policy and the user's own
    measures.

    ``options`` are those of `watch`. Raises InputError if a baseline or hierarchy cannot be found.
    """
    yield _of_source("original", question.original)
    for synthesis in question.syntheses:
        yield _of_source("synthetic", synthesis.source, synthesis.label)
    for role, source in (("control", question.control), ("universe", question.universe)):
        if source is not None:
            yield _of_source(role, source)
    for target, path in question.scenario.baseline.items():
        source = read_source(path, f"the baseline of {target}")
        yield _of_source("baseline", question.scenario.as_written("baseline", source))
    if question.scenario.column:
        for source in hierarchies.files_of(question.scenario).values():
            yield _of_source("hierarchy", source)
    policy, measures = options.get("policy"), options.get("measures_from")
    if isinstance(policy, str | os.PathLike):
        yield Input("policy", os.fspath(policy), (os.fspath(policy),))
    if isinstance(measures, str | os.PathLike):
        found = (path for name in ("*.sql", FILE) for path in Path(measures).rglob(name))
        yield Input("measures", os.fspath(measures), tuple(sorted(map(str, found))))


def reads_of_all(questions: Sequence[Question], options: Mapping[str, object]) -> tuple[Input, ...]:
    """Return the inputs of several questions, each once."""
    found = {
        (each.role, each.synthesis, each.name): each
        for question in questions
        for each in reads(question, options)
    }
    return tuple(found.values())


def _of_source(role: str, source: Source, synthesis: str | None = None) -> Input:
    held = ""
    if not source.paths:
        held = "a table of a database" if source.kind == "table" else "a table held in Python"
    paths = () if source.version else source.paths
    csv = csv_as_read(source) if source.kind == "csv" else None
    return Input(role, source.label, paths, synthesis, held, csv, source.version)


def _call(question: Question, options: Mapping[str, object]) -> dict[str, object] | None:
    """Return the arguments of `sqlrisk.score` with sources as text, or None if a source or an
    option is a Python object.
    """
    held = any(
        not source.paths and (source.frame is not None or source.kind == "frame")
        for source in question.sources
    )
    written = {name: _as_written(value) for name, value in options.items()}
    if held or not all(
        value is None or isinstance(value, str | int | list | dict) for value in written.values()
    ):
        return None
    methods: dict[str, list[str]] = {}
    for each in question.syntheses:
        methods.setdefault(each.method, []).append(each.source.label)
    synthetic = methods[""] if methods.keys() == {""} else methods
    return {
        "original": question.original.label,
        "synthetic": synthetic,
        "control": None if question.control is None else question.control.label,
        **({} if question.universe is None else {"universe": question.universe.label}),
        **written,
    }


def _as_written(option: object) -> object:
    """Return an option as a manifest writes it: paths as text, sequences as lists."""
    if isinstance(option, os.PathLike):
        return os.fspath(option)
    if hasattr(option, "tolist"):  # the columns of a frame are not a sequence
        return option.tolist()
    if isinstance(option, Mapping):
        return {name: _as_written(value) for name, value in option.items()}
    if isinstance(option, Sequence) and not isinstance(option, str):
        return [*map(_as_written, option)]
    return option


def _records(given: Input, report: "Findings") -> object:
    """Return the number of records of an input, or None if it is hidden. A split original counts
    both of its halves.
    """
    people = {"original": report.original, "control": report.control or {}}
    if given.role == "original" and report.scenario.get("split") is not None:
        halves = [half.get("records") for half in people.values()]
        return None if None in halves else sum(int(str(each)) for each in halves)
    return _side(given, report).get("records")


def _side(given: Input, report: "Findings") -> Mapping[str, object]:
    """Return the report's description of an input's file. Empty if the input holds no records."""
    sides = {
        "original": report.original,
        "control": report.control or {},
        "universe": report.universe or {},
    }
    if given.role in sides:
        return sides[given.role]
    return next((each for each in report.synthetic if each["synthesis"] == given.synthesis), {})


def _unnamed(assessment: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return an assessment without value labels. A sentence that quotes labels is replaced by the
    title of its reason.
    """
    titles = {reason.name: f"{reason.title}." for reason in reasons() if reason.names_labels}
    return [
        {
            **row,
            "reasons": [
                {**each, "text": titles.get(each["code"], each["text"])} for each in row["reasons"]
            ],
        }
        for row in assessment
    ]


def _warnings(report: "Findings") -> Iterator[str]:
    """Yield what a signer should know about the numbers, without naming a level."""
    undefined = sum(row["value"] is None for row in report.results)
    if undefined:
        yield f"{undefined} numbers are undefined, because their denominator is 0."
    from sqlrisk.report.findings import first_population, of_first_population

    whom = first_population(report)
    people = "the people" if whom == "all" else whom
    counted = of_first_population(report)
    left = [row for row in counted if row["measure"] in EXCLUDED and row["value"]]
    for target in dict.fromkeys(row["target"] for row in left):
        most = max(row["value"] for row in left if row["target"] == target)
        of = "measures of identity" if target is None else f"the numbers of {target}"
        yield f"Exclusions leave {most:.2f} % of {people} out of {of}."
    for check, name, words in (
        ("one_way", "One-way check", f"one level makes up nearly all that {CHECKED} counts"),
        ("two_way", "Two-way check", "a level of a key nearly determines it"),
    ):
        for target in dict.fromkeys(row["target"] for row in report.checks.get(check, [])):
            yield f"{name}, {target}: {words}."
    for name, words in (
        ("case_folded", "treats upper and lower case as the same"),
        ("trailing_blanks_ignored", "ignores blanks at the end of a text"),
        ("empty_text_missing", "treats an empty text as missing"),
    ):
        if report.engine.get(name):
            yield f"The database {words}: levels that differ only in this count as one."


def _rounded(value: Any) -> object:
    if isinstance(value, str | bool | None):
        return value
    if isinstance(value, float):
        # Adding 0.0 turns -0.0 into 0.0.
        return f"{round(value, PLACES) + 0.0:.{DIGITS}g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _hash_file(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"The input {path!r} cannot be read: {error.strerror}.") from None


def _peak() -> int | None:
    """Return the peak memory of this process in bytes, or None on Windows."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024  # macOS counts bytes, others KiB

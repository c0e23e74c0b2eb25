"""JSON Schemas (draft 2020-12) of the files that sqlrisk writes (result, manifest, signatures) and
reads (scenario, policy).

The schema of a scenario is made from the table of settings, so it includes every setting. Each
schema has the version number of the JSON (`sqlrisk.common.version.SCHEMA`). Unknown keys are valid
in files that sqlrisk writes (except in result rows and signatures), since adding a key makes no new
version. They are invalid in files that people write, where an unknown key is a typo.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from sqlrisk.analyses.audit import HASHES, OF_EACH
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.version import SCHEMA
from sqlrisk.inputs import policy
from sqlrisk.inputs.fields import SETTINGS, Field
from sqlrisk.inputs.release import LOGO, SAID
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.settings import FILE_SETTINGS, read_text
from sqlrisk.report.columns import BANDS, DECISIONS, TYPES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
SCALAR: Schema = {"type": ["string", "number", "boolean"]}  # a level, as a file writes it
TEXTS: Schema = {"type": "array", "items": TEXT}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
ANYTHING: Schema = {"type": "object"}
_ROWS: Schema = {"type": "array", "items": ANYTHING}
_OF_TYPES = {"string": ["string", "null"], "double": ["number", "null"], "bool": ["boolean"]}
_MISSING = ("target", "at", "numerator", "denominator", "value")  # columns that may be null


def schema(kind: str) -> Schema:
    """Return the JSON Schema of a kind of file, one of ``KINDS``. Raises InputError for any other
    kind.
    """
    if kind not in KINDS:
        raise InputError(
            f"There is no schema of {kind!r}{suggestion(kind, KINDS)}; there are "
            f"{', '.join(KINDS)}."
        )
    title, made = KINDS[kind]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sqlrisk:{kind}:{SCHEMA}",
        "title": title,
    }
    return {**head, **made()}


# ---- what people write
# --------------------------------------------------------------------------------------------------


def _scenario() -> Schema:
    own = {
        name: {"description": field.help, **_of_setting(name, field)}
        for name, field in SETTINGS.items()
    }
    paths = _either(TEXT, TEXTS)
    files: dict[str, Schema] = {
        name: {
            "description": "The synthetic files; several ways to make them by name."
            if name == "synthetic"
            else f"The {name}."
        }
        | (_either(TEXT, TEXTS, _table(paths)) if name == "synthetic" else paths)
        for name in FILE_SETTINGS
    }
    steps = {
        "steps": {
            "description": "Steps of a recode at which it is scored: region=0,1,2",
            **_either(TEXT, TEXTS, ANYTHING),
        }
    }
    one = _object({**own, **steps}, ())
    return _object(
        {
            **files,
            **one["properties"],
            "scenario": {"description": "Several scenarios, by name.", **_table(one)},
        },
        (),
    )


def _of_setting(name: str, field: Field) -> Schema:
    if name == "release":
        headings = {**SAID, LOGO: "Logo"}
        stated = {each: {"description": words, **TEXT} for each, words in headings.items()}
        return _either(_object(stated, ()), TEXT, TEXTS)
    return TEXT if field.reader is read_text else _typed(get_type_hints(Scenario)[name])


def _typed(kind: Any) -> Schema:
    """Return the schema of the values that a setting of this type may have, in TOML or as option
    text.
    """
    arguments = get_args(kind)
    if get_origin(kind) is UnionType:
        return _typed(next(each for each in arguments if each is not NoneType))
    if get_origin(kind) is tuple:
        items: Schema = {"type": "array", "items": _typed(arguments[0])}
        if Ellipsis not in arguments:
            items |= {"minItems": len(arguments), "maxItems": len(arguments)}
        return _either(SCALAR, items)
    if get_origin(kind) in (dict, Mapping):
        return _either(_table(_typed(arguments[1])), TEXT, TEXTS)
    if is_dataclass(kind):
        known = {name: _typed(hint) for name, hint in get_type_hints(kind).items()}
        return _either(_object({each.name: known[each.name] for each in fields(kind)}, ()), TEXT)
    if kind is bool:
        return {"type": ["boolean", "string"]}
    return SCALAR if kind is str else {"type": ["number", "string"]}


def _policy() -> Schema:
    """Return the schema of a policy file, from the names that `sqlrisk.inputs.policy` reads."""
    scope: dict[str, Schema] = dict.fromkeys(policy.SCOPES, TEXTS)
    exemption = _object({"text": TEXT, "by": TEXT, **scope}, ("text",))
    words = {
        "verdict": (policy.FAIL, policy.REVIEW),
        "exclusions": (policy.WITH, policy.WITHOUT, policy.BOTH),
    }
    clause: dict[str, Schema] = {
        name: {"enum": [*words[name]]} if name in words else scope.get(name, TEXT)
        for name in policy.CLAUSE
    }
    rule = _object({**clause, "exception": exemption}, ("rule", "reason"))
    accept = _object({name: scope.get(name, TEXT) for name in policy.ACCEPTED}, ("code", "text"))
    tables: dict[str, Schema] = {
        "rule": _several(rule),
        "accept": {"type": "array", "items": accept},
    }
    return _object({name: tables.get(name, TEXT) for name in policy.POLICY}, ("name", "rule"))


# ---- what sqlrisk writes
# --------------------------------------------------------------------------------------------------


def _result() -> Schema:
    row = {
        name: {"type": _OF_TYPES[kind] if name in _MISSING else _OF_TYPES[kind][:1]}
        for name, kind in TYPES.items()
    }
    bands = {name: {"type": ["number", "null"]} for name in BANDS}
    results = {"type": "array", "items": _object({**row, **bands}, TYPES)}
    lists = (
        "assessment", "copies", "columns", "synthetic", "differences", "membership",
        "exclusions", "levels", "overlap", "distributions", "shares", "trends", "maps",
        "population_uniques", "evidence",
    )  # fmt: skip
    tables = (
        "labels", "scenario", "original", "universe", "control", "utility", "engine", "policy",
        "rounding",
    )  # fmt: skip
    checks = _open(dict.fromkeys(("one_way", "two_way"), _ROWS), ("one_way", "two_way"))
    known = (
        dict.fromkeys(lists, _ROWS)
        | dict.fromkeys(tables, ANYTHING)
        | {"results": results, "checks": checks, "equal_width": TEXTS}
    )
    needed = (
        "assessment", "scenario", "original", "synthetic", "results", "checks", "exclusions",
        "levels", "overlap", "engine",
    )  # fmt: skip
    one = {**known, "without_exclusions": results}
    each = _open({"name": TEXT, **one}, ("name", *needed))
    several = {"scenarios": _several(each), "membership_worst": _ROWS}
    several |= {"stepped": TEXT, "steps": TEXTS}  # of a recode
    return _one_or_several(_written({**one, **several}, ()), needed)


def _manifest() -> Schema:
    known = {
        "command": {"type": ["string", "null"]},
        "started": TEXT,
        "seconds": {"type": "number"},
        **dict.fromkeys(("engine", "environment", "scenario", "rounding"), ANYTHING),
        "call": {"type": ["object", "null"]},
        "inputs": {
            "type": "array",
            "items": {"type": "object", "required": ["role", "synthesis", "name", "sha256"]},
        },
        "sql": {"type": "array", "items": _open({"sha256": HASH}, ("name", "sha256"))},
        **dict.fromkeys(("exclusions", "assessment", "stages"), _ROWS),
        "verdict": {"enum": [None, *policy.VERDICTS]},
        "peak_memory_bytes": {"type": ["integer", "null"]},
        "warnings": TEXTS,
        **dict.fromkeys(HASHES, HASH),
    }
    of_each = {name: known[name] for name in OF_EACH}
    several = {"scenarios": _several(_open({"name": TEXT, **of_each}, ("name", *of_each)))}
    needed = ("started", "engine", "environment", "inputs", "sql", "verdict", "results_sha256")
    return _one_or_several(_written({**known, **several}, needed), ("scenario",))


def _signature() -> Schema:
    file = {"role": {"enum": ["result", "manifest", "page"]}, "name": TEXT, "sha256": HASH}
    finding = {"finding": TEXT, "comment": TEXT}
    known: Mapping[str, Schema] = {
        "decision": {"enum": [None, *DECISIONS]},
        "by": TEXT,
        "comment": TEXT,
        "findings": {"type": "array", "items": _object(finding, finding)},
        "signed": {"type": "string", "format": "date-time"},
        "before": {"anyOf": [HASH, {"type": "null"}]},
        "files": {"type": "array", "items": _object(file, file), "minItems": 2},
        "sha256": HASH,
    }
    return _written({"signatures": _several(_object(known, known))}, ("signatures",))


def _written(known: Mapping[str, Schema], needed: Sequence[str]) -> Schema:
    """Return the schema of a file that sqlrisk writes, with the ``known`` keys. The file must have
    the ``needed`` keys, and the versions of sqlrisk and of its JSON.
    """
    form = {"sqlrisk": TEXT, "schema": {"const": SCHEMA}}
    return _open({**form, **known}, (*form, *needed))


def _one_or_several(schema: Schema, needed: Sequence[str]) -> Schema:
    """Return the schema of a file with either one scenario, which needs some keys, or a list of
    several.
    """
    return {**schema, "anyOf": [{"required": [*needed]}, {"required": ["scenarios"]}]}


def _open(known: Mapping[str, Schema], needed: Iterable[str]) -> Schema:
    """Return the schema of an object that may have further keys."""
    return {"type": "object", "properties": dict(known), "required": [*needed]}


def _object(known: Mapping[str, Schema], needed: Iterable[str]) -> Schema:
    return {**_open(known, needed), "additionalProperties": False}


def _several(items: Schema) -> Schema:
    """Return the schema of a list of one item or more."""
    return {"type": "array", "items": items, "minItems": 1}


def _table(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _either(*several: Schema) -> Schema:
    return {"anyOf": [*several]}


KINDS: Mapping[str, tuple[str, Callable[[], Schema]]] = {
    "result": ("What sqlrisk score -o risk.json writes", _result),
    "manifest": (
        "What sqlrisk score -o risk.json writes beside it, risk.json.manifest.json",
        _manifest,
    ),
    "scenario": ("A scenario file, or several, of sqlrisk score --scenario", _scenario),
    "policy": ("A policy, of sqlrisk score --policy and sqlrisk check", _policy),
    "signature": ("What sqlrisk sign writes, risk.signatures.json", _signature),
}

"""Sign a result, and check if anything has changed since. The signatures are in a file beside the
result.

Each signature holds SHA-256 hashes: of the result, of its manifest, and of each page with the
signature shown. It also holds its own hash and that of the previous signature. So signatures form a
chain: any change, addition or removal changes the last hash.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlrisk.analyses.audit import hash_json, hashes_of
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.common.output_files import (
    MANIFEST,
    OUTSIDE,
    PAGE_SUFFIXES,
    SIGNATURES,
    is_file,
    standing_in,
)
from sqlrisk.common.version import SCHEMA, __version__
from sqlrisk.inputs.policy import UNMET
from sqlrisk.report.columns import DECISIONS
from sqlrisk.report.formats.tabular import to_json
from sqlrisk.report.reading import read_json
from sqlrisk.report.signing import pages as signed_pages
from sqlrisk.report.signing.signatures import (
    CHANGED,
    MISSING,
    SAME,
    UNSIGNED,
    Signatures,
    in_words,
    of_files,
)
from sqlrisk.report.wording import shown

CONDITIONAL = "approve-with-conditions"
_SIGNATURE = {"decision", "by", "comment", "findings", "signed", "files", "before", "sha256"}
_NAMED = "name one that `sqlrisk score ... -o risk.json` wrote"
_WAY = "write both in one run: sqlrisk score ... -o risk.json -o risk.html"


@dataclass(frozen=True)
class Signed:
    """A result and the files beside it, found by its name: ``risk.json`` has
    ``risk.json.manifest.json`` and ``risk.html``.
    """

    result: Path

    @property
    def file(self) -> Path:
        """The file of the signatures."""
        # Also for a path without a name, such as ".", which `with_suffix` refuses.
        return self.result.parent / f"{self.result.stem}{SIGNATURES}"

    @property
    def pages(self) -> list[Path]:
        """The pages (HTML, PDF) that exist. A suffix may be in capitals."""
        pages = (
            (page.suffix.lower(), page)
            for page in self.result.parent.glob("*.*")
            if page.stem == self.result.stem and page.is_file()
        )
        return [page for suffix, page in sorted(pages) if suffix in PAGE_SUFFIXES]

    def manifest(self, document: Mapping[str, Any]) -> Path:
        """Return the path of the manifest. An external report has a separate manifest, which can be
        shared with the report.
        """
        return self.result.with_name(
            f"{self.result.name}{OUTSIDE if document.get('rounding') else MANIFEST}"
        )


def sign(
    result: str, decision: str | None, by: str, comment: str, findings: Mapping[str, str]
) -> Signatures:
    """Sign the JSON file ``result``: write its signatures, and its pages with the sign-off. Return
    all signatures, checked against the files. Arguments and errors are those of `sqlrisk.sign`.
    """
    files = Signed(Path(result))
    document = _read_result(files)
    _check(decision, by, comment, findings, document)
    former = _signatures(files) if files.file.is_file() else []
    if former and (changed := _compared(files, former).changed):
        differ = "; ".join(f"the {what} {name} ({outcome})" for what, name, outcome, *_ in changed)
        raise InputError(
            f"Not as it was signed: {differ}. Restore the signed files, or delete "
            f"{files.file.name} to start again."
        )
    signature: dict[str, Any] = {
        "decision": decision,
        "by": by,
        "comment": comment,
        "findings": [{"finding": name, "comment": text} for name, text in findings.items()],
        "signed": datetime.now(UTC).isoformat(timespec="seconds"),
        "before": former[-1]["sha256"] if former else None,
    }
    told = in_words([*former, signature])
    pages = {page: _with_sign_off(page, told, document) for page in files.pages}
    manifest = files.manifest(document)
    held = [
        ("result", files.result, files.result.read_bytes()),
        ("manifest", manifest, manifest.read_bytes()),
    ]
    held += [("page", page, data) for page, data in pages.items()]
    signature["files"] = [
        {"role": role, "name": path.name, "sha256": _hash(data)} for role, path, data in held
    ]
    signatures = [*former, {**signature, "sha256": hash_json(signature)}]
    text = to_json({"sqlrisk": __version__, "schema": SCHEMA, "signatures": signatures})
    # Files get their names once all are written, the signatures last.
    with ExitStack() as stack:
        for path, data in {files.file: text.encode(), **pages}.items():
            shared = bool(document.get("rounding"))
            stack.enter_context(standing_in(path, shared=shared)).write_bytes(data)
    return _compared(files, signatures)


def verify(result: str) -> Signatures:
    """Compare a result, its manifest, its pages and its signatures with the signed state. Raises
    the errors of `sqlrisk.signatures`.
    """
    files = Signed(Path(result))
    if not files.file.is_file():
        raise InputError(
            f"Nobody has signed {result!r}: there is no {files.file.name} in the same folder; see "
            "sqlrisk sign --help."
        )
    return _compared(files, _signatures(files))


def is_signed(result: str) -> bool:
    """Return True if there are signatures beside a result. Raises InputError if there is neither a
    signature nor a result.
    """
    found = Signed(Path(result)).file.is_file()
    if not found and not is_file(result):
        raise InputError(f"There is no file {result!r}.")
    return found


def unmet(result: str) -> str | None:
    """Return a sentence if a result does not meet the policy that it was scored with, otherwise
    None. Raises InputError if the file cannot be read as JSON.
    """
    match read_json(Path(result), "result", _NAMED):
        case {"policy": {"name": str(name), "verdict": str(verdict)}} if verdict in UNMET:
            return f"The policy is not met: the verdict of {shown(name)!r} is {verdict!r}."
    return None


def _check(
    decision: str | None,
    by: str,
    comment: str,
    findings: Mapping[str, str],
    document: Mapping[str, Any],
) -> None:
    """Raise InputError with every reason why a signature cannot be added."""
    problems = ProblemList()
    if decision is not None and decision not in DECISIONS:
        problems.append(
            f"There is no decision {decision!r}{suggestion(decision, DECISIONS)}; there are "
            f"{', '.join(DECISIONS)}."
        )
    if decision is None and not findings:
        problems.append(
            "Give the decision (--decision), or a comment on a finding (--finding ID "
            "--comment TEXT)."
        )
    if decision is None and comment:
        problems.append("A comment without a finding is about the decision: give it (--decision).")
    if not by.strip():
        problems.append("Say who signs: --by NAME.")
    if decision == CONDITIONAL and not comment.strip():
        problems.append("Say the conditions: --comment TEXT.")
    known = [*_findings(document)]
    problems += [
        f"The result has no finding {name!r}{suggestion(name, known)}; a page names each below its "
        "cells: MEASURE or MEASURE:TARGET, of several scenarios SCENARIO/MEASURE:TARGET, such as "
        f"{known[0]}."
        for name in findings
        if name not in known
    ]
    problems += [
        f"Comment on the finding {name!r}: --comment TEXT."
        for name, text in findings.items()
        if not text.strip()
    ]
    problems.stop()


def _findings(document: Mapping[str, Any]) -> dict[str, None]:
    """Return the names of the findings of a result, in order: MEASURE or MEASURE:TARGET, with the
    prefix SCENARIO/ if there are several scenarios.
    """
    if "scenarios" in document:
        return {
            f"{each['name']}/{name}": None
            for each in document["scenarios"]
            for name in _findings(each)
        }
    rows = document["results"]
    return {
        row["measure"] if row["target"] is None else f"{row['measure']}:{row['target']}": None
        for row in rows
    }


def _read_result(files: Signed) -> dict[str, Any]:
    """Return a result that has a manifest beside it. Raises InputError if the file is not a result,
    or if the manifest belongs to another run.
    """
    name = str(files.result)
    if files.result.suffix.lower() in PAGE_SUFFIXES:
        raise InputError(
            f"The file {name!r} is a page: sign the JSON file of its run, which also signs the "
            f"page in the same folder; {_WAY}."
        )
    document: dict[str, Any] = read_json(files.result, "result", _NAMED)
    try:
        known = bool(hashes_of(document) and _findings(document))
    except (AttributeError, KeyError, TypeError):
        known = False
    if not known:
        raise InputError(f"The file {name!r} is not a result of `sqlrisk score`; {_NAMED}.")
    path = files.manifest(document)
    manifest = read_json(
        path,
        "manifest",
        "`sqlrisk score ... -o risk.json` writes it to the folder of the result; in Python, write "
        "json.dumps(report.manifest()) into this file",
    )
    if not isinstance(manifest, dict) or not _are_of(manifest, document):
        raise InputError(f"{path.name} and {files.result.name} come from different runs: {_WAY}.")
    return document


def _with_sign_off(
    page: Path, told: Sequence[Mapping[str, Any]], document: Mapping[str, Any]
) -> bytes:
    data, name = page.read_bytes(), page.name
    printed = page.suffix.lower() == ".pdf"
    if printed:
        from sqlrisk.report.html.printing import print_page, printed_page

        text = printed_page(data, name)
    else:
        text = data.decode(errors="replace")
    if not _are_of(signed_pages.hashes_of(text), document):
        raise InputError(
            f"{name} is not the page of this result, because it shows other numbers, settings or "
            f"verdicts: {_WAY}."
        )
    text = signed_pages.signed(text, told, name)
    return print_page(text) if printed else text.encode()


def _are_of(hashes: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Return True if the hashes in a manifest or a page are those of a result. Earlier versions
    wrote only that of the numbers.
    """
    own = hashes_of(document)
    told = {"verdicts_sha256": own["verdicts_sha256"], **hashes}
    return all(told.get(name) == value for name, value in own.items())


def _signatures(files: Signed) -> list[dict[str, Any]]:
    """Return the signatures of a result. Raises InputError if the file holds none."""
    found = read_json(files.file, "sign-off", "`sqlrisk sign` writes one")
    match found:
        case {"signatures": [_, *_] as signatures} if all(map(_is_signature, signatures)):
            return [dict(each) for each in signatures]
    raise InputError(
        f"The file {str(files.file)!r} holds no signatures: `sqlrisk sign` writes them."
    )


def _is_signature(found: Any) -> bool:
    texts = {"by", "comment", "signed", "sha256"}
    if (
        not isinstance(found, dict)
        or found.keys() != _SIGNATURE
        or not all(isinstance(found[name], str) for name in texts)
    ):
        return False
    try:
        datetime.fromisoformat(found["signed"])
    except ValueError:
        return False
    parts = [
        (found["files"], {"role", "name", "sha256"}),
        (found["findings"], {"finding", "comment"}),
    ]
    return all(
        isinstance(part, list)
        and all(isinstance(each, dict) and each.keys() == names for each in part)
        for part, names in parts
    )


def _compared(files: Signed, signatures: Sequence[dict[str, Any]]) -> Signatures:
    return of_files(
        signatures,
        signatures[-1]["sha256"],
        [*_files_compared(files, signatures[-1]), *_chained(signatures)],
    )


def _files_compared(files: Signed, last: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    """Yield (role, name, outcome, signed hash, hash now) of each signed file, and of each page that
    exists but was not signed.

    Files may be renamed or copied together. They are found by the name that the result has now, not
    by the signed names, which may be those of another result.
    """
    signed = next((Path(str(e["name"])).stem for e in last["files"] if e["role"] == "result"), "")
    known = set()
    for each in last["files"]:
        end = Path(str(each["name"])).name.removeprefix(signed)
        path = files.result.parent / f"{files.result.stem}{end}"
        now = _hash(path.read_bytes()) if path.is_file() else None
        outcome = MISSING if now is None else SAME if now == each["sha256"] else CHANGED
        known.add(path.name)
        yield each["role"], path.name, outcome, each["sha256"], now
    for page in files.pages:
        if page.name not in known:
            yield "page", page.name, UNSIGNED, None, _hash(page.read_bytes())


def _chained(signatures: Sequence[Mapping[str, Any]]) -> Iterator[tuple[object, ...]]:
    """Yield (role, name, outcome, stored hash, computed hash) of each signature.

    A signature is unchanged if it has its stored hash and names the hash of the signature before
    it.
    """
    before = None
    for place, each in enumerate(signatures, start=1):
        now = hash_json({name: value for name, value in each.items() if name != "sha256"})
        same = now == each["sha256"] and each["before"] == before
        yield (
            "signature",
            f"signature {place}, {each['by']}",
            SAME if same else CHANGED,
            each["sha256"],
            now,
        )
        before = each["sha256"]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

"""The result of repeating a run from its manifest: whether inputs, SQL and numbers are equal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlrisk.report.blocks import Grid, GridColumn
from sqlrisk.report.prose import said
from sqlrisk.report.report import Report
from sqlrisk.report.results.several_reports import Reports
from sqlrisk.report.results.table import Table
from sqlrisk.report.wording import Row, or_nothing, shown

COLUMNS = ("what", "name", "outcome", "then", "now")
# unknown: for a table of a database, which has no hash
SAME, CHANGED, UNKNOWN = "same", "changed", "unknown"
DECISIVE = ("input", "results", "verdict")  # other rows may explain why these changed


@dataclass(frozen=True, repr=False)
class Rerun(Table):
    """One row for each compared item: inputs, versions, SQL, numbers and verdict.

    ``report`` is the report of the repeated run.
    """

    report: Report | Reports | None = field(default=None, repr=False)

    @property
    def same(self) -> bool:
        """True if numbers, verdict and inputs are unchanged. Inputs without a hash or version are
        not compared.
        """
        return not self.changed

    @property
    def changed(self) -> list[tuple[object, ...]]:
        """The rows that changed: inputs, numbers and the verdict."""
        return [row for row in self.rows if row[0] in DECISIVE and row[2] == CHANGED]

    def _document(self) -> dict[str, object]:
        return {"same": self.same, "rows": self._objects()}


def compare(then: Row, now: Row, report: Report | Reports) -> Rerun:
    """Compare the manifest of a repeated run (``now``) with that of the first run (``then``)."""
    rows = [*inputs(then, now["inputs"]), *_versions(then, now), _sql(then, now)]
    what, hashes = "results, checks, exclusions", (each["results_sha256"] for each in (then, now))
    rows.append(_row("results", what, *hashes))
    if then["verdict"] is not None:
        rows.append(_row("verdict", "policy", then["verdict"], now["verdict"]))
    found = Rerun("rerun", "rerun", "A run repeated", list(COLUMNS), rows, report=report)
    told = [row for row in rows if row[0] != "version" or row[2] == CHANGED]
    texts = [[*map(shown, row[:3]), *map(_short, row[3:])] for row in told]
    grid = Grid([GridColumn(name, label=True) for name in COLUMNS], texts)
    return replace(found, blocks=said("rerun", found, compared=[grid]))


def inputs(then: Row, now: Sequence[Row]) -> list[tuple[object, ...]]:
    """Return a row for each input of the first run's manifest (``then``), compared with the present
    inputs (``now``) by its SHA-256. Objects and lake tables are compared by their version.
    """
    current = {_place(each): each["sha256"] or each.get("version") for each in now}
    rows = []
    for each in then["inputs"]:
        role = each["role"] if each["synthesis"] is None else f"synthesis {each['synthesis']}"
        name, before = f"{role}: {each['name']}", each["sha256"] or each.get("version")
        after = current.get(_place(each))
        known = before or after
        rows.append(
            _row("input", name, before, after) if known else ("input", name, UNKNOWN, None, None)
        )
    return rows


def _place(given: Row) -> tuple[object, ...]:
    return given["role"], given["synthesis"], given["name"]


def _versions(then: Row, now: Row) -> Iterator[tuple[object, ...]]:
    engine = str(then["engine"]["name"])
    yield _row("version", "sqlrisk", then["sqlrisk"], now["sqlrisk"])
    yield _row("version", engine, then["engine"]["version"], now["engine"].get("version"))
    for name in dict.fromkeys((*then["environment"], *now["environment"])):
        if name != engine.lower():
            yield _row("version", name, then["environment"].get(name), now["environment"].get(name))


def _sql(then: Row, now: Row) -> tuple[object, ...]:
    """Return the row about the SQL. Its outcome is SAME if the first run had every text of the
    repeated run. The first run may have had more: tables in a schema are not made again. After a
    run saved in a file the outcome is CHANGED, because its SQL numbers the records.
    """
    before, after = ({each["sha256"] for each in manifest["sql"]} for manifest in (then, now))
    outcome = SAME if after <= before else CHANGED
    return "sql", f"{len(before & after)} texts of both", outcome, len(before), len(after)


def _row(what: str, name: str, then: object, now: object) -> tuple[object, ...]:
    return what, name, SAME if then == now else CHANGED, then, now


def _short(value: object) -> str:
    """Return a value for display. A hash is shortened to its first digits."""
    text = or_nothing(value)
    return f"{text[:12]}…" if len(text) == 64 else text

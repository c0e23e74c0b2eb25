"""Commands that score: score, cells, reference, utility, demo."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import rich_click as click
from click import get_current_context

import sqlrisk
from sqlrisk.cli import options, running, terminal
from sqlrisk.cli.command import command
from sqlrisk.common.output_files import MANIFEST, OUTSIDE, PAGES
from sqlrisk.inputs.fields import CLOSER, OUTPUT
from sqlrisk.report.columns import OF_KEY_SETS, THRESHOLD, WANTED

if TYPE_CHECKING:  # their modules are loaded when something is scored
    Reported = sqlrisk.Report | sqlrisk.Reports
    Result = Reported | sqlrisk.Steps | sqlrisk.Table


@command()
@options.files
@options.question
@options.people
@options.intruder
@options.closer
@options.setting("work_limit")
@options.named_syntheses
@options.own(sqlrisk.score)
@options.setting("save")
@options.steps
@options.drawn_results
@options.verbose
@options.page
@options.run_options
def score(
    *, original: str | None, synthetic: running.Synthetic, output: tuple[str, ...], **given: Any
) -> None:
    """Score synthetic files against their original.

    COLUMNS are names separated by commas. Put a name that has a comma in double quotes. You can
    repeat an option. With -o risk.json you also get risk.json.manifest.json, which describes the
    run, and from which sqlrisk rerun repeats it (not with --layout or --steps).

    \b
    Examples:
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income
      sqlrisk score original.csv syn_*.csv --keys age,sex -o risk.html
      sqlrisk score --scenario scenario.toml --policy policy.toml -o risk.json
      sqlrisk score original.csv syn_*.csv --keys age,sex \\
          -o risk.json -o risk.pdf
      sqlrisk score original.parquet --keys age,sex \\
          --synthesis cart='cart_*.parquet' --synthesis rf='rf_*.parquet'
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet syn_3.parquet \\
          --keys age,sex --distributions --trend
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --layout taub --key-set age,sex --key-set age,sex,region
      sqlrisk score original.parquet syn_*.parquet --keys age,sex \\
          --aligned --id person
      sqlrisk score original.parquet syn_*.parquet --keys age,sex \\
          --assume saturated --prior 1
      sqlrisk score original.parquet syn_1.parquet --keys age,sex \\
          --steps age.width=1,5,10
      sqlrisk score original.csv syn_*.csv --keys age,sex -o risk.json
      sqlrisk score original.parquet syn_*.parquet --keys age,sex \\
          --utility all --maps 'DiSCO,mean(S_pMSE)' -o risk.html
      sqlrisk score --scenario scenario.toml --format markdown
      sqlrisk score --scenario scenarios.toml#neighbor
    """
    first, *others = output or (None,)
    run_score(original, synthetic, {**given, "output": first}, others)


def run_score(
    original: str | None, synthetic: running.Synthetic, given: Any, others: Sequence[str] = ()
) -> None:
    """Score, and write the report to its output and to ``others``, with a manifest. Without an
    output, show it. If it does not meet its policy, raise PolicyError after that.
    """
    question, asked = running.scenario_settings(given), ScoreOptions.of(given)
    refuse_together(asked, question)
    outputs = [given["output"], *others]
    recorded = recorded_as(outputs) if asked.reports else None
    shared = recorded if asked.external else None
    manifests = (recorded and recorded + MANIFEST, shared and shared + OUTSIDE)
    running.require_distinct(*outputs, *manifests)
    inputs = list(running.input_paths(given, original, synthetic))
    figure = given.get("figure")
    with (
        running.destinations(
            outputs, given["form"], inputs, shared=asked.external, draws=asked.draws, figure=figure
        ) as files,
        running.destination(manifests[0], None, inputs) as (manifest, _),
        running.destination(manifests[1], None, inputs, shared=True) as (told, _),
    ):
        forms = [form for _, form in files]
        page = asked.whole and not {*PAGES}.isdisjoint(forms)
        of_pages = of_page(asked, page=page)
        question |= asked_beside(asked, forms, page=page)
        new = bool(given.get("save")) and not Path(given["save"]).exists()
        with running.run_arguments(given) as limits:
            result, failure = scored(asked, original, synthetic, {**question, **limits})
        left = getattr(result, "kept", ())
        judged = None
        with unsaved_by_errors(given, left, new=new):
            if isinstance(result, sqlrisk.Report | sqlrisk.Reports):
                result = judged = released(asked, result, manifest, told)
                if given.get("part"):
                    result = judged.table(given["part"])
                elif given.get("evidence"):
                    result = judged.with_evidence()
            for file, form in files:
                how = of_pages if form in PAGES else {}
                if asked.whole and not given.get("evidence"):
                    how = how | running.brief(given, form, file)
                running.write_result(result, form, file, figure=figure, **how)
    running.tell(given, result)
    say_kept(given, left)
    say_shared(given, outputs, shared)
    # An external report may leave the verdict open, which the exact numbers decide.
    decisive = judged if failure is None else failure.report
    running.decided(given, decisive, *outputs, *manifests)
    if failure is not None:
        raise failure


@dataclass(frozen=True)
class ScoreOptions:
    """A question to score: its options, and what its scenario file adds to them."""

    given: Mapping[str, Any]
    several: bool  # a file of several scenarios, with none of them named
    stepped: bool  # scores at several steps of a recode

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ScoreOptions":
        """Read the scenario file among the options, if there is one."""
        from sqlrisk.inputs.scenario_file import has_steps, read_scenarios

        scenario = given.get("scenario")
        several = scenario is not None and bool(read_scenarios(scenario)[1])
        in_file = scenario is not None and not several and has_steps(scenario)
        return cls(given, several, bool(given.get("steps")) or in_file)

    @property
    def reports(self) -> bool:
        """True if the result is a report, which has a manifest, not steps or a paper's table."""
        return not self.stepped and not self.given.get("layout")

    @property
    def whole(self) -> bool:
        """True if readers get a report, not only a part of it."""
        return self.reports and not self.given.get("part")

    @property
    def external(self) -> bool:
        """True if the report is external."""
        return bool(self.given.get("report") == "external")

    @property
    def draws(self) -> str | None:
        """The kind of result whose figures can be drawn. None for a part or a paper's table."""
        if self.whole:
            return "several" if self.several else "score"
        return "steps" if self.stepped else None


def asked_beside(asked: ScoreOptions, forms: Sequence[str], *, page: bool) -> dict[str, Any]:
    """Return the arguments of a score besides its question: what a part, a paper's table or a
    report needs.

    ``forms`` are the forms of the outputs, ``page`` is True if a whole report is written as a page.
    """
    given, part = asked.given, asked.given.get("part")
    beside: dict[str, Any] = {WANTED[part]: True} if part in WANTED else {}
    if given.get("layout") in OF_KEY_SETS:
        beside["keys"] = key_sets(given)
    if asked.reports:
        inside = page and not asked.external
        beside |= {
            "policy": given.get("policy"),
            "listings": inside,
            # a PDF has no what-if form
            "cube": inside and "html" in forms and not given.get("no_cube"),
            "utility": running.one_text(given.get("utility")),
            "maps": list(given.get("maps") or ()) or None,
            "save": given.get("save"),
        }
    return beside


def scored(
    asked: ScoreOptions, original: str | None, synthetic: running.Synthetic, how: dict[str, Any]
) -> "tuple[Result, sqlrisk.PolicyError | None]":
    """Return the result of a score, and the error if it does not meet its policy. The numbers are
    written first, since the custodian decides on them, and the error is raised at the end.

    ``how`` has the settings and the options of the run.
    """
    if asked.stepped:
        steps = list(asked.given["steps"]) or None
        return sqlrisk.score_steps(steps, original, synthetic, **how), None
    if layout := asked.given.get("layout"):
        return sqlrisk.tabulate(layout, original, synthetic, **how), None
    try:
        if asked.several:
            return sqlrisk.score_all(how.pop("scenario"), original, synthetic, **how), None
        return sqlrisk.score(original, synthetic, **how), None
    except sqlrisk.PolicyError as error:
        return error.report, error


def released(
    asked: ScoreOptions, report: "Reported", manifest: BinaryIO | None, told: BinaryIO | None
) -> "Reported":
    """Write the manifests of a report, and return the report for its readers: rounded, if it is
    external.
    """
    from sqlrisk.report.formats.tabular import to_json

    report = report.by_command(shlex.join(["sqlrisk", *get_current_context().find_root().obj]))
    if manifest is not None:
        manifest.write(to_json(report.manifest()).encode())
    if asked.external:
        report = report.external(asked.given.get("threshold") or THRESHOLD)
    if told is not None:
        told.write(to_json(report.manifest()).encode())
    return report


@contextmanager
def unsaved_by_errors(
    given: Mapping[str, Any], left: Sequence[str], *, new: bool
) -> Iterator[None]:
    """Clean up if the block raises an error, for example because an audit fails.

    Remove the file of the saved run if it is ``new``. A file that replaced an older run stays,
    because otherwise both runs would be lost. Tables ``left`` in a schema also stay, because the
    session that made them has ended. Name them in a note.
    """
    try:
        yield
    except BaseException:
        say_kept(given, left)
        if new and not left:
            Path(given["save"]).resolve().unlink(missing_ok=True)
        raise


def say_kept(given: Mapping[str, Any], left: Sequence[str]) -> None:
    """Say which tables a run left in a schema."""
    if left:
        running.remark(
            given,
            f"In the schema {given['save']}: {', '.join(left)}. They are microdata: drop them "
            "when you no longer need them.",
        )


def say_shared(given: Mapping[str, Any], outputs: Sequence[str | None], shared: str | None) -> None:
    """Say which files of an external report may be shared. ``shared`` is the file after which its
    manifest is named.
    """
    if shared:
        name = Path(shared).name
        may = ", ".join(Path(each).name for each in outputs if each is not None)
        running.remark(
            given,
            f"You can share {may} and {name}{OUTSIDE}. Keep {name}{MANIFEST}: it contains "
            "exact counts and levels that you typed.",
        )


def recorded_as(outputs: Sequence[str | None]) -> str | None:
    """Return the output after which the manifest is named: the .json file, otherwise the first."""
    return next(
        (each for each in outputs if each is not None and each.lower().endswith(".json")),
        outputs[0],
    )


def refuse_together(asked: ScoreOptions, question: Mapping[str, Any]) -> None:
    """Raise UsageError for options that exclude each other, e.g. --steps with several scenarios."""
    given, layout, part = asked.given, asked.given.get("layout"), asked.given.get("part")
    if asked.external and given.get("utility"):
        raise click.UsageError(
            "An external report cannot contain utility, which is not rounded: leave out --utility."
        )
    of_whole = part or any(given.get(name) for name in ("save", "utility", "maps", "policy"))
    if layout and (of_whole or {*WANTED.values()} & question.keys()):
        raise click.UsageError(
            "--layout prints its own table; leave out --part, --policy, --distributions, "
            "--trend, --utility and --save."
        )
    if given.get("key_set") and (given["keys"] or layout not in OF_KEY_SETS):
        raise click.UsageError(
            "--key-set needs --layout taub or taub2, and replaces --keys: leave out --keys."
        )
    if given.get("evidence") and (asked.stepped or layout or part):
        raise click.UsageError(
            "--evidence needs a whole report: leave out --layout, --part and --steps."
        )
    if asked.several and layout not in (None, "raab2"):
        raise click.UsageError(
            "--layout (except raab2) takes one scenario. Name one, as in --scenario "
            f"{given['scenario']}#NAME."
        )
    if asked.stepped and (asked.several or layout or of_whole):
        raise click.UsageError(
            "--steps compares scores of one scenario: leave out --layout, --part, --policy, "
            "--utility and --save. If a file has several scenarios, name one: FILE#NAME."
        )


def of_page(asked: ScoreOptions, *, page: bool) -> dict[str, Any]:
    """Return the arguments for the page of a report: the audience (``level``), if the user gave it.

    ``page`` is True if an output is a page. Raises an error before the run for unsuitable options
    or a missing library.
    """
    level, threshold = asked.given.get("report"), asked.given.get("threshold")
    if threshold is not None and not asked.external:
        raise click.UsageError(
            "--threshold is what an external report rounds to: add --report external."
        )
    if asked.external and not asked.whole:
        raise click.UsageError(
            "--report external needs a whole report: leave out --layout, --part and --steps."
        )
    if level and not asked.external and not page:
        raise click.UsageError("--report internal needs a page as output: add -o risk.html.")
    if asked.external:
        from sqlrisk.report.external.release import check

        check(THRESHOLD if threshold is None else threshold)
    if not page:
        return {}
    from sqlrisk.report.html.page import check_level

    check_level(level or "internal", threshold)
    return {"level": level} if level and not asked.several else {}


def key_sets(given: Mapping[str, Any]) -> list[list[str]] | None:
    """Return each ``--key-set``, or ``--keys``, as a set of keys. None keeps the scenario's
    keys. Write a note if there are several ``--keys``.
    """
    from sqlrisk.inputs.readers import split_line

    if len(given["keys"]) > 1:
        running.remark(
            given,
            "Each --keys is a set of keys of its own here. Write --key-set for each: in the next "
            "version several --keys are one set, as without --layout.",
        )
    sets = [split_line(line, "keys") for line in given.get("key_set") or given["keys"]]
    return [
        [name if rest is None else f"{name}={rest}" for name, rest in each] for each in sets
    ] or None


@command()
@options.files
@options.columns
@options.settings("control", "copied", "matched", "every_record")
@options.named_syntheses
@options.flag("--exit-zero", panel=OUTPUT, words="Exit status 0 even if files cannot be assessed")
@options.verbose
@options.drawn_result_of_run
def inspect(*, exit_zero: bool, **given: Any) -> int:
    """Check whether the files can be assessed: copies, mismatched codes, unusable keys.

    Exit status 1: a file is not assessable. Doubtful files do not fail. Every command that measures
    the risk of synthetic files makes this check, and shows the answer first. Without --keys it
    checks only for copies and for levels that differ between the files.

    \b
    Examples:
      sqlrisk inspect original.parquet synthetic.parquet
      sqlrisk inspect original.parquet synthetic.parquet --keys age,sex
      sqlrisk inspect original.csv syn_*.csv --keys age,sex -o risk.json
    """
    found = running.run(sqlrisk.inspect, given, draws="inspect")
    return 1 if found.state == "not assessable" and not exit_zero else 0


DISCLOSIVE = (
    "Disclosive: this listing shows levels and counts of real people. Keep it where you keep "
    "the original."
)


@command()
@options.measure()
@options.files
@options.question
@options.own(sqlrisk.cells)
@options.result_of_run
def cells(**given: Any) -> None:
    """List the cells behind a measure, most people first.

    A cell has all people with the same keys and target level (same keys, for measures of identity).
    The listing is disclosive: it shows levels and counts of real people. Only you can read a file
    that -o writes.

    \b
    Examples:
      sqlrisk cells DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk cells repU original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --which 2 --top 100 -o cells.csv
    """
    running.run(sqlrisk.cells, given)
    running.remark(given, DISCLOSIVE)


@command()
@options.original
@options.columns
@options.own(sqlrisk.reference)
@options.drawn_result_of_run
def reference(**given: Any) -> None:
    """Compare the average CAP of a small original with that of random tables.

    The random tables have as many records as the original, over its cells (a combination of keys
    with a target level). All tables are equally likely, unless you draw records (--draw records).
    The limit is 10 million cells, over all tables, for each target.

    \b
    Examples:
      sqlrisk reference original.parquet --keys smoking --targets ill
      sqlrisk reference original.csv --keys age,sex --bins age=4 \\
          --targets ill --random 5000 --seed 7 -o reference.json
    """
    running.run(sqlrisk.reference, given, draws="reference")


PARTS = ("tables", "overall", "by_column", "correlations", "quantiles", "missing")


@command()
@options.files
@options.own(sqlrisk.utility)
@options.choice("--part", PARTS, CLOSER, "Show only one part of the result, as a table")
@options.setting("bins")
@options.setting("special")
@options.setting("missing")
@options.written
@options.setting("column")
@options.part_of_file
@options.named_syntheses
@options.verbose
@options.drawn_result_of_run
def utility(**given: Any) -> None:
    """Compare tables of one, two or three columns of synthetic files with the original's.

    Every column is crossed with every other. The result has the measures over all tables and by
    column, and the tables that are farthest from the original. On the screen, the last line names
    any section that did not fit. A .parquet, .csv or .json file holds a row for every table.

    \b
    Examples:
      sqlrisk utility original.parquet synthetic.parquet
      sqlrisk utility original.parquet syn_1.parquet syn_2.parquet \\
          --columns age,sex,income --ways 1,2,3 -o tables.csv
      sqlrisk utility original.parquet synthetic.parquet \\
          --bins age=10 --measures S_pMSE,SPECKS --part overall
      sqlrisk utility original.parquet syn_*.parquet \\
          --policy policy.toml -o utility.json
    """
    part = given["part"]
    failures: list[sqlrisk.PolicyError] = []

    @wraps(sqlrisk.utility)
    def asked(**how: Any) -> Any:
        try:
            found = sqlrisk.utility(**how)
        # written first, since the custodian decides on the numbers, and raised at the end
        except sqlrisk.PolicyError as error:
            failures.append(error)
            found = error.report
        return found if part is None else found.table(part)

    running.run(asked, given, draws="utility" if part is None else None)
    if failures:
        raise failures[0]


DEMO = {
    "keys": ("age,sex,race,marital_status,education",),
    "targets": ("income,major_occupation,country_birth",),
}


@command()
@options.flag("--full", panel=OUTPUT, words="Show the whole report, in the form of --format and -o")
@options.drawn_result_of_run
def demo(*, full: bool, **given: Any) -> None:
    """Score the census data that comes with sqlrisk, and show the findings in ten lines.

    The data are 199,523 people of a public survey, and three syntheses. The run takes seconds.

    \b
    Examples:
      sqlrisk demo
      sqlrisk demo --full
      sqlrisk demo -o demo.html
    """
    from sqlrisk.common.resources import demo_folder

    folder = demo_folder()
    original = str(folder / "original.parquet")
    synthetic = [str(folder / f"cart_{number}.parquet") for number in (1, 2, 3)]
    question = ["--keys", *DEMO["keys"], "--targets", *DEMO["targets"]]
    running.remark(given, shlex.join(["sqlrisk", "score", original, *synthetic, *question]))
    if full or any(given[name] is not None for name in ("form", "output", "figure")):
        run_score(original, synthetic, {**DEMO, **given, "verbose": full})
        return
    from sqlrisk.cli.demonstration import demonstrated

    with running.run_arguments(given) as limits:
        report = sqlrisk.score(original, synthetic, **running.scenario_settings(DEMO), **limits)
    terminal.put(terminal.encoded(demonstrated(report)))

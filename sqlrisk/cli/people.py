"""Commands about people: records, explain, uniques, lookup, recode, split, protect."""

from pathlib import Path
from typing import Any

import rich_click as click
from click.shell_completion import CompletionItem

import sqlrisk
from sqlrisk.cli import options, running
from sqlrisk.cli.command import command
from sqlrisk.common.output_files import PICTURES
from sqlrisk.inputs.fields import FILES, OUTPUT, option_name
from sqlrisk.inputs.settings import read_missing


@command()
@options.files
@options.question
@options.settings("weights", "id")
@options.named_syntheses
@options.own(sqlrisk.records)
@options.output("A .parquet or .csv file", required=True)
@options.setting("work_limit")
@options.run_options
def records(**given: Any) -> None:
    """Write the risk of each person (or synthetic record) to a file, one row each, in their order.

    The file is microdata, readable only by you. Keep it where the original is kept. If the scenario
    file has several scenarios, each person has a row in each, and the first column names it.

    \b
    Examples:
      sqlrisk records original.parquet synthetic.parquet \\
          --keys age,sex --targets income -o risk.parquet
      sqlrisk records original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income --which 2 --side synthetic -o weap.csv
      sqlrisk records --scenario scenarios.toml -o risk.parquet
    """
    inputs = list(running.input_paths(given))
    with running.called(sqlrisk.records, given) as how:
        count = sqlrisk.records(inputs=inputs, **how)
    running.tell(given, count)
    names = ", ".join(count.scenarios)
    rows = f"rows (a record in each of the scenarios {names})" if names else "records"
    running.remark(
        given,
        f"{count:,} {rows} in {given['output']}. They are microdata: keep the file where you "
        "keep the original.",
    )


def measures_or_files(
    context: click.Context, parameter: click.Parameter, start: str
) -> list[CompletionItem]:
    """Complete the name of a measure, or of a file if --record is given."""
    if context.params.get("record") is not None:
        return [CompletionItem(start, type="file")]
    return options.measure_names(context, parameter, start)


@command()
@click.argument(
    "names",
    nargs=-1,
    metavar="MEASURE... | ORIGINAL SYNTHETIC...",
    shell_complete=measures_or_files,
    panel=FILES,
    help="Measures or families; with --record the original and the syntheses",
)
@options.question
@options.setting("id")
@options.named_syntheses
@options.own(sqlrisk.explain, optional=True)
@options.result_of_run
def explain(*, names: tuple[str, ...], **given: Any) -> None:
    """Explain measures: formula, source, a plain sentence, what raises it and what to do about it.

    With --record, explain why one person of the original is at risk. This output is disclosive.

    \b
    Examples:
      sqlrisk explain DiSCO
      sqlrisk explain identity --format markdown
      sqlrisk explain --record 17 original.parquet synthetic.parquet \\
          --keys age,sex --targets income
    """
    if given["record"] is None:
        explain_measures(names, given)
        return
    from sqlrisk.report.results.explanation import DISCLOSIVE

    given["original"], *given["synthetic"] = names or (None,)
    running.gather(given)
    running.run(sqlrisk.explain, given)
    running.remark(given, DISCLOSIVE)


def explain_measures(names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Explain the measures of these names, or of these families. Raises UsageError without names,
    or for options that need ``--record``.
    """
    from sqlrisk.catalogue.measures import catalog
    from sqlrisk.report.measure_catalogue import Explanations

    settings = {
        option_name(name) for name in running.scenario_settings(given) if name != "measures_from"
    }
    settings |= {
        flag
        for flag, name in (("--synthesis", "syntheses"), ("--which", "synthesis"))
        if given[name]
    }
    if settings:
        flags = ", ".join(sorted(settings))
        raise click.UsageError(f"{flags}: these options need --record, the number of a person.")
    if not names:
        raise click.UsageError(
            "Name a measure, as in sqlrisk explain DiSCO; sqlrisk list shows all."
        )
    with running.destination(given["output"], given["form"], (), shared=True) as (file, form):
        running.write_result(
            Explanations(catalog(given["measures_from"]).select(names)), form, file
        )


DISCLOSIVE_ROWS = (
    "Disclosive: this file has a row for each person of the original. Keep it where you keep "
    "the original."
)
ROWS = (".parquet", ".csv")


@command()
@options.file("file", f"{options.KNOWN}: {options.PLACES}", required=False)
@options.setting("keys")
@options.setting("bins", "Cut a numeric key into N quantile bins: age=10")
@options.setting("special")
@options.setting("column")
@options.own(sqlrisk.uniques)
@options.written
@options.choice(
    "--format form",
    ("text", "json", "markdown", *PICTURES),
    OUTPUT,
    "Format of the summary; default: text",
)
@options.figure
@options.output(
    "A .parquet or .csv file: a row per record; a .txt .json .md .html .svg or .png file: the "
    "summary"
)
@options.verbose
@options.run_options
def uniques(**given: Any) -> None:
    """Find special uniques (SUDA): people who are unique on only a few of the keys.

    Without -o a summary is printed. With -o FILE.parquet or FILE.csv each record gets a row, in the
    order of the file: record (from 1), suda_score, dis_suda and contribution_KEY, each key's share
    of the score. Scores are 0 for people who are not unique. Only you can read that file.

    \b
    Examples:
      sqlrisk uniques original.parquet --keys age,sex,region
      sqlrisk uniques original.parquet --keys age,sex,region \\
          --sampled 0.05 -o scores.parquet
      sqlrisk uniques original.csv --keys age,sex,region,job,school \\
          --bins age=10 --missing -9 --max-size 3
    """
    output, lines = given["output"], given["missing_value"]
    given["missing_value"] = read_missing(",".join(lines), "missing") if lines else ()
    summary = output is None or Path(output).suffix.lower() not in ROWS
    if summary or given["figure"] is not None:  # refused unless it is drawn
        running.run(sqlrisk.uniques, given, draws="uniques")
        return
    if given["form"] is not None:
        raise click.UsageError(
            f"The output {output!r} holds rows, and --format is only for the summary: leave it out."
        )
    with running.called(sqlrisk.uniques, given) as how:
        sqlrisk.uniques(**how)
    running.remark(given, DISCLOSIVE_ROWS)


@command()
@options.synthetic
@options.own(sqlrisk.lookup)
@options.written
@options.result
@options.trace
def lookup(**given: Any) -> None:
    """Show what an intruder who knows a person's keys would see in the synthetic files.

    Instead of files you can name a run that score --save wrote. There, a value of a binned key
    means its whole bin.

    \b
    Examples:
      sqlrisk lookup synthetic.parquet --key age=57 --key sex=F --targets income
      sqlrisk lookup risk.duckdb --key age=57 --key sex=F
    """
    synthetic = given["synthetic"] = given["synthetic"] or []
    running.run(sqlrisk.lookup, given)
    if len(synthetic) > 1:
        running.remark(
            given,
            f"All {len(synthetic)} files are taken as synthetic: {', '.join(synthetic)}. If "
            "the original is one of them, leave it out.",
        )


@command()
@options.files
@options.columns
@options.output("A new or empty folder to write to", required=True)
@options.verbose
@options.drawn_form
@options.run_options
def recode(**given: Any) -> None:
    """Write the files of a release with columns recoded, by one dictionary.

    Values become levels (bands, ages, groups) as --column or a scenario's [column.NAME] says. All
    other columns and the order of records stay. The measures before and after are printed, and the
    manifest in the folder says how the files were made. Only you can read the files until you
    change their permissions.

    \b
    Examples:
      sqlrisk recode original.csv synthetic_*.csv --keys age,region \\
          --column age.bands=0,18,65 -o release
      sqlrisk recode --scenario scenario.toml -o release
    """
    running.write(sqlrisk.recode, given, draws="protect")


@command()
@options.file("original", f"{options.KNOWN}: {options.HERE}", required=False)
@options.output("A new or empty folder to write to", required=True)
@options.own(sqlrisk.split)
@options.written
@options.part_of_file
@options.form
@options.run_options
def split(**given: Any) -> None:
    """Split the original at random into a half to synthesize and a control half.

    The folder holds NAME_in and NAME_control with all columns, and split.manifest.json. Make the
    synthesis only from NAME_in, and score it with NAME_control as --control. The same records and
    seed give the same halves, in any order of the records. Only you can read the halves until you
    change their permissions.

    \b
    Examples:
      sqlrisk split original.csv --seed 7 -o halves
      sqlrisk split original.parquet --share 0.8 -o halves
    """
    running.write(sqlrisk.split, given)


FLAGGED = "Keep all records, and mark replicated uniques in a column"


@command()
@options.files
@options.option(
    "--original named", "FILE", FILES, "The original, if it does not come first", type=click.Path()
)
@options.setting("keys")
@options.setting(
    "targets", "Add DiSCO and DCAP of these targets, or Dorig with --side original; default: none"
)
@options.setting("bins")
@options.setting("special", "Keep this value out of the bins, as a level of its own")
@options.setting("missing")
@options.written
@options.setting("column")
@options.part_of_file
@options.output(
    "A .parquet, .csv or .csv.gz file, for SPSS or Stata files also .sav or .dta; for several "
    "files a new or empty folder",
    required=True,
)
@options.own(sqlrisk.protect)
@options.option(
    "--flag", "NAME", OUTPUT, f"{FLAGGED}; default: replicated_unique", is_flag=False, flag_value=""
)
@options.verbose
@options.drawn_form
@options.run_options
def protect(*, named: str | None, **given: Any) -> None:
    """Write synthetic files without replicated uniques, for release.

    A replicated unique is a person whose keys nobody else in the original has, and exactly one
    synthetic record. Whoever looks for this person finds the record. All other records, their
    columns, types and order stay. The measures before and after are printed. Only you can read
    the file until you change its permissions. Several files are written into a folder.

    With --side original, the original is written without its uniques, to make a synthesis from.
    Name no synthetic file then.

    \b
    Examples:
      sqlrisk protect original.parquet synthetic.parquet \\
          --keys age,sex -o release.parquet
      sqlrisk protect original.csv synthetic_*.csv \\
          --keys age,sex --label origin=synthetic -o release
      sqlrisk protect --side original original.parquet \\
          --keys age,sex -o common.parquet
    """
    from sqlrisk.analyses.people.protection import ORIGINAL_FIRST

    first, others, of_original = (
        given["original"],
        given["synthetic"] or [],
        given["side"] == "original",
    )
    if named is not None or (first and not others and given["scenario"] and not of_original):
        running.remark(given, f"Note: {ORIGINAL_FIRST}")
        given |= {"original": named, "synthetic": [*([first] if first else []), *others] or None}
    unnamed = not given["synthetic"] and not of_original and given["scenario"] is None
    if given["flag"] and (unnamed or Path(given["flag"]).is_file()):
        raise click.UsageError(
            f"--flag took the next word, {given['flag']!r}, as the name of its column. Name the "
            "files, and put --flag last, or write --flag=NAME."
        )
    if given["flag"] == "":
        given["flag"] = True
    inputs = list(running.input_paths(given))
    done = running.write(sqlrisk.protect, given, draws="protect", inputs=inputs)
    for each in getattr(done, "files", (done,)):
        running.remark(given, f"{each.written:,} records in {each.output}.")

"""Commands about people: records, explain, uniques, lookup, recode, split, protect."""

from pathlib import Path
from typing import Any

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk.cli import options, running
from sqlrisk.cli.command import command
from sqlrisk.common.output_files import PICTURES
from sqlrisk.inputs.fields import OUTPUT, QUESTION, SEARCH, CsvFiles, Search, rows
from sqlrisk.inputs.settings import read_missing


@command()
@options.files
@options.question
@options.setting("weights")
@options.named_syntheses
@options.which
@options.option("--side", "SIDE", OUTPUT, "original: people; synthetic: its records; default: original", default="original")
@options.setting("id")
@options.flag("--gcap", panel=OUTPUT, words="Add the nearest synthetic records: radius, share, vote")
@options.flag("--suda", panel=OUTPUT, words="Add the scores of special uniques")
@options.flag("--diversity", panel=OUTPUT, words="Add the l-diversity of each person's class")
@options.output("A .parquet or .csv file", required=True)
@options.setting("work_limit")
@options.run_options
def records(*, original: str | None, synthetic: tuple[str, ...], output: str, **given: Any) -> None:
    """Write the risk of each record to a file: one row per person, in the order of the original.

    The file is microdata: readable by you alone, to be kept where the original is kept.

    \b
    Examples:
      sqlrisk records original.parquet synthetic.parquet \\
          --keys age,sex --targets income -o risk.parquet
      sqlrisk records original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income --which 2 --side synthetic -o weap.csv
    """
    import sqlrisk

    files, which = running.one_synthesis(given, synthetic)
    inputs, wanted = list(running.input_paths(given, original, files)), running.chosen(given, "side", "gcap", "suda", "diversity")
    with running.run_arguments(given) as limits:
        count = sqlrisk.records(
            original, files, output, synthesis=which, inputs=inputs, **wanted, **running.scenario_settings(given), **limits
        )
    running.tell(given, count)
    running.remark(given, f"{count:,} records in {output}. They are microdata: keep the file where the original is kept.")


def measures_or_files(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a measure, or with --record that of a file."""
    if context.params.get("record") is not None:
        return [CompletionItem(start, type="file")]
    return options.measure_names(context, parameter, start)


@command()
@click.argument(
    "names",
    nargs=-1,
    metavar="MEASURE... | ORIGINAL SYNTHETIC...",
    shell_complete=measures_or_files,
    panel=options.FILES,
    help="Measures or families; with --record the original and the syntheses",
)
@options.option("--record", "N", options.FILES, "Explain one person: the record's number, or what --id holds")
@options.question
@options.named_syntheses
@options.which
@options.setting("id")
@options.result_of_run
def explain(*, names: tuple[str, ...], record: str | None, **given: Any) -> None:
    """Explain measures: formula, source, a plain sentence, what raises the number and what to do about it.

    With --record, explain why one person of the original is at risk. That is disclosive.

    \b
    Examples:
      sqlrisk explain DiSCO
      sqlrisk explain identity --format markdown
      sqlrisk explain --record 17 original.parquet synthetic.parquet \\
          --keys age,sex --targets income
    """
    if record is None:
        explain_measures(names, given)
        return
    import sqlrisk
    from sqlrisk.report.results.explanation import DISCLOSIVE

    original, *synthetic = names or (None,)
    files, which = running.one_synthesis(given, [name for name in synthetic if name])
    running.run(sqlrisk.explain, given, original, files, record=record, synthesis=which)
    running.remark(given, DISCLOSIVE)


def explain_measures(names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Explain the measures of these names, or of these families."""
    from sqlrisk.catalogue.measures import catalog
    from sqlrisk.report.measure_catalogue import Explanations

    of_person = {name for name in ("synthesis", "which") if given[name]}
    settings = {*running.scenario_settings(given), *of_person} - {"measures_from"}
    if settings:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(settings))
        raise click.UsageError(f"{flags}: these are about a person; name the person with --record.")
    if not names:
        raise click.UsageError("Name a measure, as in sqlrisk explain DiSCO; sqlrisk list shows all.")
    with running.destination(given["output"], given["form"], (), shared=True) as (file, form):
        running.write_result(Explanations(catalog(given["measures_from"]).select(names)), form, file)


DISCLOSIVE_ROWS = "Disclosive: this file has a row for each person of the original. Keep it where the original is kept."
ROWS = (".parquet", ".csv")
SUDA = rows(Search)
HOW = {name: field for name, field in SUDA.items() if name not in ("missing_value", "sampling_fraction")}


@command()
@options.file("file", f"{options.KNOWN}: {options.PLACES}", required=False)
@options.setting("keys")
@options.setting("bins", "Cut a numeric key into N quantile bins: age=10")
@options.setting("special")
@options.setting("column")
@options.list_option("--missing missing_value", "VALUES", QUESTION, "Values of any key that stand for a missing one: NA,.,-9")
@options.settings(*HOW, table=HOW)
@options.option("--sampled sampling_fraction", "F", SEARCH, SUDA["sampling_fraction"].help)
@options.written
@options.option("--work-limit", "N", SEARCH, "The most steps, one for each class of each set of keys; default: 20000000000")
@options.choice("--format form", ("text", "json", "markdown", *PICTURES), OUTPUT, "Of the summary; default: text")
@options.option("--figure", "NAME", OUTPUT, "Which figure, as svg or png; default: the first: sqlrisk guide figures")
@options.output("A .parquet or .csv file: a row per record; a .txt .json .md .html .svg or .png file: the summary")
@options.run_options
def uniques(*, file: str | None, **given: Any) -> None:
    """Find special uniques (SUDA): people whom few of the keys single out.

    Without -o a summary is printed. With -o FILE.parquet or FILE.csv each record gets a row, in the order of the file:
    record (from 1), suda_score, dis_suda and contribution_KEY, each key's share of the score; 0 for a person whom no keys
    single out. That file is readable by you alone.

    \b
    Examples:
      sqlrisk uniques original.parquet --keys age,sex,region
      sqlrisk uniques original.parquet --keys age,sex,region \\
          --sampled 0.05 -o scores.parquet
      sqlrisk uniques original.csv --keys age,sex,region,job,school \\
          --bins age=10 --missing -9 --max-size 3
    """
    import sqlrisk

    output, lines = given["output"], given["missing_value"]
    given["missing_value"] = read_missing(",".join(lines), "missing") if lines else ()
    if output is None or Path(output).suffix.lower() not in ROWS:
        running.run(sqlrisk.uniques, given, file, draws="uniques")
        return
    if given["form"] is not None:
        raise click.UsageError(f"The output {output!r} holds rows; --format is of the summary, which is not written with it.")
    with running.run_arguments(given) as limits:
        sqlrisk.uniques(file, output=output, **running.scenario_settings(given), **limits)
    running.remark(given, DISCLOSIVE_ROWS)


@command()
@options.synthetic
@options.list_option("--key", "COLUMN=LEVEL", QUESTION, "What the intruder knows of one person: age=57")
@options.list_option("--missing-keys missing", "COLUMNS", QUESTION, "Keys of which the intruder knows that they are missing")
@options.setting("targets", "What to look up; default: every column that is no key")
@options.written
@options.result
@options.trace
def lookup(*, synthetic: tuple[str, ...], **given: Any) -> None:
    """Show what someone who knows a person's keys would see in the synthetic files.

    Instead of files, name a run that score --save wrote: there a level stands for its bin.

    \b
    Examples:
      sqlrisk lookup synthetic.parquet --key age=57 --key sex=F --targets income
      sqlrisk lookup risk.duckdb --key age=57 --key sex=F
    """
    import sqlrisk

    with running.destination(given["output"], given["form"], synthetic) as (file, form):
        known = {"key": list(given["key"]), **{name: running.one_text(given[name]) for name in ("missing", "targets")}}
        known |= running.chosen(given, *rows(CsvFiles))
        found = sqlrisk.lookup(list(synthetic), **known)
        running.write_result(found, form, file)
    running.tell(given, found)
    if len(synthetic) > 1:
        running.remark(given, f"Taken for synthetic files, all {len(synthetic)}: {', '.join(synthetic)}. Leave the original out.")


@command()
@options.files
@options.columns
@options.output("A new or empty folder to write to", required=True)
@options.drawn_form
@options.run_options
def recode(
    *, original: str | None, synthetic: tuple[str, ...], output: str, form: str | None, figure: str | None, **given: Any
) -> None:
    """Write the files of a release with columns recoded, all in the same way.

    Levels stand in the place of values: bands, ages, groups, as --column or [column.NAME] of a scenario says it. All other
    columns and the order of records stay. The measures before and after are printed, and the manifest in the folder says
    how the files were made. They are readable by you alone until you say otherwise.

    \b
    Examples:
      sqlrisk recode original.csv synthetic_*.csv --keys age,region \\
          --column age.bands=0,18,65 -o release
      sqlrisk recode --scenario scenario.toml -o release
    """
    import sqlrisk

    with (
        running.destination(None, form, (), draws="protect", figure=figure) as (_, shape),
        running.run_arguments(given) as limits,
    ):
        done = sqlrisk.recode(original, list(synthetic) or None, output=output, **running.scenario_settings(given), **limits)
    running.write_result(done, shape, None, **running.which(shape, figure))
    running.tell(given, done)


@command()
@options.original
@options.output("A new or empty folder to write to", required=True)
@options.option("--share", "SHARE", QUESTION, "How much of the records is in; default: 0.5", default="0.5")
@options.option("--seed", "S", QUESTION, "Begins the draw: the same halves again; default: 1", default="1")
@options.written
@options.part_of_file
@options.form
@options.run_options
def split(*, original: str | None, output: str, share: str, seed: str, form: str | None, **given: Any) -> None:
    """Split the original by chance, before a synthesis is made: one half to make it from, the other as control.

    The folder holds NAME_in and NAME_control with all columns, and split.manifest.json. Make the synthesis from NAME_in
    alone, and score it with NAME_control as --control. The same records and seed give the same halves, in whatever order
    the records stand. The halves are readable by you alone until you say otherwise.

    \b
    Examples:
      sqlrisk split original.csv --seed 7 -o halves
      sqlrisk split original.parquet --share 0.8 -o halves
    """
    import sqlrisk

    with running.run_arguments(given) as limits:
        done = sqlrisk.split(original, output=output, share=share, seed=seed, **running.scenario_settings(given), **limits)
    running.write_result(done, form or "text", None)


WITHOUT = "synthetic: without replicated uniques; original: without uniques"
FLAGGED = "Keep all records; a column tells which are unique"


@command()
@options.files
@options.option("--original named", "FILE", options.FILES, "The original, where it does not come first", type=click.Path())
@options.setting("keys")
@options.setting("targets", "Measure these too: DiSCO and DCAP; default: none")
@options.setting("bins")
@options.setting("special", "A value that stays a level of its own beside the bins")
@options.setting("missing")
@options.written
@options.setting("column")
@options.part_of_file
@options.output(
    "What to write: .parquet .csv .csv.gz, of SPSS or Stata .sav .dta; of several files, a new or empty folder", required=True
)
@options.option("--side", "SIDE", OUTPUT, f"{WITHOUT}; default: synthetic", default="synthetic")
@options.flag("--uniques-in-original", panel=OUTPUT, words="Leave out all synthetic uniques whose keys a person has")
@options.option("--flag", "NAME", OUTPUT, f"{FLAGGED}; default: replicated_unique", is_flag=False, flag_value="")
@options.option("--label", "COLUMN=TEXT", OUTPUT, "Mark every record with a text: origin=synthetic")
@options.drawn_form
@options.run_options
def protect(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    named: str | None,
    output: str,
    side: str,
    uniques_in_original: bool,
    flag: str | None,
    form: str | None,
    figure: str | None,
    **given: Any,
) -> None:
    """Write synthetic files without their replicated uniques, for release.

    A replicated unique is the only record with its keys, and one person of the original is the only one with them: whoever
    looks for that person finds it. All other records, their columns, types and order stay. The measures before and after
    are printed. The file is readable by you alone until you say otherwise. Several files are written into a folder.

    With --side original the original is written without its uniques, to make a synthesis from; it needs no synthetic file.

    \b
    Examples:
      sqlrisk protect original.parquet synthetic.parquet \\
          --keys age,sex -o release.parquet
      sqlrisk protect original.csv synthetic_*.csv \\
          --keys age,sex --label origin=synthetic -o release
      sqlrisk protect --side original original.parquet \\
          --keys age,sex -o common.parquet
    """
    import sqlrisk
    from sqlrisk.analyses.people.protection import ORIGINAL_FIRST

    if named is not None or (original and not synthetic and given["scenario"] and side == "synthetic"):
        running.remark(given, f"Note: {ORIGINAL_FIRST}")
        original, synthetic = named, (*([original] if original else []), *synthetic)
    if not synthetic and side == "synthetic" and flag and given["scenario"] is None:
        raise click.UsageError("Name the synthetic file. After --flag comes a name: put --flag last, or write --flag=NAME.")
    inputs = list(running.input_paths(given, original, list(synthetic)))
    added = {"flag": True if flag == "" else flag or False, **running.chosen(given, "label")}
    with (
        running.destination(None, form, (), draws="protect", figure=figure) as (_, shape),
        running.run_arguments(given) as limits,
    ):
        done = sqlrisk.protect(
            original,
            list(synthetic) or None,
            output=output,
            side=side,
            uniques_in_original=uniques_in_original,
            inputs=inputs,
            **added,
            **running.scenario_settings(given),
            **limits,
        )
    running.write_result(done, shape, None, **running.which(shape, figure))
    running.tell(given, done)
    for each in getattr(done, "files", (done,)):
        running.remark(given, f"{each.written:,} records in {each.output}.")

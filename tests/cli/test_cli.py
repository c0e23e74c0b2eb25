"""The command line as its users meet it: a process with an exit status, standard output and
standard error.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import forks
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from quickly import few

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["--keys", "sex,age", "--targets", "income"]

ORIGINAL: dict[str, list[Any]] = {
    "sex": ["F", "F", "F", "M", "M", "M", "M", "F"],
    "age": [30, 30, 40, 30, 40, 40, 50, 50],
    "income": ["hi", "hi", "lo", "lo", "hi", "lo", None, "lo"],
}
SYNTHETIC: dict[str, list[Any]] = {
    "sex": ["F", "F", "M", "M", "M", "F"],
    "age": [30, 40, 30, 40, 40, 60],
    "income": ["hi", "lo", "hi", "hi", "hi", "lo"],
}
# By hand: DiSCO is F30 hi (2 people), F40 lo (1), M40 hi (1), so 4 of 8; unique on both sides are
# F40 and M30.


@pytest.fixture
def files(tmp_path):
    """A folder with orig.parquet, syn.parquet and syn2.parquet."""
    pq.write_table(pa.table(ORIGINAL), tmp_path / "orig.parquet")
    pq.write_table(pa.table(SYNTHETIC), tmp_path / "syn.parquet")
    pq.write_table(pa.table(ORIGINAL), tmp_path / "syn2.parquet")
    return tmp_path


def environment(**more):
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
    }
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}


def sqlrisk(*arguments, folder=None, **more):
    """Run the command line; return (status, standard output, standard error)."""
    done = forks.run(*arguments, cwd=folder, env=environment(**more))
    return done.returncode, done.stdout, done.stderr


def fails(*arguments, folder=None, status=2):
    """Run what must fail; return its message after the checks that hold for every failure."""
    before = sorted(str(path) for path in folder.rglob("*")) if folder else []
    code, out, err = sqlrisk(*arguments, folder=folder)
    assert (code, out) == (status, ""), err
    assert "Traceback" not in err
    assert "sqlrisk" in err
    if folder:
        assert sorted(str(path) for path in folder.rglob("*")) == before
    return err


# ---- help, version, start
# ----------------------------------------------------------------------------------


COMMANDS = (
    "score",
    "list",
    "sql",
    "cells",
    "demo",
    "protect",
    "split",
    "records",
    "query",
    "lookup",
    "uniques",
    "reference",
    "utility",
    "attack",
    "sweep",
    "check",
    "diff",
    "rerun",
    "schema",
    "sign",
    "explain",
    "init",
    "compile",
)


HELP = ("--help", "--help-all")
# programmers' words, and those that have another meaning in the code than elsewhere
OF_THE_CODE = re.compile(
    r"(?<![-\w])(CSV line|DiSCO cell|visits?|arguments?|callables?|catalogs?|class|classes|dicts?|"
    r"frames?|iterators?|joint|kwargs|keywords?|macros?|modules?|null|objects?|parameters?|"
    r"pars\w+|pass(?:es)?|readers?|stages?|strings?|templates?|trail|tuples?|None|True|False)\b"
)


@pytest.mark.parametrize(
    ("command", "twice"),
    [
        ("sweep", ("-o", "a.html", "--output", "b.svg")),
        ("score", ("--policy", "house.toml", "--policy", "board.toml")),
        ("score", ("--max-cell", "3", "--max-cell=3")),
        ("cells", ("--top", "3", "--limit", "4")),
    ],
)
def test_an_option_of_one_value_is_given_once(command, twice):
    code, out, err = sqlrisk(command, "o.csv", "s.csv", *twice)
    assert (code, out) == (2, "")
    assert f"{twice[0]} is given twice; keep one." in " ".join(err.split())


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_has_examples(command):
    code, out, err = sqlrisk(*command, "--help")
    assert (code, err) == (0, "")
    *_, examples = out.split("\nExamples:\n")
    assert " ".join(["sqlrisk", *command]) in examples
    # they stand last on the screen
    assert all(line.startswith("  ") for line in examples.splitlines())
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    assert not OF_THE_CODE.search(out)


def test_helps_need_no_knowledge_of_the_code():
    from sqlrisk.cli.main import cli

    for name, each in cli.commands.items():
        words = [each.help, *(getattr(option, "help", None) or "" for option in each.params)]
        assert [found[0] for text in words for found in OF_THE_CODE.finditer(text)] == [], name


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.slow
def test_help_has_two_levels_where_a_command_has_many_options(command):
    shown = {
        level: set(
            re.findall(r"^ +(?:-\w )? +(--[\w-]+)", sqlrisk(command, level)[1], re.MULTILINE)
        )
        for level in HELP
    }
    first, every = (options - {"--help", "--help-all"} for options in shown.values())
    if "--help-all" in shown["--help"]:
        assert len(first) == 12
        assert first < every
        assert len(every) > 15
    else:
        assert len(first) <= 15
        assert "--help-all" in sqlrisk(command, "--help-all")[2]  # there is no such option


def test_an_option_has_its_former_name_for_one_version(files):
    from sqlrisk.cli.command import renamed
    from sqlrisk.cli.main import cli
    from sqlrisk.cli.options import FORMER, MOST_NEEDED

    for name, others in FORMER.items():
        known = {flag for each in cli.commands[name].params for flag in each.opts}
        for former, today in others.items():
            assert today in known
            assert renamed(name, [former, "1", f"{former}=2", "--", former]) == [
                today,
                "1",
                f"{today}=2",
                "--",
                former,
            ]
    assert set(MOST_NEEDED) <= {
        each.name for command in cli.commands.values() for each in command.params
    }
    asked = ["cells", "DiSCO", "orig.parquet", "syn.parquet", *KEYS, "-q"]
    now = sqlrisk(*asked, "--top", "1", "--which", "1", folder=files)
    assert now[0] == 0
    assert now == sqlrisk(*asked, "--limit", "1", "--synthesis", "1", folder=files)
    assert (
        "--limit is now --top; the former name"
        in sqlrisk(*asked[:-1], "--limit", "1", folder=files)[2]
    )


def test_the_list_of_changes_names_every_former_name():
    from sqlrisk.cli.options import FORMER

    changes = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    table = changes.partition("\n### Renamed\n")[2].partition("\n### ")[0]
    rows = re.findall(
        r"^\| (`.+?) \| `(--[\w-]+)[^|]*\| `(--?[\w-]+)[^|]*\| [^|]+ \|$", table, re.MULTILINE
    )
    assert len(rows) == len(re.findall(r"^\| `", table, re.MULTILINE))
    told = {
        (command, former, {"-o": "--output"}.get(today, today))
        for commands, former, today in rows
        for command in re.findall(r"`(\w+)", commands.partition(" --layout")[0])
    }
    elsewhere = {  # these names stay, for other values
        ("explain", "--synthesis", "--which"),
        ("records", "--synthesis", "--which"),
        ("score", "--keys", "--key-set"),
    }
    assert told - elsewhere == {
        (command, *names) for command, others in FORMER.items() for names in others.items()
    }
    assert elsewhere < told


def test_help_imports_nothing_heavy():
    program = (
        "import sys\n"
        "from sqlrisk.cli.main import main\n"
        "status = main(['score', '--help'])\n"
        "heavy = {'duckdb', 'pandas', 'pyarrow', 'numpy', 'jinja2', 'sqlglot', 'polars'} & "
        "set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_version():
    import sqlrisk as package

    assert sqlrisk("--version") == (0, f"sqlrisk {package.__version__}\n", "")


def test_no_arguments_shows_help():
    assert sqlrisk() == sqlrisk("--help")


def completed(*words, folder=None):
    """What bash offers for the last word."""
    line = " ".join(["sqlrisk", *words])
    _, out, err = sqlrisk(
        folder=folder,
        _SQLRISK_COMPLETE="bash_complete",
        COMP_WORDS=line,
        COMP_CWORD=str(len(words)),
    )
    assert err == ""
    return [entry.partition(",")[2] for entry in out.splitlines() if entry]


def test_completion_knows_commands_options_and_measures():
    assert completed("sco") == ["score"]
    assert completed("score", "--exclude-l") == ["--exclude-level"]
    disclosed = [
        "DiSCO",
        "DiSCO_known_from_others",
        "DiSCO_own",
        "DiSCO_within",
        "DiSCO_near",
        "DiSCO_union",
    ]
    assert completed("sql", "disc") == disclosed
    assert completed("list", "ne") == ["nearest_alone", "neighbours", "near_keys"]
    assert completed("explain", "disc") == disclosed
    # a file: the shell looks for it
    assert completed("explain", "--record", "1", "disc") == ["disc"]
    assert completed("score", "--measures", "identity,TC") == [
        f"identity,{name}" for name in ("TCAP", "TCAP_disclosive", "TCAP_scaled")
    ]


def test_completion_knows_the_columns_of_the_files(files):
    pa.csv.write_csv(pa.table(ORIGINAL), files / "orig.csv")
    for original in ("orig.parquet", "orig.csv"):
        assert completed("score", original, "--keys", "", folder=files) == ["sex", "age", "income"]
        assert completed("score", original, "syn.parquet", "--keys", "sex,a", folder=files) == [
            "sex,age"
        ]
        assert completed("explain", original, "--targets", "IN", folder=files) == ["income"]
        assert completed("uniques", original, "--keys", "s", folder=files) == ["sex"]
    assert completed("score", "missing.parquet", "--keys", "s", folder=files) == []
    (files / "broken.parquet").write_bytes(b"no Parquet")
    assert completed("score", "broken.parquet", "--keys", "s", folder=files) == []
    # a file: the shell looks for it
    assert completed("score", "orig.parquet", "--scenario", "sc", folder=files) == ["sc"]


@pytest.mark.slow
def test_quiet_commands_say_nothing_but_errors(files):
    for command in (
        ["cells", "DiSCO", "orig.parquet", "syn.parquet", *KEYS],
        ["records", "orig.parquet", "syn.parquet", *KEYS, "-o", "risk.csv"],
        ["init", "orig.parquet", "syn.parquet", "--overwrite", "-o", "scenario.toml"],
        ["explain", "--record", "1", "orig.parquet", "syn.parquet", *KEYS],
    ):
        assert sqlrisk(*command, folder=files)[2] != ""
        assert sqlrisk(*command, "-q", folder=files)[2] == ""
    # what it says otherwise, test_demo looks at
    assert sqlrisk("demo", "-q", folder=files)[2] == ""


# ---- score
# -------------------------------------------------------------------------------------------------


def test_score_prints_text(files):
    code, out, err = sqlrisk("score", "orig.parquet", "syn.parquet", *KEYS, folder=files)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    assert "Of 8 people, 4 (50.00 %) would have income revealed" in words
    assert "Of 8 people, 2 (25.00 %) are unique" in words
    assert "anonymous" not in words.lower()


@pytest.mark.parametrize("columns", few(["40", "80", "140"]))
def test_score_text_keeps_to_the_width(files, columns):
    arguments = ["score", "orig.parquet", "syn.parquet", "syn2.parquet", *KEYS]
    code, out, _ = sqlrisk(*arguments, folder=files, COLUMNS=columns)
    assert code == 0
    assert max(map(len, out.splitlines())) <= int(columns)


def test_score_prints_the_json_contract(files):
    code, out, err = sqlrisk(
        "score", "orig.parquet", "syn.parquet", *KEYS, "--format", "json", folder=files
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert list(document) == [
        "sqlrisk", "schema", "assessment", "copies", "columns", "scenario", "original", "synthetic",
        "results", "checks",
        "exclusions", "levels", "overlap", "engine",
    ]  # fmt: skip
    disco = next(row for row in document["results"] if row["measure"] == "DiSCO")
    assert disco == {
        "measure": "DiSCO", "family": "attribute", "at": None, "target": "income", "synthesis": "1",
        "population": "all", "people": "original", "weighted": False, "numerator": 4,
        "denominator": 8, "value": 50.0,
        "unit": "percent of original records",
    }  # fmt: skip
    assert document["original"] == {"source": "orig.parquet", "records": 8, "classes": 6}
    assert document["scenario"]["keys"] == ["sex", "age"]
    assert {row["family"] for row in document["results"]} == {"identity", "attribute", "cap"}


@pytest.mark.parametrize("suffix", few([".json", ".csv", ".md", ".txt", ".parquet"], 4))
def test_score_writes_a_file_and_nothing_else(files, suffix):
    arguments = ["score", "orig.parquet", "syn.parquet", *KEYS]
    assert sqlrisk(*arguments, "-o", f"risk{suffix}", folder=files) == (0, "", "")
    path = files / f"risk{suffix}"
    if suffix == ".parquet":
        assert "DiSCO" in pq.read_table(path).column("measure").to_pylist()
    else:
        form = {".json": "json", ".csv": "csv", ".md": "markdown", ".txt": "text"}[suffix]
        out = sqlrisk(*arguments, "--verbose", "--format", form, folder=files, COLUMNS="80")[1]
        assert path.read_text(encoding="utf-8") == out
    assert not [each for each in files.iterdir() if each.name.startswith(".")]


def test_score_options_reach_the_scenario(files):
    options = [
        "--keys", "sex", "--keys", "age", "--targets", '"income"', "--bins", "age=2",
        "--exclude-level", "income=lo",
        "--exclude-pair", "income=hi,sex=F", "--exclude-missing", "income", "--max-cell", "9",
        "--max-cell-syn", "8",
        "--one-way", "10,60", "--two-way", "1,70", "--measures", "DiSCO,identity", "--memory-limit",
        "500MB",
        "--threads", "1", "--engine", "duckdb",
    ]  # fmt: skip
    code, out, err = sqlrisk(
        "score", "orig.parquet", "syn.parquet", *options, "--format", "json", folder=files
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    settings = document["scenario"]
    assert settings["keys"] == ["sex", "age"]
    assert settings["targets"] == ["income"]
    assert settings["bins"] == {"age": 2}
    assert settings["exclude_missing"] == ["income"]
    assert (settings["max_cell"], settings["max_cell_syn"]) == (9, 8)
    assert (settings["one_way"], settings["two_way"]) == ([10, 60], [1, 70])
    identity = {"UiO", "UiS", "UiOiS", "repU", "repU_syn"}
    assert {row["measure"] for row in document["results"]} == {
        "DiSCO",
        *identity,
        "excluded",
        "excluded_identity",
    }


def test_score_by_scenario_file_and_flags_win(files):
    (files / "scenario.toml").write_text(
        'original = "orig.parquet"\nsynthetic = ["syn.parquet"]\nkeys = ["sex"]\ntargets = '
        '["income"]\n'
    )
    code, out, err = sqlrisk(
        "score",
        "--scenario",
        "scenario.toml",
        "--keys",
        "sex,age",
        "--format",
        "json",
        folder=files,
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["scenario"]["keys"] == ["sex", "age"]


def test_score_named_syntheses(files):
    named = ["--synthesis", "cart=syn.parquet", "--synthesis", "copy=syn2.parquet"]
    code, out, err = sqlrisk(
        "score", "orig.parquet", *named, *KEYS, "--format", "json", folder=files
    )
    assert code == 0
    assert err.startswith("Not assessable: Copy 1 (syn2.parquet) is a copy of the original: ")
    assert err.count("\n") == 1
    assert [side["synthesis"] for side in json.loads(out)["synthetic"]] == ["cart 1", "copy 1"]
    err = fails("score", "orig.parquet", "syn.parquet", *named, *KEYS, folder=files)
    assert "not both" in err


def test_a_measure_from_a_folder(files):
    sql = (ROOT / "sql" / "measures" / "attribute" / "disco.sql").read_text(encoding="utf-8")
    (files / "own").mkdir()
    (files / "own" / "mine.sql").write_text(sql.replace('"DiSCO"', '"mine"'), encoding="utf-8")
    options = ["--measures-from", "own", "--measures", "mine"]
    code, out, err = sqlrisk("score", "orig.parquet", "syn.parquet", *KEYS, *options, folder=files)
    assert (code, err) == (0, "")
    assert "Of 8 people, 4 (50.00 %)" in " ".join(out.split())
    assert "mine" in sqlrisk("list", "--measures-from", "own", folder=files)[1]


# ---- the other commands
# ------------------------------------------------------------------------------------


def test_list():
    code, out, err = sqlrisk("list")
    assert (code, err) == (0, "")
    assert "Raab 2024, eq. 11" in out
    names = [
        each["name"]
        for each in json.loads(sqlrisk("list", "identity", "TCAP", "--format", "json")[1])
    ]
    assert names == ["UiO", "UiS", "UiOiS", "repU", "repU_syn", "TCAP"]
    assert "'DiSCO'" in fails("list", "Discos")


@pytest.mark.parametrize(
    "command",
    few(
        [
            "explain disco",
            "list disco Identity --format csv",
            "sql disco --one",
            "cells disco {files}",
            "score {files} --measures IDENTITY,disco --format csv",
            "score {files} --policy policy.toml --measures CAP --format csv",
            "sweep {files} --measures disco,dcap --sort dcap --format csv",
        ],
        5,
    ),
)
def test_a_measure_is_found_in_whatever_case_it_is_typed(files, command):
    (files / "policy.toml").write_text(
        'name = "Board"\n[[rule]]\nrule = "disco:income <= 99"\nreason = "An example."\n'
    )
    asked = command.replace("{files}", "orig.parquet syn.parquet").split()
    asked += KEYS if "{files}" in command else []
    code, out, err = sqlrisk(*asked, folder=files)
    assert code == 0, err
    for typed, name in (
        ("disco", "DiSCO"),
        ("identity", "identity"),
        ("dcap", "DCAP"),
        ("cap", "cap"),
    ):
        asked = [re.sub(rf"\b{typed}\b", name, word, flags=re.IGNORECASE) for word in asked]
    assert sqlrisk(*asked, folder=files)[1] == out
    assert "DiSCO" in out


def test_explain_says_what_a_measure_means_and_what_to_do():
    from sqlrisk.catalogue.measures import catalog

    disco = catalog()["DiSCO"]
    code, out, err = sqlrisk("explain", "DiSCO")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    for said in (disco.formula, disco.source, disco.unit, disco.higher, disco.raises, disco.do):
        assert said in words
    assert (
        "Of N people, n (v %) would have the target revealed, correctly, by someone who knows the "
        "keys"
    ) in words
    assert "s_tq: synthetic records with the keys q and the target level t" in words
    assert max(map(len, out.splitlines())) <= 80
    both = sqlrisk("explain", "identity", "DCAP", "--format", "markdown")[1]
    assert [line for line in both.splitlines() if line.startswith("# ")][-1] == (
        "# DCAP: Correct attribution probability, a non-match counts as zero"
    )
    assert json.loads(sqlrisk("explain", "DiSCO", "--format", "json")[1])[0]["do"] == disco.do
    assert "did you mean 'DiSCO'" in fails("explain", "Discos")


@pytest.mark.parametrize("field", ["raises", "do"])
def test_every_measure_says_what_raises_it_and_what_to_do(field):
    from sqlrisk.catalogue.measures import catalog

    for measure in catalog():
        text = getattr(measure, field)
        assert text.endswith("."), measure.name
        assert "{" not in text, measure.name
        named = re.findall(r"sqlrisk (\w+)", text)
        assert set(named) <= set(COMMANDS), measure.name


def test_sql_one_is_the_measures_own_select():
    code, out, err = sqlrisk("sql", "DiSCO", "--one")
    assert (code, err) == (0, "")
    assert "Correctly disclosed: all matching synthetic records agree on the target" in out
    assert out.count("SELECT") == 1


def test_sql_of_files_runs_as_printed(files):
    import duckdb

    code, out, err = sqlrisk("sql", "DiSCO", "orig.parquet", "syn.parquet", *KEYS, folder=files)
    assert (code, err) == (0, "")
    before = Path.cwd()
    os.chdir(files)
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(out).fetchall()
    finally:
        os.chdir(before)
    assert any(50.0 in row for row in rows)


def test_cells_are_listed_and_marked(files):
    code, out, err = sqlrisk(
        "cells", "DiSCO", "orig.parquet", "syn.parquet", *KEYS, "--format", "json", folder=files
    )
    assert code == 0
    assert err.startswith("Disclosive:")
    document = json.loads(out)
    assert document["disclosive"] is True
    assert document["columns"][:2] == ["sex", "age"]
    assert document["columns"][-4:] == ["n_orig", "n_syn", "n_orig_class", "n_syn_class"]
    assert len(document["rows"]) == 3
    assert document["rows"][0][-4:] == [2, 1, 2, 1]
    code, out, _ = sqlrisk(
        "cells", "DiSCO", "orig.parquet", "syn.parquet", *KEYS, "--top", "1", folder=files
    )
    assert code == 0
    assert "disclosive" in out


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_file_of_cells_is_for_its_owner_alone(files):
    arguments = ["cells", "repU", "orig.parquet", "syn.parquet", *KEYS, "-o", "cells.csv"]
    assert sqlrisk(*arguments, folder=files)[:2] == (0, "")
    assert (files / "cells.csv").stat().st_mode & 0o077 == 0


def test_demo(tmp_path):
    code, out, err = sqlrisk("demo", folder=tmp_path)
    assert code == 0
    assert err.startswith("sqlrisk score ")
    assert "--keys age,sex,race,marital_status,education" in err
    assert len(out.splitlines()) <= 10
    assert max(map(len, out.splitlines())) <= 80
    assert "199,523 people" in out
    assert re.search(r"reveals the income of +107,786 people \(54.02 %; original 54.19 %\)\n", out)
    # the commands that come next are commands, with options that they have
    for line in out.splitlines()[-3:]:
        _, name, *words = line.split()
        shown = sqlrisk(name, "--help-all" if name == "init" else "--help")[1]
        assert all(word in shown for word in words if word.startswith("-")), line


# ---- failures
# ----------------------------------------------------------------------------------------------


def test_unknown_options_and_commands_name_near_ones():
    assert "'--keys'" in fails("score", "--kyes", "sex")
    assert "'score'" in fails("scrore")
    assert "no engine 'sprak' (did you mean 'spark'?)" in fails(
        "score", "a", "b", "--keys", "k", "--engine", "sprak"
    )
    assert "--threads" in fails("score", "a", "b", "--threads", "none")


def test_nothing_to_score(files):
    assert "riginal" in fails("score", *KEYS, folder=files)
    assert "ynthe" in fails("score", "orig.parquet", *KEYS, folder=files)
    assert "keys" in fails(
        "score", "orig.parquet", "syn.parquet", "--targets", "income", folder=files
    )


@pytest.mark.parametrize(
    "command",
    few(
        [
            ["score"],
            ["attack"],
            ["records", "-o", "risk.csv"],
            ["init", "-o", "draft.toml"],
            ["explain", "--record", "1"],
        ]
    ),
    ids=str,
)
def test_the_syntheses_are_named_in_one_way(files, command):
    asked = [] if command[0] == "init" else KEYS
    err = fails(
        *command,
        "orig.parquet",
        "syn.parquet",
        "--synthesis",
        "cart=syn2.parquet",
        *asked,
        folder=files,
    )
    assert "--synthesis NAME=GLOB, not both" in " ".join(err.replace("│", " ").split())


def test_an_explanation_is_of_one_kind(files):
    one = [
        "explain",
        "--record",
        "1",
        "orig.parquet",
        "syn.parquet",
        "--which",
        "1",
        "--synthesis",
        "2",
        *KEYS,
    ]
    assert "Name one synthesis" in fails(*one, folder=files)
    assert sqlrisk("explain", "DiSCO", "-o", "disco.md", folder=files) == (0, "", "")
    assert (files / "disco.md").read_text() == sqlrisk("explain", "DiSCO", "--format", "markdown")[
        1
    ]


def test_bad_input_is_one_message(files):
    (files / "broken.parquet").write_bytes(b"PAR1 no parquet")
    (files / "empty.csv").write_text("")
    for wrong in ("missing.parquet", "broken.parquet", "empty.csv"):
        assert wrong in fails("score", "orig.parquet", wrong, *KEYS, folder=files)
    err = fails(
        "score",
        "orig.parquet",
        "syn.parquet",
        "--keys",
        "sexx,age",
        "--targets",
        "incom",
        folder=files,
    )
    assert "'sex'" in err
    assert "'income'" in err
    assert "DiSCO" in fails(
        "score", "orig.parquet", "syn.parquet", *KEYS, "--measures", "Discos", folder=files
    )
    many = ["--max-cell", "none", "--bins", "age=1", "--one-way", "50"]
    err = fails("score", "orig.parquet", "syn.parquet", *KEYS, *many, folder=files)
    assert all(word in err for word in ("max_cell", "bins", "one_way"))
    assert "--synthesis" in fails(
        "score", "orig.parquet", "--synthesis", "cart", *KEYS, folder=files
    )


def test_a_bad_output_is_found_before_the_run(files):
    start = ["score", "orig.parquet", "syn.parquet", *KEYS, "-o"]
    known = ".txt, .json, .csv, .md, .html, .pdf, .parquet"
    assert known in fails(*start, "risk.xlsx", folder=files)
    assert known in fails(*start, "risk", folder=files)
    assert "--format" in fails(*start, "risk.csv", "--format", "json", folder=files)
    assert "does not exist" in fails(*start, "none/risk.csv", folder=files)
    (files / "folder.json").mkdir()
    assert "not a file" in fails(*start, "folder.json", folder=files)
    # before the run: a scenario that fails later is not reached
    err = fails(
        "score", "missing.parquet", "syn.parquet", *KEYS, "-o", "none/risk.csv", folder=files
    )
    assert "does not exist" in err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_found_before_the_run(files):
    (files / "locked").mkdir(mode=0o500)
    err = fails(
        "score", "orig.parquet", "syn.parquet", *KEYS, "-o", "locked/risk.csv", folder=files
    )
    assert "Permission denied" in err


def test_output_never_overwrites_an_input(files):
    (files / "syn.parquet").rename(files / "real.parquet")
    (files / "syn.parquet").symlink_to(files / "real.parquet")
    os.link(files / "orig.parquet", files / "hard.parquet")
    (files / "soft.parquet").symlink_to(files / "orig.parquet")
    (files / "many").mkdir()
    (files / "many" / "a.parquet").write_bytes((files / "real.parquet").read_bytes())
    (files / "s.toml").write_text('original = "orig.parquet"\nsynthetic = ["real.parquet"]\n')
    content = (files / "orig.parquet").read_bytes()
    for name in (
        "orig.parquet",
        "hard.parquet",
        "soft.parquet",
        "syn.parquet",
        "real.parquet",
        "./orig.parquet",
    ):
        assert "is the input" in fails(
            "score", "orig.parquet", "syn.parquet", *KEYS, "-o", name, folder=files
        )
        assert "is the input" in fails(
            "cells", "DiSCO", "--scenario", "s.toml", *KEYS, "-o", name, folder=files
        )
    for source in ("many", "many/*.parquet"):
        assert "is the input" in fails(
            "score", "orig.parquet", source, *KEYS, "-o", "many/a.parquet", folder=files
        )
    assert (files / "orig.parquet").read_bytes() == content


@pytest.mark.parametrize("command", few(["score", "records", "protect"], 1))
def test_output_is_no_new_part_of_an_input(files, command):
    (files / "many" / "one").mkdir(parents=True)
    (files / "syn.parquet").rename(files / "many" / "one" / "a.parquet")
    asked = [command, "orig.parquet", "many/**/*.parquet", *KEYS]
    for name in ("many/b.parquet", "many/one/../one/b.parquet"):
        assert f"The output '{name}' would be a part of the input 'many/**/*.parquet'" in fails(
            *asked, "-o", name, folder=files
        )
    # a glob finds no hidden file
    (files / "many" / ".own").mkdir()
    for name in ("many/.own/b.parquet", "b.parquet"):
        code, _, err = sqlrisk(*asked, "-o", name, folder=files)
        assert code == 0, err


def test_output_is_no_new_part_of_a_folder_that_is_read(files):
    (files / "many" / ".own").mkdir(parents=True)
    (files / "syn.parquet").rename(files / "many" / "a.parquet")
    asked = ["records", "orig.parquet", "many", *KEYS, "-o"]
    for name in ("many/b.parquet", "many/b.csv"):
        assert f"The output '{name}' would be a part of the input 'many'" in fails(
            *asked, name, folder=files
        )
    # a folder is read without hidden files, and without those of other kinds
    code, _, err = sqlrisk(*asked, "many/.own/b.parquet", folder=files)
    assert code == 0, err
    code, _, err = sqlrisk("score", *asked[1:], "many/b.json", folder=files)
    assert code == 0, err


def test_a_message_shows_no_control_characters(files):
    err = fails("score", "orig.parquet", "syn.parquet", "--keys", "\x1b[31mred", folder=files)
    assert "\x1b" not in err
    assert "\\x1b[31mred" in err


def test_a_failure_leaves_the_old_output(files):
    (files / "risk.json").write_text("old")
    fails("score", "orig.parquet", "syn.parquet", "--keys", "none", "-o", "risk.json", folder=files)
    assert (files / "risk.json").read_text() == "old"


def test_an_unexpected_error_says_where_but_not_what(files):
    program = (
        "import sys, sqlrisk.cli.scores as score\n"
        "from sqlrisk.cli.main import main\n"
        "def broken(given):\n"
        "    try:\n"
        "        raise KeyError('SECRET')\n"
        "    except KeyError as error:\n"
        "        raise ValueError('SECRET') from error\n"
        "score.running.scenario_settings = broken\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    start = [sys.executable, "-c", program, "score", "orig.parquet", "syn.parquet"]
    plain, traced = (
        subprocess.run(
            [*start, *more],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            cwd=files,
        )
        for more in ([], ["--trace"])
    )
    assert (plain.returncode, plain.stdout) == (traced.returncode, traced.stdout) == (3, "")
    assert re.fullmatch(
        r"sqlrisk: unexpected ValueError in scores.py, line \d+\nRun again with --trace for the "
        r"traceback.\n",
        plain.stderr,
    )
    assert "run_score" in traced.stderr
    assert "KeyError" in traced.stderr
    assert "SECRET" not in re.sub(r"raise \w+\('SECRET'\)", "", plain.stderr + traced.stderr)


def test_too_little_memory_for_python_itself_is_said_plainly(files):
    program = (
        "import sys, sqlrisk.cli.scores as score\n"
        "from sqlrisk.cli.main import main\n"
        "score.running.scenario_settings = lambda given: bytes(2**62)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "score", "orig.parquet", "syn.parquet"],
        env=environment(), capture_output=True, text=True, check=False, cwd=files,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "sqlrisk: The machine has too little memory for this: end other programs, or lower "
        "--memory-limit.\n"
    )


def test_trace_shows_statements(files):
    code, out, err = sqlrisk(
        "score", "orig.parquet", "syn.parquet", *KEYS, "--trace", "--format", "csv", folder=files
    )
    assert code == 0
    assert out.startswith("measure,family,at,")
    assert re.search(r"^-- \d+\.\d{3} s$", err, re.MULTILINE)
    assert "SELECT" in err


# ---- terminals, pipes, signals
# -----------------------------------------------------------------------------


def on_a_terminal(arguments, folder, **more):
    """Run with a terminal for standard output and standard error, and a pager that waits for no
    key: (status, what it showed).
    """
    import pty  # POSIX alone

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlrisk", *arguments],
        cwd=folder, env=environment(TERM="xterm", COLUMNS="80", PAGER="cat", **more),
        stdin=follower, stdout=follower, stderr=follower,
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # Linux: the last writer has closed its end
            break
        if not data:
            break
        seen += data
    os.close(leader)
    return process.wait(), seen.decode(errors="replace")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_progress_is_for_terminals(files):
    arguments = ["score", "orig.parquet", "syn.parquet", *KEYS]
    status, seen = on_a_terminal(arguments, files)
    assert status == 0
    assert "%" in seen.partition("Disclosure risk")[0]
    for more in (["--no-progress"], ["-q"]):
        status, seen = on_a_terminal([*arguments, *more], files)
        assert status == 0
        assert "Disclosure risk" in seen
        assert "%" not in seen.partition("Disclosure risk")[0]


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
@pytest.mark.slow
def test_no_color_is_plain(files):
    arguments = ["score", "orig.parquet", "syn.parquet", *KEYS, "--no-progress"]
    assert "\x1b[1m" in on_a_terminal(arguments, files)[1]
    assert "\x1b" not in on_a_terminal(arguments, files, NO_COLOR="1")[1]


def test_another_encoding_still_prints(files):
    pq.write_table(pa.table({**ORIGINAL, "żółć": ORIGINAL["income"]}), files / "orig.parquet")
    pq.write_table(pa.table({**SYNTHETIC, "żółć": SYNTHETIC["income"]}), files / "syn.parquet")
    arguments = ["score", "orig.parquet", "syn.parquet", "--keys", "sex,age", "--targets", "żółć"]
    code, out, err = sqlrisk(*arguments, folder=files, PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "\\u017c" in out
    code, out, err = sqlrisk(*arguments, "--format", "csv", folder=files, PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "żółć" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_message():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sqlrisk", "list"],
            env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == "sqlrisk: Standard output cannot be written: No space left on device.\n"


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ("list >&-", 3, "sqlrisk: Standard output cannot be written: Bad file descriptor.\n"),
        ("list --unknown 2>&-", 2, ""),
        ("explain DiSCO --unknown <&- 2>&-", 2, ""),
        ("--version <&- >&- 2>&-", 3, ""),
        ("--version > /dev/full 2>&-", 3, ""),
    ],
)
def test_streams_that_the_shell_closed(asked, status, said):
    done = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m sqlrisk {asked}"], env=environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (status, said)


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are POSIX")
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_pipe_is_no_error_message(closed):
    wrong = [] if closed == "stdout" else ["--unknown"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlrisk", "list", *wrong],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    other = process.stderr if closed == "stdout" else process.stdout
    getattr(process, closed).close()
    said = other.read()
    other.close()
    assert process.wait() == 141
    assert said == b""


def test_an_argument_of_another_encoding(files):
    message = fails("score", "orig.parquet", "-o", "caf\udce9.json", "--by", "\udcff", folder=files)
    assert message == (
        "sqlrisk: 2 problems\n"
        r"- The argument 'caf\udce9.json' is not UTF-8 text." + "\n"
        r"- The argument '\udcff' is not UTF-8 text." + "\n"
    )


def test_an_interrupt_of_the_imports(tmp_path):
    (tmp_path / "rich_click.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-m", "sqlrisk", "--help"],
        env=environment(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are POSIX")
@pytest.mark.parametrize(("number", "status"), few([(signal.SIGINT, 130), (signal.SIGTERM, 143)]))
def test_interrupted_leaves_nothing_behind(files, number, status):
    rows = 1_000_000
    ages = pa.array(range(rows))
    table = pa.table(
        {"sex": pa.repeat("F", rows), "age": ages, "income": pa.array([i % 7 for i in range(rows)])}
    )
    pq.write_table(table, files / "orig.parquet")
    pq.write_table(table, files / "syn.parquet")
    before = sorted(path.name for path in files.iterdir())
    (files / "spill").mkdir()
    more = ["--temp-directory", "spill", "-o", "risk.json", "--threads", "1", "--trace"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlrisk", "score", "orig.parquet", "syn.parquet", *KEYS, *more],
        cwd=files, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stderr.readline()  # the first statement has run
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == status
    assert out == b""
    assert b"Traceback" not in err
    assert list((files / "spill").iterdir()) == []
    (files / "spill").rmdir()
    assert sorted(path.name for path in files.iterdir()) == before


def test_csv_files_too(files):
    for name in ("orig", "syn"):
        pa.csv.write_csv(pq.read_table(files / f"{name}.parquet"), files / f"{name}.csv")
    code, out, err = sqlrisk(
        "score", "orig.csv", "syn.csv", *KEYS, "--format", "json", folder=files
    )
    assert (code, err) == (0, "")
    disco = next(row for row in json.loads(out)["results"] if row["measure"] == "DiSCO")
    assert disco["value"] == 50.0


# ---- a closer look
# -----------------------------------------------------------------------------------------


def test_records_writes_each_person(files):
    code, out, err = sqlrisk(
        "records",
        "orig.parquet",
        "syn.parquet",
        "syn2.parquet",
        *KEYS,
        "-o",
        "risk.parquet",
        folder=files,
    )
    assert (code, out) == (0, "")
    copy, written = err.splitlines()
    assert copy.startswith("Not assessable: Synthesis 2 (syn2.parquet) is a copy of the original: ")
    assert written == (
        "8 records in risk.parquet. They are microdata: keep the file where you keep the original."
    )
    rows = pq.read_table(files / "risk.parquet").to_pylist()
    assert [row["n_syn_class"] for row in rows] == [3, 3, 2, 2, 4, 4, 1, 1]  # pooled
    one = ["--which", "1", "-q", "-o", "one.csv"]
    assert sqlrisk(
        "records", "orig.parquet", "syn.parquet", "syn2.parquet", *KEYS, *one, folder=files
    ) == (0, "", "")
    rows = pa.csv.read_csv(files / "one.csv").to_pylist()
    assert sum(row["correct_income"] for row in rows) == 4
    named = ["--synthesis", "cart=syn*.parquet", "--synthesis", "cart 2", "-q", "-o", "two.csv"]
    assert sqlrisk("records", "orig.parquet", *KEYS, *named, folder=files) == (0, "", "")
    assert pa.csv.read_csv(files / "two.csv").to_pylist()[0]["n_syn_class"] == 2
    assert "one synthesis" in fails(
        "records",
        "orig.parquet",
        "syn.parquet",
        *KEYS,
        "--which",
        "1",
        "--synthesis",
        "2",
        "-o",
        "x.csv",
        folder=files,
    )
    assert "is the input" in fails(
        "records", "orig.parquet", "syn.parquet", *KEYS, "-o", "syn.parquet", folder=files
    )


def test_two_outputs_are_two_files(files):
    (files / "link.json").symlink_to("a.json")
    asked = ["score", "orig.parquet", "syn.parquet", *KEYS, "-o", "a.json", "-o"]
    for name in ("a.json", "./a.json", "link.json", "a.json.manifest.json"):
        assert f"Two outputs are the file {name}" in fails(*asked, name, folder=files)
    external = [*asked, "a.json.external-manifest.json", "--report", "external"]
    assert "Two outputs are the file a.json.external-man" in fails(*external, folder=files)
    assert not (files / "a.json").exists()


def test_columns_of_the_file_are_beside_the_risk(files):
    more = ["--with", "age,income", "-q", "-o", "risk.csv"]
    asked = ["records", "orig.parquet", "syn.parquet", *KEYS, *more]
    assert sqlrisk(*asked, folder=files) == (0, "", "")
    rows = pa.csv.read_csv(files / "risk.csv")
    assert rows.column_names[:3] == ["record", "age", "income"]
    assert rows["age"].to_pylist() == ORIGINAL["age"]


@pytest.mark.slow
def test_records_writes_each_person_in_each_scenario(files):
    (files / "two.toml").write_text(
        'original = "orig.parquet"\nsynthetic = "syn.parquet"\n'
        '[scenario.friend]\nkeys = ["sex", "age"]\n[scenario.stranger]\nkeys = ["sex"]\n'
    )
    said = ["--scenario", "two.toml", "-o", "risk.csv"]
    assert sqlrisk("records", *said, folder=files) == (
        0,
        "",
        (
            "16 rows (a record in each of the scenarios friend, stranger) in risk.csv. They are "
            "microdata: keep the file where you keep the original.\n"
        ),
    )
    written = pa.csv.read_csv(files / "risk.csv")
    assert written.column_names[:3] == ["scenario", "record", "n_orig_class"]
    rows = written.to_pylist()
    assert [row["scenario"] for row in rows] == ["friend"] * 8 + ["stranger"] * 8
    assert [row["record"] for row in rows] == [*range(1, 9)] * 2
    # the stranger knows no age, and so may learn it
    assert all((row["correct_age"] is None) == (row["scenario"] == "friend") for row in rows)
    one = ["--scenario", "two.toml#friend", "-q", "-o", "f.csv"]
    assert sqlrisk("records", *one, folder=files) == (0, "", "")
    assert "scenario" not in pa.csv.read_csv(files / "f.csv").column_names


def test_a_saved_run_is_asked(files):
    code, _, err = sqlrisk(
        "score", "orig.parquet", "syn.parquet", *KEYS, "--save", "risk.duckdb", folder=files
    )
    assert code == 0, err
    question = "SELECT sex, age FROM replicated_uniques ORDER BY record"
    code, out, _ = sqlrisk("query", "risk.duckdb", question, "--format", "csv", folder=files)
    assert (code, out) == (0, "sex,age\nF,40\nM,30\n")
    code, out, err = sqlrisk("cells", "DiSCO", "risk.duckdb", "--format", "csv", folder=files)
    scored = sqlrisk(
        "cells", "DiSCO", "orig.parquet", "syn.parquet", *KEYS, "--format", "csv", folder=files
    )
    assert (code, out) == scored[:2]
    code, out, _ = sqlrisk(
        "lookup",
        "risk.duckdb",
        "--key",
        "sex=M",
        "--key",
        "age=40",
        "--format",
        "csv",
        folder=files,
    )
    assert (code, out) == (
        0,
        "target,synthesis,radius,level,records,percent\nincome,1,0,hi,2,100.0\n",
    )
    for query in ("", "/* nothing */", "SELECT 1; SELECT 2"):
        assert "Write one SELECT" in fails("query", "risk.duckdb", query, folder=files)
    assert "cannot be run" in fails(
        "query", "risk.duckdb", "SELECT nothing FROM people", folder=files
    )
    assert ".duckdb" in fails(
        "score", "orig.parquet", "syn.parquet", *KEYS, "--save", "risk.db", folder=files
    )


def test_a_run_whose_external_report_is_refused_is_not_saved(files):
    (files / "two.toml").write_text(
        'original = "orig.parquet"\nsynthetic = "syn.parquet"\ntargets = ["income"]\n'
        '[scenario.friend]\nkeys = ["sex", "age"]\n'
        '[scenario.stranger]\nkeys = ["sex", "age"]\ncolumn = {age = {width = 20}}\n'
    )
    saved = ["score", "--scenario", "two.toml", "--save", "risk.duckdb", "-o", "risk.json"]
    err = fails(*saved, "--report", "external", folder=files)
    assert "age" in err
    assert not (files / "risk.duckdb").exists()
    code, _, err = sqlrisk(*saved, folder=files)
    assert code == 0, err
    fails(*saved, "--report", "external", folder=files)  # this one replaces a saved run
    assert (files / "risk.duckdb").is_file()
    part = ["score", "orig.parquet", "syn.parquet", *KEYS, "--part", "maps"]
    assert "maps" in fails(*part, "--save", "part.duckdb", folder=files)
    assert not (files / "part.duckdb").exists()


@pytest.mark.slow
@pytest.mark.parametrize("width", few([80, 40, 160]))
def test_rows_keep_the_order_of_their_columns_within_the_terminal(files, width):
    for source in ("orig.parquet", "syn.parquet"):
        rows = pq.read_table(files / source).to_pydict()
        born = [
            "United-States" if sex == "F" else "Trinidad&Tobago and others" for sex in rows["sex"]
        ]
        table = {
            "age_at_interview": rows["age"],
            "country_of_birth": born,
            "income": rows["income"],
        }
        pq.write_table(pa.table(table), files / source)
    asked = [
        "orig.parquet",
        "syn.parquet",
        "--keys",
        "country_of_birth,age_at_interview",
        "--targets",
        "income",
    ]
    code, _, err = sqlrisk("score", *asked, "--save", "risk.duckdb", folder=files)
    assert code == 0, err
    counted = (
        "SELECT count(*) n, country_of_birth, min(age_at_interview) least FROM people GROUP BY ALL"
    )
    listings: list[tuple[list[str], str]] = [
        (["query", "risk.duckdb", counted], "n country_of_birth least"),
        (
            ["query", "risk.duckdb", "SELECT people, * FROM people ORDER BY record LIMIT 5"],
            "people record country_of_birth income",
        ),
        (
            ["cells", "DiSCO", *asked],
            "country_of_birth age_at_interview target level people synthetic",
        ),
        (
            ["lookup", "syn.parquet", "--key", "age_at_interview=40"],
            "target synthesis radius level records",
        ),
    ]
    for command, names in listings:
        code, out, err = sqlrisk(*command, folder=files, COLUMNS=str(width))
        assert code == 0, err
        assert max(map(len, out.splitlines())) <= width
        # of tables
        words = [
            word for line in out.splitlines() if line.startswith("  ") for word in line.split()
        ]
        assert [*dict.fromkeys(word for word in words if word in names.split())] == names.split()
        assert "Trinidad&Tobago" in words


def test_lookup_shows_what_an_intruder_sees(files):
    code, out, err = sqlrisk(
        "lookup", "syn.parquet", "--key", "sex=M,age=40", "--targets", "income", folder=files
    )
    assert (code, err) == (0, "")
    assert re.search(r"income +1 +0 +hi +2 +100", out)
    assert "real people" not in out
    code, out, _ = sqlrisk("lookup", "syn.parquet", "--key", "age=99", folder=files)
    assert (code, "no synthetic record has these keys" in out) == (0, True)
    assert "did you mean 'sex'" in fails("lookup", "syn.parquet", "--key", "sx=M", folder=files)
    (files / "nobody.csv").write_text("sex,age\n")
    said = fails("lookup", "nobody.csv", "--key", "sex=M", folder=files)
    assert said == "sqlrisk: 'nobody.csv' has no records.\n"
    code, _, err = sqlrisk("lookup", "orig.parquet", "syn.parquet", "--key", "age=40", folder=files)
    assert (code, err) == (
        0,
        (
            "All 2 files are taken as synthetic: orig.parquet, syn.parquet. If the original is "
            "one of them, leave it out.\n"
        ),
    )


def test_whom_to_look_at(files):
    command = [
        "score",
        "orig.parquet",
        "syn.parquet",
        *KEYS,
        "--measures",
        "DiSCO",
        "--format",
        "json",
    ]
    more = ["--population", "older: age >= 40", "--by", "sex", "--control", "syn2.parquet"]
    code, out, err = sqlrisk(*command, *more, folder=files)
    assert (code, err) == (0, "")
    rows = json.loads(out)["results"]
    found = {
        (row["population"], row["people"]): (row["numerator"], row["denominator"]) for row in rows
    }
    assert found["all", "original"] == found["all", "control"] == (4, 8)
    assert found["older", "original"] == (2, 5)
    assert (found["sex=F", "original"], found["sex=M", "original"]) == ((3, 4), (1, 4))
    text = sqlrisk(*command[:-2], *more, folder=files)[1]
    assert "older" in text
    assert "Added risk" in text
    assert "cannot read the condition" in fails(
        *command, "--population", "older: age >>", folder=files
    )


def test_a_long_result_fits_a_screen_if_nothing_else_is_asked_for(files):
    asked = ["sweep", "orig.parquet", "syn.parquet", "--keys", "sex,age", "--targets", "income"]

    def lines(*more):
        status, out, err = sqlrisk(*asked, "-q", *more, folder=files)
        assert (status, err) == (0, "")
        return len(out.splitlines())

    whole = lines("--verbose")
    assert lines() <= 40 < whole
    assert lines("--top", "10") == whole
    assert lines("-o", "all.txt") == 0
    assert len((files / "all.txt").read_text().splitlines()) == whole


def test_a_long_comparison_of_releases_fits_a_screen(files):
    asked = ["--keys", "sex,age", "--targets", "income", "-o"]
    for name, synthetic in (("old", "syn"), ("new", "orig")):
        sqlrisk(
            "score", "orig.parquet", f"{synthetic}.parquet", *asked, f"{name}.json", folder=files
        )
    whole = sqlrisk("diff", "old.json", "new.json", "--verbose", folder=files)[1].splitlines()
    shown = sqlrisk("diff", "old.json", "new.json", folder=files)[1].splitlines()
    assert len(shown) <= 40 < len(whole)
    assert shown[:5] == whole[:5]
    assert " ".join(shown[-2:]).count("Everything: --verbose") == 1


@pytest.mark.parametrize(
    ("town", "said"),
    [
        ("K\u00f6ln", r"The first \d+ of 41\."),
        # messages promise the recode, which is the last section
        (
            "Ko\u0308ln",
            r"\[column\.town\.merge\].* Not shown: Do the files have the same levels\?\.",
        ),
    ],
)
def test_an_inspection_of_many_columns_fits_a_screen(town, said, files):
    columns = {f"c{number}": ["a", "b"] * 3 for number in range(40)}
    for name, here in (("wide", "K\u00f6ln"), ("made", town)):
        pq.write_table(pa.table({**columns, "town": [here] * 6}), files / f"{name}.parquet")
    asked = ["inspect", "wide.parquet", "made.parquet", "--exit-zero", "-q"]
    shown, whole = (sqlrisk(*asked, *more, folder=files)[1] for more in ([], ["--verbose"]))
    assert len(shown.splitlines()) <= 40 < len(whole.splitlines())
    assert re.search(said, " ".join(shown.split()))

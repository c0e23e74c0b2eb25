"""The table of settings: what is read off it, and that a row, and a default, are all that a new
setting needs.
"""

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

import pytest
import rich_click as click
from click.testing import CliRunner

import sqlrisk
from sqlrisk.catalogue.measures import Measure, catalog
from sqlrisk.cli import options
from sqlrisk.cli.main import cli
from sqlrisk.cli.running import asked, scenario_settings
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs import scenario
from sqlrisk.inputs.fields import (
    EXCLUSIONS,
    FIELDS,
    LEVELS,
    OF_COLUMNS,
    OF_TARGETS,
    ONE_COLUMN,
    OUTPUT,
    PATHS,
    PEOPLE,
    SETTINGS,
    Field,
    Settings,
    arguments,
    explained,
    option_name,
    own,
    reference,
    rows,
)
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import read_bins
from sqlrisk.report.report import MeasureRows


class Grown(Settings, total=False):
    """The settings, and one more row."""

    shoes: Annotated[
        Any,
        Field(
            PEOPLE,
            "FOOT=SIZE",
            "Sizes of shoes: left=43",
            "list",
            read_bins,
            "foot -> size of its shoe.",
        ),
    ]


GROWN = rows(Grown)
SHOES = {"left": 43, "right": 44}


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the row to the table, and its default to the scenario."""
    default: Any = dataclasses.field(default_factory=dict)
    wider = dataclasses.make_dataclass(
        "Wider", [("shoes", dict[str, int], default)], bases=(Scenario,), frozen=True
    )
    monkeypatch.setitem(SETTINGS, "shoes", GROWN["shoes"])
    monkeypatch.setattr(scenario, "Scenario", wider)


@pytest.mark.usefixtures("grown")
def test_a_new_setting_is_read_and_shown_in_json() -> None:
    assert scenario.read({"shoes": "left=43,right=44"}).settings()["shoes"] == SHOES
    with pytest.raises(InputError, match=r"shoes: 'left' needs a whole number of bins"):
        scenario.read({"shoes": "left=big"})
    with pytest.raises(InputError, match=r"no setting 'shoe' \(did you mean 'shoes'\?\)"):
        scenario.read({"shoe": "left=43"})


@pytest.mark.usefixtures("grown")
def test_a_new_setting_is_in_a_scenario_file(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text('keys = ["age"]\nshoes = { left = 43, right = 44 }\n')
    assert scenario.read(read_file(tmp_path / "scenario.toml")).settings()["shoes"] == SHOES


def test_a_new_setting_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setitem(FIELDS, "shoes", GROWN["shoes"])
    command = click.command("try")(
        options.of_panel(PEOPLE)(lambda **options: given.update(options))
    )
    assert "Sizes of shoes: left=43" in CliRunner().invoke(command, ["--help"]).output
    assert CliRunner().invoke(command, ["--shoes", "left=43", "--shoes", "right=44"]).exit_code == 0
    assert scenario_settings(given, GROWN) == {"shoes": "left=43,right=44"}


def test_a_new_setting_is_a_keyword_with_its_text() -> None:
    assert explained(Grown).endswith("\n        shoes: foot -> size of its shoe.")


def walk(
    city: Any = None,
    *,
    by: Annotated[str, Field(OUTPUT, "WHAT", "How to go", flag="--means")],
    pace: Annotated[Literal["slow", "fast"], Field(OUTPUT, "", "How fast to go")] = "slow",
    stops: Annotated[Any, Field(OUTPUT, "NAMES", "Where to stop", "list")] = None,
    alone: Annotated[bool, Field(OUTPUT, "", "Take nobody along", "switch")] = False,
    weights: Any = None,
    **settings: Unpack[Grown],
) -> object:
    """Walk."""
    return city, by, pace, stops, alone, weights, settings


def test_an_option_of_one_command_is_a_parameter_of_its_function() -> None:
    given: dict[str, Any] = {}
    command = click.command("try")(options.own(walk)(lambda **values: given.update(values)))
    assert (
        list(own(walk))
        == [each.name for each in command.params]
        == ["shoes", "by", "pace", "stops", "alone"]
    )
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert re.search(
        r"--means WHAT How to go +\[required\]", shown.replace("<", "").replace(">", "")
    )
    assert "How fast to go; default: slow" in shown
    assert "slow|fast" in shown
    assert CliRunner().invoke(command, []).exit_code == 2
    assert CliRunner().invoke(command, ["--means", "foot", "--pace", "idle"]).exit_code == 2
    assert (
        CliRunner().invoke(command, ["--means", "foot", "--stops", "a,b", "--stops", "c"]).exit_code
        == 0
    )
    given |= {"city": "x", "weights": "w", "shoes": ("left=43",), "of_another": "command"}
    assert walk(**asked(walk, given)) == (
        "x",
        "foot",
        "slow",
        "a,b,c",
        False,
        "w",
        {"shoes": "left=43"},
    )


@pytest.mark.parametrize(
    "name", [name for name in sqlrisk.__all__ if inspect.isfunction(getattr(sqlrisk, name))]
)
def test_a_signature_and_a_text_are_those_of_the_source(name: str) -> None:
    function = getattr(sqlrisk, name)
    source = ast.parse(Path(inspect.getfile(inspect.unwrap(function))).read_text(encoding="utf-8"))
    (written,) = (
        each
        for each in source.body
        if isinstance(each, ast.FunctionDef)
        and each.name == function.__name__
        and not any(getattr(mark, "id", "") == "overload" for mark in each.decorator_list)
    )
    of = written.args
    names = [each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs, of.kwarg) if each]
    assert [*inspect.signature(function).parameters] == names
    assert inspect.getdoc(function) == ast.get_docstring(written)


@pytest.mark.usefixtures("grown")
def test_a_new_setting_is_in_the_table_of_the_guide() -> None:
    assert "\n| `shoes` | `--shoes FOOT=SIZE` | Sizes of shoes: left=43 |\n" in reference()


def test_a_scenario_has_the_settings_of_the_table() -> None:
    assert [field.name for field in dataclasses.fields(Scenario)] == list(SETTINGS)
    told: dict[str, Any] = {
        "exclude_level": "b=1",
        "exclude_missing": "a",
        "exclude_pair": "b=1,a=2",
        "max_cell": 5,
        "max_cell_syn": 5,
    }
    assert tuple(told) == EXCLUSIONS
    assert all(scenario.read({"keys": "a", name: value}).excludes for name, value in told.items())
    assert not scenario.read({"keys": "a"}).excludes


@pytest.mark.parametrize(
    ("names", "value"),
    [(ONE_COLUMN, "COLUMN"), (PATHS, ".*=FILE"), (LEVELS, "[A-Z]+=(VALUE|LEVEL)")],
)
def test_help_names_the_value_that_a_setting_is_read_as(names: tuple[str, ...], value: str) -> None:
    told = {name for name, field in SETTINGS.items() if re.fullmatch(value, field.metavar)}
    assert told
    assert told <= {*names}


def test_a_setting_whose_columns_are_targets_is_about_targets() -> None:
    told = {name for name, field in SETTINGS.items() if field.metavar.startswith("TARGET=")}
    assert told == {*OF_COLUMNS} & {*OF_TARGETS}


@pytest.mark.parametrize("measure", [each for each in catalog() if each.at_setting in SETTINGS])
def test_a_setting_of_points_names_the_measures_that_it_sets(measure: Measure) -> None:
    field = SETTINGS[str(measure.at_setting)]
    name = re.sub("_(syn|drawn)$", "", measure.name)
    assert name in field.help
    assert f"``{name}``" in field.says


def test_score_has_every_setting() -> None:
    keywords = arguments(sqlrisk.score)
    flags = {flag: each for each in cli.commands["score"].params for flag in each.opts}
    for name, field in FIELDS.items():
        assert name in keywords
        option = flags[option_name(name)]
        assert isinstance(option, click.Option)
        assert (option.help, option.metavar or "") == (field.help, field.metavar)
        assert option.multiple == (field.form in ("list", "lines"))


@pytest.mark.parametrize(
    "name", ["score", "attack", "uniques", "reference", "protect", "init", "utility"]
)
def test_a_function_refuses_what_it_does_not_know(name: str) -> None:
    near = "" if name in ("init", "utility") else r" \(did you mean 'keys'.*\?\)"
    with pytest.raises(
        TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'keyz'{near}$"
    ):
        getattr(sqlrisk, name)(keyz="age")


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("sweep", []),
        ("cells", ["DiSCO"]),
        ("tabulate", ["raab"]),
        ("records", []),
        ("compile_sql", []),
    ],
)
def test_a_function_that_takes_all_settings_names_near_ones(name: str, first: list[str]) -> None:
    with pytest.raises(InputError, match=r"There is no setting 'keyz' \(did you mean 'keys'\?\)"):
        getattr(sqlrisk, name)(*first, keyz="age")


def calls() -> dict[str, Callable[..., Any]]:
    """The public functions and the public methods of results, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for name in [*sqlrisk.__all__, "MeasureRows"]:
        public = getattr(sqlrisk, name, MeasureRows)
        if inspect.isfunction(public):
            found[name] = public
        elif isinstance(public, type) and not issubclass(public, Exception):
            found |= {
                f"{name}.{method}": each
                for method, each in inspect.getmembers(public, inspect.isfunction)
                if each.__module__.startswith("sqlrisk") and method[0] != "_"
                if "how" not in each.__annotations__  # of the function that it is passed on to
            }
    return found


@pytest.mark.parametrize("name", calls())
def test_every_argument_of_its_own_is_suggested(name: str) -> None:
    """The last two letters of each keyword change places."""
    function = calls()[name]
    parameters = inspect.signature(function).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty]
    for each in parameters:
        slip = each.name[:-2] + each.name[-1] + each.name[-2]
        if len(slip) < 4 or each.name in ("self", slip) or each.kind is each.VAR_KEYWORD:
            continue
        given = {one: None for one in needed if one not in ("self", "settings")}
        with pytest.raises(TypeError, match=rf"'{slip}' \(did you mean .*'{each.name}'"):
            function(*([None] if "self" in needed else []), **given, **{slip: "x"})


def test_problems_are_collected_and_other_errors_pass() -> None:
    problems = ProblemList(["one"])
    with problems:
        raise InputError(["two", "one"])
    with pytest.raises(KeyError), problems:
        raise KeyError
    with pytest.raises(InputError, match=r"^one\ntwo$"):
        problems.stop()
    ProblemList().stop()


@pytest.mark.parametrize(
    ("name", "first"),
    [("cells", ["DiSCO"]), ("tabulate", ["raab"]), ("records", []), ("score_all", [{"a": {}}])],
)
def test_a_function_without_attackers_refuses_what_is_of_them(
    name: str, first: list[object]
) -> None:
    with pytest.raises(InputError, match="There is no setting 'seed'"):
        getattr(sqlrisk, name)(*first, seed=3)

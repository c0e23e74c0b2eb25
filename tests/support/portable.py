"""Fill every template under sql/ for every variant of the question that it supports."""

import random
import re
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyreadstat
import pytest
import transport
from portable_rules import Tables

import sqlrisk
from sqlrisk.analyses import assessment as assessing
from sqlrisk.analyses import neighbours
from sqlrisk.analyses.exports import layout_without_data, scenario_draft
from sqlrisk.analyses.exports.compiled_sql import named_results
from sqlrisk.analyses.exports.sql_script import statements_of
from sqlrisk.analyses.exports.views import of_records, views
from sqlrisk.analyses.intruders import attack_request, attacks, sweep_request, sweeps
from sqlrisk.analyses.people import explanations, lookups, record_risk, uniques
from sqlrisk.analyses.scores import scoring, utility
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.statistics import random_tables
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import STAGES, catalog
from sqlrisk.catalogue.translation import parsed
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import Question, ask
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.sources import read_source, read_syntheses
from sqlrisk.plan import assessment, encoding
from sqlrisk.report.declared import declared, headlines

# ---- every template, filled ------------------------------------------------------------


@dataclass(frozen=True)
class Rendering:
    """A filled template, its path under sql/, and the columns of the tables that it may read."""

    path: str
    sql: str
    tables: Tables


MADE = re.compile(
    r"^(?:CREATE (?:TEMPORARY )?TABLE|(?P<added>INSERT INTO)) (?P<table>\w+)(?: "
    r"AS)?\n(?P<query>.*)",
    re.DOTALL | re.MULTILINE,
)
KEYS = ["age in years", "sex", "born", "region"]
TARGETS = ["income", "workab", "mood"]
NUMBERS = ["age in years", "income", "weight"]
REGIONS = [str(uuid.UUID(int=number)) for number in range(3)]
BINS: dict[str, Any] = {
    "bins": {"age in years": 4, "income": 3},
    "special": {"age in years": ["-8", "99"], "income": ["-1"]},
}
PAIRS = [
    {"target": "income", "target_level": "5", "key": "age in years", "key_level": "19"},
    {"target": "income", "target_level": "7", "key": "sex", "key_level": "it's"},
]
LEVELS: dict[str, Any] = {"exclude_level": {"workab": ["NO", "a\nb"], "mood": ["true"]}}
NO_KEYS: dict[str, Any] = {"exclude_missing": ["sex", "born"]}
EVERYTHING: dict[str, Any] = {
    **LEVELS,
    "exclude_missing": ["workab", "sex", "born"],
    "exclude_pair": PAIRS,
    "max_cell": 5,
    "max_cell_syn": 6,
}
PLACES = "places.csv"
BASELINE = "baseline.csv"  # in the folder where the variants run
EACH: dict[str, Any] = {
    "keys": KEYS,
    "targets": TARGETS,
    "measures": ["DiSCO"],
    "one_way": [0, 0],
    "two_way": [0, 0],
}
PEOPLE: dict[str, Any] = {
    "populations": ["all", "uniques", "special"],
    "population": {
        "old": "\"age in years\" >= 40 AND county IN ('it''s', far)",
        "young": "born < 1951-02-05",
    },
    "by": ["county", "sex", "income"],
    "weights": "weight",
}
RECODED: dict[str, Any] = {
    "column": {
        "age in years": {"bands": [0, 20, 40], "bottom": 0, "top": 65},
        "sex": {"merge": {"it's one": ["F", "it's"]}},
        "born": {"age_at": "2021-03-21", "bands": [0, 68, 70]},
        "income": {"rare": 100, "rare_as": "few"},
        "workab": {"merge": {"a line": ["a\nb", "NO"]}},
        "county": {"merge": {"away": ["far"]}},
    },
    "population": {
        "old": "born >= 68 AND county IN (away, near)",
        "young": '"age in years" = 20-39',
    },
    "by": ["county", "sex"],
    "exclude_level": {"workab": ["a line"]},
    "exclude_pair": [
        {"target": "workab", "target_level": "YES", "key": "age in years", "key_level": "[20,40)"}
    ],
    "measures": ["identity", "DiSCO"],
}
FEW = PEOPLE | {
    "populations": ["special"],
    "population": {"young": PEOPLE["population"]["young"]},
    "by": ["sex"],
}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"measures": ["identity", "attribute", "cap", "protection"]},
    "one target": {"targets": ["income"]},
    "control, links": {
        **EVERYTHING,
        "link": ["sex,age in years/born"],
        "set_sizes": [2],
        "measures": ["linkability", "singling_out"],
    },
    "control, membership": {"measures": ["membership"], "membership_ratio": True},
    "universe": {"measures": ["universe", "closeness"], "targets": ["income"], "sampled": 0.1},
    "control, universe": {
        **PEOPLE,
        **NO_KEYS,
        "measures": ["universe", "closeness"],
    },
    "universe, compiled": {"measures": ["universe", "closeness", "DiSCO"]},
    "within": {
        # integers, floating-point numbers, and no tolerance
        "targets": ["income", "weight", "workab"],
        "within": {"income": "10", "weight": "5%"},
        "within_floor": {"weight": "0.5"},
        "measures": ["within"],
    },
    "control, within": {
        **PEOPLE,
        **LEVELS,
        "keys": [*KEYS, *(f"long {number}" for number in range(6))],
        "within": {"income": "10.5%"},
        "special": {"income": ["-1"]},
        "measures": ["within"],
        "populations": ["uniques"],
    },
    "near keys": {
        **EVERYTHING,
        **PEOPLE,
        "within": {"age in years": "10%", "income": "10"},
        "special": {"age in years": ["-8"]},
        "measures": ["near_keys", "numeric_keys", "within"],
    },
    "control, near dates": {"within": {"born": "30d"}, "measures": ["near_keys", "numeric_keys"]},
    "without facts": {},
    "without facts, exclusions": EVERYTHING,
    "without facts, bins": BINS,
    "bins": BINS,
    "three syntheses": {
        "measures": ["protection", "DCAP_scaled"],
        "distributions": True,
        "trend": True,
    },
    "distributions over a baseline": {"distributions": True, "baseline": {"workab": BASELINE}},
    "two methods": {},
    "two key columns": {"keys": [*KEYS, *(f"long {number}" for number in range(6))]},
    "everything": {**BINS, **EVERYTHING},
    "recoded": RECODED,
    "recoded otherwise": {
        "column": {
            "age in years": {"width": 5, "top": 60, "rare": 3, "missing": [-8, 99]},
            "born": {"date": "month"},
            "county": {"rare": 2},
            "workab": {"merge": {"a line": ["a\nb"]}},
            "income": {"rare": 100, "rare_as": "few"},
        },
        "exclude_level": {"income": ["few", "-1"]},
        "population": {"young": "born < 1951-06 AND county <> near"},
        "measures": ["DiSCO"],
    },
    "recoded, then bins": {
        "keys": ["age in years", "born", "sex"],
        "targets": ["income", "workab"],
        "column": {
            "age in years": {"top": 65, "bottom": 20, "missing": [99]},
            "born": {"age_at": "2021-03-21"},
            "income": {"width": 10},
        },
        "bins": {"age in years": 4, "born": 3, "income": 3},
        "special": {"age in years": ["-8"]},
        "population": {"old": "born >= 69"},
        "exclude_level": {"income": ["20"]},
        "measures": ["DiSCO"],
    },
    "recoded, compiled": {
        **RECODED,
        "column": {
            **RECODED["column"],
            "born": {"date": "quarter"},
            "sex": {"hierarchy": PLACES, "step": 1},
        },
        "population": {"old": "born < 1951-Q2", "men": "sex <> 'it''s one'"},
        "by": [],
        "targets": ["income", "workab"],
        "measures": ["identity", "DiSCO"],
    },
    "recoded, written": {
        "keys": KEYS[:3],
        "targets": ["mood"],
        "column": {name: RECODED["column"][name] for name in KEYS[:3]},
        "measures": ["repU"],
    },
    "populations": {**PEOPLE, "weights": None, "distributions": True},
    "weights": {"weights": "weight", "measures": catalog().families},
    "by a binned column": {**BINS, "by": ["income", "age in years"]},
    "control, counts alone": {"measures": ["max_denom", "GCAP"]},
    "control, everything": {**BINS, **EVERYTHING, **FEW, "measures": catalog().families},
    "control, two key columns": {
        **PEOPLE,
        "keys": [*KEYS, *(f"long {number}" for number in range(6))],
        "measures": catalog().families,
        "populations": ["uniques"],  # special uniques of ten keys take long to find
    },
    "without facts, weights": {"weights": "weight"},
    "within, compiled": {
        "id": "person",
        "within": {"income": "10"},
        "measures": ["within", "k_anonymity"],
    },
    "compiled": {
        **PEOPLE,
        "by": [],
        "targets": ["income", "workab"],
        "measures": ["identity", "DiSCO", "DCAP_scaled"],
    },
    "a worst case, everything": {
        **BINS,
        **EVERYTHING,
        **PEOPLE,
        "assume": "saturated",
        "prior": 2,
        "intruder_prior": "others",
        "measures": ["intruder"],
    },
    "a worst case, a baseline": {
        "assume": "saturated",
        "prior": 2,
        "intruder_prior": "baseline",
        "measures": ["intruder"],
        "targets": ["workab"],
        "baseline": {"workab": BASELINE},
    },
    "aligned by id": {
        **PEOPLE,
        **NO_KEYS,
        "aligned": True,
        "id": "person",
        "measures": ["matches", "UiO"],
    },
    "pair of another type": {
        **BINS,
        "exclude_pair": [PAIRS[0] | {"key": "region", "key_level": REGIONS[1]}],
    },
}

# Variants that add nothing for templates: other variants reach the same lines and need the same
# exceptions. Only tests of engines run these. If one of them is the only variant that reaches a
# line of a new template, remove it from this list.
REPEATING = (
    "plain", "within", "control, within", "two methods", "everything", "recoded",
    "recoded otherwise", "by a binned column", "control, everything",
)  # fmt: skip


@cache
def people(seed: int) -> pa.Table:
    """Return a table with a column of every type. Types that may differ between files do differ."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    ages = [-8.0, 99.0, 19.0, None, float("nan"), *(float(age) for age in range(16, 90, 7))]
    births = [None, *(date(1950, 1, 1) + timedelta(days=400 * number) for number in range(5))]
    rows = {
        "age in years": pa.array(
            rng.choices(ages, k=1100), pa.float32() if seed % 2 else pa.float64()
        ),
        "sex": pa.array(rng.choices(["F", "it's", None], k=1100)),
        "born": pa.array(rng.choices(births, k=1100)).cast(
            pa.timestamp("us") if seed % 2 else pa.date32()
        ),
        "region": pa.ExtensionArray.from_storage(
            pa.uuid(),
            pa.array(
                [uuid.UUID(each).bytes for each in rng.choices(REGIONS, k=1100)], pa.binary(16)
            ),
        ),
        "income": pa.array(rng.choices([-1, 5, 7, None, *range(10, 60, 9)], k=1100), pa.int32()),
        "workab": pa.array(rng.choices(["NO", "YES", "a\nb", None], k=1100)),
        "mood": pa.array(rng.choices([True, False, None], k=1100)),
        "county": pa.array(rng.choices(["it's", "far", "near", None], k=1100)),
        "weight": pa.array(rng.choices([0.5, 1.0, 2.5], k=1100)),
    }
    rows |= {f"long {number}": pa.array(rng.sample(range(5000), 1100)) for number in range(6)}
    return pa.table(
        rows
        | {
            "person": pa.array(
                rng.sample(range(1100), 1100), pa.float64() if seed % 2 else pa.int64()
            )
        }
    )


@cache
def fewer() -> pa.Table:
    """Return the people of control. There are fewer than in the original, so a random subset of
    that size splits some groups of equal rows.
    """
    return people(4).slice(0, 900)


SWEPT = ("three syntheses", "weights", "everything", "aligned by id")
TABULATED = ("plain", "three syntheses")
# Variants that find neighbors by sets of keys. Others compare pairs.
SETS = ("weights", "control, everything", "near keys")
LISTED = ("aligned by id",)  # variants with levels in lists
# variants with targets that are encoded in later rounds
ONE_BY_ONE = ("aligned by id", "by a binned column", "control, universe")
ATTACKED = ("bins", "two key columns", "three syntheses")
RECORDS = (
    "everything",
    "within",
    "near keys",
    "weights",
    "three syntheses",
    "distributions over a baseline",
)


def syntheses_of(variant: str) -> Any:
    """Return the seeds of the synthetic files, by method if there are several methods."""
    several: dict[str, Any] = {
        "three syntheses": [1, 2, 3],
        "one target": [1, 2],
        "two methods": {"cart": [1, 2], "tree's": [3]},
        "aligned by id": [1, 2],
        "a worst case, everything": [1, 2],
    }
    return several.get(variant, [1])


def renderings(variant: str) -> Iterator[Rendering]:
    """Yield every template that the public functions fill for one variant, in run order.

    Templates that read written files, and those of the views of a saved run, are left out.
    """
    settings = {**EACH, **VARIANTS[variant]}
    filled: list[tuple[str, str]] = []
    statements: list[str] = []
    original = templates.stage

    def noting(path: str, **names: Any) -> str:
        text = original(path, **names)
        filled.append((path, text))
        return text

    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(templates, "stage", noting)
        if variant in SETS:
            patch.setattr(neighbours, "PAIR", 10**9)
            patch.setattr(neighbours, "ROW", 1)
            # so that the pairs are counted
            patch.setattr(neighbours, "_most_found", lambda *_: 10**12)
        if variant in ONE_BY_ONE:
            patch.setattr(encoding, "JOINS", 1)
            patch.setattr(encoding, "LISTED", 9 if variant in LISTED else 0)
        if variant == "three syntheses":  # as if files were large and only a sample was read
            for name in ("ALL_LOOKED_AT", "LOOKED_AT", "CHANGED"):
                patch.setattr(assessment, name, 20)
        if variant == "one target":  # as if there were thousands of columns
            patch.setattr(assessment, "TOGETHER", 5)
            for name in ("EMPTY", "LEAST"):  # as if files had many empty records
                patch.setattr(assessing, name, 0)
        patch.chdir(folder)
        Path(PLACES).write_text("level,group\nF,women\nit's,it's one\n", encoding="utf-8")
        Path(BASELINE).write_text("level,share\nNO,0.75\nYES,0.25\n", encoding="utf-8")
        if variant.endswith("compiled"):
            statements += compiled(settings, "universe" if variant.startswith("universe") else None)
        elif variant.startswith("without facts"):
            for measure in ("UiO", "DCAP_scaled", "min_DCAP_cells"):
                statements += sqlrisk.sql(measure, **settings).split(";\n\n")
        else:
            syntheses = syntheses_of(variant)
            control = fewer() if variant.startswith("control") else None
            universe = people(5).select([*KEYS]) if "universe" in variant else None
            run_all(people(0), nested(syntheses), control, settings, statements, universe)
            if variant in SWEPT:
                sweep(people(0), nested(syntheses), control, settings, statements)
            if variant == "one target":  # few classes, so subsets are counted from larger subsets
                sweep(
                    people(0),
                    nested(syntheses),
                    control,
                    settings | {"keys": KEYS[:2]},
                    statements,
                    smallest=1,
                )
            if variant in TABULATED:
                compare_tables(people(0), nested(syntheses), statements)
            if variant in RECORDS:
                write_records(
                    ask(people(0), nested(syntheses), settings, control=control), statements
                )
                look_up(nested(syntheses), settings)
            if variant in ATTACKED:
                attack_all(people(0), nested(syntheses), control, settings, statements)
        if variant == "three syntheses":
            draft(people(0), nested(syntheses), statements)
            read_other_formats(statements)
        if variant == "recoded, written":
            recode_all(people(0), people(1), settings, statements)
        if variant in ("bins", "two key columns"):
            protect_all(people(0), people(1), settings, statements)
    tables = made_tables(statements)
    for path, text in filled:
        # The name of a written file that is read again is not our SQL. The views of a saved run
        # are always in DuckDB's SQL.
        if "read_parquet(" not in text and not path.startswith("saved/"):
            yield Rendering(path, text, tables)


def compiled(settings: Mapping[str, object], universe: str | None) -> list[str]:
    """Return the statements of a scenario that is compiled for tables. They are in DuckDB's SQL,
    before the tables get their final names.
    """
    question = ask(
        "original",
        ["syn_1", "syn_2"],
        settings,
        control="control",
        universe=universe,
        tables="named",
    )
    relations = [f"source_{number}" for number, _ in enumerate(question.sources)]
    layout = layout_without_data.lay_out(
        *(
            question.scenario,
            relations,
            question.syntheses,
            question.computed,
            {"income": "INTEGER"},
        ),
        universe=universe is not None,
    )
    results = f"CREATE TABLE named_results AS\n{named_results(question, layout)}"
    steps = [*layout_without_data.steps(layout)]
    tables = {step.table for step in steps}
    viewed = [
        *views(layout, question.measures),
        *of_records(layout, tables, question.scenario.id),
    ]
    made = [f"CREATE TABLE {name} AS\n{query}" for name, query in viewed]
    return [*statements_of(steps), results, *made]


def nested(seeds: Any) -> Any:
    """Replace seeds by the tables made from them."""
    return (
        {name: nested(each) for name, each in seeds.items()}
        if isinstance(seeds, dict)
        else [people(seed) for seed in seeds]
    )


def run_all(
    original: pa.Table,
    synthetic: Any,
    control: pa.Table | None,
    settings: Mapping[str, object],
    statements: list[str],
    universe: pa.Table | None = None,
) -> None:
    """Score over records in parts, in two passes if there are several syntheses. List the risky
    cells of some measures over classes and over cells.

    Without control and settings about people, also search special uniques and make random tables.
    """
    question = ask(original, synthetic, settings, control=control, universe=universe)
    with Passes(2 if len(question.syntheses) > 1 else 1, fits=False) as engine:
        scoring.score(
            question,
            traced(engine, statements),
            listed=[each.name for each in headlines(declared({})) if each.word != "guessed"],
            cube=True,
        )
    for measure in ("repU", "Dsyn", "min_DCAP_matched"):
        with Passes(1) as engine:
            synthesis = question.syntheses[0].label
            scoring.cells(question, traced(engine, statements), measure, synthesis=synthesis)
    if control is None and not settings.keys() & PEOPLE.keys():  # both take none
        find_uniques(original, settings, statements)
        make_random_tables(original, settings, statements)


def traced(engine: DuckDB, statements: list[str]) -> Session:
    """Open a session that appends its statements to the list."""
    return Session(engine, trace=lambda sql, _: statements.append(sql))


def sweep(
    original: pa.Table,
    synthetic: Any,
    control: pa.Table | None,
    settings: Mapping[str, Any],
    statements: list[str],
    smallest: int | None = None,
) -> None:
    """Sweep only the set of all keys, and write the rows to a file. With ``smallest``, sweep all
    subsets of at least that size.
    """
    given = {
        name: value for name, value in settings.items() if name not in ("distributions", "trend")
    }
    # A sweep has only numbers of a single set of keys.
    given["measures"] = [
        name for name in given["measures"] if name not in ("linkability", "singling_out", "copies")
    ]
    most = len(settings["keys"])
    guessing = ["sql"] if smallest is None and not (given.keys() & (*EVERYTHING, *PEOPLE)) else None
    asked = sweep_request.ask(
        (original, synthetic, control),
        given,
        {"attackers": guessing},
        key_length=list(range(smallest or most, most + 1)),
        reference="aligned" not in given,
    )
    with tempfile.NamedTemporaryFile() as file, Passes(1) as engine:
        sweeps.sweep(asked, traced(engine, statements), rows=file.name)


def compare_tables(original: pa.Table, synthetic: Any, statements: list[str]) -> None:
    """Compare tables of one and of two columns, first with missing values as a level, then without
    records that have a missing value.
    """
    for complete in (False, True):
        asked = utility.ask(
            (original, synthetic),
            {},
            columns=["sex", *NUMBERS],
            groups=0,
            complete=complete,
            measures="all",
        )
        with Passes(2 if complete else 1) as engine:
            utility.compare(asked, traced(engine, statements))


def write_records(question: Question, statements: list[str]) -> None:
    """Write the risk of each person, with all optional columns, and of each synthetic record.
    Explain one person's risk.
    """
    synthesis = (
        question.syntheses[0].label
        if len({each.method for each in question.syntheses}) > 1
        else None
    )
    small = len(question.scenario.keys) == len(KEYS)  # with more, there are too many sets of keys
    for side in ("original", "synthetic") if question.scenario.id is None else ("original",):
        more: dict[str, Any] = (
            {"gcap": small, "suda": small, "diversity": small} if side == "original" else {}
        )
        more |= {"with_columns": question.scenario.keys[:1]} if small else {}
        with tempfile.NamedTemporaryFile() as file, Passes(2) as engine:
            record_risk.write(
                question, traced(engine, statements), file.name, "parquet",
                record_risk.Wanted(synthesis, side, **more),
            )  # fmt: skip
    if question.scenario.id is None:
        with Passes(2) as engine:
            explanations.explain(question, traced(engine, statements), 1, synthesis=synthesis)


def draft(original: pa.Table, synthetic: Any, statements: list[str]) -> None:
    """Read the files as `init` does for a draft."""
    with Passes(1) as engine:
        source = read_source(original, "the original")
        scenario_draft.look(source, read_syntheses(synthetic), traced(engine, statements))


def read_other_formats(statements: list[str]) -> None:
    """Assess files with different labels for a code, texts that look alike, an order of levels, and
    numbers that SAS shortened.
    """
    settings: dict[str, Any] = {"keys": ["k"], "targets": ["t"]}

    def assess(original: object, synthetic: object, **more: Any) -> None:
        with DuckDB() as engine:
            scoring.inspect(ask(original, synthetic, settings | more), traced(engine, statements))

    for name, label in (("a.sav", "no"), ("b.sav", "yes")):
        pyreadstat.write_sav(
            pd.DataFrame({"k": [0, 1], "t": [1, 1]}),
            name,
            variable_value_labels={"k": {0: label}, "t": {1: label}},
        )
    assess("a.sav", "b.sav")
    with DuckDB() as engine:  # cells are listed with the labels
        scoring.cells(
            ask("a.sav", "a.sav", settings), traced(engine, statements), "DiSCO", synthesis="1"
        )
    people = pd.DataFrame({"k": ["Bonn", "KÃ¶ln"], "t": ["a", "b"]})
    people.to_stata("old.dta", write_index=False, version=117)
    assess(people.assign(k=["Bonn ", "Ulm"]), "old.dta")
    ordered = people.astype(
        {name: pd.CategoricalDtype(people[name], ordered=True) for name in people}
    )
    assess(
        *(ordered.join(pd.Series([1, 2], name=name)) for name in ("Caf\u00e9", "Cafe\u0301")),
        column={"t": {"merge": {"c": ["a"]}}},
    )
    numbers = [0.1, 2.5]
    cut, whole = (
        transport.write(f"{width}.xpt", dict.fromkeys("kt", (width, numbers))) for width in (4, 8)
    )
    assess(cut, whole)


def look_up(synthetic: Any, settings: Mapping[str, Any]) -> None:
    """Look up what an intruder would see of one person."""
    with Passes(1) as engine:
        lookups.in_files(
            read_syntheses(synthetic),
            engine,
            {"age in years": "19", "sex": None},
            read({"keys": ["age in years"], "targets": settings["targets"]}),
        )


def attack_all(
    original: pa.Table,
    synthetic: Any,
    control: pa.Table | None,
    settings: Mapping[str, Any],
    statements: list[str],
) -> None:
    """Let every attacker in SQL and one model of scikit-learn guess. Guesses of both are counted in
    the same way.
    """
    chosen = {name: settings.get(name) for name in ("keys", "targets", "bins", "special")}
    model = "ENS" if settings.get("bins") else "CategoricalNB"
    who = {"attackers": ["baselines", "sql", model], "sample": 50, "seed": 1}
    asked = attack_request.ask((original, synthetic, control), chosen, who)
    with Passes(2) as engine:
        attacks.run(asked, traced(engine, statements))


def find_uniques(original: pa.Table, settings: Mapping[str, Any], statements: list[str]) -> None:
    """Score the special uniques of the original. If there are bins, also use a code for missing
    values, and the scoring that is not the default.
    """
    keys = settings["keys"]
    given = {
        name: {key: each for key, each in settings.get(name, {}).items() if key in keys}
        for name in ("bins", "special")
    }
    more: dict[str, Any] = {"missing_value": "it's", "scoring": "ihsn"} if given["bins"] else {}
    question = uniques.ask(
        original, {"keys": keys, **given}, {"max_size": None if len(keys) < 5 else 2, **more}
    )
    with tempfile.NamedTemporaryFile() as file, DuckDB() as engine:
        uniques.find(question, traced(engine, statements), rows=(file.name, "parquet"))


def make_random_tables(
    original: pa.Table, settings: Mapping[str, Any], statements: list[str]
) -> None:
    """Compare the original with random tables."""
    keys = settings["keys"]
    given = {
        name: {key: each for key, each in settings.get(name, {}).items() if key in keys}
        for name in ("bins", "special")
    }
    if len(keys) == len(KEYS):  # with more, the random tables would be too large
        alone = {"keys": keys, "targets": ["workab"], **given}
        asked = random_tables.ask(
            original, alone, random=2, seed=1, draw="tables", scenario_file=None
        )
        with Passes(1) as engine:
            random_tables.compare(
                asked, traced(engine, statements), random=2, seed=1, draw="tables"
            )


def recode_all(
    original: pa.Table, synthetic: pa.Table, settings: Mapping[str, Any], statements: list[str]
) -> None:
    """Write the recoded files for a release."""
    asked = {name: settings[name] for name in ("keys", "targets", "column")}
    sqlrisk.recode(
        original, synthetic, output="release", trace=lambda sql, _: statements.append(sql), **asked
    )


def protect_all(
    original: pa.Table, synthetic: pa.Table, settings: Mapping[str, object], statements: list[str]
) -> None:
    """Protect a table to CSV, and a CSV file to Parquet with a flag and a label."""
    chosen = {
        name: value for name, value in settings.items() if name in ("keys", "bins", "special")
    }

    def protect(source: object, output: Path, **more: Any) -> None:
        sqlrisk.protect(
            original, source, output=output, trace=lambda sql, _: statements.append(sql),
            **{**chosen, **more}
        )  # fmt: skip

    with tempfile.TemporaryDirectory() as folder:
        protect(synthetic, Path(folder, "a.csv"))
        sqlrisk.split(
            synthetic, output=Path(folder, "halves"), trace=lambda sql, _: statements.append(sql)
        )
        protect(synthetic, Path(folder, "c.csv"), uniques_in_original=True)
        pc.write_csv(synthetic.select(["sex", "income", "workab"]), Path(folder, "b.csv"))
        more: dict[str, Any] = {"keys": ["sex", "workab"], "bins": None, "special": None}
        protect(
            str(Path(folder, "b.csv")),
            Path(folder, "b.parquet"),
            flag=True,
            label={"real": "it's\nnot"},
            **more,
        )


class Passes(DuckDB):
    """DuckDB with a fixed number of passes, and a fixed answer to whether records fit in memory."""

    def __init__(self, wanted: int, *, fits: bool = True) -> None:
        super().__init__()
        self._wanted, self._fits = wanted, fits

    def passes(self, *counts: Any, **named: Any) -> int:
        return self._wanted

    def fits_in_memory(self, size: int) -> bool:
        return self._fits


def made_tables(statements: Sequence[str]) -> dict[str, list[str]]:
    """Return a dict of table to its columns. For a table that is made several times, the columns of
    each time follow each other. For tables that no statement makes, the list may be empty.

    Assert that rows added later have equal columns.
    """
    tables: dict[str, list[str]] = {}
    last: dict[str, list[str]] = {}
    for statement in statements:
        made = MADE.search(statement)
        if made:
            names = [str(name) for name in parsed(made["query"]).named_selects]
            if made["added"]:
                assert names == last[made["table"]], f"other columns are added to {made['table']}"
            last[made["table"]] = names
            tables.setdefault(made["table"], []).extend(names)
    # Of the user's own columns we know only that they are quoted.
    own = (
        "original",
        "synthetic",
        "protected",
        "drawn_from",
        "baseline_1",
        *(f"{made}_{number}" for made in ("source", "sample", "recoded") for number in range(5)),
    )
    # names that Python loads
    own += ("sweep_heads", "sweep_subsets", "sweep_steps", "utility_tables", "utility_columns")
    own += ("ranked", "ends")  # CTEs that other CTEs of the same query read
    parts = {f"part_{number}": tables.get("records", []) for number in (1, 2)}
    levels = {
        each: ["level"]
        for each in re.findall(r"\b(?:labels|order)_[0-9a-f]{32}\b", " ".join(statements))
    }
    # readable levels of columns with bins or recodes, which Python loads
    levels |= {
        each: ["code", "value"]
        for each in re.findall(r"\bloaded_labels_\w+\b", " ".join(statements))
    }
    return tables | parts | levels | {name: [] for name in own}


def own_selects() -> Iterator[Rendering]:
    """Yield every measure's own SELECT, at each of its points."""
    nothing: Tables = {name: [] for name in STAGES}
    for measure in catalog():
        for at in measure.at or (None,):
            yield Rendering(
                f"measures/{measure.family}/{measure.path.name}",
                templates.select(measure, at),
                nothing,
            )


def template_text(path: Path) -> list[str]:
    """Return the plain SQL of a template line by line, that is the text outside braces. A comma at
    the end of a line is dropped, because the last item of a list has none.
    """
    body = path.read_text(encoding="utf-8").split("---*/\n", 1)[-1]
    pieces = re.split(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\n", body, flags=re.DOTALL)
    return [" ".join(piece.split()).rstrip(",") for piece in pieces if len(piece.strip()) > 1]

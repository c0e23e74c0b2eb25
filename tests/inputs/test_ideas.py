"""Columns are recognised by the words in their names, in several languages, as ``ideas.toml`` has
them.
"""

import pytest

from sqlrisk.inputs.columns.dictionary import ROLES
from sqlrisk.inputs.columns.guesses import by_name, ideas

NAMES = {
    "what names a record": """
        id PersonID person_id Kennung identifiant identificador persoonsnummer codice_fiscale cpf
        householdId
    """,
    "a survey weight": (
        "weight PERWT Gewicht poids ponderación weegfactor peso fator_de_expansão pspwght"
    ),
    "money": """
        income INCTOT household_income wage_per_hour Einkommen Haushaltseinkommen revenu salaire
        ingresos inkomen reddito renda
    """,
    "health": "diagnosis body_weight Krankheit maladie enfermedad ziekte malattia doença BMI",
    "belief, crime or orientation": "religion Konfession partido geloof religione religião",
    "age": """
        age AGE_GROUP ageAtDiagnosis dob Alter Altersgruppe Geburtsjahr âge annee_naissance edad
        leeftijd età idade faixa_etária
    """,
    "sex": "sex gender GESCHLECHT sexe género geslacht sesso sexo sex_2",
    "ethnicity": (
        "race ethnic_group Nationalität Nationalitaet Staatsangehörigkeit nationalité "
        "raza herkomst cittadinanza raça"
    ),
    "marital status": """
        marital_status maritalStatus MARST Familienstand état_matrimonial estado_civil
        burgerlijke_staat stato_civile
    """,
    "education": """
        education EDUCD highest_qualification Bildungsabschluss niveau_d_études estudios opleiding
        titolo_di_studio escolaridade
    """,
    "place": """
        region country_birth zip PLZ Bundesland département provincia woonplaats gemeente comune
        município freguesia town_name
    """,
    "occupation": """
        occupation major_occupation class_of_worker Beruf Erwerbsstatus métier ocupación beroep
        professione profissão ISCO08
    """,
    "household": (
        "household_size HHSIZE Haushaltsgröße Kinder ménage hogar huishouden "
        "numero_figli agregado_familiar"
    ),
}


@pytest.mark.parametrize(
    ("idea", "name"), [(idea, name) for idea, names in NAMES.items() for name in names.split()]
)
def test_a_name_is_recognised(idea: str, name: str) -> None:
    found, _ = by_name(name)
    assert found is not None
    assert found.name == idea


@pytest.mark.parametrize(
    "name", ["weeks_worked", "x1", "average", "message", "essex", "valid", "", "42", "Ω", "page"]
)
def test_a_word_is_a_whole_part_of_a_name(name: str) -> None:
    assert by_name(name) == (None, False)


def test_the_whole_name_leaves_no_doubt() -> None:
    for name, whole in (
        ("maritalStatus", True),
        ("marital status", True),
        ("MARITALSTATUS", True),
        ("q3_sex_of_child", False),
    ):
        assert by_name(name)[1] is whole


def test_the_table_is_well_kept() -> None:
    for idea in ideas():
        assert idea.role in ROLES
        assert idea.words
        assert not any(not word for word in (*idea.words, *idea.beginnings))
        assert idea.numbers is None or idea.numbers[0] < idea.numbers[1]
    assert {idea.name for idea in ideas()} == NAMES.keys()

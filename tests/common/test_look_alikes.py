"""Texts that look the same: what is plain of them, and where they differ, in many forms of each
way.
"""

import tomllib
from unicodedata import normalize

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlrisk.common.errors import suggestion
from sqlrisk.common.look_alikes import ODD, WAYS, difference, is_misread, plain, toml_key, toml_text
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.sources import read_source

ENTITIES, MISREAD, MARKS, ACCENTS, BLANKS, DASHES, QUOTES = WAYS
NONE = "nothing"
# Way, a text, the one that it plainly is, and the code points of both where they first differ.
FORMS = [
    (ENTITIES, "AT&amp;T", "AT&T", "U+0026 U+0061 U+006D U+0070 U+003B", "U+0026"),
    (ENTITIES, "&#214;l", "Öl", "U+0026 U+0023 U+0032 U+0031 U+0034 U+003B", "U+00D6"),
    (ENTITIES, "Caf&eacute", "Café", "U+0026 U+0065 U+0061 U+0063 U+0075 U+0074 U+0065", "U+00E9"),
    (
        ENTITIES,
        "a &amp;lt; b",
        "a < b",
        "U+0026 U+0061 U+006D U+0070 U+003B U+006C U+0074 U+003B",
        "U+003C",
    ),
    (MISREAD, "KÃ¶ln", "Köln", "U+00C3 U+00B6", "U+00F6"),
    # whose second byte is a blank in Latin-1
    (MISREAD, "Å\xa0koda", "Škoda", "U+00C5 U+00A0", "U+0160"),
    (MISREAD, "5 â‚¬", "5 €", "U+00E2 U+201A U+00AC", "U+20AC"),  # as Windows-1252 has it
    # twice
    (MISREAD, "Z\u00c3\u0083\u00c2\u00bcrich", "Zürich", "U+00C3 U+0083 U+00C2 U+00BC", "U+00FC"),
    (MISREAD, "ðŸ˜€", "😀", "U+00F0 U+0178 U+02DC U+20AC", "U+1F600"),
    (MARKS, "Bo\u200bnn", "Bonn", "U+200B", NONE),
    (MARKS, "\ufeffBonn", "Bonn", "U+FEFF", NONE),
    (MARKS, "Bonn\u200e", "Bonn", "U+200E", NONE),
    (MARKS, "Donau\xadufer", "Donauufer", "U+00AD", NONE),
    (MARKS, "Bonn\x00", "Bonn", "U+0000", NONE),
    (ACCENTS, "Ko\u0308ln", "Köln", "U+006F U+0308", "U+00F6"),
    (ACCENTS, "e\u0301e\u0301e", "éée", "U+0065 U+0301", "U+00E9"),
    # marks in another order
    (ACCENTS, "q\u0307\u0323", "q\u0323\u0307", "U+0307 U+0323", "U+0323 U+0307"),
    (ACCENTS, "\u1100\u1161\u11a8", "각", "U+1100 U+1161 U+11A8", "U+AC01"),
    (ACCENTS, "\u212bm", "Åm", "U+212B", "U+00C5"),
    (BLANKS, "New\xa0York", "New York", "U+00A0", "U+0020"),
    (BLANKS, "New\u2009York", "New York", "U+2009", "U+0020"),
    (BLANKS, "New  York", "New York", "U+0020", NONE),
    (BLANKS, "New\tYork", "New York", "U+0009", "U+0020"),
    (BLANKS, "Bonn\r\n", "Bonn", "U+000D", NONE),
    (BLANKS, " Bonn", "Bonn", "U+0020", NONE),
    (BLANKS, "\u3000東京", "東京", "U+3000", NONE),
    (DASHES, "18–25", "18-25", "U+2013", "U+002D"),
    (DASHES, "\u22125", "-5", "U+2212", "U+002D"),
    (DASHES, "a\u2011b", "a-b", "U+2011", "U+002D"),
    (QUOTES, "O’Brien", "O'Brien", "U+2019", "U+0027"),
    (QUOTES, "O´Brien", "O'Brien", "U+00B4", "U+0027"),
    (QUOTES, "„Adler“", '"Adler"', "U+201E", "U+0022"),
    (
        f"{ENTITIES} and {BLANKS}",
        "Fish&nbsp;Chips",
        "Fish Chips",
        "U+0026 U+006E U+0062 U+0073 U+0070 U+003B",
        "U+0020",
    ),
    (f"{MISREAD} and {QUOTES}", "Itâ€™s", "It's", "U+00E2 U+20AC U+2122", "U+0027"),
]
TEXTS = st.text(st.sampled_from("aA ä\u0308\u0301\xa0\u200b&;mp<-–'’\tÃ¼\u0083Â"), max_size=8)


@pytest.mark.parametrize(("way", "text", "plainly", "here", "there"), FORMS)
def test_texts_that_look_the_same_are_one_and_what_differs_is_told(
    way: str, text: str, plainly: str, here: str, there: str
) -> None:
    assert plain(text) == plain(plainly) == plainly
    assert ODD.search(text) or way == ACCENTS
    assert difference(text, plainly) == (way, here, there)
    assert difference(plainly, text) == (way, there, here)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Köln", "Koln"),
        ("a-b", "a b"),
        ("O'Brien", "OBrien"),
        ("Bonn", "bonn"),
        ("AT&T", "AT&amp T"),
        ("ae", "æ"),
        ("а", "a"),
    ],
)
def test_what_differs_in_more_than_looks_is_two(one: str, other: str) -> None:
    assert plain(one) != plain(other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bonn",
        "New York",
        "Köln",
        "東京",
        "AT&T",
        "R&D",
        "x & y",
        "Ãlvaro",
        "Â£ 5?",
        "5 % - 'a'",
    ],
)
def test_what_is_plain_stays(text: str) -> None:
    assert plain(text) == ("£ 5?" if text.startswith("Â") else text)


@given(TEXTS, TEXTS)
def test_any_two_texts_that_look_the_same_differ_somewhere(one: str, other: str) -> None:
    if one != other and plain(one) == plain(other):
        way, here, there = difference(one, other)
        assert here != there
        assert {*way.split(" and ")} <= {*WAYS}
        assert way


def test_what_is_not_plain_is_found_by_duckdb_too() -> None:
    """Of each sign by itself, within a text and at its ends: the pattern and the normal form mean
    the same there.
    """
    signs = [chr(code) for code in range(1, 0x3100) if code not in range(0xD800, 0xE000)] + [
        "\ufe0f",
        "\ufeff",
        "\uff0d",
        "각",
    ]
    texts = [text for sign in signs for text in (sign, f"a{sign}b", f"a {sign}")] + [
        text for _, text, *_ in FORMS if "\0" not in text
    ]
    with DuckDB() as engine:
        column = pa.table({"value": texts})
        relation, *_ = engine.attach(read_source(column, "the texts"), ["value"], "texts")
        found = {
            text for (text,) in engine.run(f"SELECT value FROM {relation} WHERE {engine.odd_texts}")
        }
    assert {text for text in texts if plain(text) != text} <= found
    assert {text for text in found if plain(text) == text} <= {
        text for text in texts if "&" in text
    }


def test_a_text_is_misread_where_all_beyond_ascii_is() -> None:
    assert is_misread("KÃ¶ln an der RuhrÃ¼")
    assert not is_misread("Bonn")
    assert not is_misread("Köln")
    assert not is_misread("KÃ¶ln, Zürich")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_in_toml_is_that_text(text: str) -> None:
    assert tomllib.loads(f"{toml_key(text)} = {toml_text(text)}") == {text: text}


def test_signs_that_look_like_others_are_escapes_in_toml() -> None:
    assert toml_text("Köln a\xa0b\u200b’o\u0308") == '"Köln a\\u00a0b\\u200b\\u2019o\\u0308"'
    assert toml_text("\U000e0041\n") == '"\U000e0041\\n"'


def test_a_name_that_looks_like_another_is_told_with_what_differs() -> None:
    decomposed = normalize("NFD", "größe")
    told = suggestion("größe", ["alter", decomposed])
    assert told == (
        f" (did you mean {decomposed!r}? It looks the same, but differs in {ACCENTS}: U+006F "
        "U+0308 for U+00F6)"
    )
    assert suggestion("größe", ["größen"]) == " (did you mean 'größen'?)"
    assert suggestion("größe", ["größen", "größen"]) == " (did you mean 'größen'?)"
    assert "U+00A0 for U+0020" in suggestion("net income", ["income", "net\xa0income"])

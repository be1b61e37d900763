"""Tables in ISO 8859-15, which has the euro where Windows-1252 has a sign for no currency."""

import pytest

from hmpb_core.sources.files import read_table
from hmpb_core.sources.files.encodings import encoding_before_unicode


@pytest.mark.parametrize("text", ["prix,5 €", "Preis;5€\nGröße;7 €", "sœur,œuvre,élève"])
def test_euros_beside_numbers_and_letters_within_words_tell_iso_8859_15(text):
    assert encoding_before_unicode(text.encode("iso8859-15")) == "iso8859-15"


@pytest.mark.parametrize(
    "text",
    [
        "1½ h,¼,¾ Tag,2 ½",
        "a¦b,Mu¨ller,franc¸ais,O´Neill,it´s",
        "x¤y,¤",
        "prix,5 €",
        "5 ¤ “quoted”",
        "Größe,élève",
    ],
)
def test_marks_as_windows_1252_really_has_them_are_no_euros(text):
    assert encoding_before_unicode(text.encode("cp1252")) != "iso8859-15"


def test_prices_in_iso_8859_15_are_read_with_their_euros():
    frame = read_table("name,price\nBäcker,5 €\nMüller,7 €\n".encode("iso8859-15"), name="t.csv")
    assert "¤" not in "".join(map(str, frame.to_numpy().ravel()))

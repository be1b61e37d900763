"""Guesses: what is a number, a code of a list, an identifier or free text."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from hmpb_core.sources.drafting import (
    draft_from_header,
    draft_from_rows,
)
from hmpb_core.sources.drafting.place_codes import code_digits
from tests.sources.drafts import guessed, written_again


def test_scores_with_gaps_are_numbers_and_codes_as_often_a_list():
    scores = [280 + 9 * i + i % 3 for i in range(30)]
    rises = [text for i, score in enumerate(scores) for text in [str(score)] * (1 + min(i, 29 - i))]
    entry, frame = guessed(*rises, name="mathk")
    assert (entry["bins"], entry["values"]) == ("learned", scores)
    assert set(written_again(entry, frame)) <= set(rises)
    jags = [text for i, score in enumerate(scores) for text in [str(score)] * (1 + 7 * i % 15)]
    assert guessed(*jags)[0]["categories"] == scores


def test_numbers_with_leading_zeros_are_codes():
    entry, _ = guessed(*(f"{i:05d}" for i in range(1000, 1040)))
    assert entry["categories"][0] == "01000"
    many, _ = guessed(*(f"{i:05d}" for i in range(1000, 2000)), times=1)
    assert (many["publish"], many["role"]) == (False, "identifier")


def test_a_few_numbers_with_zeros_that_stand_without_them_too_are_no_codes():
    months = [str(month) for month in range(13)] * 9
    entry, _ = guessed(*months, "09", "07")
    assert (entry["type"], entry["constraints"]["maximum"]) == ("integer", 12)
    assert "09" in guessed(*months[:9], *months[10:13], "09")[0]["categories"]  # not beside a 9


def test_a_number_larger_than_any_costs_no_column_its_other_numbers():
    pays = [str(100 * i) for i in range(1, 300)]
    entry, _ = guessed(*pays, "1.00E+53", "9" * 400)
    assert (entry["type"], entry["constraints"]["maximum"]) == ("integer", 30_000)
    assert "unknown" not in entry


def test_few_numbers_beyond_those_of_64_bits_are_a_list_without_a_warning():
    assert guessed("5.0", "1e+19", "2e+19", "9e+19", times=40)[0]["categories"] == [5, 1e19, 2e19, 9e19]


def test_fractions_that_lost_their_point_cost_the_others_no_decimals():
    degrees = [f"-8{i % 10}.{i:04d}" for i in range(100, 400)]
    entry, _ = guessed(*degrees, "-816722.0", times=1)
    assert (entry["decimals"], entry["constraints"]["minimum"]) == (4, -89.1)
    wide, _ = guessed(*degrees, *["-816722.0"] * 9, times=1)  # as many are no slips
    assert wide["constraints"]["minimum"] < -800_000


def test_rare_days_of_years_that_are_none_give_no_bounds_and_an_end_that_is_never_does():
    days = [f"{1 + i % 28:02d}.{1 + i % 12:02d}.2019" for i in range(100)]
    entry, _ = guessed(*days, "03.04.3019", times=2)
    assert entry["constraints"]["maximum"] == "31.12.2019"
    assert guessed(*days, *["31.12.9999"] * 9, times=1)[0]["constraints"]["maximum"] == "31.12.9999"
    assert guessed(*days, "03.04.2109", times=2)[0]["constraints"]["maximum"] == "31.12.2019"
    assert guessed(*days, *["31.12.2100"] * 9, times=1)[0]["constraints"]["maximum"] == "31.12.2100"
    assert guessed(*days, "03.04.2099", times=2)[0]["constraints"]["maximum"] == "31.12.2099"


def test_years_that_go_on_beyond_those_that_dates_have_are_years():
    days = [f"{2110 + i}-{1 + i % 12:02d}-11" for i in range(92)]  # to 2201: a hospital moved its dates
    assert guessed(*days, times=1)[0]["constraints"]["maximum"] == "2201-12-31"


def test_numbers_with_a_point_are_codes_where_zeros_make_them_of_one_length():
    groups = [f"{i // 4 + 1:02d}.{i % 4 + 1}" for i in range(50)]
    entry, _ = guessed(*groups, "14.", times=9)
    assert (entry["type"], entry["categories"][0], entry["categories"][-1]) == ("string", "01.1", "14.")
    measured = [f"{i % 97:02d}.{i % 10}" for i in range(400)]  # hardly two alike: a list says nothing
    assert guessed(*measured, times=1)[0]["type"] == "number"


@pytest.mark.parametrize(
    "numbers",
    [range(1, 101), np.random.default_rng(0).permutation(100) + 7, np.arange(100) ** 2 + 1015],
    ids=["counted", "shuffled", "growing"],
)
def test_numbers_of_rows_are_identifiers(numbers):
    entry, _ = guessed(*map(str, numbers), times=1)
    assert (entry["publish"], entry["role"]) == (False, "identifier")


@pytest.mark.parametrize(
    "made",
    [
        lambda i: hashlib.sha1(bytes(i), usedforsecurity=False).hexdigest().upper(),
        lambda i: hashlib.sha256(bytes(i)).hexdigest(),
        lambda i: f"f47ac10b-58cc-4372-a567-{i:012x}",
    ],
    ids=["SHA-1", "SHA-256", "UUID"],
)
def test_what_programs_make_of_somebodys_number_is_an_identifier_however_often_it_occurs(made):
    numbers = [made(i) for i in range(5)]
    entry, _ = guessed(*numbers, name="teacher", times=50)
    assert (entry["publish"], entry["role"]) == (False, "identifier")
    assert "categories" in guessed(*numbers, "none", name="teacher", times=50)[0]


def test_numbers_of_people_of_a_panel_are_identifiers_where_the_name_says_so():
    people = [str(i) for i in range(60) for _ in range(3)]
    frame = pd.DataFrame({"originalid": people, "paid": np.random.default_rng(0).permutation(people)})
    frame["subjid"] = [str(i // 2 % 50) for i in range(180)]
    frame["familyid"] = sorted(["7", "9", "12"] * 3 + [str(100 + i % 57) for i in range(171)])
    frame["Respondent"] = people
    frame["days"] = frame["respondents"] = people
    schema = draft_from_rows(frame)
    roles = [entry.get("role") for entry in schema["fields"]]
    assert roles == [*["identifier"] * 5, None, None]
    mixed = [str(i * i % 97) for i in range(180)]
    assert "role" not in draft_from_rows(pd.DataFrame({"paid": mixed}))["fields"][0]


def test_long_numbers_of_as_many_digits_that_differ_are_identifiers_and_not_all_are_there():
    numbers = np.random.default_rng(0).integers(10**8, 10**9, 200)
    entry, _ = guessed("", *map(str, numbers), times=1)
    assert (entry["publish"], entry["role"]) == (False, "identifier")


def test_a_few_misprints_make_no_amounts_of_the_numbers_of_persons():
    """Who infected whom, by number: the numbers of others left as amounts up to seven billion."""
    persons = [str(1_000_000_000 + 7_654_321 * (i % 400)) for i in range(900)]
    for slip in ("99999", "1500000050, 1500000055"):
        entry, _ = guessed(*persons, *[slip] * 9, times=1, name="infected_by")
        assert (entry["publish"], entry["type"]) == (False, "string")
    typed = pd.Series([float(text) for text in persons] + [None])
    assert draft_from_rows(pd.DataFrame({"infected_by": typed}))["fields"][0]["publish"] is False
    sold, _ = guessed(*persons, *["10300000000"] * 9, times=1, name="litres sold")
    assert sold["type"] == "integer"
    amounts, _ = guessed(*persons, *(str(10_000_000 * i) for i in range(1, 60)), times=1, name="price")
    assert amounts["type"] == "integer"


def test_many_letters_with_long_numbers_are_identifiers_though_each_comes_again():
    names = [f"{'ABK'[i % 3]}{i:06d}" for i in range(1200)]
    entry, _ = guessed(*names, times=6)
    assert (entry["publish"], entry["role"]) == (False, "identifier")
    assert len(guessed(*names[:900], times=6)[0]["categories"]) == 900
    assert len(guessed(*(f"A{i:04d}" for i in range(1200)), times=6)[0]["categories"]) == 1200


@pytest.mark.parametrize(
    "numbers",
    [
        np.random.default_rng(0).integers(10**7, 10**8, 200),
        np.random.default_rng(0).integers(10**8, 10**10, 200),
        np.random.default_rng(0).integers(10**8, 10**9, 100).repeat(2),
        1_467_331_200 + 977 * np.random.default_rng(0).permutation(200),
        1_467_331_200_000 + 977_123 * np.random.default_rng(0).permutation(200),
    ],
    ids=["eight digits", "nine and ten", "each twice", "seconds since 1970", "milliseconds"],
)
def test_other_long_numbers_are_numbers(numbers):
    entry, _ = guessed(*map(str, numbers), times=1)
    assert entry["type"] == "integer"


@pytest.mark.parametrize("numbers", [range(1930, 2010), np.random.default_rng(0).integers(0, 10**6, 100)])
def test_years_and_amounts_are_no_identifiers(numbers):
    entry, _ = guessed(*map(str, numbers), times=1)
    assert entry["type"] == "integer"


def test_numbers_of_a_list_are_no_identifiers_and_names_of_codes_no_free_text():
    names = [
        "MaritalStatusID",
        "dept_id",
        "GenderID",
        "RaceDesc",
        "admission_source_id",
        "EmpID",
        "patient_id",
        "desc",
    ]
    fields = draft_from_header(names)["fields"]
    assert [entry.get("publish", True) for entry in fields] == [True] * 5 + [False] * 3


def test_long_answers_to_choose_are_a_list_and_long_texts_of_one_row_are_not():
    long = "a sentence that somebody may choose as an answer to a question of a survey"
    assert guessed(f"Yes, {long}", f"No, {long}")[0]["categories"] == [f"No, {long}", f"Yes, {long}"]
    assert guessed(*(f"{i}, {long}" for i in range(60)), times=1)[0]["role"] == "text"


def test_a_long_list_whose_values_are_mostly_of_one_person_is_not_published():
    names = [f"town {i}" for i in range(150)] + ["city"] * 900
    assert guessed(*names, times=1)[0]["publish"] is False


def test_short_numbers_under_a_name_of_free_text_are_nobodys_own_words():
    rooms = pd.DataFrame(
        {"ConstName": [str(i % 12) for i in range(90)], "phone": [str(55501 + i % 12) for i in range(90)]}
    )
    entries = draft_from_rows(rooms)["fields"]
    assert [entry.get("publish", True) for entry in entries] == [True, False]
    few = draft_from_rows(pd.DataFrame({"name": [str(i % 30) for i in range(90)]}))["fields"][0]
    assert few["publish"] is False  # as 30 of three rows each may


def test_a_column_named_like_an_identifier_that_holds_two_words_is_a_list():
    assert guessed("covid", "flu", name="test_id", times=30)[0]["categories"] == ["covid", "flu"]
    assert guessed("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", name="surname")[0]["publish"] is False


def test_columns_of_mostly_distinct_values_are_not_published():
    frame = pd.DataFrame({"x": [f"k{i % 90}" for i in range(100)], "y": [f"v{i % 40}" for i in range(100)]})
    published = [entry.get("publish") is not False for entry in draft_from_rows(frame)["fields"]]
    assert published == [False, True]


def test_a_column_of_which_many_values_cannot_be_read_is_not_published():
    entry, _ = guessed(*(f"{i}.5" for i in range(600)), *(f"siehe {i}" for i in range(20)), times=1)
    assert entry["publish"] is False


@pytest.mark.parametrize("name", ["zip", "Zip Code", "postcode", "wohnort_plz"])
def test_postcodes_are_a_list_and_no_numbers_between_which_others_are_made_up(name):
    codes = [str(code) for code in range(98001, 98140, 2)]
    entry, _ = guessed(*codes, name=name, times=20)
    assert (entry["type"], entry["categories"]) == ("string", codes)
    number, _ = guessed(*codes, name="price", times=20)
    assert number["bins"] == "learned"
    asked, _ = guessed(*(str(i % 9) for i in range(90)), name=name, times=20)  # region 1 to 9 is a number
    assert asked["type"] == "integer"


def test_rare_postcodes_fold_into_their_first_digit_and_mostly_different_ones_are_not_published():
    often, rare = (
        [str(code) for code in range(10_115, 10_145)] * 20,
        list(map(str, range(20_095, 60_095, 150))),
    )
    entry, frame = guessed(*often, *rare, "K1A 0B1", "D-123", name="plz", times=1)
    groups = [{"value": digit, "prefixes": [digit]} for digit in "2345"]
    assert entry["categories"] == [*sorted(set(often)), *groups, "(other)"]
    assert entry["unknown"] == "(other)"
    assert set(written_again(entry, frame)) == {*often, *"2345", "(other)"}
    differ, _ = guessed(*map(str, range(20_095, 60_095, 50)), name="plz", times=1)
    assert differ["publish"] is False


@pytest.mark.parametrize("ends", ["-1234", " 22", "-322"])
def test_postcodes_in_two_parts_are_codes_too_and_fold_into_their_first_digit(ends):
    often = [f"{code}{ends}" for code in range(10_115, 10_145)]
    entry, _ = guessed(
        *often * 20, *(f"{code}{ends}" for code in range(20_095, 60_095, 150)), name="Zip", times=1
    )
    assert entry["categories"] == [*often, *({"value": digit, "prefixes": [digit]} for digit in "2345")]
    named, _ = guessed(
        *often, *(f"{code}{ends}" for code in range(20_095, 60_095, 150)), name="room", times=1
    )
    assert named["publish"] is False


CODES_OF_PLACES = (
    "SITEID siteno clinic_no centre study_center ward_code Station district STOP_LOCATION_PRECINCT beat "
    "location "
    "census_tract fips county_fips area_code unit_code dept_code school_no schoolid SUPERVISING_COMMAND_CODE "
    "ADDR_PCT_CD start_station_code Standort Zentrumsnummer Gemeindekennziffer Kreisschlüssel Klinik-Nr "
    "code_departement code_insee cod_municipio codigo_de_distrito codice_comune kommunenr 中心编号 医院代码 "
    "סמל_ישוב 都道府県コード Kod_powiatu il_kodu Код_региона Településkód Mã_trường "
    "Κωδικός_Δήμου رمز_المحافظة "
    "dist_code state_fp TRACT_CE COUNTYFP10 CO_MUN_NOT CODMUNRES codigo_municipio_residencia "
    "id_municipio id_provincia"
)
AMOUNTS_OF_PLACES = (
    "school age_code score number_of_units unit_price code_lines distance area_m2 station_distance area unit "
    "hospital office units distance_station pct_no n_district num_centers population_district cases_by_ward "
    "store_size minutes_in_zone Anzahl_Standorte estate website overcenter broadbeat heartbeat income_region "
    "dist_center average_tract barcode grade_level shop country_code wards precincts statement time_zone"
)

CODES_OF_CLASSES = (
    "occupation_code OFFENSE_CODE crime_cd Berufsschluessel codigo_ocupacion cd_profissao code_pays"
)
NO_CODES_OF_CLASSES = "occupation crime_no numero_delito n_offense_code crimes_by_code job_number"


def test_the_names_of_codes_of_places_are_told_from_those_of_amounts():
    assert [name for name in CODES_OF_PLACES.split() if code_digits(name) != 1] == []
    assert [name for name in CODES_OF_CLASSES.split() if code_digits(name) != 1] == []
    assert [name for name in NO_CODES_OF_CLASSES.split() if code_digits(name) != 0] == []
    assert [name for name in AMOUNTS_OF_PLACES.split() if code_digits(name) != 0] == []


@pytest.mark.parametrize("name", ["STOP_LOCATION_PRECINCT", "command_code", "SITEID", "Berufsschluessel"])
def test_codes_of_places_are_a_list_and_no_numbers_between_which_others_are_made_up(name):
    codes = [str(n + 30 * (n // 20)) for n in range(1, 300)]
    entry, frame = guessed(*codes, name=name, times=20)
    assert (entry["type"], entry["categories"]) == ("string", codes)
    assert set(written_again(entry, frame)) == set(codes)
    assert guessed(*codes, name="price", times=20)[0]["bins"] == "learned"
    measured, _ = guessed(*(f"{i / 7:.2f}" for i in range(90)), name=name, times=20)
    assert measured["type"] == "number"


def test_rare_codes_of_places_fold_into_one_category():
    often, rare = [str(code) for code in range(101, 131)] * 20, list(map(str, range(1005, 4005, 10)))
    entry, frame = guessed(*often, *rare, name="ward_code", times=1)
    assert entry["categories"] == [*sorted(set(often)), "(other)"]
    assert entry["unknown"] == "(other)"
    assert set(written_again(entry, frame)) == {*often, "(other)"}


def test_how_far_away_places_are_is_a_number_under_their_bare_word():
    """Of 3,151 flats the next store was 0 to 36,100 metres away, and (other) took 43 % of the rows."""
    metres = [str(round(float(m))) for m in np.random.default_rng(1).lognormal(5.6, 1, 3000)]
    assert guessed(*metres, name="store", times=1)[0]["bins"] == "learned"
    assert guessed(*metres, name="store_code", times=1)[0]["unknown"] == "(other)"
    assert guessed(*map(str, range(1, 300)), name="store", times=9)[0]["type"] == "string"
    alone = [str(500_000 + 13 * i) for i in range(1000)]
    assert guessed(*alone, name="municipality", times=1)[0]["publish"] is False


@pytest.mark.parametrize("name", ["OKRES", "okręg", "ilçe", "район", "מחוז", "จังหวัด"])
def test_whole_numbers_under_a_word_of_places_are_codes_in_other_languages(name):
    codes = [str(n + 30 * (n // 20)) for n in range(1, 90)]
    assert guessed(*codes, name=name, times=20)[0]["categories"] == codes


def test_numbers_of_tickets_are_no_numbers_because_a_few_have_letters():
    entry, _ = guessed(*(str(10_000 + 7 * i) for i in range(600)), "A5 2117", "PC 17", "C 4", "X-1", times=1)
    assert entry["publish"] is False


@pytest.mark.parametrize("name", ["address", "mail", "IP", "comment"])
def test_measured_numbers_under_a_name_of_free_text_are_numbers(name):
    entry, _ = guessed(*(str(i / 100) for i in range(90)), "0", name=name)
    assert (entry["type"], entry["bins"]) == ("number", "learned")
    whole, _ = guessed(*(str(10_000 + 7 * i) for i in range(600)), name=name, times=1)
    assert whole["publish"] is False


def lone(name, *values, rows=2000):
    """What is guessed of a column that holds these values and nothing, or one text, else."""
    texts = pd.Series([*values, *[""] * (rows - len(values))])
    return draft_from_rows(pd.DataFrame({name: texts}))["fields"][0]


def test_short_lists_of_names_and_of_long_numbers_that_mostly_occur_once_are_not_published():
    names = ["Ana Souza", "Bruna Lima", "Carla Dias", *["#NULO#"] * 900]
    assert lone("x", *names)["role"] == "text"
    numbers = [str(10_053_878_488 + 217_406_735 * i) for i in range(19)]
    assert lone("x", *numbers, *numbers[:4])["role"] == "identifier"
    assert lone("x", *numbers[:7])["role"] == "identifier"


def test_a_short_list_with_a_rare_category_and_one_of_short_codes_stay_lists():
    assert len(lone("x", *["single", "married", "widowed"] * 90, "divorced")["categories"]) == 4
    assert len(lone("x", *["F"] * 90, "M", "O", "U", rows=93)["categories"]) == 4
    assert len(lone("x", "north", "south", rows=2)["categories"]) == 2


def test_numbers_that_were_given_out_are_identifiers_and_measured_ones_are_not():
    rng = np.random.default_rng(0)
    given = rng.choice(np.arange(86, 130_000), 3000, replace=False)
    given[:30] += 9_000_000  # a few of another series
    assert guessed(*map(str, given), times=1)[0]["role"] == "identifier"
    assert guessed(*map(str, given), "", *map(str, given[:2]), times=1)[0]["role"] == "identifier"
    zeros = [f"{number:06d}" if i < 20 else str(number) for i, number in enumerate(given)]
    assert guessed(*zeros, times=1)[0]["role"] == "identifier"
    for measured in (
        rng.integers(86, 130_000, 3000),
        rng.lognormal(10, 1, 3000).astype(int),
        rng.integers(10**7, 10**8, 3000),
        1_467_331_200 + 2 * rng.permutation(3000),
        rng.permutation(np.arange(1600, 2020, 2)),
    ):
        assert guessed(*map(str, measured), times=1)[0]["type"] == "integer"
    days = pd.date_range("2015-01-01", "2020-12-31").strftime("%Y%m%d")
    assert guessed(*rng.permutation(days), times=1)[0]["type"] == "date"


def test_whole_numbers_of_ten_digits_are_codes_and_no_amounts():
    codes = [str(130_000_050_025 + 37 * i) for i in range(32)]
    assert guessed(*codes)[0]["categories"] == codes
    accidents = [str(201_800_000_000 + i // 3) for i in range(3000)]
    assert guessed(*accidents, times=1)[0]["role"] == "identifier"


def test_codes_with_gaps_of_which_each_is_frequent_are_a_list_though_they_are_many():
    parties = [10, 11, 12, 13, 14, 15, 17, 18, 20, 22, 23, 25, 27, 28, 29, 31, 33, 35, 36, 40, 43, 44, 45]
    parties += [50, 51, 54, 55, 65, 70, 77, 90]
    assert guessed(*map(str, parties))[0]["categories"] == parties
    assert guessed(*map(str, parties), times=4)[0]["bins"] == "learned"
    assert guessed(*map(str, [*range(20), 25, 30, 35, 40, 45, 50, 60]))[0]["bins"] == "learned"
    assert guessed(*map(str, range(0, 900, 25)))[0]["bins"] == "learned"
    assert guessed(*map(str, parties[:-2]), "99")[0]["categories"][-1] == 99


def test_nines_far_below_zero_are_a_missing_code_in_a_single_row():
    """An age at a scan had bounds from -10000 on, for one child of 101."""
    ages = [str(i / 10) for i in range(60, 180)] * 2
    assert set(guessed(*ages, "-9999", times=1)[0]["missingValues"]) == {"-9999", ""}
    assert "missingValues" not in guessed(*ages, "-99", times=1)[0]
    debts = [str(10 * i) for i in range(1, 200)] * 3
    assert "missingValues" not in guessed(*debts, "-9999", times=1)[0], "five times as large as a debt"
    assert "missingValues" in guessed(*debts, "-9999", "-9999", "-9999", "-9999", "-9999", times=1)[0]


def test_many_nines_far_above_amounts_are_a_missing_code():
    debts = [str(10 * i) for i in range(100)]
    assert guessed(*debts, "99999999", "99999998")[0]["missingValues"] == ["99999998", "99999999", ""]
    assert guessed(*debts, "99", "999999")[0]["missingValues"] == ["999999", ""]  # 99 is one of the amounts
    assert "missingValues" not in guessed(*debts, "99999")[0]  # the most that a form takes
    assert "missingValues" not in guessed(*debts, "300000", "999999")[0]


def test_numbers_beside_codes_with_letters_are_codes_and_none_of_these_a_missing_one():
    """ICD-9: 428 and 250.01, V57 for what is no disease, E888 for what came from outside."""
    rows = {str(number): 400 for number in range(390, 460)} | {"250.01": 300, "?": 9}
    few, _ = guessed(*(text for text, n in (rows | {"V57": 200}).items() for _ in range(n)), times=1)
    assert few.get("missingValues", [""]) == ["?", ""]
    letters = dict.fromkeys(("V57", "V58", "E812", "E888"), 60)
    codes, _ = guessed(*(text for text, n in (rows | letters).items() for _ in range(n)), times=1)
    assert {"428", "250.01", *letters} <= set(codes["categories"])


def test_numbers_of_few_rows_are_identifiers_under_a_name_of_somebody():
    subjects = [str(i) for i in range(1, 35)]
    assert guessed(*subjects, name="Subject", times=1)[0]["role"] == "identifier"
    assert "bins" in guessed(*subjects, name="dose", times=1)[0]
    assert "bins" in guessed(*subjects, "40", name="Subject", times=2)[0]

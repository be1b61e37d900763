"""Codes of places, units and classes: told by the column's name, since they are numbers like any others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from string import digits
from typing import Any

from hmpb_core.sources.drafting.signs import MANY_VALUES, MOSTLY_DISTINCT, OFTEN, is_listed
from hmpb_core.sources.drafting.vocabularies import plain_name, vocabulary_for

OTHER = "(other)"
_OF_PLACES = re.compile(
    r"(.*_)?(plz|postleitzahl(en)?|zip(_?codes?|5)?|postal(_?codes?)?|post_?codes?|codes?_postal|codigo_postal|"
    r"codice_postale|cod_postal|kod_pocztowy|postnr|postnummer|psc|pin_?codes?|posta_kodu|postinumero|"
    r"iranyitoszam|irsz|邮编|邮政编码|郵便番号)|cp|cep"
)
"""Italian cap is as often a capacity."""
_SPELLED = frozenset(map(plain_name, ("почтовый индекс", "우편번호")))
"""Names with letters that a plain name takes apart."""
_POSTCODE_DIGITS = 3
"""Digits of the shortest postcode: 0, 12 and 0.17 are shares or counts of places."""
_PLACES = (
    # English
    "site cent(?:er|re) clinic ward district precinct beat tract county borough municipality province region "
    "zone sector station facility store branch department dept division constituency parish state "
    "community_area location "
    # German
    "standort zentrum klinik bezirk kreis landkreis gemeinde revier wahlkreis wahlbezirk stadtteil ortsteil "
    "filiale abteilung dienststelle stadtbezirk "
    # Dutch, French, Spanish, Italian, Portuguese
    "gemeente provincie wijk buurt vestiging filiaal afdeling departement commune arrondissement canton "
    "centro distrito municipio provincia zona sucursal estacion comarca departamento "
    "delegacion sede distretto comune regione reparto stazione filial regiao estacao freguesia "
    # Danish, Norwegian, Swedish
    "kommune fylke kommun distrikt bydel avdeling avdelning"
)
"""Words that mean a code where whole numbers stand under them."""
_UNITS = (
    "area unit hospital school command agency office org organi[sz]ation institution provider "
    "practice shop block prov mun muni dist krankenhaus bezirks zentrums standorts ziekenhuis centrum "
    "city town village hopital agence unidad unidade unite unita ospedale sykehus sjukhus insee istat ibge "
    "dep"
)
"""Words that mean one only with a word for a code beside them: a school may be years of it."""
_CLASSES = (
    "occupation industry offen[cs]e crime charge diagnosis procedure nationality country "
    "berufs? branchen? delikts? staats? laender diagnose profession infraction diagnostic pays "
    "ocupacion profesion delito ocupacao profissao diagnostico pais professione reato beroeps? land"
)
"""Words that mean one only with a word for a code that is no number of somebody: a job number may be."""
_CODES = "code|kode|kod|cd|schlussel|schluessel|kennziffer|kennzahl"
_CODED = "code|kode|kod|cd|no|nr|num|nro|number|nummer|id|schlussel|schluessel|kennziffer|kennzahl"
_CODE_OF = "(codigo|code|cod|co|cd|codice|numero)_(de_la_|de_l_|de_|du_|d_|del_|della_|di_|do_|da_)?"
_PLACE, _UNIT, _CLASS = ("|".join(ws.split()) for ws in (_PLACES, f"{_PLACES} {_UNITS}", _CLASSES))
_IN_CHINESE = "(站点|中心|医院|科室|区县|街道|地区|行政区划|网点|机构)_?(编号|代码|编码|号)"
_OTHER_CODES = "kod kodu kodja コード 코드 код κωδικός رمز كود קוד סמל รหัส mã कोड"
_OTHER_PLACES = (
    # Polish, Czech, Hungarian
    "gminy powiatu województwa szkoły obce okresu kraje školy település megye kistérség járás intézmény ksh "
    # Turkish, Vietnamese
    "il ilçe mahalle okul tỉnh huyện xã quận phường trường "
    # Japanese
    "市区町村 市町村 都道府県 団体 地方公共団体 全国地方公共団体 自治体 地域 地区 学校 施設 病院 医療機関 "
    "店舗 支店 部署 "
    # Korean, Russian
    "시군구 시도 행정구역 지역 기관 학교 병원 региона района города области субъекта муниципалитета школы "
    "больницы участка "
    # Greek, Arabic
    "δήμου περιφέρειας νομού περιοχής σχολείου νοσοκομείου المحافظة المنطقة المدينة الحي المدرسة المستشفى "
    # Hebrew, Thai, Hindi
    "ישוב יישוב עיר מחוז נפה אזור רשות ועדה סניף מוסד תחנה จังหวัด อำเภอ เขต ตำบล หน่วยงาน โรงพยาบาล โรงเรียน "
    "สาขา जिला राज्य"
)
_OTHER_BARE = (
    # Polish, Czech, Hungarian, Turkish, Vietnamese
    "powiat gmina województwo dzielnica obwód okręg okres kraj obec okrsek obvod okrug megye járás kistérség "
    "ilçe mahalle tỉnh huyện quận phường "
    # Japanese, Korean
    "都道府県 市区町村 市町村 시군구 시도 행정구역 "
    # Russian, Greek, Arabic, Hebrew, Thai, Hindi
    "район регион область муниципалитет участок уик δήμος νομός περιφέρεια المحافظة المنطقة "
    "ישוב יישוב מחוז נפה קלפי จังหวัด อำเภอ ตำบล เขต जिला राज्य"
)
_CODE_ELSEWHERE, _PLACE_ELSEWHERE, _BARE_ELSEWHERE = (
    "|".join(map(plain_name, words.split())) for words in (_OTHER_CODES, _OTHER_PLACES, _OTHER_BARE)
)
"""The same of further languages, where the word for a code stands before the place or behind it, and words
under which whole numbers are codes by themselves."""
_OF_WHAT = (
    "(_(de_|of_)?(not|notificacao|res|resi|residence|residencia|nasc|nascimento|nacimiento|naissance|birth|ocor|"
    "ocorrencia|inte|internacao))?"
)
"""Of which of several places a code is: of the home, of birth, of the hospital."""
ID_OF_A_PLACE = re.compile(rf"id_(de_|do_|da_|del_|du_|della_)?({_PLACE}|municip|regiona|pais|pays|country)")
"""The code of a place as databases of Romance languages name it, and no number of a person."""
_KINDS = (
    "sex gender status marital race ethnicity religion language country state region province district "
    "department dept division position job occupation role grade level class category type group kind reason "
    "score rating rank degree education branch sector industry year season month week date team club league "
    "lg franch park venue stadium site centre center clinic ward station precinct facility "
    "disposition source method court"
)
KINDS = f"({'|'.join(_KINDS.split())})"
"""Words for what a register keeps a list of."""
ID_OF_A_KIND = re.compile(rf"(.*_)?{KINDS}_id")
"""The numbers of a list, such as the departments' in a database: no identifiers of people."""
_OF_UNITS = re.compile(
    rf"(.*_)?(({_PLACE})|({_UNIT})_?({_CODED})|({_CLASS})_?({_CODES})|{_CODE_OF}({_UNIT}){_OF_WHAT}|(?!co_|numero_){_CODE_OF}({_CLASS})|fips|state_?fips|county_?fips|fips_?code|"
    r"(state|county)_?fp(_?[12]\d)?|tract_?ce(_?[12]\d)?|cod_?mun[a-z]*|puma|cbsa|ags|gkz|pct_cd|"
    r"ubigeo|divipola?|cve_(ent|mun|loc)[a-z]*|(code_?)?insee|(cod(ice)?_?)?istat|(cod(igo)?_?)?ibge|teryt|siruta|"
    r"koatuu|katottg|oktmo|okato)"
    rf"|.*{_IN_CHINESE}|(.*_)?({_CODE_ELSEWHERE})_?({_PLACE_ELSEWHERE})(_.*)?"
    rf"|(.*_)?({_PLACE_ELSEWHERE})_?({_CODE_ELSEWHERE})|{_BARE_ELSEWHERE}"
)
_MEASURED = re.compile(
    "(.*_)?(n|nb|num|number|no_of|in|count|total|sum|share|percent|percentage|rate|ratio|mean|avg|average|median|"
    r"min|max|std|sd|pop|population|income|distance|dist(?!_?(code|cd|no|nr|id|num)$)|size|price|cost|value|"
    "revenue|sales|years?|months|days|hours|minutes|time|duration|length|height|width|cases|deaths|visits|calls|"
    "trips|patients|users|students|households|votes|crimes|age|score|index|density|capacity|per|by|"
    "anzahl|zahl|summe|mittel|anteil|preis|entfernung|einwohner|nombre|taux|moyenne|cantidad|tasa|promedio|"
    "tasso|taxa|media|antal|andel|aantal)_.+"
)
"""What is counted or measured of places: ``n_district``, ``distance_station``, ``cases_by_ward``."""


def is_of_postcodes(name: str) -> bool:
    """Whether a column holds postcodes by its name: 59369 is no number there, as 01067 is none.

    Example:
        >>> [is_of_postcodes(name) for name in ("PLZ", "Zip Code", "wohnort_plz", "zipper", "capacity")]
        [True, True, True, False, False]
        >>> [is_of_postcodes(name) for name in ("Pin Code", "Почтовый индекс", "郵便番号", "pin")]
        [True, True, True, False]
    """
    plain = plain_name(name)
    return plain in _SPELLED or _OF_PLACES.fullmatch(plain) is not None


def code_digits(name: str) -> int:
    """How many digits a whole number has at least that is a code by the column's name; 0 where none is one.

    Precinct 77 is as little a number as postcode 59369: between two of them there may be none.

    Example:
        >>> [code_digits(name) for name in ("plz", "ward_code", "SITEID", "stop_precinct", "unit_price")]
        [3, 1, 1, 1, 0]
        >>> [code_digits(name) for name in ("Berufsschluessel", "OFFENSE_CODE", "occupation", "crime_no")]
        [1, 1, 0, 0]
        >>> [code_digits(name) for name in ("discharge_disposition_id", "patient_id", "delegacion")]
        [1, 0, 1]
        >>> [code_digits(name) for name in ("סמל ישוב", "市区町村コード", "Kod powiatu", "il kodu", "mã")]
        [1, 1, 1, 1, 0]
        >>> [code_digits(name) for name in ("OKRES", "okręg", "市町村", "liczba gmin")]
        [1, 1, 1, 0]
    """
    if is_of_postcodes(name):
        return _POSTCODE_DIGITS
    plain = plain_name(name)
    coded = any(codes.fullmatch(plain) for codes in (_OF_UNITS, ID_OF_A_PLACE, ID_OF_A_KIND))
    return 1 if coded and not _MEASURED.fullmatch(plain) and vocabulary_for(name) is None else 0


def is_code(text: str, digits: int) -> bool:
    """Whether a text is a whole number of so many digits or more; also with the .0 of a program.

    Args:
        text: A value.
        digits: What ``code_digits`` says of its column; with 0 nothing is a code.
    """
    whole = _WHOLE.fullmatch(text) if digits else None
    return whole is not None and len(whole[1]) >= digits


_WHOLE = re.compile(r"(\d+)(?:\.0*)?", re.ASCII)


def are_place_codes(name: str, counts: Counter[str]) -> bool:
    """Whether most rows of a column hold whole numbers that are codes by its name, or postcodes in two parts.

    Args:
        name: The column's name.
        counts: Rows of each value that is not missing.
    """
    digits = code_digits(name)
    if _BARE.fullmatch(plain_name(name)) and _are_measured(counts):
        return False
    parted = _PARTED_POSTCODE if is_of_postcodes(name) else None
    coded = (
        rows for text, rows in counts.items() if is_code(text, digits) or (parted and parted.fullmatch(text))
    )
    return 2 * sum(coded) > counts.total()


def _are_measured(counts: Counter[str]) -> bool:
    """Whether too many rows have a number of few others: a ``store`` may be as many metres away.

    Where most have one of their own, a row is a place.
    """
    rare = sum(rows for rows in counts.values() if rows < OFTEN)
    some = MANY_VALUES < len(counts) <= MOSTLY_DISTINCT * counts.total()
    return some and rare > _RARE * counts.total()


_BARE, _RARE = re.compile(rf"{_PLACE}|{_BARE_ELSEWHERE}"), 0.25
_PARTED_POSTCODE = re.compile(r"\d{2,5}[- ]\d{2,4}", re.ASCII)
"""11201-8301, 00-950, 4000-322 and 111 22, of the United States, Poland, Portugal and Sweden."""


def place_code_fields(
    name: str, counts: Counter[str], table_rows: int, constraints: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give the lists that such codes may be, the longest first: a number between two of them is no place.

    Where they are too many for a list, those of fewer than five rows fold, postcodes into their first digit;
    where more than half of the values differ there is none, as after a survey.

    Args:
        name: The column's name.
        counts: Rows of each value that is not missing.
        table_rows: Rows of the table, those without a value included.
        constraints: Constraints of the field.
    """
    extra = {"constraints": dict(constraints)} if constraints else {}
    firsts = digits if is_of_postcodes(name) else ""
    texts = sorted(counts) if firsts else sorted(counts, key=_by_size)
    if is_listed(counts, table_rows):
        return [_listed(texts, [], firsts) | extra]
    if len(counts) > MOSTLY_DISTINCT * counts.total():
        return []
    often = [text for text in texts if counts[text] >= OFTEN]
    kept = (often, []) if firsts else (often,)
    return [_listed(some, sorted(set(counts).difference(some)), firsts) | extra for some in kept]


def _by_size(text: str) -> tuple[int, float, str]:
    """Sort 2 before 10, and words after numbers."""
    return (0, float(text), text) if _WHOLE.fullmatch(text) else (1, 0.0, text)


def _listed(kept: list[str], folded: list[str], firsts: str) -> dict[str, Any]:
    """The list of some codes, and of those first digits of the others into which they fold."""
    groups = [digit for digit in firsts if digit not in kept and any(text[:1] == digit for text in folded)]
    others = any(text[:1] not in [*firsts] for text in folded)
    return {
        "type": "string",
        "categories": [
            *kept,
            *({"value": digit, "prefixes": [digit]} for digit in groups),
            *([OTHER] if others else []),
        ],
        "categoriesOrdered": False,
        **({"unknown": OTHER} if others else {}),
    }

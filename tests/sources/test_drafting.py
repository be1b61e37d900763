"""Drafts of a codebook: labels and vocabularies without a look, and guesses that fit their table."""

import re

import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.provenance import Origin
from hmpb_core.publishing.origins import source_words
from hmpb_core.sources.drafting import (
    VOCABULARIES,
    draft_from_header,
    draft_from_rows,
    fields_of_labels,
    vocabulary_for,
    vocabulary_name,
)
from hmpb_core.sources.drafting.never_published import is_identified_by, role_by_name
from hmpb_core.sources.files import VariableLabels, read_file, read_header
from tests.sources.drafts import field, fits, origin

GERMAN_EXCEL = (
    "Patienten-ID;Geschlecht;Alter;Größe;aufgenommen;Hauptdiagnose_ICD;Notiz;Raucher\r\n"
    + "".join(
        f"{1000 + i};{'wm'[i % 2]};{20 + i % 60};{1 + i % 70 / 100:.2f};{1 + i % 28:02d}.08.1996;"
        f"{('I21.9', 'E11.9', 'J18.0')[i % 3]};Müller sagt Nr. {i};{('ja', 'nein')[i % 2]}\r\n".replace(
            f"{1 + i % 70 / 100:.2f}", f"{1 + i % 70 / 100:.2f}".replace(".", ",")
        )
        for i in range(300)
    )
).encode("latin-1")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Country", "country"),
        ("Staatsangehörigkeit", "country"),
        ("nationalité", "country"),
        ("birthMonth", "month"),
        ("deathMonth", "month"),
        ("Sterbemonat", "month"),
        ("month of admission", "month"),
        ("visits_per_month", None),
        ("hours_month", None),
        ("income_month", None),
        ("arrival_month", "month"),
        ("year_month", None),
        ("arrival_date_day_of_month", "day of the month"),
        ("Tag im Monat", "day of the month"),
        ("arrival_date_week_number", "week of the year"),
        ("weeks_worked", None),
        ("Wochentag", "weekday"),
        ("GESCHLECHT", "sex"),
        ("Year_Birth", "year of birth"),
        ("birthYear", "year of birth"),
        ("is_member", "yes or no"),
        ("isco-08", "occupation"),
        ("NACE Rev. 2", "industry"),
        ("icd10", "diagnosis"),
        ("Alter", "age"),
        ("share_pct", "percentage"),
        ("isced", "education"),
        ("q7_likert", "agreement"),
        ("language", "language"),
        ("education", None),
        ("message", None),
        ("percentile", None),
        ("", None),
    ],
)
def test_a_vocabulary_is_offered_by_the_columns_name_alone(name, key):
    found = vocabulary_for(name)
    assert (found.key if found else None) == key


@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda v: v.key)
def test_every_vocabulary_is_a_usable_field_that_names_its_source(vocabulary):
    codebook = Codebook.from_dict({"fields": [vocabulary.field_for("x")]})
    assert Codebook.from_json(codebook.to_json()) == codebook
    assert codebook.sources["x"].origin is Origin.VOCABULARY
    assert codebook.sources["x"].name == vocabulary.source
    assert codebook.undeclared == frozenset()
    assert re.search("[\u4e00-\u9fff]", vocabulary_name(vocabulary.source, "zh"))
    assert vocabulary_name(vocabulary.source, "en") == vocabulary.source


@pytest.mark.parametrize(
    ("name", "values", "categories"),
    [
        ("country", ["DE", "DEU", "US"], ["DE", "DE", "US"]),
        ("sex", ["w", "M", "2", "female"], ["female", "male", "female", "female"]),
        ("month", ["01", "März", "Dec", 12.0], ["1", "3", "12", "12"]),
        ("weekday", ["Montag", "Sun", "3"], ["1", "7", "3"]),
        ("icd10", ["D48.9", "D50.0", "T98", "Z99"], ["C00-D48", "D50-D89", "S00-T98", "Z00-Z99"]),
        ("isco", ["1120", "0310", 5], ["1", "0", "5"]),
        ("nace", ["01.11", "33", "C", "C10"], ["A", "C", "C", "C"]),
        ("is_new", ["ja", "N", True], ["true", "false", "true"]),
    ],
)
def test_a_vocabulary_takes_the_usual_ways_to_write_its_values(name, values, categories):
    codebook = Codebook.from_dict(draft_from_header([name]))
    codes = encode(pd.DataFrame({name: values}), codebook)[:, 0]
    assert [codebook.domain.attributes[0].labels[code] for code in codes] == categories


def test_the_standards_lists_are_whole():
    sizes = {v.key: len(v.field.get("categories", ())) for v in VOCABULARIES}
    # ISO 3166-1: 249 countries. ISO 639-1: 183. ICD-10: 22 chapters. ISIC Rev. 4: 21 sections.
    assert sizes["country"] == 249
    assert sizes["language"] == 183
    assert sizes["diagnosis"] == 22
    assert sizes["industry"] == 21
    assert sizes["occupation"] == 10
    assert sizes["education"] == 9
    prefixes = [
        p
        for c in next(v for v in VOCABULARIES if v.key == "diagnosis").field["categories"]
        for p in c["prefixes"]
    ]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for letter in letters:
        for tens in "0123456789":
            assert sum(f"{letter}{tens}".startswith(p) for p in prefixes) == (
                0 if letter == "D" and tens == "9" else 1
            )


# Without a look


def test_a_draft_without_a_look_depends_on_the_header_alone():
    one = read_header(b"sex;age;town\nf;30;K\n", name="t.csv")
    other = read_header(b"sex;age;town\n", name="t.csv")
    assert draft_from_header(one.names) == draft_from_header(other.names)


def test_a_first_column_without_a_name_holds_row_numbers_and_is_not_published(tmp_path):
    file = tmp_path / "r.csv"
    for header, published in (('"","age","x"', [False, True, True]), ('"","","x"', [True, True, True])):
        file.write_text(header + "\n" + "".join(f"{i},{i % 90},a\n" for i in range(30)), encoding="utf-8")
        table = read_header(str(file))
        draft = draft_from_header(table.names, None, table.reading.unnamed)
        assert [entry.get("publish", True) for entry in draft["fields"]] == published
    headless = draft_from_header(["column 1", "column 2"], None, ["column 1", "column 2"])
    assert all(entry.get("publish", True) for entry in headless["fields"])
    given = {"column 1": {"type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "declared": True}}
    (entry, _) = draft_from_header(["column 1", "x"], given, ["column 1"])["fields"]
    assert entry["constraints"] == {"minimum": 0, "maximum": 9}


def test_ids_and_free_text_are_not_published_by_their_names():
    names = ["id", "Patienten-ID", "uuid", "Nachname", "e-mail", "Bemerkungen", "idea", "notebook", "named"]
    roles = {e["name"]: e.get("role") for e in draft_from_header(names)["fields"]}
    assert roles == {
        "id": "identifier",
        "Patienten-ID": "identifier",
        "uuid": "identifier",
        "Nachname": "text",
        "e-mail": "text",
        "Bemerkungen": "text",
        "idea": None,
        "notebook": None,
        "named": None,
    }


def test_labels_of_a_file_are_declared_and_go_before_vocabularies():
    labels = [
        VariableLabels(
            name="sex", title="Sex", values=((1, "m"), (2, "f"), (9, "?")), missing=(9,), measure="nominal"
        ),
        VariableLabels(name="grade", values=((1, "good"), (2, "bad")), measure="ordinal"),
        VariableLabels(name="income", title="Income", values=((0, "none"),), measure="scale"),
    ]
    fields = fields_of_labels(labels, "t.sav")
    schema = draft_from_header(["sex", "grade", "income", "age"], fields)
    codebook = Codebook.from_dict(
        {**schema, "fields": [e for e in schema["fields"] if e["name"] != "income"]}
    )
    assert source_words(codebook.sources["sex"]) == "came with the file 't.sav'"
    assert codebook.domain.attributes[0].categories == (1, 2)
    assert codebook.domain.attributes[1].ordered
    assert codebook.missing_of("sex") == {"", "9"}
    assert codebook.titles == {"sex": "Sex"}
    assert origin(field(schema, "age")) is Origin.VOCABULARY
    assert field(schema, "income")["title"] == "Income"
    assert field(schema, "income")["declared"] is False


# The file that Excel in German saves


def test_excel_in_german_is_read_rightly_and_gets_a_sensible_draft():
    table = read_file(GERMAN_EXCEL, name="Patienten.csv")
    reading = table.reading
    assert (reading.encoding, reading.delimiter, reading.decimal) == ("cp1252", ";", ",")
    assert table.frame.loc[5, "Größe"] == "1.05"
    assert table.frame.loc[5, "Notiz"] == "Müller sagt Nr. 5"
    schema = draft_from_rows(table.frame)
    assert fits(table.frame, schema)
    assert field(schema, "Patienten-ID") | {"title": 0} == {
        "name": "Patienten-ID",
        "type": "string",
        "role": "identifier",
        "publish": False,
        "title": 0,
    }
    assert field(schema, "Notiz")["role"] == "text"
    for name in ("Alter", "Hauptdiagnose_ICD"):
        assert origin(field(schema, name)) is Origin.VOCABULARY, name
    sexes = field(schema, "Geschlecht")["categories"]
    assert [sex["value"] for sex in sexes] == ["w", "m"], "in the words of the file"
    assert (field(schema, "Größe")["decimals"], field(schema, "aufgenommen")["format"]) == (2, "%d.%m.%Y")
    for name in ("Geschlecht", "Größe", "aufgenommen", "Raucher"):
        assert origin(field(schema, name)) is Origin.GUESS, name
        assert field(schema, name)["declared"] is False
    assert field(schema, "Größe")["type"] == "number"
    assert field(schema, "Raucher")["categories"] == ["ja", "nein"]


NAMES_BY_ROLE = {
    "identifier": [
        "NISN", "No. KTP", "Kode Pasien", "T.C. Kimlik No", "Hasta No",
        "İlan No", "Nr oferty", "Mã sinh viên", "Số báo danh",
        "Nr albumu", "Rodné číslo", "TAJ szám", "Betegazonosító", "CNP", "JMBG", "OIB", "hetu",
        "Linked Education URN", "Serial_Hash", "cc_num", "arresting_officer_no", "Agent Code",
        "Patient_ID", "employee_number", "StaffID", "NHSNumber", "social_security_number", "MRN", "case no",
        "Personalnummer", "Kunden-Nr.", "AHV-Nr", "Schülernummer", "Sozialversicherungsnummer",
        "numéro_de_sécurité_sociale", "id_patient", "DNI", "codice fiscale", "CPF", "BSN",
        "NR_CPF_CANDIDATO", "NR_TITULO_ELEITORAL", "State_Case_Num", "RUC", "RUC_ENTIDAD", "CNPJ", "SIREN",
        "siret", "immatriculation", "Num_Acc", "sequenceno", "qkey", "Unique Key", "KIVA_Pin", "respid",
        "MRD No.", "UHID", "INCIDENT_KEY", "arrest_key", "customerKey", "__index_level_0__",
        "caseid", "rid", "RowNumber", "row_num", "S.No", "Sl. No.", "SrNo", "Licence Plate", "deviceid",
        "INCIDENT #", "Case #", "#", "Nº expediente", "N° dossier", "№", "complaint_number",
        "Docket No.", "Report Number", "Ticket #", "badge_no",
        "PROLIFIC_PID", "ENQUESTADOR_CODI", "cod_encuestador", "subj_code_1", "patient_code",
        "codice_paziente", "SQ_CANDIDATO",
        "numero_secu", "N° de sécurité sociale", "num_ss", "numéro AVS", "carte vitale", "numero_passeport",
        "identifiant_patient", "numero_documento", "cédula de identidad", "RUT", "historia_clinica",
        "número do SUS", "cartão de cidadão", "título_eleitor", "cod_fiscale", "carta d'identità",
        "sofinummer",
        "rijksregisternummer", "rekeningnummer", "Personalausweisnummer", "Krankenversichertennummer",
        "Kfz-Kennzeichen", "ni_number", "medicare_no", "ExternalReference", "身份证", "社会保障号",
        "银行账号",
        "身份证号", "身份证号码", "学号", "工号", "病历号", "患者编号", "手机号码", "银行卡号",
    ],
    "text": [
        "first_name_NS", "surname_clean", "Last Name (English)",
        "Full name", "patient_name", "PhoneNumber", "home address", "Comments", "Telefonnummer", "Anschrift",
        "Voornaam", "telefoonnummer", "Nom du patient", "prénom", "Courriel", "nombre", "Apellidos",
        "dirección", "correo electrónico", "cognome", "indirizzo", "sobrenome", "endereço",
        "NM_CANDIDATO", "NM_SOCIAL_CANDIDATO", "Att_First", "Contact_Last", "nome_do_pai", "fname",
        "num_cellulare", "Nomor Handphone", "no_hp", "WhatsApp", "contact_no",
        "IPAddress", "ipaddr", "ip", "client_ip", "username", "Tel.", "addr", "address1", "Address Line 2",
        "phone_1", "email2",
        "Telefon 2", "Geburtsname", "adresse1", "comments_12",
        "incident_description", "Phone #", "description_2", "officer name",
        "other_specify", "other (please specify)", "If yes, please specify", "gender_self_describe",
        "q3_oth_sp",
        "Q5_OTHER_TEXT", "Q5_5_TEXT", "verbatim", "nickname", "name_of_respondent", "twitter_handle",
        "tel_no", "EMPLOYER_PHONE_EXT",
        "Spitzname", "Patientenname", "Name der Mutter", "Sonstiges (bitte angeben)", "Straße und Hausnummer",
        "Rückmeldung", "autre (précisez)", "autre_preciser", "nom de naissance", "nom_jeune_fille", "surnom",
        "adresse postale", "champ libre", "otro, ¿cuál?", "otro_especifique", "apellido_paterno", "movil",
        "apodo", "calle", "outro (especifique)", "outra, qual?", "apelido", "telemóvel", "rua", "soprannome",
        "altro_specificare", "testo libero", "anders, namelijk", "roepnaam", "e-mailadres", "toelichting",
        "Nama", "Nama Siswa", "nama_ortu", "Alamat Rumah", "Ad Soyad", "Adı Soyadı", "Hasta Adı", "Họ và tên",
        "Địa chỉ", "Tên bệnh nhân", "Imię i nazwisko", "Nazwisko", "Uwagi", "Jméno", "Příjmení",
        "Név", "Anyja neve", "Lakcím", "Nume", "Prenume", "Ime i prezime", "Sukunimi", "Namn",
        "昵称", "其他（请注明）", "意见和建议", "座机",
        "姓名", "患者姓名", "联系电话", "家庭住址", "备注",
    ],
    "": [
        "age", "n_patients", "number_of_children", "num_visits", "visit_number", "claims", "department_id",
        "Hausnr", "Zimmernummer", "passed", "cardiac", "phone_use", "nominal", "nomenclature", "address_type",
        "yearID", "teamID", "lgID", "PAIS DOMICILIO", "DEPARTAMENTO DOMICILIO", "PROVINCIA DOMICILIO",
        "name_of_region", "other_income", "other_race", "emailed", "owns_phone", "n_comments",
        "post_num_comments", "anzahl_kommentare",
        "tiene_celular", "tipo_endereco", "passport_country", "city_name", "redcap_event_name", "score_text",
        "country_txt", "specific_gravity", "precision", "Please specify your age group", "social_security",
        "nir", "bank_account", "autre", "otros_ingresos", "其他", "手机品牌", "建议等级", "n_names",
        "rut_depth",
        "first_name_length", "last_name_initial",
        "court_id",
        "site_id", "clinic_id", "start_station_id", "id_municipio", "ID_REGIONA", "id_de_provincia",
        "locality_name", "item_name", "Iskola neve", "Okul Adı", "Tên trường", "Nazwa gminy",
        "country_name", "product_name", "pays de domicile", "total_case_number", "new_case_no",
        "date_first", "partyid",
        "exp_ip", "days_ip", "spin", "Row count", "no_rows", "hotel", "snow", "address_type_2",
        "country_name_2", "phone_2019",
        "SUSPECT_RACE_DESCRIPTION", "SUSPECTED_CRIME_DESCRIPTION", "CCS Diagnosis Description",
        "APR DRG Description", "Ticket Charge Statute Description", "PATROL_BORO_NAME", "Department Name",
        "charge_desc", "Severity of Illness Description", "# of children", "# patients", "Apt #",
        "nama_sekolah", "kode_wilayah", "jenis_kelamin", "ADI", "ad", "ten", "cim", "tc", "meno",
        "wiek", "naslov",
        "性别", "年龄", "出生日期", "民族", "科室编号", "户口类型", "职业",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "role"), [(name, role) for role, names in NAMES_BY_ROLE.items() for name in names]
)
def test_what_may_not_be_published_is_known_by_its_name_in_the_languages_of_the_vocabularies(name, role):
    assert role_by_name(name) == role


def test_a_title_that_says_whom_a_column_identifies_is_as_good_as_its_name():
    titles = {"q0": "Respondent identification", "q1": "Party identification", "q2": "Case ID number"}
    given = {name: {"name": name, "title": title} for name, title in titles.items()}
    fields = draft_from_header([*titles], given)["fields"]
    assert [entry.get("role") for entry in fields] == ["identifier", None, "identifier"]


@pytest.mark.parametrize(
    ("title", "identified"),
    [
        ("ID of student", True),
        ("Person id (within dwelling unit)", True),
        ("Person id (unique)", True),
        ("Dwelling unit id", True),
        ("annual family identifier", True),
        ("ID of primary school", False),
        ("Family identification with a party", False),
        ("Identification of respondent's party", False),
    ],
)
def test_titles_of_public_surveys_that_say_whose_number_it_is_are_known(title, identified):
    assert is_identified_by(title) == identified


def test_a_column_that_holds_nothing_is_no_list_of_a_vocabulary():
    frame = pd.DataFrame({"Birth month": [""] * 60, "sex": ["", None] * 30, "age": ["41"] * 60})
    schema = draft_from_rows(frame)
    assert [entry.get("publish", True) for entry in schema["fields"]] == [False, False, True]
    assert "categories" in draft_from_header(["sex"])["fields"][0]  # nobody has looked


def test_first_and_last_beside_each_other_are_names_of_people():
    fields = draft_from_header(["first", "last", "age"])["fields"]
    assert [entry.get("role") for entry in fields] == ["text", "text", None]
    assert "role" not in draft_from_header(["last", "age"])["fields"][0]
    frame = pd.DataFrame({"first": ["Ann", "Ben"] * 30, "last": [f"L{i}" for i in range(60)]})
    assert draft_from_rows(frame[["first", "last"]])["fields"][1]["publish"] is False


@pytest.mark.parametrize("name", ["age", "age in years"])
def test_that_somebody_has_a_missing_code_is_no_public_knowledge(name):
    ages = [str(20 + i % 60) for i in range(300)]
    labelled = {"age in years": {"constraints": {"minimum": 0, "maximum": 120}, "type": "integer"}}
    given = {key: {**entry, "source": {"kind": "file", "name": "t.sav"}} for key, entry in labelled.items()}
    without = draft_from_rows(pd.DataFrame({name: ages}), given)
    with_one = draft_from_rows(pd.DataFrame({name: ["NA", *ages[1:]]}), given)
    assert Codebook.from_dict(without).undeclared == frozenset()
    assert Codebook.from_dict(with_one).undeclared == {name}
    assert (with_one["missingValues"], with_one["fields"][0]["missingValues"]) == ([""], ["NA", ""])
    said = {name: {**without["fields"][0], "missingValues": ["NA", ""]}}
    kept = draft_from_rows(pd.DataFrame({name: ["NA", *ages[1:]]}), said)
    assert kept["fields"][0]["source"] == without["fields"][0]["source"], "its own codes say it"


def test_labels_of_a_vocabulary_that_does_not_fit_are_none_of_the_column():
    """A column called month may hold days: 1 is not January there, and the file labels nothing."""
    frame = pd.DataFrame({"month": [1 + i % 31 for i in range(620)]})
    found = draft_from_rows(frame)["fields"][0]
    assert found["constraints"] == {"minimum": 1, "maximum": 31, "required": True}
    assert "labels" not in found

"""Columns that a draft does not publish for their name alone: identifiers, names and what people write.

In the languages that the public vocabularies know. Names are compared as ``plain_name`` gives them.
"""

from __future__ import annotations

import re

from hmpb_core.sources.drafting.vocabularies import plain_name


def _any(*words: str) -> str:
    return "(" + "|".join(" ".join(words).split()) + ")"


_NUMBERED = _any(
    # English
    "subj subject pat patient case cust customer client member pers person personal personnel resp",
    "respondent participant user emp employee staff worker stud student pupil account acct invoice record",
    "household hh contract policy claim admission encounter hospital medical_record health_insurance",
    "insurance social_security social_insurance national national_insurance nhs tax passport license licence",
    "driver_license drivers_license registration booking transaction reference ref file card",
    "credit_card bank_account serial",
    # German
    "personen personal patienten kunden mitarbeiter mitglieds fall akten haushalts versicherten",
    "versicherungs sozialversicherungs krankenkassen steuer renten matrikel schuler studenten klienten",
    "proband probanden teilnehmer vertrags rechnungs konto beleg ausweis pass ahv sv",
    # Dutch, French, Spanish, Italian, Portuguese
    "klant patient_en dossier securite_sociale expediente historia_clinica seguridad_social cartella_clinica",
)
_NUMBER = "_?(id|no|nr|num|nbr|nummer|number)"
_BEFORE = "(numero|num|no|nr|nummer|id|codigo|code|codice)_(de_la_|de_l_|de_|du_|d_|del_|della_|di_|do_|da_)?"
_OWNERS = _any(
    "dossier patient assure salarie employe client adherent eleve etudiant securite_sociale",
    "paciente expediente cliente empleado socio afiliado alumno historia_clinica seguridad_social cedula",
    "paziente cartella dipendente studente tessera_sanitaria funcionario utente aluno prontuario",
)
_OF_ITS_OWN = _any(
    "id uid uuid guid pid key index nr no nummer number row rownames? row_names? code zeile lfd_nr seqn",
    r"laufende_nummer unnamed_\d+ aktenzeichen kennung",
    "ssn nino nhsnumber mrn iban passport bsn burgerservicenummer dni nif cpf curp pesel aadhaar cedula",
    "codice_fiscale numero_de_cedula personnummer fodselsnummer cpr_nummer ahvn13 matricule matricula nss",
    "license_plate number_plate kennzeichen vin imei mac_address",
)
_IN_CHINESE = (
    "((患者|病人|员工|职工|学生|客户|会员|用户|个人|样本|订单|病例|受试者|参与者|家庭|住户)?_?(编号|序号|id)"
    "|.*(身份证|证件|护照|社保|医保|病历|病案|住院|门诊|就诊|手机|银行卡)_?(号|号码|编号|卡号)|工号|学号|卡号|账号|帐号|车牌号?|流水号)"
)
_IDENTIFIER = re.compile(
    rf"{_NUMBERED}{_NUMBER}|{_BEFORE}{_OWNERS}|{_OF_ITS_OWN}|{_IN_CHINESE}|player_?(id|no|nr)|order_?(id|no|nr)"
    r"|u?(subj|user)_?id|.*_(id|uid|uuid|guid)|(id|kennung|aktenzeichen)_.*"
    r"|(\w+_)?(ssn|iban|passport|versichertennummer|matrikel\w*)"
)
_CODED = re.compile(
    r"(.*_)?(sex|gender|status|marital|race|ethnicity|religion|language|country|state|region|province|district|"
    r"department|dept|division|position|job|occupation|role|grade|level|class|category|type|group|kind|reason|score|"
    r"rating|rank|degree|education|branch|sector|industry)_id"
)
"""The numbers of a list, such as the departments' in a database: no identifiers of people."""
_WRITTEN = _any(
    # English
    "name forename surname firstname lastname email e_mail mail phone telephone mobile cellphone fax address",
    "street note notes comment comments remark remarks free_text description url ip ip_address",
    # German
    "vorname nachname familienname telefon handy adresse anschrift strasse notiz notizen kommentar",
    "kommentare bemerkung bemerkungen anmerkung anmerkungen freitext beschreibung",
    # Dutch
    "naam voornaam achternaam adres straat telefoon opmerking opmerkingen",
    # French
    "prenom nom courriel commentaire commentaires remarque remarques",
    # Spanish
    "nombre nombres apellido apellidos direccion domicilio telefono celular correo correo_electronico",
    "observacion observaciones comentario comentarios",
    # Italian
    "cognome indirizzo cellulare osservazioni commento commenti",
    # Portuguese
    "sobrenome endereco telefone morada observacoes",
    # Danish, Norwegian, Swedish
    "fornavn efternavn etternavn fornamn efternamn",
)
_CALLED = "(phone|telephone|telefon|telefoon|mobile|cell|cellphone|contact|fax|handy|ruf)"
_BY_WHOM = (
    "(nom|nombre|nome|naam)_(complet|completo|y_apellidos?|(du_|de_|del_|della_|do_|van_)?(patient|paciente|"
    "paziente|client|cliente|alumno|eleve|empleado|utente))"
)
_WRITTEN_IN_CHINESE = ".*" + _any(
    "姓名 名字 电话 电话号码 手机 电子邮箱 邮箱 邮件 地址 住址 备注 微信",
    "微信号 qq号 联系人 联系方式 说明 描述",
)
_TEXT = re.compile(
    r"(first|last|given|middle|full)name|name_(first|last|given|middle|full)|descr?|nome"
    rf"|(.*_)?{_WRITTEN}|(.*_)?{_CALLED}{_NUMBER}|{_BY_WHOM}|{_WRITTEN_IN_CHINESE}"
)


def role_by_name(name: str) -> str:
    """Say whether a column's name is one of an identifier or of free text.

    Returns:
        ``identifier``, ``text``, or nothing.

    Example:
        >>> role_by_name("Patienten-ID"), role_by_name("姓名"), role_by_name("age")
        ('identifier', 'text', '')
    """
    plain = plain_name(name)
    if _CODED.fullmatch(plain):
        return ""
    return "identifier" if _IDENTIFIER.fullmatch(plain) else "text" if _TEXT.fullmatch(plain) else ""

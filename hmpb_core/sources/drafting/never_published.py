"""Columns that a draft does not publish for their name alone: identifiers, names and what people write.

In the languages that the public vocabularies know. Names are compared as ``plain_name`` gives them.
"""

from __future__ import annotations

import re

from hmpb_core.sources.drafting import names_by_language, names_by_script
from hmpb_core.sources.drafting.place_codes import ID_OF_A_KIND, ID_OF_A_PLACE, KINDS
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
    "credit_card bank_account medicare medicaid ni serial sequence seq accident crash",
    "incident complaint report ticket citation docket warrant badge arrest summons",
    "mrd mr emr ehr uhid opd ipd",
    # German
    "personen personal patienten kunden mitarbeiter mitglieds fall akten haushalts versicherten",
    "versicherungs sozialversicherungs krankenkassen steuer renten matrikel schuler studenten klienten",
    "proband probanden teilnehmer vertrags rechnungs konto beleg ausweis pass ahv sv kv rentenversicherungs",
    "steueridentifikations personalausweis reisepass fuhrerschein fuehrerschein krankenversicherten",
    # Dutch, French, Spanish, Italian, Portuguese
    "klant patient_en dossier securite_sociale expediente historia_clinica seguridad_social cartella_clinica",
    "folio sofi rijksregister paspoort rijbewijs identiteitskaart rekening bankrekening polis",
)
_NUMBER = "_?(id|no|nr|num|nbr|nummer|number|key)"
_BEFORE = (
    "(numero|num|no|nr|nummer|id|sequencial|sq|codigo|code|codice)_"
    "(de_la_|de_l_|de_|du_|d_|del_|della_|di_|do_|da_)?"
)
_OWNERS = _any(
    "dossier patient assure salarie employe client adherent eleve etudiant securite_sociale acc accident",
    "candidato paciente expediente cliente empleado socio afiliado alumno historia_clinica seguridad_social",
    "cedula",
    "paziente cartella dipendente studente tessera_sanitaria funcionario utente aluno prontuario",
)
_PAPER = _any(
    "secu securite_sociale seguridad_social ss nir avs assure_social assurance_(sociale|maladie)",
    "carte_vitale (carte_d|carte|carta_d|carta)_identit[ea] passeport pasaporte passaporte passaporto",
    "permis(_de_conduire)? fiscal compte(_bancaire)? cuenta conto conta doc documento identificacion",
    "identidad nie dni nif cpf rg bi pis cns sus niss utente cartao_(de_|do_)?(cidadao|sus)",
    "tessera(_sanitaria)? patente licencia",
)
_OF_A_PAPER = rf"(numero|num|no|nr|nro|n)_(de_la_|de_l_|de_|du_|d_|del_|della_|di_|do_|da_)?{_PAPER}"
"""The number of a card, an account or an insurance, where its kind alone may be yes or no, or an organ."""
_OF_STAFF = (
    "(officer|agent|inspector|interviewer|driver)_?(code|no|nr|number)|(subj|subject|patient|participant|"
    "respondent|person|student|pupil|employee|customer|client|member|proband|probanden|teilnehmer|patienten|"
    "kunden|mitarbeiter|schueler|studenten|soggetto|partecipante)_?(code|kode|codice|codigo)(_?[12])?|"
    "(enquestador|encuestador|entrevistador|enqueteur|intervistatore|rilevatore|recenseur)_?(codi|codigo|cod|code|"
    "codice|id|no|nr|num)|(codi|codigo|cod|code|codice|num|id)_(del_|de_|di_|d_)?(enquestador|encuestador|"
    "entrevistador|enqueteur|intervistatore|rilevatore|recenseur)"
)
"""Codes of those who drove, asked or arrested somebody, and of those who were asked."""
_OF_ITS_OWN = _any(
    "id uid uuid guid pid rid idno idnum ptid objectid unique_?id key qkey unique_key primary_key index nr",
    r"no nummer number row rownames? row_names? code zeile lfd_nr seqn laufende_nummer unnamed_\d+",
    r"index_level_\d+",
    "idcode row_?(number|num|no|nr) (s|sl|sr)_?no nro device_?id prolific_?p?id",
    "aktenzeichen kennung nino nhsnumber mrn uhid burgerservicenummer cedula numero_de_cedula personnummer",
    "fodselsnummer cpr_nummer ahvn13 matricule matricula license_plate number_plate kennzeichen kenn?teken",
    "licence_plate vin imei mac_address (kfz|auto)_kennzeichen external_(data_)?reference",
    "historia_clinica cartella_clinica prontuario tessera_sanitaria tarjeta_sanitaria carte_vitale cnh rut",
    "folio cartao_(de_|do_)?(cidadao|sus) bilhete_(de_)?identidade (carte_d|carte|carta_d|carta)_identit[ea]",
    "(cedula|documento)_(de_)?identidad rfc nuss niss cc_?num(ber)?",
)
_ENDS_IN_ID = re.compile(r".*[a-z]id\d?")
_COUNTED = "(total|new|confirmed|daily|max|min|mean|avg|average|sum|n|num|count|death|positive|active)_"
"""Before ``case_number`` and the like: how many there are, and no number of one."""
_OF_A_STATE = _any(
    "cpf cnpj titulo_eleitoral ruc dni nif curp cuit cuil siren siret immatriculation ssn iban bsn pesel nss",
    "passport pasaporte passaporte aadhaar codice_fiscale partita_iva versichertennummer matrikel[a-z]*",
    "passeport passaporto cod_fiscale titulo_(de_)?eleitor svnr identifiant identificador",
)
"""Numbers that a state or an insurance gives to a person, a firm or a car; also ``nr_cpf_candidato``."""
_OF_A_KIND = "_(country|pais|pays|land|type|tipo|kind|status|expiry|expiration|expires|issued|valid|year)$"
_IDENTIFIER = re.compile(
    rf"(?!(.*_)?{_COUNTED})(\w+_)?{_NUMBERED}{_NUMBER}|{_BEFORE}{_OWNERS}|{_OF_ITS_OWN}|player_?(id|no|nr)|order_?(id|no|nr)"
    rf"|(.*_)?{_OF_STAFF}|{names_by_script.IDENTIFIERS}|{names_by_language.IDENTIFIERS}"
    r"|u?(subj|user)_?id|.*_(id|uid|uuid|guid)|(id|kennung|aktenzeichen)_.*|(.*_)?(urn|hash)"
    rf"|{_OF_A_PAPER}|(?!.*{_OF_A_KIND})(.*_)?{_OF_A_STATE}(_.*)?|(.*_)?pin"
)
_SORTS = _any(
    "crime offen[cs]e charge statute violation diagnosis procedure drg mdc severity illness risk disposition",
    "payer borough boro",
)
_OF_A_LIST = re.compile(rf"(.*_)?({KINDS}|{_SORTS})_(descr?|description|name)")
"""The words of a list beside its codes, as registers export them: ``RACE_DESCRIPTION``."""
_WRITTEN = _any(
    # English
    "name forename surname firstname lastname email e_mail mail phone telephone mobile cellphone fax address",
    "(phone|telephone|tel)_(ext|extension)",
    "addr street note notes comment comments remark remarks free_text description url tel",
    "ip_?addr(ess)? user_?name nick_?name alias next_of_kin emergency_contact password",
    "(cell|contact|whats_?app|wa|hp|handphone)_?(number|no|num) whats_?app handphone",
    "(no|nomor|num|numero|numero_di)_(hp|handphone|telepon|telp|wa|whatsapp|cell|cellulare|celular|movil)",
    "free_?text open_?ended(_response)? (open|free)_(answer|response) verbatims? narrative transcript",
    "suggestions (specify|explain|elaborate|self_describe) specify_(if_)?other",
    # German
    "vorname nachname familienname geburtsname telefon handy adresse anschrift strasse notiz notizen",
    "kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen freitext beschreibung hinweise",
    "(spitz|ruf|mad?e?chen|benutzer|patienten|kunden|mitarbeiter|schul?e?r|studenten|teilnehmer|klienten)name",
    "mobiltelefon festnetz (mail|wohn|post)adresse wohnanschrift strasse_(und_)?hausnummer ansprechpartner",
    "kontaktperson rue?ckmeldung vorschlae?ge anregungen erlae?uterung(en)? offene_(antwort|angabe|nennung)",
    "sonstige_angaben? bitte_(angeben|nennen|eintragen|erlae?utern|beschreiben|spezifizieren) und_zwar",
    # Dutch
    "naam voornaam achternaam adres straat telefoon opmerking opmerkingen voornamen tussenvoegsel",
    "(bij|roep|geboorte|meisjes|patient|patienten|klant|gebruikers)naam (e_?mail|mail|woon|post)_?adres",
    "mobiel straatnaam straat_(en_)?huisnummer toelichting namelijk open_antwoord vrije_tekst",
    "suggesties",
    # French
    "prenoms? nom courriel commentaire commentaires remarque remarques surnom pseudonyme prenom_usuel rue",
    "nom_(de_|d_)?(famille|naissance|usage|jeune_fille) telephone_(portable|fixe|mobile) precise[rz]",
    "adresse_(postale|electronique|complete|domicile|du_domicile) (texte|champ|reponse)_libre",
    # Spanish
    "nombre nombres apellido apellidos direccion domicilio telefono celular correo correo_electronico",
    "observacion observaciones comentario comentarios apodo sobrenombre apellidos?_(paterno|materno)",
    "nombre_de_pila nombre_pila calle calle_y_numero movil telefono_(fijo|movil|celular) texto_libre",
    "direccion_(postal|completa|electronica) especifique especificar respuesta_(abierta|libre) sugerencias",
    # Italian
    "cognome indirizzo cellulare osservazioni commento commenti soprannome nominativo posta_elettronica",
    "cognome_(e_)?nome indirizzo_(di_)?(residenza|domicilio) indirizzo_completo",
    "annotazioni specificare testo_libero risposta_(aperta|libera) suggerimenti",
    # Portuguese
    "sobrenome endereco telefone morada observacoes observacao apelido alcunha nome_social",
    "(primeiro|ultimo)_nome rua logradouro telemovel correio_eletronico",
    "endereco_(completo|residencial|postal) texto_livre resposta_(aberta|livre) sugestoes",
    # Danish, Norwegian, Swedish
    "fornavn efternavn etternavn fornamn efternamn",
)
_ASKED_OF_OTHER = (
    "(.*_)?(others?|oth|sonstiges?|andere[rs]?|autres?|otr[oa]s?|outr[oa]s?|altr[aeio]|anders|overige?)_"
    "(sp|spec|specific|specifica|especifica|describe|details?|namely|nl|cual(es)?|qual|quais|welche[rs]?)"
)
"""What stands beside the answer "other"."""
_TEXTS = (
    "text|texto|q\\d+[a-z]?(_.*)?_text|.*_\\d+_text|"
    "(.*_)?(other|oth|open|free|response|answer|reason|opinion|comment|feedback|review|message|sonstiges|autre|"
    "otro|outro|altro|anders)_(text|txt|texte|texto|testo|tekst)"
)
"""Qualtrics's ``Q5_5_TEXT`` among them; what is called ``score_text`` may be three words."""
_OF_WHOM = (
    "names?_(of|des|der|von)_(the_|your_)?(respondents?|patient(en)?s?|participants?|interviewer|child|kindes|"
    "mother|mutter|father|vaters|parents?|spouse|candidate|teacher|doctor|employee|student|client|person|contact)"
)
_HANDLE = "(twitter|x|instagram|facebook|skype|telegram|linkedin|wechat|tiktok)_(handle|account|profile|link)"
_OF_A_PERSON = (
    "(contact|att|attorney|agent|emp|employee|employer|owner|manager|patient|client|customer|member|person|student|"
    "pupil|teacher|author|applicant|worker|spouse|mother|father|child|parent|victim|player|user)_(first|last|middle)"
)
_NAME_AGAIN = (
    "(.*_)?(first|last|given|middle|maiden|full|sur|fore|family)_?name_"
    "(ns|raw|clean(ed)?|std|norm(ali[sz]ed)?|orig(inal)?|new|old|upper|lower|caps|local|native|latin|en|english|alt)"
)
"""A name of somebody in a second column, as those that prepare files for matching add."""
_BY_WHOM_IN_SHORT = (
    "(nm|nome|nombre|nom)_(do_|da_|del_|de_la_|du_|de_)?(social_|urna_)?"
    "(candidato|candidat|pessoa|persona|personne|mae|madre|mere|pai|padre|pere|titular|responsavel|responsable|"
    "servidor|eleitor|profesor|professor|docente)a?"
)
_CALLED = (
    "(phone|telephone|telefon|telefoon|tel|mobile|mobil|mobiel|gsm|cell|cellphone|contact|whatsapp|"
    "fax|handy|ruf)"
)
_BY_WHOM = (
    "(nom|nombre|nome|naam)_(complet|completo|y_apellidos?|(du_|de_|del_|della_|do_|van_)?(patient|paciente|"
    "paziente|client|cliente|alumno|eleve|empleado|utente))"
)
_FROM_WHERE = (
    "((client|user|customer|member|sender|last|visitor|respondent|remote|source|src|host|server|login|device|"
    "public|local)_)?ip"
)
"""Addresses; behind other words it is what happened in hospital: ``exp_ip``, ``days_ip``."""
_TEXT = re.compile(
    r"(first|last|given|middle|full)name|[flms]name|name_(first|last|given|middle|full)|descr?|nome"
    rf"|(.*_)?{_WRITTEN}|(.*_)?{_CALLED}{_NUMBER}|{_BY_WHOM}|{names_by_script.TEXTS}|{names_by_language.TEXTS}"
    rf"|{_FROM_WHERE}|{_OF_A_PERSON}|{_BY_WHOM_IN_SHORT}|{_ASKED_OF_OTHER}|{_OF_WHOM}|{_HANDLE}|{_TEXTS}|{_NAME_AGAIN}"
)
_SAID_OF_IT = re.compile(
    "(owns?|uses?|has|had|have|do|does|did|tiene|tem|possui|posee|possede|hat|heeft)_.*|(type|kind)_of_.*|tipo_.*|"
    "(.*_)?(n|nb|num|number_of|no_of|count_of|cantidad_de)_.*s|total_.*s|(.*_)?anzahl_.*"
)
"""Whether somebody has one, of which kind, or how many: ``owns_phone``, ``post_num_comments``."""
_ONE_OF_SEVERAL = re.compile(r"(_line)?_?\d{1,2}$", re.ASCII)
"""The end of the name of one of several such columns: ``address_line_2``, ``phone1``."""
_OF_A_THING = re.compile(
    "(.*_)?(event|instrument|item|service|store|shop|branch|subject|city|town|village|locality|settlement|municipality|ward|school|hospital|clinic|department|site|station|airport|airline|"
    "product|brand|drug|medication|species|disease|variable|team|league|course|programme?|colou?r)_name"
)
"""The name of what many share: as public as the column would be that is called ``school``."""
_OF_A_REGION = re.compile(
    "(.*_)?(country|state|province|region|county|continent|bundesland|land|kanton|canton|pais|pays|departamento|"
    "departement|provincia|estado|comunidad|distrito|municipio|regione)_(de_|du_|of_)?"
    "(name|nombre|nom|nome|naam|address|adresse|residence|domicilio|domicile|residencia|residenza|nacimiento)"
)
"""Part of an address or a name of a place that says no more than a region."""


def role_by_name(name: str) -> str:
    """Say whether a column's name is one of an identifier or of free text.

    Returns:
        ``identifier``, ``text``, or nothing.

    Example:
        >>> [role_by_name(name) for name in ("Patienten-ID", "Folio", "姓名", "age", "admission_source_id")]
        ['identifier', 'identifier', 'text', '', '']
    """
    plain = plain_name(name)
    if ID_OF_A_KIND.fullmatch(plain) or ID_OF_A_PLACE.fullmatch(plain):
        return ""
    if _IDENTIFIER.fullmatch(plain):
        return "identifier"
    written = _ONE_OF_SEVERAL.sub("", plain)
    other = (_OF_A_REGION, _OF_A_LIST, _OF_A_THING, _SAID_OF_IT)
    return "text" if _TEXT.fullmatch(written) and not any(said.fullmatch(written) for said in other) else ""


_SOMEBODY = re.compile(
    _any(
        "subj subject respond respondent participant proband probandin teilnehmer deelnemer patient person",
        "individual interviewee student pupil child household hh family sujet sujeto soggetto participante",
        "paciente paziente encuestado entrevistado",
    )
)


def may_be_an_id(name: str) -> bool:
    """Whether a name ends in ``id``, or is the word for somebody: what the column holds decides.

    Example:
        >>> [may_be_an_id(name) for name in ("originalid", "HHIDPN", "paid", "ID2", "Subject", "subjects")]
        [True, False, True, False, True, False]
    """
    return _ENDS_IN_ID.fullmatch(plain_name(name)) is not None or means_somebody(name)


def means_somebody(name: str) -> bool:
    """Whether a name is the word for one of those whom a table is about, as ``subject`` or ``household``."""
    return _SOMEBODY.fullmatch(plain_name(name)) is not None


def is_identified_by(title: str) -> bool:
    """Whether a column's title says that it identifies somebody, where its name does not.

    Example:
        >>> is_identified_by("Respondent identification"), is_identified_by("Party identification")
        (True, False)
        >>> is_identified_by("ID of student"), is_identified_by("Person id (within dwelling unit)")
        (True, True)
    """
    return bool(_TITLED.fullmatch(plain_name(title)))


_WHOSE = rf"({_NUMBERED}|family|(dwelling|housing|living)(_unit)?)"
_TITLED = re.compile(
    rf"((unique|original|annual|anonymi[sz]ed|encrypted|scrambled|masked)_)?"
    rf"({_WHOSE}_(id|identification|identifier)(_(no|num|number|code))?(_(unique|in|within)(_.*)?)?"
    rf"|(id|identification|identifier)(_(no|num|number|code))?_of_(the_)?{_WHOSE})"
)

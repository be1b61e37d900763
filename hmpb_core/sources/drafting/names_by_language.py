"""Names of identifiers and of free text in further languages of Latin letters, as ``plain_name`` writes them.

Words that mean something else in English or in medicine (``ad``, ``ten``, ``cim``, ``tc``) are left out.
"""

from __future__ import annotations

from hmpb_core.sources.drafting.vocabularies import plain_name


def _any(*words: str) -> str:
    return "(" + "|".join(plain_name(word) for word in " ".join(words).split()) + ")"


_INDONESIAN_OWNERS = _any(
    "siswa mahasiswa murid pasien karyawan pegawai pelanggan nasabah anggota peserta responden warga"
)
_INDONESIAN_PAPERS = _any(
    "ktp kk kartu_keluarga rm rekam_medis induk rekening polis bpjs urut registrasi ujian"
)
_INDONESIAN_NUMBERS = (
    f"(no|nomor|nomer|kode|id)_({_INDONESIAN_PAPERS}|{_INDONESIAN_OWNERS})(_.*)?|nomor|"
    + _any("nis nisn nik nip npm nim nidn nuptk npwp")
)
_INDONESIAN_RELATIVES = _any(
    "orang_tua ortu ayah ibu wali istri suami anak guru dosen dokter kepala_keluarga"
)
_INDONESIAN_TEXTS = (
    f"nama(_(lengkap|depan|belakang|panggilan|{_INDONESIAN_OWNERS}|{_INDONESIAN_RELATIVES}))?|(.*_)?alamat(_"
    + _any("lengkap rumah tinggal domisili ktp asal email e_mail")
    + ")?|(kritik_)?(dan_)?saran|(kritik|masukan|komentar|no_?hp|no_?telp|surel)"
)
_TURKISH_OWNERS = _any(
    "hasta öğrenci müşteri personel çalışan üye katılımcı dosya protokol sicil pasaport hesap",
    "aday adayın baba ana anne eş veli çocuk ilan sipariş fatura başvuru",
)
_TURKISH_NUMBERS = (
    rf"(t_?c_?)?{_any('kimlik')}(_(no|{_any('numarası numarasi')}))?|t_?c_?no|tckn|"
    rf"{_TURKISH_OWNERS}_(no|kodu|{_any('numarası numarasi')})"
)
_TURKISH_TEXTS = (
    rf"(.*_)?{_any('soyad soyadı soyadi soyisim adres adresi açıklama açıklamalar')}|adı|isim|ad_soyad"
    rf"|{_TURKISH_OWNERS}_(adı|adi|ad)|(cep_)?{_any('telefonu')}|telefon_{_any('no numarası numarasi')}|"
    + _any("e_posta eposta görüşler görüşleriniz öneriler önerileriniz yorum yorumlar")
)
_VIETNAMESE_OWNERS = _any("học_sinh sinh_viên bệnh_nhân khách_hàng nhân_viên sv hs nv bn kh hồ_sơ bhyt bhxh")
_VIETNAMESE_NUMBERS = rf"{_any('mã')}_({_any('số')}_)?{_VIETNAMESE_OWNERS}|" + _any(
    "sbd số_báo_danh số_hợp_đồng số_hồ_sơ mã_đơn_hàng mã_đơn mã_tin cmnd cccd số_cmnd số_cccd",
    "căn_cước_công_dân mã_số_thuế mssv stt số_thẻ số_hộ_chiếu",
    "số_tài_khoản",
)
_VIETNAMESE_PEOPLE = _any("bố cha mẹ vợ chồng con ứng_viên thí_sinh giáo_viên phụ_huynh chủ_hộ người_bệnh")
_VIETNAMESE_TEXTS = (
    rf"{_any('tên')}_({_VIETNAMESE_OWNERS}|{_VIETNAMESE_PEOPLE})|{_any('họ_tên họ_và_tên')}(_.*)?|"
) + _any(
    "họ_đệm địa_chỉ địa_chỉ_thường_trú sđt số_điện_thoại điện_thoại ghi_chú ý_kiến",
    "ý_kiến_khác góp_ý",
)
_POLISH_OWNERS = _any(
    "albumu indeksu pacjenta klienta pracownika ucznia studenta dowodu dowodu_osobistego paszportu karty",
    "księgi historii_choroby polisy umowy sprawy ewidencyjny telefonu konta legitymacji respondenta",
    "ogłoszenia oferty zamówienia faktury rejestracyjny regon",
)
_POLISH_NUMBERS = f"(nr|numer|kod)_{_POLISH_OWNERS}|sygnatura(_akt)?"
_POLISH_PEOPLE = _any(
    "ojca matki dziecka pacjenta kandydata ucznia studenta pracownika klienta opiekuna małżonka"
)
_POLISH_TEXTS = (
    f"(.*_)?{_any('imię imiona nazwisko imię_i_nazwisko nazwisko_i_imię nazwisko_i_imiona')}"
    f"(_{_POLISH_PEOPLE})?|"
) + _any(
    "nazwisko_panieńskie nazwisko_rodowe adres adres_zamieszkania adres_zameldowania ulica uwagi komentarz",
    "komentarze notatki sugestie pseudonim opis",
)
_CZECH_OWNERS = _any(
    "pojištěnce poistenca pacienta účtu smlouvy zmluvy op občanského_průkazu pasu zaměstnance zamestnanca",
    "studenta karty inzerátu objednávky faktury jednací",
)
_CZECH_NUMBERS = f"(rodn[ey]|osobn[ie])_{_any('číslo')}|{_any('číslo')}_{_CZECH_OWNERS}|spisova_(znacka|zn)"
_CZECH_PEOPLE = _any("kandidáta otce matky dítěte pacienta žáka studenta zaměstnance klienta manžela")
_CZECH_TEXTS = rf"(.*_)?{_any('jméno příjmení priezvisko')}(_{_CZECH_PEOPLE})?|" + _any(
    "jméno_a_příjmení příjmení_a_jméno meno_a_priezvisko adresa adresa_bydliště ulice poznámka poznámky",
    "komentář komentáře připomínky",
)
_HUNGARIAN_NUMBERS = rf"{_any('beteg dolgozó tanuló ügyfél törzs')}_?{_any('szám azonosító kód')}|" + _any(
    "taj tajszám taj_szám adóazonosító adóazonosító_jel adószám személyi_szám személyi_igazolvány_szám",
    "om_azonosító azonosító azonosító_szám sorszám törzslapszám hirdetéskód ügyszám iktatószám rendszám",
)
_HUNGARIAN_PEOPLE = _any(
    "anyja apja beteg tanuló dolgozó ügyfél születési leánykori jelölt gyermek szülő hallgató páciens"
)
_HUNGARIAN_TEXTS = f"{_HUNGARIAN_PEOPLE}_neve?|" + _any(
    "név vezetéknév keresztnév családnév utónév teljes_név lakcím telefonszám megjegyzés megjegyzések",
    "észrevétel észrevételek",
)
_ROMANIAN_OWNERS = _any("matricol pacient client angajat dosar foaie_de_observație buletin contract")
_ROMANIAN_NUMBERS = f"(nr|numar|cod)_{_ROMANIAN_OWNERS}|cnp"
_ROMANIAN_TEXTS = _any(
    "nume prenume nume_prenume nume_și_prenume numele prenumele adresa_domiciliu observații"
)
_SOUTH_SLAVIC_OWNERS = _any(
    "kartona lične_karte osobne_iskaznice indeksa pasoša putovnice računa osebne_izkaznice"
)
_SOUTH_SLAVIC_NUMBERS = f"{_any('broj številka')}_{_SOUTH_SLAVIC_OWNERS}|" + _any(
    "jmbg oib emšo matični_broj"
)
_SOUTH_SLAVIC_TEXTS = rf"(.*_)?{_any('prezime priimek')}|ime(_i_prezime|_in_priimek)?|" + _any(
    "napomena napomene opomba opombe"
)
_NORDIC_NUMBERS = _any(
    "hetu henkilötunnus potilasnumero asiakasnumero opiskelijanumero samordningsnummer anställningsnummer",
    "patientnummer medlemsnummer kundnummer journalnummer cpr_nr isikukood asmens_kodas personas_kods",
)
_NORDIC_TEXTS = _any(
    "nimi etunimi sukunimi osoite katuosoite puhelin puhelinnumero sähköposti kommentit huomautus namn navn",
    "mellannamn mellemnavn födelsenamn adress gatuadress epost telefonnummer mobilnummer anteckningar",
    "synpunkter vardas pavardė adresas vārds uzvārds eesnimi perekonnanimi aadress",
)
_NUMBERS = (
    _INDONESIAN_NUMBERS,
    _TURKISH_NUMBERS,
    _VIETNAMESE_NUMBERS,
    _POLISH_NUMBERS,
    _CZECH_NUMBERS,
    _HUNGARIAN_NUMBERS,
    _ROMANIAN_NUMBERS,
    _SOUTH_SLAVIC_NUMBERS,
    _NORDIC_NUMBERS,
)
_TEXTS = (
    _INDONESIAN_TEXTS,
    _TURKISH_TEXTS,
    _VIETNAMESE_TEXTS,
    _POLISH_TEXTS,
    _CZECH_TEXTS,
    _HUNGARIAN_TEXTS,
    _ROMANIAN_TEXTS,
    _SOUTH_SLAVIC_TEXTS,
    _NORDIC_TEXTS,
)
IDENTIFIERS = "|".join(_NUMBERS)
"""A pattern of the names of numbers that are given to somebody."""
TEXTS = "|".join(_TEXTS)
"""A pattern of the names of names, addresses and what people write."""

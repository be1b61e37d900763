"""Encodings before Unicode: told by the letters that they make of a file's bytes."""

import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.sources.drafting import draft_from_rows
from hmpb_core.sources.files import FileReading, read_file, read_header
from hmpb_core.sources.files.encodings import encoding_before_unicode

TEXTS = [
    ("gb18030", "姓名,性别,年龄,城市\n张三,男,34,北京\n李四,女,28,上海\n赵婷玥,女,51,乌鲁木齐\n"),
    ("gb18030", "gender,type,dose\n男,A型,5\n女,B型,7\n男,O型,2\n"),
    ("big5", "姓名,性別,年齡,城市\n張三,男,34,臺北\n李四,女,28,高雄\n"),
    ("cp932", "氏名,性別,年齢,都市\n山田,男,34,東京\nさとう,女,28,大阪\n"),
    ("cp949", "이름,성별,나이,도시\n김철수,남,34,서울\n이영희,여,28,부산\n"),
    ("cp1251", "имя,пол,возраст,город\nАнна,ж,34,Москва\nИван,м,28,Казань\n"),
    ("cp1250", "imię,płeć,wiek,województwo\nŁukasz,m,34,łódzkie\nMałgorzata,k,28,śląskie\n"),
    ("cp1252", "Größe,Alter\n1,30\n"),
    ("cp1252", "Ärzte,Küche,Äpfel\n1,2,3\n"),
    ("cp1252", "GRÖSSE,STRASSE\n1,Ä\nÖ,ÜBER\n"),
    ("cp1252", "pää,käyttö\nä,2\n"),
    ("cp1252", "ação,são\nnão,3\n"),
    ("cp1252", "prénom,né à\nNoël,Besançon\n"),
    ("cp1252", "Preis pro m³,Fläche in m²,°C\n1,2,3\n"),
    ("cp1252", "naïve – “quoted”,x\n½,3\n"),
    ("mac-roman", "ville,école\nOrléans,à côté\n"),
    ("cp1250", "id,pohlaví,vzdělání\n1,muž,střední\n2,žena,základní\n3,muž,vysokoškolské\n"),
    ("iso8859-2", "id,pohlaví,vzdělání\n1,muž,střední\n2,žena,základní\n3,muž,vysokoškolské\n"),
    ("cp1250", "név,város\nGyörgy,Győr\nErzsébet,Székesfehérvár\nJózsef,Hódmezővásárhely\n"),
    ("iso8859-2", "imię,miasto\nŁukasz,Łódź\nMałgorzata,Kraków\nŻaneta,Gdańsk\n"),
    ("cp1253", "φύλο,πόλη\nάνδρας,Αθήνα\nγυναίκα,Θεσσαλονίκη\n"),
    ("koi8-r", "имя,город\nИван,Москва\nМария,Казань\n"),
    ("cp866", "имя,город\nИван,Москва\nМария,Казань\n"),
    ("koi8-u", "ім'я,місто\nОлена,Київ\nЄвген,Львів\n"),
    ("euc_jp", "名前,性別\n田中,男\nスズキ,女\n"),
    ("euc_jp", "id,性別\n1,男\n2,女\n"),
    ("cp1254", "ad,şehir\nİbrahim,İstanbul\nAyşe,Muğla\nGüneş,Şanlıurfa\n"),
    ("cp1257", "vardas,miestas\nŽivilė,Šiauliai\nJūratė,Panevėžys\n"),
    ("cp1255", "שם,עיר\nדוד,ירושלים\nשרה,חיפה\n"),
    ("cp1256", "اسم,مدينة\nمحمد,القاهرة\nفاطمة,دمشق\n"),
    ("cp874", "ชื่อ,เมือง\nสมชาย,กรุงเทพ\nสมหญิง,เชียงใหม่\n"),
    ("cp850", "prénom,ville\nJérôme,Orléans\nHélène,Besançon\n"),
    ("cp1252", "name,answer\nJoão,NÃO\nConceição,SIM\n"),
    ("cp1252", "a,resposta\n1,NÃO\n2,SIM\n"),
    ("cp1252", "name,town\nJürg,Zürich\nÅse,Århus\nJosé,Málaga\nHervé,Liège\n"),
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
@pytest.mark.parametrize("times", [1, 40])
def test_a_text_is_read_in_the_encoding_it_was_saved_in(encoding, text, times):
    header, *rows = text.splitlines()
    content = "\n".join([header, *rows * times]).encode(encoding)
    table = read_file(content, name="t.csv")
    assert table.reading.encoding == encoding
    assert [list(table.frame), *table.frame.to_numpy().tolist()[: len(rows)]] == [
        line.split(",") for line in (header, *rows)
    ]
    assert list(read_header(content, name="t.csv").names) == header.split(",")


def test_chinese_below_a_header_in_ascii_is_found_too():
    content = ("name,city\n" + "张三,北京\n李四,上海\n" * 30).encode("gbk")
    table = read_file(content, name="t.csv")
    assert (table.reading.encoding, table.frame.iloc[0].tolist()) == ("gb18030", ["张三", "北京"])


def test_two_marks_that_stand_once_in_an_english_file_make_it_no_japanese_one():
    answers = b"Fan?,Fan of the other?\x8c\xe6,age\n" + b"Yes,No,34\nNo,No,28\n" * 20
    assert "Œæ" in read_file(answers, name="t.csv").frame.columns[1]


def test_a_letter_cut_at_the_end_of_what_is_looked_at_does_not_hide_the_encoding():
    content = ("a,城市\n" + "1,乌鲁木齐\n" * 200_000).encode("gbk")
    table = read_file(content, name="t.csv")
    assert (table.reading.encoding, table.frame["城市"].nunique()) == ("gb18030", 1)


def test_a_broken_byte_in_a_chinese_file_is_refused_and_not_read_as_something_else():
    content = "姓名,城市\n张三,北京\n".encode("gbk") + b"\xff\xff,1\n"
    whole = ("姓名,城市\n" + "张三,北京\n" * 150_000).encode("gbk") + b"\xff\xff,1\n"
    with pytest.raises(SourceError, match="holds bytes that are no text in gb18030"):
        read_file(whole, name="t.csv")
    told = FileReading.told(encoding="gbk")
    with pytest.raises(SourceError, match="holds bytes that are no text in gbk"):
        read_file(content, name="t.csv", reading=told)


def test_a_table_in_a_chinese_encoding_leaves_in_it():
    table = read_file(("城市,性别\n" + "北京,男\n上海,女\n" * 60).encode("gbk"), name="t.csv")
    schema = draft_from_rows(table.frame) | {"reading": table.reading.to_dict()}
    content = csv_of(table.frame.head(2), CsvForm.of(Codebook.from_dict(schema)))
    assert content.decode("gbk") == "城市,性别\n北京,男\n上海,女\n"


def test_one_letter_tells_no_language_where_it_is_a_letter_under_the_usual_encoding():
    names = ",".join(f"{chr(65 + i % 26)}{chr(65 + i // 26)}ÑEZ" for i in range(100))
    assert encoding_before_unicode(names.encode("cp1252")) == "cp1252"  # not MUÐOZ of DOS 850
    words = ",".join(f"{chr(97 + i % 26)}{chr(97 + i // 26)}dın" for i in range(100))
    assert encoding_before_unicode(words.encode("cp1254")) == "cp1254"
    assert encoding_before_unicode(("für,grün,Müller," * 9).encode("cp850")) == "cp850"

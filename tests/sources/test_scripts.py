"""Tables whose names and words are Chinese, Japanese, Korean, Russian, Greek or Arabic."""

import pytest

from hmpb_core.provenance import Origin
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows, vocabulary_for
from hmpb_core.sources.drafting.never_published import role_by_name
from hmpb_core.sources.drafting.ordering import in_order
from hmpb_core.sources.files import read_file
from hmpb_core.survey.words import LISTS
from tests.sources.drafts import fits, guessed, origin, written_again

ROLES = {
    "identifier": """
        社員コード 物件番号 Номер_заявки ОГРН رقم_الطلب מספר_תיק पंजीकरण_संख्या
        ЕГН ИИН क्रमांक เลขประจำตัวประชาชน รหัสนักศึกษา תעודת_זהות کد_ملی
        问卷编号 个案编号 受访者ID 房源编号 学籍号 准考证号 档案号 订单号 社員番号 患者ID 学籍番号
        マイナンバー 会員番号 カルテ番号
        주민등록번호 사번 학번 환자번호 회원_번호 Паспорт СНИЛС Номер_карты ID_пациента ΑΦΜ ΑΜΚΑ
        رقم_الهوية الرقم_القومي
    """,
    "text": """
        Прізвище ПІБ Име नाम पता ชื่อ-นามสกุล ที่อยู่ שם_משפחה نام_خانوادگی
        公司名称 工作单位 监护人姓名 氏名 保護者氏名 フリガナ 住所 電話番号 メールアドレス 備考 自由記述
        이름 환자_이름 성명 전화번호 주소 비고
        विजयी_प्रत्\u200dयाशी_का_नाम पिता_का_नाम 候補者名 顧客名 かな ФИО_кандидата Πατρώνυμο Όνομα_πατέρα
        שם_המועמד اسم_المرشح الاسم_الثلاثي ชื่อผู้ป่วย
        ФИО Фамилия Имя_пациента Телефон Адрес Комментарий Όνομα Επώνυμο Τηλέφωνο Διεύθυνση الاسم الهاتف
        العنوان ملاحظات
    """,
    "": """
        वार्ड_क्रमांक رقم_الصف
        Вік उम्र आयु อายุ จังหวัด גיל سن
        部门编号 学校名称 职位名称 年级 性別 年齢 都道府県 郵便番号 部屋番号 満足度 병원명 성별 나이 Пол
        Возраст Дата_рождения Номер_этажа
        जिले_का_नाम ग्राम_पंचायत_का_नाम 企業名 市区町村名 ชื่อจังหวัด שם_הישוב
        Город Φύλο الجنس اسم_المدينة رقم_الغرفة
    """,
}
NAMES = [(name.replace("_", " "), role) for role, names in ROLES.items() for name in names.split()]


@pytest.mark.parametrize(("name", "role"), NAMES, ids=str)
def test_what_may_not_be_published_is_known_by_its_name_in_every_script(name, role):
    assert role_by_name(name) == role


@pytest.mark.parametrize(
    "listed",
    [
        ["1年以下", "1-3年", "3-5年", "5-10年", "10年以上"],
        ["少于15人", "15-50人", "50-150人", "2000人以上"],
        ["18岁及以下", "19~25岁", "26~30岁", "60岁以上"],
        ["5万以下", "5-10万", "10万-20万", "1亿以上"],
        ["<10k", "10-20k", "500k+"],  # ten thousand, not ten
        ["10歳未満", "10代", "20代", "90歳以上"],
        ["3年未満", "3年以上5年未満", "5年以上"],
        ["100만원 미만", "100만원 이상 200만원 미만", "200만원 이상"],
        ["до 10 лет", "от 10 до 20 лет", "свыше 20 лет"],
        ["меньше 3 месяцев", "0.5", "1", "10 и более лет"],  # a quarter of a year is less than half a one
        ["< 6 months", "1 year", "2 years"],
        ["小学", "初中", "高中", "中专", "大专", "本科", "硕士", "博士"],
        ["很不健康", "比较不健康", "一般", "比较健康", "很健康"],
        ["軽症", "中等症", "重症"],
        ["매우 불만족", "보통", "매우 만족"],
        ["ниже среднего", "средний", "выше среднего"],
    ],
    ids=lambda listed: listed[0],
)
def test_bands_and_scales_of_every_script_are_in_their_own_order(listed):
    for texts in (listed, listed[::-1], sorted(listed)):
        assert in_order(texts) == (listed, True)


@pytest.mark.parametrize(
    "listed", [["很少", "从未", "极少"], ["不限", "本科", "博士"], ["北京", "上海", "广州"]], ids=str
)
def test_two_words_for_one_step_and_words_of_no_scale_have_no_order(listed):
    assert in_order(listed) == (sorted(listed), False)


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("文化程度", "education in China", ["未上过学", "小学", "初中", "高中"]),
        ("民族", "ethnic group of China", ["汉族", "蒙古族", "回族", "藏族"]),
        ("政治面貌", "political status in China", ["中共党员", "中共预备党员", "共青团员", "民革党员"]),
        ("血型", "ABO blood group", ["A型", "B型", "AB型", "O型"]),
        ("都道府県", "prefecture of Japan", ["北海道", "青森県", "岩手県", "宮城県"]),
        ("性別", "sex", ["女性", "男性", "その他", "不明"]),
        ("성별", "sex", ["여성", "남성", "기타", "미상"]),
        ("Пол", "sex", ["женский", "мужской", "другой", "неизвестно"]),
        ("Φύλο", "sex", ["γυναίκα", "άνδρας", "άλλο", "άγνωστο"]),
        ("الجنس", "sex", ["أنثى", "ذكر", "آخر", "غير معروف"]),
    ],
    ids=str,
)
def test_a_public_list_is_offered_in_the_language_of_the_columns_name(name, key, words):
    (entry,) = draft_from_header([name])["fields"]
    assert vocabulary_for(name).key == key
    assert [category["value"] for category in entry["categories"]][:4] == words
    assert origin(entry) is Origin.VOCABULARY


AGES = "年龄(岁) 年齢 나이 Возраст ηλικία العمر Umur Yaş Tuổi Életkor อายุ उम्र"


@pytest.mark.parametrize("name", AGES.split())
def test_ages_are_known_in_every_script(name):
    assert vocabulary_for(name).key == "age"


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("是否吸烟", "是", "否"),
        ("有无慢性病", "有", "无"),
        ("渡航歴の有無", "有", "無"),
        ("raucht_ja_nein", "ja", "nein"),
    ],
)
def test_a_question_is_answered_in_the_words_in_which_its_name_asks(name, yes, no):
    (entry,) = draft_from_header([name])["fields"]
    assert (entry["trueValues"][0], entry["falseValues"][0]) == (yes, no)
    assert "true" in draft_from_header(["is_member"])["fields"][0]["trueValues"][0]


def test_no_two_ways_to_write_a_vocabulary_hold_the_same_everyday_words():
    """Which of them a survey finds would be for noise to say."""
    sexes = [words for words in LISTS if {"女", "男"} <= set(words.words)]
    schools = [words for words in LISTS if {"小学", "初中", "本科"} <= set(words.words)]
    assert (len(sexes), len(schools)) == (1, 1)


def test_words_beside_many_numbers_are_missing_in_every_script_and_numerals_are_none():
    numbers = [str(i) for i in range(10, 60)]
    entry, frame = guessed(*numbers, "未知")
    assert (entry["type"], entry["missingValues"]) == ("integer", ["未知", ""])
    assert written_again(entry, frame) >= {"未知"}
    assert guessed(*numbers, "неизвестно")[0]["type"] == "integer"
    assert "十二" not in guessed(*numbers, "十二")[0].get("missingValues", ())


@pytest.mark.parametrize(
    ("low", "high", "form"),
    [
        ("1996.8.27", "1999.12.1", "%Y.%-m.%-d"),
        ("1996.08.27", "1999.12.01", "%Y.%m.%d"),
        ("1996. 8. 27.", "1999. 12. 1.", "%Y. %-m. %-d."),
        ("1996년 8월 27일", "1999년 12월 1일", "%Y년 %-m월 %-d일"),
    ],
)
def test_dates_of_east_asia_are_read_and_leave_as_they_came(low, high, form):
    entry, frame = guessed(low, high)
    assert (entry["type"], entry["format"]) == ("date", form)
    year = form[2]
    assert all(year in text for text in written_again(entry, frame))


@pytest.mark.parametrize(
    ("name", "end", "example"),
    [
        ("年龄", "岁", "1234岁"),
        ("总价", "万", "1234万"),
        ("单价", "元/平", "1,234元/平"),
        ("年収", "万円", "1234万円"),
    ],
)
def test_numbers_with_a_unit_of_east_asia_leave_with_it(name, end, example):
    group = "," in example
    values = [f"{20_000 + 137 * i:,}" if group else str(18 + i) for i in range(60)]
    lines = [f'{"AB"[i % 2]},"{value}{end}"' for i, value in enumerate(values * 5)]
    table = read_file("\n".join([f"编码,{name}", *lines]).encode(), name="t.csv")
    schema = draft_from_rows(table.frame, amounts=dict(table.reading.amounts))
    entry = schema["fields"][1]
    assert (entry["type"], entry["written"]) == ("integer", example)
    assert origin(entry) is Origin.GUESS, "in which words the file writes it was read off its rows"
    assert fits(table.frame, schema)

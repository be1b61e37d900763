"""Names of identifiers and of free text in scripts other than Latin, as ``plain_name`` writes them.

Chinese, Japanese and Korean put them together without a blank; Russian, Greek and Arabic with one.
"""

from __future__ import annotations

from hmpb_core.sources.drafting.vocabularies import plain_name


def _any(*words: str) -> str:
    return "(" + "|".join(plain_name(word) for word in " ".join(words).split()) + ")"


_CHINESE_OWNERS = (
    "患者 病人 员工 职工 学生 客户 会员 用户 个人 样本 订单 病例 受试者 参与者 家庭 住户 问卷 个案 受访者",
    "被访者 受访人 被调查者 调查对象 标本 样品 档案 合同 保单 账户 交易 申请人 考生 居民 村民 户主 人员",
    "房源 公司 企业",
)
_CHINESE_PAPERS = (
    "身份证 证件 护照 社保 社会保障 公民身份 驾驶证 医保 病历 病案 住院 门诊 就诊 手机 银行卡 银行 开户",
    "学籍 准考证 档案 订单 合同 保单 交易 快递 快递单",
)
_CHINESE_NUMBERS = (
    rf"{_any(*_CHINESE_OWNERS)}?_?(编号|序号|id)|.*{_any(*_CHINESE_PAPERS)}_?(号|号码|编号|卡号|账号|帐号)"
    r"|(?:身份证|工号|学号|考号|卡号|账号|帐号|车牌号?|流水号)"
)
_CHINESE_TEXTS = (
    r".*(?:姓名|名字|电话|电话号码|手机|电子邮箱|邮箱|邮件|地址|住址|备注|微信|微信号|qq号|联系人|联系方式|说明|描述"
    r"|昵称|曾用名|网名|用户名|座机|评论|留言|请注明|请填写|请说明|文本|开放题|填空)"
    r"|姓|姓氏|qq|(其他|其它)?(意见|建议)([和与及或](意见|建议))?"
    r"|(公司|企业|单位|用人单位)(名称|全称|简称)|工作单位"
)
_JAPANESE_OWNERS = (
    "社員 職員 従業員 患者 学籍 学生 生徒 会員 顧客 受験 受付 保険証 保険者 被保険者 免許証 個人 世帯",
    "整理 カルテ",
    "口座 契約 注文 伝票 回答者 登録 旅券 健康保険証",
)
_JAPANESE_NUMBERS = rf"{_any(*_JAPANESE_OWNERS)}_?(番号|コード|id|no)|" + _any("マイナンバー 通し番号 連番")
_JAPANESE_TEXTS = (
    ".*"
    + _any(
        "氏名 氏名カナ フリガナ ふりがな 住所 電話番号 携帯番号 メールアドレス 連絡先 備考 自由記述 "
        "自由回答 コメント"
    )
    + "|(.*_)?"
    + _any("名前 お名前 患者名 社員名 電話 携帯電話 メール 感想 ご意見 意見 ニックネーム 勤務先")
)
_KOREAN_OWNERS = (
    "주민등록 주민 사원 직원 환자 학생 회원 고객 등록 차량 계좌 카드 여권 운전면허 보험증 일련 접수 관리",
    "수험 응답자",
)
_KOREAN_NUMBERS = rf"{_any(*_KOREAN_OWNERS)}_?({plain_name('번호')}|id)|" + _any("사번 학번 순번 연번")
_KOREAN_TEXTS = "(.*_)?" + _any(
    "이름 성명 성함 환자명 학생명 직원명 고객명 주소 전화번호 전화 휴대폰 휴대폰번호 휴대전화 핸드폰",
    "연락처 이메일",
    "메일 비고 메모 의견 기타의견 닉네임 별명",
)
_RUSSIAN_OWNERS = _any(
    "пациента клиента сотрудника работника студента ученика больного респондента врача матери отца ребенка"
)
_RUSSIAN_PAPERS = _any(
    "карты паспорта полиса договора счета дела анкеты заказа зачетки истории_болезни медицинской_карты снилс"
)
_RUSSIAN_NUMBERS = (
    f"(.*_)?{_any('паспорт снилс инн')}|(серия_и_)?номер_({_RUSSIAN_PAPERS}|{_RUSSIAN_OWNERS})"
    f"|(код|ид|id)_{_RUSSIAN_OWNERS}|{_any('табельный_номер номер_п_п п_п')}"
)
_RUSSIAN_TEXTS = (
    f"(.*_)?{_any('фио ф_и_о фамилия имя отчество телефон номер_телефона адрес')}(_{_RUSSIAN_OWNERS})?|"
    + _any("комментарий комментарии примечание примечания отзыв пожелания электронная_почта почта контакты")
)
_GREEK_NUMBERS = (
    _any("αφμ αμκα αδτ") + f"|{_any('αριθμός')}_" + _any("ταυτότητας μητρώου διαβατηρίου φακέλου ασθενούς")
)
_GREEK_TEXTS = _any(
    "ονοματεπώνυμο όνομα επώνυμο τηλέφωνο κινητό διεύθυνση σχόλια παρατηρήσεις ηλεκτρονικό_ταχυδρομείο"
)
_ARABIC_OWNERS = "المريض الطالب الموظف العميل المستخدم"
_ARABIC_NUMBERS = f"{_any('رقم')}_" + _any(
    _ARABIC_OWNERS, "الهوية الملف الجواز الحساب البطاقة العضوية الإقامة"
)
_ARABIC_NUMBERS += "|" + _any("الرقم_القومي الرقم_الوطني الرقم_الوظيفي الرقم_الجامعي")
_ARABIC_TEXTS = f"{_any('اسم')}_{_any(_ARABIC_OWNERS)}|" + _any(
    "الاسم الاسم_الكامل اللقب الهاتف الجوال رقم_الهاتف رقم_الجوال العنوان البريد_الإلكتروني ملاحظات الملاحظات"
)
_CYRILLIC_NUMBERS = _any("егн јмбг иин рнокпп іпн ипн унзр") + f"|{_any('номер')}_{_any('паспорта пацієнта')}"
_CYRILLIC_TEXTS = f"(.*_)?{_any('прізвище презиме')}|" + _any(
    "піб п_і_б ім_я по_батькові адреса адрес име бележки коментар коментарі примітки зауваження"
)
_HINDI_NUMBERS = _any("आधार आधार_संख्या आधार_नंबर क्रमांक क्रम_संख्या रोल_नंबर अनुक्रमांक")
_HINDI_TEXTS = _any("नाम पूरा_नाम पिता_का_नाम माता_का_नाम पति_का_नाम पता मोबाइल मोबाइल_नंबर टिप्पणी सुझाव")
_THAI_NUMBERS = f"{_any('รหัส')}_?{_any('นักศึกษา นักเรียน พนักงาน ผู้ป่วย สมาชิก ลูกค้า ประจำตัว')}|" + _any(
    "เลขบัตรประชาชน เลขประจำตัว เลขประจำตัวประชาชน เลขประจำตัวผู้ป่วย เลขประจำตัวนักเรียน ลำดับ ลำดับที่"
)
_THAI_TEXTS = _any(
    "ชื่อ ชื่อ_นามสกุล ชื่อ_สกุล นามสกุล ชื่อเล่น ที่อยู่ เบอร์โทร เบอร์โทรศัพท์ โทรศัพท์ อีเมล หมายเหตุ",
    "ข้อเสนอแนะ ความคิดเห็น",
)
_HEBREW_NUMBERS = f"{_any('מספר')}_{_any('זהות עובד מטופל תלמיד')}|" + _any("תעודת_זהות ת_ז תז")
_HEBREW_TEXTS = _any("שם שם_פרטי שם_משפחה שם_מלא כתובת טלפון נייד דואל הערות")
_PERSIAN_NUMBERS = f"{_any('شماره')}_{_any('ملی شناسنامه پرونده دانشجویی پرسنلی بیمار')}|" + _any("کد_ملی")
_PERSIAN_TEXTS = _any(
    "نام نام_خانوادگی نام_و_نام_خانوادگی آدرس نشانی تلفن موبایل شماره_تماس شماره_موبایل ایمیل توضیحات"
)
_NUMBERS = (
    _CHINESE_NUMBERS,
    _JAPANESE_NUMBERS,
    _KOREAN_NUMBERS,
    _RUSSIAN_NUMBERS,
    _GREEK_NUMBERS,
    _ARABIC_NUMBERS,
    _CYRILLIC_NUMBERS,
    _HINDI_NUMBERS,
    _THAI_NUMBERS,
    _HEBREW_NUMBERS,
    _PERSIAN_NUMBERS,
)
_TEXTS = (
    _CHINESE_TEXTS,
    _JAPANESE_TEXTS,
    _KOREAN_TEXTS,
    _RUSSIAN_TEXTS,
    _GREEK_TEXTS,
    _ARABIC_TEXTS,
    _CYRILLIC_TEXTS,
    _HINDI_TEXTS,
    _THAI_TEXTS,
    _HEBREW_TEXTS,
    _PERSIAN_TEXTS,
)
IDENTIFIERS = "|".join(_NUMBERS)
"""A pattern of the names of numbers that are given to somebody."""
TEXTS = "|".join(_TEXTS)
"""A pattern of the names of names, addresses and what people write."""

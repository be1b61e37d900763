"""Lists that have an order of their own: bands of numbers, quarters, words of a scale."""

import pandas as pd
import pytest

from hmpb_core.sources.drafting import draft_from_rows
from hmpb_core.sources.drafting.ordering import in_order


@pytest.mark.parametrize(
    "listed",
    [
        ["0-4", "5-9", "10-14", "85+"],
        ["[0-10)", "[10-20)", "[90-100)"],
        ["Less than $10,000", "$10,000 to $14,999", "$15,000 to $24,999", "$100,000 or more"],
        ["<10k", "10k-20k", "20k-50k", ">50k"],
        ["< 1 year", "1 year", "2 years", "10+ years"],
        ["unter 18", "18 bis 24", "25 bis 64", "65 und älter"],
        ["1 ou plus", "2 ou plus", "12 ou plus"],
        ["0", "1 – 4", "5 or more"],
        ["2016Q4", "2017Q1", "2017Q2"],
        ["Q4 2016", "Q1 2017", "Q2 2017"],
        ["2016-W09", "2016-W10", "2017-W01"],
        ["Low", "Medium", "High"],
        ["never", "RARELY", "Often"],
        ["Strongly disagree", "Neutral", "Agree"],
        ["S", "M", "XL"],
        ["Mon", "Tue", "Sun"],
        ["从不", "有时", "总是"],
        ["完全不认同", "不认同", "一般", "认同", "非常认同"],
        ["Strongly disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree"],
        ["Never", "Once in a while", "About half the time", "Usually", "Always"],
        ["Never", "Once a year or less", "A few times per month", "Every day"],
        ["Never", "A few times a year or less", "Once a week", "A few times a week", "Every day"],
        ["Nunca", "Algunas veces al Año", "Algunas veces al Mes", "Algunas veces a la Semana", "Diariamente"],
        ["Jamais", "Une fois par mois", "Quelques fois par semaine", "Chaque jour"],
        ["Less than high school degree", "Some college or Associate degree", "Graduate degree"],
        ["Not at all", "Not much", "Some", "A lot"],
        ["Below Rs.10000", "Rs.10001 to 25000", "More than Rs. 50000"],
        ["nie", "manchmal", "häufig"],
        ["Jamais", "Parfois", "Souvent"],
        ["Bajo", "Medio", "Alto"],
        ["ENSINO FUNDAMENTAL COMPLETO", "ENSINO MÉDIO COMPLETO", "SUPERIOR INCOMPLETO"],
        ["podstawowe", "średnie", "wyższe"],
        ["ilkokul", "lise", "yüksek lisans"],
        ["Rendah", "Sedang", "Tinggi"],
        ["18 yaş altı", "18–25", "26–35", "46 ve üzeri"],
        ["Menor de 18 años", "18 a 25 años", "85 años y más"],
        ["até 1 salário", "1 a 2 salários", "acima de 5 salários"],
        ["meno di 18", "18-25", "oltre 60"],
        ["poniżej 18 lat", "18 do 24", "powyzej 50 lat"],
        ["méně než 10", "10 až 20", "20 a více"],
        ["minder dan 5", "5 tot 10", "10 of meer"],
        ["unter 500 €", "500 - 1.000 €", "1.000 - 2.500 €", "2.500 € und mehr"],
        ["Meno del 5%", "5%-10%", "11%-20%", "Più del 30%"],
        ["Prima del 2015", "Tra il 2015 e il 2019", "Dal 2020 in poi"],
        ["Before 1945", "1945-1969", "After 2000"],
        ["In disaccordo", "Neutrale", "D'accordo", "Molto d'accordo"],
        ["Практически никогда", "Редко", "Скорее редко", "Часто"],
        ["Under 250.000 kr.", "250.000 - 449.999 kr.", "1.000.000 kr. og derover"],
        ["I", "II", "V", "IX"],
        ["Stage I", "Stage IIA", "Stage IIb", "Stage III"],
        ["I", "II", "III", "IV i wyżej"],
        ["Not at all important", "Not very important", "Fairly important", "Very important"],
        ["Per niente soddisfatto", "Poco soddisfatto", "Molto soddisfatto"],
        ["전혀 없다", "별로 없다", "어느정도 있다", "매우 많다"],
        ["No land", "1 or less", "1.01 - 2", "More than 20"],
        ["Keine", "1-2 Mal", "3-5 Mal", "öfter als 5 Mal"],
        ["strongly_disagree", "disagree", "neither", "agree", "strongly_agree"],
        ["StronglyDisagree", "Disagree", "Neutral", "StronglyAgree"],
        ["less", "same", "more"],
        ["Ποτέ", "Σπάνια", "Μερικές φορές", "Πάντα"],
        ["schlecht", "mittelmäßig", "sehr gut"],
        ["zdecydowanie nieważne", "raczej nieważne", "trudno powiedzieć", "bardzo ważne"],
        ["rozhodně ne", "spíše ne", "spíše ano", "rozhodně ano"],
        ["rất không hài lòng", "không hài lòng", "hài lòng"],
        ["Freshman", "Sophomore", "Junior", "Senior", "Postgraduate"],
        ["Less than a year", "1-3 years", "More than 3 years"],
        ["Weniger als ein Jahr", "1-3 Jahre", "mehr als 3 Jahre"],
        ["Moins d'un an", "1 à 3 ans", "Plus de 3 ans"],
        ["Меньше месяца", "От 1 до 3 месяцев", "Больше 3 месяцев"],
        ["kurang dari 1 tahun", "1-3 tahun", "lebih dari 3 tahun"],
        ["Dưới 18 tuổi", "từ 18 đến 25 tuổi", "26 tuổi trở lên"],
        ["18 évnél fiatalabb", "18-25", "26-35", "65 év felett"],
        ["κάτω από 18", "18-25", "26-35", "πάνω από 65"],
        ["أقل من 18", "18-25", "26-35", "أكثر من 35"],
        ["น้อยกว่า 10 ตัน", "ตั้งแต่ 10 ตัน ถึงน้อยกว่า 60 ตัน", "ตั้งแต่ 60 ตัน ถึงน้อยกว่า 150 ตัน", "ตั้งแต่ 150 ตันขึ้นไป"],
        ["ต่ำกว่า 20 ปี", "20-30 ปี", "31-40 ปี", "60 ปีขึ้นไป"],
        ["sub 18 ani", "18-25 ani", "peste 25 ani"],
        ["0-35", "35-55", "55<="],
        ["20<", "20-30", "30-40"],
        ["0-19 ปี", "20-39 ปี", "100-120 ปี"],
        ["5-10 वर्ष", "18-25 वर्ष", "26-35 वर्ष"],
        ["0-10%", "20-Oct", "20-30%", "90-100%"],
        ["5-Jan", "Jun-10", "11-15", "16-20", "21+"],
        ["High School", "Bachelor", "Master", "PhD"],
        ["High school or less", "Bachelor", "Master or more"],
        ["高中及以下", "大专", "本科", "硕士及以上"],
        ["ΚΑΘΟΛΟΥ", "ΛΙΓΟ", "ΑΡΚΕΤΑ", "ΠΟΛΥ", "ΠΑΡΑ ΠΟΛΥ"],  # capitals have no accents
        ["Не согласен", "Скорее не согласен", "Где-то посередине", "Скорее согласен", "Согласен"],
        ["Не согласен", "Скорее не согласен, чем согласен", "Нечто среднее", "Абсолютно согласен"],
        ["Основное общее (9 классов)", "Среднее общее (11 классов)", "Неоконченное высшее", "Высшее"],
        ["ต่ำกว่าปริญญาตรี", "ปริญญาตรี", "ปริญญาโท", "ปริญญาเอก"],
        ["אף פעם", "לפעמים", "תמיד"],
    ],
)
def test_a_list_with_an_order_of_its_own_is_put_into_it(listed):
    for texts in (listed, listed[::-1], sorted(listed)):
        assert in_order(texts) == (listed, True)


@pytest.mark.parametrize(
    "listed",
    [
        ["Basel", "Bern", "Chur"],
        ["1-0", "2-1", "3-3"],  # goals: a band does not end below its beginning
        ["1-4", "1-5", "1-6"],  # which is lower?
        ["low", "high"],
        ["A", "B", "C"],
        ["Often", "often", "Never"],
        ["Occasionally", "Sometimes", "Often"],  # which is seldomer?
        ["2016-04", "2016-05", "2017-01"],
        ["Not good", "Very bad", "Very good"],  # two things are asked
        ["C", "D", "I"],
        ["初中", "高中", "高中及以下"],  # which is lower?
        [],
    ],
)
def test_a_list_without_one_stays_in_the_order_of_the_alphabet(listed):
    assert in_order(listed) == (sorted(listed), False)


def test_what_has_no_place_in_an_order_stands_last_and_the_order_counts_for_nothing():
    assert in_order(["Unknown", "5-9", "10-14", "0-4"]) == (["0-4", "5-9", "10-14", "Unknown"], False)
    bands = [f"{10 * i} - {10 * i + 9}" for i in range(9)]
    answers = ["No aplica", "No responde", "No sabe"]  # few beside so many bands
    assert in_order([*answers, *bands[::-1]]) == ([*bands, *answers], False)
    words = ["a", "b", "c", "0-4", "5-9", "10-14"]
    assert in_order(words) == (sorted(words), False)
    for nothing_told in (
        "No answer",
        "Keine Angabe",
        "No sabe",
        "No especificado",
    ):  # and no band below the others
        assert in_order([nothing_told, "1-2", "3-4", "5+"]) == (["1-2", "3-4", "5+", nothing_told], False)
    agree = ["disagree", "neither", "agree"]
    assert in_order(["agree", "dont_know", "disagree", "neither"]) == ([*agree, "dont_know"], False)
    assert (
        in_order(["agree", "dont_know", "disagree", "skip", "neither"])[0][0] == "agree"
    )  # too few of a scale


def test_heights_in_feet_and_inches_and_bands_with_words_are_in_order():
    heights = ["5 ft 11 in", "5 ft 2 in", "6 ft 0 in", "4 ft 9 in"]
    assert in_order(heights) == (["4 ft 9 in", "5 ft 2 in", "5 ft 11 in", "6 ft 0 in"], True)
    ends = ["5'0\"", "5'10\"", "6'6\" and above", "Under 5 ft."]
    assert in_order(ends) == ([ends[3], *ends[:3]], True)
    assert in_order(["5'11\"", "5'2\"", "6'"]) == (["5'2\"", "5'11\"", "6'"], True)
    ages = ["45 years old and above", "18 - 24 years old", "25 - 34 years old", "12 - 17 years old"]
    assert in_order(ages) == ([ages[3], ages[1], ages[2], ages[0]], True)
    smokers = ["Heavy (16-25)", "Light (1-5)", "Moderate (6-15)", "Very Heavy (> 25)"]
    assert in_order(smokers) == ([smokers[1], smokers[2], smokers[0], smokers[3]], True)
    assert in_order(["Male (1)", "Female (2)", "Other (3)"])[1] is False  # codes
    pay = ["Rp. 1.000.001 - Rp. 2.000.000", "> Rp. 8.000.001", "< Rp. 1.000.000"]
    assert in_order(pay) == ([pay[2], pay[0], pay[1]], True)
    assert in_order(["R$ 1,000 - 2,000", "R$ 500 - 999", "US$ 3,000+"])[0][0] == "R$ 500 - 999"
    young = ["40 and above", "Below 20", "From 20 to 29", "From 30 to 39"]
    assert in_order(young) == ([young[1], young[2], young[3], young[0]], True)
    far = ["1km - 3km", "more than 3km", "within 1km", "between 2 and 3 km"]
    assert in_order(far) == ([far[2], far[0], far[3], far[1]], True)
    visits = ["Daily", "Monthly", "Never", "Rarely", "Weekly"]
    assert in_order(visits) == (["Never", "Rarely", "Monthly", "Weekly", "Daily"], True)
    taught = ["Bachelors", "Graduate Degree", "High School", "Partial College", "Partial High School"]
    assert in_order(taught) == ([taught[4], taught[2], taught[3], taught[0], taught[1]], True)


@pytest.mark.parametrize(
    ("words", "least", "of_all"),
    [
        (["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"], "Monday", 7),
        (["vendredi", "mardi", "mercredi", "jeudi", "lundi"], "lundi", 7),
        (["AUG", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "OCT"], "JAN", 12),
        (["август", "апрель", "июль", "июнь", "май", "март", "октябрь", "сентябрь"], "январь", 12),
        (["Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma"], "Pazartesi", 7),
        (["Mon", "Tue", "Wed", "Thu", "Later"], None, None),
    ],
)
def test_words_for_weekdays_and_months_are_all_of_them_under_any_name_and_their_numbers(words, least, of_all):
    """A clinic that is closed on Sundays told no rule which weekday a date has."""
    field = draft_from_rows(pd.DataFrame({"DiaCita": words * 20}))["fields"][0]
    if least is None:
        assert field["categories"][0] in words
    else:
        assert field["categories"][0] == {"value": least, "spellings": ["1"]}
        assert (len(field["categories"]), field["categoriesOrdered"]) == (of_all, True)
        assert field["source"] == {"kind": "guess"}

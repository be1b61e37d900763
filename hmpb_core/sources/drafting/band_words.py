"""Words with which bands of numbers are written, in the languages of questionnaires: less than, 以上."""

from __future__ import annotations

import re
import unicodedata


def without_marks(text: str) -> str:
    """A text without vowel signs, which are no letters to ``re``: ปี, वर्ष.

    Example:
        >>> [len(without_marks(text)) for text in ("ปี", "über")]
        [1, 4]
    """
    return "".join(letter for letter in text if not unicodedata.category(letter).startswith("M"))


BELOW = without_marks(
    r"(?:<=?|≤|less than|fewer than|younger than|under|below|up to|at most|within|before|"
    r"unter|bis|vor|höchstens|weniger als|jünger als|moins d(?:e|['’])|jusqu'[àa]|avant|"
    r"menos del?|menor(?:es)? (?:de|que|a)|hasta|antes del?|abaixo de|até|"
    r"meno d(?:i|el)|prima del|fino a|sotto(?: i)?|minder dan|jonger dan|onder|tot|"
    r"poni[żz]ej|mniej ni[żz]|do|przed|méně než|pod|mindre än|en fazla|"
    r"kurang dari|di ?bawah|dưới|ít hơn|sub|mai puțin de|până la|κάτω (?:από|των)|λιγότερο από|"
    r"manje od|ispod|manj kot|alle|mindre en[dn]|kevesebb mint|менше|менш|под|по-малко от|"
    r"أقل من|تحت|کمتر از|פחות מ|מתחת ל|ต่ำกว่า|น้อยกว่า|ไม่เกิน|"
    r"少于|低于|小于|不到|不足|不满|未满|不超过|до|менее|меньше|младше|не более)"
)
ABOVE = without_marks(
    r"(?:>=?|≥|more than|greater than|older than|over|above|at least|after|since|"
    r"über|ueber|mindestens|mehr als|öfter als|ab|nach|seit|älter als|plus d(?:e|['’])|après|depuis|"
    r"más del?|después del?|desde|mayor(?:es)? (?:de|que|a)|"
    r"mais de|maior(?:es)? (?:de|que)|acima de|a partir de|depois de|"
    r"più d(?:i|el)|dopo il|dal|oltre(?: i)?|sopra(?: i)?|meer dan|ouder dan|boven|vanaf|"
    r"powy[żz]ej|wi[ęe]cej ni[żz]|více než|nad|över|mer än|en az|"
    r"lebih dari|di ?atas|minimal|trên|hơn|peste|mai mult de|πάνω από|άνω των|περισσότερο από|"
    r"više od|preko|iznad|več kot|nad|yli|mere? en[dn]|több mint|більше|більш|понад|повече от|над|"
    r"أكثر من|فوق|بیشتر از|יותר מ|מעל|มากกว่า|สูงกว่า|"
    r"多于|高于|大于|超过|至少|不少于|свыше|более|больше|старше|не менее|от)"
)
AND_MORE = without_marks(
    r"(?:\+|(?:or|and|&|und|oder|et|y|o|e|ed|ou|of|en|i|lub|a|nebo|och|og|eller|ve) (?:more|over|older|above|"
    r"up|greater|mehr|älter|plus|más|mayores|mais|oltre|più|meer|ouder|hoger|wi[ęe]cej|powy[żz]ej|wy[żz]ej|"
    r"starsi|více|starší|výše|mer|äldre|över|derover|ældre|eldre|darüber|üzeri|üstü|fazlası)"
    r"|a más|en adelante|in su|in poi|üzeri|üstü|fazla|ke ?atas|atau lebih|trở lên|felett|fölött|és több|"
    r"i više|tai enemmän|și peste|ขึ้นไป|से अधिक|से ज्यादा|فما فوق"
    r"|(?:及|或)?以上|이상|초과|(?:и|или) (?:более|больше|старше|выше))"
)
AND_LESS = without_marks(
    r"(?:(?:or|and|und|oder|et|y|o|e|ou|of|en|i|lub|a|nebo|och|og|eller|ve) (?:less|"
    r"under|younger|fewer|below|weniger|jünger|moins|menos|meno|minder|jonger|mniej|poni[żz]ej|méně|mladší|mindre|yngre|derunder|"
    r"darunter|altı)"
    r"|altı|az|ke ?bawah|trở xuống|alatt|fiatalabb|से कम|(?:及|或)?以[下内]|未満|미만|이하"
    r"|(?:и|или) (?:менее|меньше|младше|ниже))"
)
FROM = without_marks(
    r"(?:(?:от|from|about|around|von|etwa|de|entre|desde|da|dai|tra(?: il)?|van|od|från|between|"
    r"zwischen|dari|antara|từ|între|από|من|از|מ|ตั้งแต่) )?"
)
BETWEEN = without_marks(
    r" ?(?:-|–|—|~|～|〜|,|\.\.|to|and|bis|und|a|à|ai|et|y|e(?: il)?|i|tot|do|až|ile|till|until|"
    r"sampai|hingga|s/d|đến|tới|până la|la|έως|ila|til|إلى|الى|تا|ถึง(?:น้อยกว่า|ต่ำกว่า)?|से|"
    r"至|到|から|以上|이상|до) ?"
)
_ONE = r"an?|one|ein(?:e[mnrs]?)?|une?|uno|una|uma?|een|één|jedn\w+|одно\w+|satu|một|bir"
_OF_TIME = r"(?:год|месяц|недел|дн|ден|час|рок|місяц|rok|měsíc|týd|mies|tyg)"
ONE_OF_A_UNIT = re.compile(rf"^({BELOW}|{ABOVE}) ?(?:(?:{_ONE}) (?=[^\W\d])|(?<= )(?={_OF_TIME}))")
"""One of a unit, in a word or left out: less than a year, меньше года."""

"""Language by script and common words."""

from __future__ import annotations

import pytest

from ingest.pipeline.language import guess_language

SAMPLES = {
    "en": ("The gauge is read twice a day, and the keeper writes the number of the tide that was seen in the book."),
    "fr": ("Le marégraphe est relevé deux fois par jour, et le gardien écrit dans un livre la hauteur de la mer."),
    "de": ("Der Pegel wird zweimal am Tag abgelesen, und der Wärter schreibt die Höhe des Wassers in ein Buch."),
    "es": ("El mareógrafo se lee dos veces al día y el guarda escribe en un libro la altura del agua que ha visto."),
    "it": ("Il mareografo si legge due volte al giorno e il custode scrive in un libro la altezza del mare che vede."),
    "pt": ("O marégrafo é lido duas vezes por dia e o guarda escreve num livro a altura da água que não foi vista."),
    "nl": ("De peilschaal wordt twee keer op een dag gelezen en de wachter schrijft het getal van de zee in een boek."),
    "ru": "Дважды в день смотритель читает рейку на стене и записывает число, как это было и в прошлом году.",
    "zh": (
        "海平面正在缓慢上升。在过去的一百二十年里，本港的平均海平面上升了十八厘米。要知道这样小的变化，必须测量很多年。"
    ),
    "ja": ("海面は一日に二回、上がったり下がったりします。これは月と太陽の引力によるもので、潮汐と呼ばれます。"),
    "ko": (
        "바다의 높이는 하루에 두 번 오르내립니다. 이것은 달과 "
        "태양의 인력 때문이며 조석이라고 부릅니다. 매일 기록합니다."
    ),
    "ar": (
        "يقرأ الحارس مقياس المد مرتين في اليوم ويكتب في كتاب "
        "ارتفاع الماء الذي كان من قبل على الجدار، ثم يعود إلى البيت."
    ),
    "fa": ("نگهبان هر روز دو بار سطح دریا را می خواند و آن را در یک کتاب می نویسد که از سال های قبل برای این کار است."),
    "he": "השומר קורא את הסרגל פעמיים ביום ורושם את גובה המים בספר, בשעת הגאות ובשעת השפל.",
    "el": "Ο φύλακας διαβάζει τη στάθμη δύο φορές την ημέρα και γράφει το ύψος της θάλασσας σε ένα βιβλίο.",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_running_text(language: str) -> None:
    assert guess_language([SAMPLES[language]]) == language


@pytest.mark.parametrize("text", ["", "12 34 56", "x = y + z", "Qwrtz Plkmn Vbnhg Zuiop Trewq Asdfg Hjklm Yxcvb Nmlkj"])
def test_nothing_to_go_by(text: str) -> None:
    assert guess_language([text]) == ""


def test_the_language_of_most_of_the_text_counts() -> None:
    assert guess_language([SAMPLES["ja"] * 3, SAMPLES["en"]]) == "ja"
    assert guess_language([SAMPLES["en"] * 4, SAMPLES["ja"]]) == "en"
